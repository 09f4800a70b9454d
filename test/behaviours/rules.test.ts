import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { importSnapshot } from '../../src/gateway/restore.ts'
import type { Reply } from '../../src/kernel/http.ts'
import { realClock } from '../../src/world/clock.ts'
import { takeSnapshot } from '../../src/world/snapshot.ts'
import { CONTRACT, simulate } from '../simulate.ts'
import { fileOf, load, requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'

const bodyOf = ({ body }: Reply) => (body === undefined ? undefined : JSON.parse(String(body)))

const RULES = `
operations:
  listThings:
    respond: { list: things }
    rules:
      - { when: consumer == "ann", respond: { status: 200, body: [] } }
      - { when: nth <= 2, respond: { status: 503, headers: { X-Try: "\${nth}" } } }
  createThing:
    respond: { create: things }
    rules:
      - when: request.body.name == "Crash"
        respond: { status: 500 }
      - when: request.headers["x-plan"] == "free" && records("things").size() >= 3
        respond: { status: 402, body: { code: plan_limit, message: "\${consumer} may keep 3 things", n: "\${ordinal}" } }
  getThing:
    respond: { read: things }
    rules:
      - { when: calls("createThing") == 1, respond: { status: 404 }, times: 1 }
  deleteThing: { respond: { delete: things } }
`

const MISSING = `
operations: { listThings: { respond: { list: things }, rules: [{ when: 'request.headers["x-b"] == "1"', latency: null }] } }
`

describe('the first rule that holds answers', () => {
  test('a condition reads a field of the body', async () => {
    const { ask } = simulate(RULES)
    const crashed = await ask('POST /things', { body: { name: 'Crash' } })
    assert.equal(crashed.status, 500)
    assert.match(crashed.headers['understudy-warning'] ?? '', /createThing does not document 500/)
    assert.match(String(crashed.body), /a rule answers with 500/)
    assert.equal((await ask('POST /things', { body: { name: 'fine' } })).status, 201)
    // The first request created no record.
    assert.equal(bodyOf(await ask('GET /things/3')).name, 'fine')
  })

  test('a condition and a template read the body as text', async () => {
    const { ask } = simulate(`
operations:
  createThing:
    respond: { status: 201, body: { id: 2, name: "\${request.text.size()} characters" } }
    rules:
      - { when: 'request.text.contains(":\\"Crash")', respond: { status: 201, body: { id: 1, name: "\${request.text}" } } }
      - { when: 'request.text == ""', validate: null, respond: { status: 503 } }
`)
    const sent = '{"name":"Crashed"}'
    assert.equal(bodyOf(await ask('POST /things', { body: { name: 'Crashed' } })).name, sent)
    assert.equal(bodyOf(await ask('POST /things', { body: { name: 'fine' } })).name, '15 characters')
    assert.equal((await ask('POST /things')).status, 503)
  })

  test('the text of a body must be spelt and is compared with texts', () => {
    const told = (when: string) =>
      load(`${CONTRACT}operations: { listThings: { rules: [{ when: '${when}', respond: { status: 503 } }] } }`)
        .report.list.map(({ message, hint }) => `${message}; ${hint}`)
        .join('\n')
    assert.match(told('request.texd == "x"'), /request has no "texd".*did you mean "text"/s)
    assert.match(told('request.text == 5'), /compare values of one type/)
  })

  test('a condition reads headers and records, and a reply has a template', async () => {
    const { ask } = simulate(RULES)
    const headers = { 'x-plan': 'free', 'x-key': 'bob-key' }
    assert.equal((await ask('POST /things', { headers, body: { name: 'third' } })).status, 201)
    const refused = await ask('POST /things', { headers, body: { name: 'fourth' } })
    assert.equal(refused.status, 402)
    assert.deepEqual(bodyOf(refused), { code: 'plan_limit', message: 'bob may keep 3 things', n: 2 })
    // Without the header the request is served.
    assert.equal((await ask('POST /things', { body: { name: 'fourth' } })).status, 201)
  })

  test('a condition counts requests by method and path', async () => {
    const { ask } = simulate(RULES)
    const replies = []
    for (const path of ['/things', '/things', '/things']) replies.push(await ask(`GET ${path}`))
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers['x-try']]),
      [
        [503, '1'],
        [503, '2'],
        [200, undefined],
      ],
    )
  })

  test('a condition counts calls of another operation', async () => {
    const { ask } = simulate(RULES)
    assert.equal((await ask('GET /things/1')).status, 200)
    await ask('POST /things', { body: { name: 'x' } })
    assert.equal((await ask('GET /things/1')).status, 404)
    assert.equal((await ask('GET /things/1')).status, 200)
  })

  test('a rule skips neither authentication nor validation', async () => {
    const { ask } = simulate(RULES)
    assert.equal((await ask('POST /things', { headers: { 'x-key': 'wrong' }, body: { name: 'Crash' } })).status, 500)
    assert.equal((await ask('POST /things', { body: { name: 5 } })).status, 400)
  })
})

describe('a rule with `times`', () => {
  const twice = `
operations:
  listThings:
    respond: { list: things }
    rules: [{ times: 3, respond: { status: 503 } }]
`

  test('applies exactly that often to concurrent requests', async () => {
    const { ask } = simulate(twice)
    const replies = await Promise.all(Array.from({ length: 1000 }, () => ask('GET /things')))
    assert.equal(replies.filter(({ status }) => status === 503).length, 3)
  })

  test('applies exactly that often if its condition reads records', async () => {
    const { ask } = simulate(`
operations:
  listThings:
    respond: { list: things }
    rules: [{ when: 'record("things", 1).name == "one"', times: 3, respond: { status: 503 } }]
`)
    const replies = await Promise.all(Array.from({ length: 1000 }, () => ask('GET /things')))
    assert.equal(replies.filter(({ status }) => status === 503).length, 3)
  })

  test('is counted by world, and its count is in the snapshot', async () => {
    const { ask, gateway } = simulate(twice)
    await ask('GET /things')
    await ask('GET /things')
    const snapshot = JSON.parse(JSON.stringify(await takeSnapshot(gateway.worlds.default)))
    const copy = await importSnapshot(gateway.worlds, gateway.plan, 'copy', snapshot)
    assert.ok(!Array.isArray(copy))
    gateway.worlds.put(copy)
    const inCopy = { headers: { 'understudy-world': 'copy' } }
    assert.deepEqual([(await ask('GET /things', inCopy)).status, (await ask('GET /things', inCopy)).status], [503, 200])
    const fresh = { headers: { 'understudy-world': 'fresh' } }
    assert.equal((await ask('GET /things', fresh)).status, 503)
    gateway.reset()
    assert.equal((await ask('GET /things')).status, 503)
  })
})

describe('a rule with `enter`', () => {
  const SCENARIO = `
operations:
  createThing: { respond: { create: things }, rules: [{ when: request.body.name == "pay", enter: { order: paid } }] }
  getThing:
    respond: { read: things }
    rules:
      - { when: scenario("order") == "paid", times: 1, enter: { order: shipped, mail: sent }, respond: { status: 404 } }
      - when: scenario("order") != ""
        respond: { status: 200, body: { id: 9, name: '\${scenario("order")}, \${scenario("mail")}' } }
  deleteThing: { respond: { delete: things }, rules: [{ enter: { order: "", mail: "" } }] }
`
  const nameIn = async (ask: ReturnType<typeof simulate>['ask'], headers: Record<string, string> = {}) =>
    bodyOf(await ask('GET /things/1', { headers })).name

  test('changes the state of scenarios, which conditions and templates read', async () => {
    const { ask } = simulate(SCENARIO)
    await ask('POST /things', { body: { name: 'other' } })
    assert.equal(await nameIn(ask), 'one')
    // The rule changes nothing else: the record is made.
    assert.equal((await ask('POST /things', { body: { name: 'pay' } })).status, 201)
    assert.equal((await ask('GET /things/1')).status, 404)
    assert.equal(await nameIn(ask), 'shipped, sent')
    assert.equal((await ask('DELETE /things/2')).status, 204)
    assert.equal(await nameIn(ask), 'one')
  })

  test('has an effect in one world, also at a later time, until that is reset; it is in the snapshot', async () => {
    const { ask, gateway } = simulate(SCENARIO)
    await ask('POST /things', { body: { name: 'pay' } })
    await ask('GET /things/1')
    assert.equal(await nameIn(ask, { 'understudy-world': 'other' }), 'one')
    assert.equal(await nameIn(ask, { 'understudy-time': '+30d' }), 'shipped, sent')
    const snapshot = JSON.parse(JSON.stringify(await takeSnapshot(gateway.worlds.default)))
    assert.deepEqual(snapshot.counters.scenarios, { order: 'shipped', mail: 'sent' })
    const copy = await importSnapshot(gateway.worlds, gateway.plan, 'copy', snapshot)
    assert.ok(!Array.isArray(copy))
    gateway.worlds.put(copy)
    assert.equal(await nameIn(ask, { 'understudy-world': 'copy' }), 'shipped, sent')
    gateway.reset()
    assert.equal(await nameIn(ask), 'one')
  })
})

describe('rules in other blocks', () => {
  test('apply to a tag, to all operations and in weather, which takes precedence', async () => {
    const { ask, gateway } = simulate(`
operations: { listThings: { respond: { list: things } }, getThing: { respond: { read: things } } }
defaults: { rules: [{ when: 'request.headers["x-a"] == "1"', respond: { status: 503 } }] }
tags: { things: { rules: [{ when: 'request.headers["x-a"] == "1"', respond: { status: 429, body: [] } }] } }
weather:
  stormy: { operations: { getThing: { rules: [{ when: request.params.id == 1, fault: { kind: status, status: 500 } }] } } }
`)
    const headers = { 'x-a': '1' }
    assert.equal((await ask('GET /things', { headers })).status, 429)
    assert.equal((await ask('GET /things/1', { headers })).status, 503)
    assert.equal((await ask('GET /things/1')).status, 200)
    const stormy = { 'understudy-weather': 'stormy' }
    assert.equal((await ask('GET /things/1', { headers: stormy })).status, 500)
    assert.equal((await ask('GET /things/2', { headers: stormy })).status, 200)
    assert.equal((await ask('GET /things/2', { headers: { ...stormy, ...headers } })).status, 503)
    assert.equal(gateway.weather.current, undefined)
  })

  test('Understudy-Explain names the rule that matched, and why earlier rules did not', async () => {
    const { ask } = simulate(RULES)
    const reply = await ask('GET /things', { headers: { 'understudy-explain': '1' } })
    const why = reply.headers['understudy-explanation'] ?? ''
    assert.match(why, /not rule operations\/listThings\/rules\/0: consumer == \\"ann\\" is false/)
    assert.match(why, /"rule operations\/listThings\/rules\/1: nth <= 2"/)
    const post = await ask('POST /things', { headers: { 'understudy-explain': '1' }, body: { name: 'x' } })
    assert.match(post.headers['understudy-explanation'] ?? '', /records\(\\"things\\"\).size\(\) >= 3 is false/)
    const odd = { headers: { 'understudy-explain': '1', 'x-a': '1' } }
    assert.match(
      (await simulate(MISSING).ask('GET /things', odd)).headers['understudy-explanation'] ?? '',
      /no such key: x-b/,
    )
  })

  test('a rule sees no body if the body is not JSON, which is then refused', async () => {
    const { gateway } = simulate(RULES)
    const bytes = new TextEncoder().encode('{"name": "Crash"')
    const reply = await gateway.handle({
      method: 'POST',
      path: '/things',
      query: '',
      headers: { 'content-type': 'application/json' },
      hasBody: true,
      readBody: async () => ({ bytes }),
      address: '127.0.0.1',
    })
    assert.equal(reply.status, 400)
  })
})

describe('more kinds of `respond`', () => {
  test('answers with a named example of the contract', async () => {
    const path = fileOf(`
contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  paths:
    /a:
      get:
        operationId: a
        responses:
          200:
            description: Fine
            content:
              application/json: { examples: { one: { value: { name: one } }, two: { value: { name: two } } } }
operations: { a: { respond: { example: two } } }
`)
    const { plan } = loadPlan(path, dirname(path), {})
    assert.ok(plan)
    const gateway = new Gateway(plan, realClock, silentLog, '0')
    assert.deepEqual(bodyOf(await gateway.handle(requestOf('GET /a'))), { name: 'two' })
  })

  test('answers with a file, with the media type of its extension, below the folder of the configuration only', async () => {
    const path = fileOf(`${CONTRACT}
operations:
  getThing: { respond: { file: ./pictures/dot.svg, headers: { X-A: b } } }
  listThings: { respond: { file: ../outside.txt } }
  createThing: { respond: { file: missing.txt } }
`)
    mkdirSync(join(dirname(path), 'pictures'), { recursive: true })
    writeFileSync(join(dirname(path), 'pictures/dot.svg'), '<svg/>')
    writeFileSync(join(dirname(path), '../outside.txt'), 'x')
    const { report } = loadPlan(path, dirname(path), {})
    assert.deepEqual(
      report.list.filter(({ severity }) => severity === 'error').map(({ message }) => message),
      ['../outside.txt is outside the folder of this configuration', 'there is no file missing.txt'],
    )
    const { ask } = simulate('operations: { getThing: { respond: { file: ./pictures/dot.svg, headers: { X-A: b } } } }')
    const reply = await ask('GET /things/1')
    assert.equal(reply.headers['content-type'], 'image/svg+xml')
    assert.equal(reply.headers['x-a'], 'b')
    assert.equal(Buffer.from(reply.body as Uint8Array).toString(), '<svg/>')
  })
})

test('the journal keeps a body that a rule has read', async () => {
  const { ask, gateway } = simulate(`journal: { bodies: 1kB }\n${RULES}`)
  await ask('POST /things', { body: { name: 'fine' } })
  const [entry] = [...gateway.journal.each()]
  assert.ok(entry)
  assert.notEqual(entry.requestBody, undefined)
})
