import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/behaviours/behaviour.ts'
import { type FaultSpec, fault } from '../../src/behaviours/fault/index.ts'
import type { Path } from '../../src/kernel/file/source.ts'
import { simulate } from '../simulate.ts'
import { VirtualClock } from '../virtual-clock.ts'

const DRAFT = { body: { name: 'three' } }

test('a fault strikes with its probability, on the same requests in every fresh world', async () => {
  const yaml = 'operations: { listThings: { respond: { list: things }, fault: { kind: reset, probability: 0.25 } } }'
  const { gateway, ask } = simulate(yaml)
  const fates = async () => {
    const struck: boolean[] = []
    for (let i = 0; i < 2000; i++) struck.push((await ask('GET /things')).wire !== undefined)
    return struck
  }
  const first = await fates()
  const share = first.filter(Boolean).length / first.length
  assert.ok(share > 0.22 && share < 0.28, `${share}`)
  gateway.reset()
  assert.deepEqual(await fates(), first)
})

test('the first of several faults that is drawn applies', async () => {
  const faults = '[{ kind: close, every: 4 }, { kind: status, status: 503, every: 2 }, { kind: hang, probability: 0 }]'
  const { ask } = simulate(`operations: { listThings: { respond: { list: things }, fault: ${faults} } }`)
  const seen: (string | number)[] = []
  for (let i = 0; i < 4; i++) {
    const { status, wire } = await ask('GET /things')
    seen.push(wire?.kind ?? status)
  }
  assert.deepEqual(seen, [200, 503, 200, 'close'])
})

test('a fault applies before the work, or after it with `after: true`', async () => {
  for (const [after, status] of [
    ['false', 404],
    ['true', 200],
  ] as const) {
    const { ask } = simulate(
      `operations: { getThing: { respond: { read: things } }, createThing: { respond: { create: things }, fault: { kind: reset, after: ${after} } } }`,
    )
    assert.equal((await ask('POST /things', DRAFT)).wire?.kind, 'reset')
    assert.equal((await ask('GET /things/3')).status, status)
  }
})

test('a fault has the headers that every reply has', async () => {
  const { ask } = simulate(
    'operations: { listThings: { fault: { kind: status, status: 503 }, deprecation: { since: 2020-01-01 }, respond: { list: things } } }',
  )
  const { status, headers, body } = await ask('GET /things')
  assert.equal(status, 503)
  assert.equal(headers.deprecation, '@1577836800')
  assert.equal(JSON.parse(String(body)).code, 'unavailable')
})

test('a hang lasts for its `for`, by the clock of the world', async () => {
  const clock = new VirtualClock()
  const { ask } = simulate(
    'operations: { listThings: { fault: { kind: hang, for: 1h }, respond: { list: things } } }',
    clock,
  )
  let over = false
  const asked = ask('GET /things').finally(() => {
    over = true
  })
  await clock.pass(3_599_999)
  assert.equal(over, false)
  await clock.pass(1)
  assert.equal((await asked).wire?.kind, 'close')
})

test('an invalid fault is reported at load', () => {
  const cases: [FaultSpec | FaultSpec[], string[]][] = [
    [{ kind: 'status', status: 503 }, []],
    [{ kind: 'status', status: 429 }, []],
    [{ kind: 'status', status: 404 }, ['undocumented-status at status']],
    [{ kind: 'status' }, ['missing-key at ']],
    [[{ kind: 'reset' }, { kind: 'status', status: 410 }], ['undocumented-status at 1.status']],
    [{ kind: 'reset', every: 2, probability: 0.5 }, ['ambiguous-chance at every']],
    [{ kind: 'reset', for: '5s' }, ['idle-key at for']],
    [{ kind: 'drip', keep: '5B', status: 500 }, ['idle-key at status', 'idle-key at keep']],
  ]
  for (const [config, expected] of cases) {
    const found: string[] = []
    const error = (code: string, _: string, path: Path = []) => found.push(`${code} at ${path.join('.')}`)
    const operation = { id: 'listThings', responses: new Map([['200', {}]]) }
    fault.compile(config, { error, operation } as unknown as Site)
    assert.deepEqual(found, expected)
  }
})
