import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { importSnapshot } from '../../src/gateway/restore.ts'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { takeSnapshot } from '../../src/world/snapshot.ts'
import { CONTRACT } from '../simulate.ts'
import { type Ask, fileOf, gatewayOf, load, requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'
import { FixedClock } from '../virtual-clock.ts'

const rules = (rule: string, more = '', state = '') => `${state}
operations:
  createThing:
    respond: { create: things }
    ${more}
    rules: [${rule}]
`

/** The contract of things, whose creation needs a key. */
const THINGS = CONTRACT.replace(
  'security: [{}, { key: [] }]\n        requestBody',
  'security: [{ key: [] }]\n        requestBody',
)

const headers = { 'x-key': 'ann-key' }
const GOOD: Ask = { body: { name: 'fine' }, headers }
const BAD: Ask = { body: { name: 7 }, headers }
const STRANGER: Ask = { body: { name: 'fine' } }

for (const state of ['', 'state: { history: true }']) {
  describe(`accepted counts requests that are let in${state === '' ? '' : ', in turns'}`, () => {
    const posting = (rule: string, more = '', clock = new FixedClock()) => {
      const gateway = gatewayOf(load(THINGS + rules(rule, more, state)), clock)
      const ask = (line: string, options: Ask) => gateway.handle(requestOf(line, options))
      const post = async (options = GOOD, path = '/things') => (await ask(`POST ${path}`, options)).status
      return { ask, post, gateway, clock }
    }

    test('neither those that validation nor those that authentication refuses', async () => {
      const { post } = posting('{ when: accepted == 3, respond: { status: 503 } }')
      const statuses: number[] = []
      for (const options of [GOOD, BAD, STRANGER, GOOD, BAD, STRANGER, GOOD, GOOD]) statuses.push(await post(options))
      assert.deepEqual(statuses, [201, 400, 401, 201, 400, 401, 503, 201])
    })

    test('nor those above a limit', async () => {
      const { post, clock } = posting('{ when: accepted == 3, respond: { status: 503 } }', 'rateLimit: { limit: 2/m }')
      assert.deepEqual([await post(), await post(), await post(), await post()], [201, 201, 429, 429])
      clock.time += 60_000
      assert.deepEqual([await post(), await post(), await post()], [503, 201, 429])
    })

    test('of concurrent requests above a limit none has a number', async () => {
      const { post, clock } = posting('{ when: accepted == 6, respond: { status: 503 } }', 'rateLimit: { limit: 5/m }')
      const statuses = await Promise.all(Array.from({ length: 12 }, () => post()))
      assert.equal(statuses.filter(status => status === 201).length, 5)
      clock.time += 60_000
      assert.deepEqual(await Promise.all([post(), post()]), [503, 201])
    })

    test('one that a rule faults counts, and a refused request has no effect of the rule', async () => {
      const { post, ask } = posting(
        '{ when: accepted == 2, fault: { kind: status, status: 503 }, enter: { shop: closed } }',
      )
      assert.equal(await post(), 201)
      assert.deepEqual([await post(BAD), await post(STRANGER)], [400, 401])
      assert.deepEqual([await post(), await post(), await post()], [503, 201, 201])
      const reply = await ask('POST /things', { ...BAD, headers: { ...headers, 'understudy-explain': '1' } })
      assert.match(reply.headers['understudy-explanation'] ?? '', /accepted == 2: the request is not let in/)
    })

    test('each world counts for itself, and concurrent requests have different numbers', async () => {
      const { post } = posting('{ when: accepted == 3 || accepted == 5, respond: { status: 503 } }')
      const statuses = await Promise.all(Array.from({ length: 8 }, () => post()))
      assert.equal(statuses.filter(status => status === 503).length, 2)
      assert.equal(await post(GOOD, '/~ann/things'), 201)
    })

    test('a snapshot has the count, and a reset begins anew', async () => {
      const { post, gateway } = posting('{ when: accepted == 3, respond: { status: 503 } }')
      await post()
      await post()
      const snapshot = JSON.parse(JSON.stringify(await takeSnapshot(gateway.worlds.default)))
      const copy = await importSnapshot(gateway.worlds, gateway.plan, 'copy', snapshot)
      assert.ok(!Array.isArray(copy))
      gateway.worlds.put(copy)
      assert.deepEqual([await post(BAD, '/~copy/things'), await post(GOOD, '/~copy/things')], [400, 503])
      gateway.reset()
      assert.deepEqual([await post(), await post(), await post()], [201, 201, 503])
    })

    test('`validate: { requests: warn }` lets invalid requests in', async () => {
      const { post } = posting('{ when: accepted == 2, respond: { status: 503 } }', 'validate: { requests: warn }')
      // The responder finds no record in it.
      assert.deepEqual([await post(BAD), await post(BAD)], [400, 503])
    })
  })
}

const problems = (yaml: string) => {
  const file = fileOf(THINGS + yaml)
  return formatDiagnostics(loadPlan(file, dirname(file), {}).report.list)
}

describe('accepted is known in the conditions of rules only', () => {
  test('not in weather', () => {
    const weather =
      'weather: { rain: { operations: { createThing: { rules: [{ when: accepted == 2, respond: { status: 503 } }] } } } }'
    assert.match(problems(weather), /error uncounted-requests: "accepted" is not counted for the conditions of weather/)
  })

  test('not in templates', () => {
    const yaml = rules('{ when: accepted == 2, respond: { status: 503, body: { n: "${accepted}" } } }')
    assert.match(problems(yaml), /error unknown-root: "accepted" is known in the conditions of rules only/)
  })
})
