import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { describePlan } from '../../src/plan/describe.ts'
import { CONTRACT, OPERATIONS, simulate } from '../simulate.ts'
import { type Ask, load } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

const PRESETS = `
weather:
  down: { defaults: { fault: { kind: status, status: 503 } } }
  half: { tags: { things: { fault: { kind: status, status: 500 } } }, operations: { createThing: { fault: null } } }
  unfair: { consumers: { bob: { rateLimit: { limit: 1/h } } } }
`

const city = () => {
  const clock = new VirtualClock()
  const { ask, gateway, metric } = simulate(`${PRESETS}\noperations: ${OPERATIONS}`, clock)
  const status = async (what: string, options?: Ask) => (await ask(what, options)).status
  /** Sets weather. Returns the codes of its mistakes. */
  const make = (yaml: string): string[] => {
    const report = new Diagnostics()
    const source = parseSource('weather', yaml, report)
    if (source !== undefined) gateway.weather.overall.make(gateway.plan, source, report)
    return report.list.map(({ code, place }) => `${code} at ${place.line}:${place.column}`)
  }
  return { clock, gateway, metric, status, make }
}

test('weather applies to every operation at once until it is cleared', async () => {
  const { gateway, make, status, metric } = city()
  assert.equal(await status('GET /things'), 200)
  assert.deepEqual(make('{ name: down }'), [])
  assert.equal(await status('GET /things'), 503)
  assert.equal(await metric('understudy_weather{weather="down"}'), 1)
  const plan = describePlan(gateway.plan, gateway.weather.current?.weather)
  assert.equal(plan.weather, 'down')
  assert.ok(plan.operations.every(({ chain }) => chain.includes('fault')))
  gateway.weather.overall.clear()
  assert.equal(await status('GET /things'), 200)
  assert.equal(await metric('understudy_weather{weather="down"}'), undefined)
  assert.ok(!describePlan(gateway.plan).operations.some(({ chain }) => chain.includes('fault')))
})

test('weather ends after its `for`', async () => {
  const { clock, make, status } = city()
  make('{ name: down, for: 5m }')
  await clock.pass(299_999)
  assert.equal(await status('GET /things'), 503)
  await clock.pass(1)
  assert.equal(await status('GET /things'), 200)
})

test('an integer beyond 2^53 in weather is rounded, so that requests can be counted with it', async () => {
  const { make, status } = city()
  assert.deepEqual(make('{"defaults":{"fault":{"kind":"status","status":503,"every":9007199254740993}}}'), [])
  assert.equal(await status('GET /things'), 200)
  assert.deepEqual(make('{ defaults: { rateLimit: { limit: 1/h, burst: 9007199254740993 } } }'), [])
  assert.equal(await status('GET /things'), 200)
})

test('an integer beyond 2^53 in the configuration is rounded, so that requests can be counted with it', async () => {
  const fault = '{ kind: status, status: 503, every: 9007199254740993 }'
  const { ask } = simulate(`defaults: { fault: ${fault} }\noperations: ${OPERATIONS}`, new VirtualClock())
  assert.equal((await ask('GET /things')).status, 200)
})

test('weather for more than a hundred years is refused, so that its end is a valid date', async () => {
  const { gateway, make } = city()
  assert.deepEqual(make('{ name: down, for: 99999999999d }'), ['invalid-value at 1:20'])
  assert.equal(gateway.weather.current, undefined)
  assert.deepEqual(make('{ name: down, for: 36500d }'), [])
})

test('the most specific block of weather wins, and other behaviours keep their settings', async () => {
  const { make, status } = city()
  make('{ name: half }')
  assert.equal(await status('GET /things'), 500)
  assert.equal(await status('POST /things', { body: { name: 'three' } }), 201)
  assert.equal(await status('GET /things/1'), 200)
})

test('weather can apply to one consumer only', async () => {
  const { make, status } = city()
  make('{ name: unfair }')
  const statuses: number[] = []
  for (const key of ['bob-key', 'bob-key', 'ann-key', 'ann-key', 'nobody']) {
    statuses.push(await status('GET /things/1', { headers: { 'x-key': key } }))
  }
  assert.deepEqual(statuses, [200, 429, 200, 200, 200])
})

test('a request can choose its weather, or none', async () => {
  const { make, status } = city()
  const asking = (name: string) => status('GET /things', { headers: { 'understudy-weather': name } })
  assert.deepEqual([await asking('down'), await status('GET /things')], [503, 200])
  make('{ name: half }')
  assert.deepEqual([await asking('down'), await asking('clear'), await status('GET /things')], [503, 200, 500])
  assert.equal(await asking('dawn'), 400)
})

test('with `clientControls: false` a request cannot choose its weather', async () => {
  const { ask } = simulate(`${PRESETS}\nlisten: { clientControls: false }\noperations: ${OPERATIONS}`)
  assert.equal((await ask('GET /things', { headers: { 'understudy-weather': 'down' } })).status, 200)
})

test('weather can be made of blocks without a preset', async () => {
  const { make, status, gateway } = city()
  assert.deepEqual(make('operations: { getThing: { fault: { kind: status, status: 500 } } }'), [])
  assert.equal(gateway.weather.current?.weather.name, 'custom')
  assert.equal(await status('GET /things/1'), 500)
  assert.equal(await status('GET /things'), 200)
})

test('invalid weather changes nothing and is reported with its place', async () => {
  const { make, status } = city()
  make('{ name: half }')
  const cases: [yaml: string, codes: string[]][] = [
    ['{ name: dawn }', ['unknown-weather at 1:9']],
    ['{ for: 5m }', ['unknown-weather at 1:1']],
    ['{ name: down, for: 5 }', ['missing-unit at 1:20']],
    ['{ operations: { getThink: {} } }', ['unknown-operation at 1:17']],
    ['{ tags: { think: {} } }', ['unknown-tag at 1:11']],
    ['{ consumers: { bib: {} } }', ['unknown-consumer at 1:16']],
    ['{ consumers: { bob: { latency: { p50: 2s, p90: 1s } } } }', ['percentiles-out-of-order at 1:48']],
    ['{ defaults: { fault: { kind: reset, probability: 1.5 } } }', ['invalid-value at 1:50']],
    ['{ defaults: { validate: null } }', ['unknown-key at 1:15']],
    ['{ latency: { fixed: 3s } }', ['unknown-key at 1:3']],
  ]
  for (const [yaml, codes] of cases) assert.deepEqual(make(yaml), codes, yaml)
  assert.equal(await status('GET /things'), 500)
})

test('weather survives a reload, unless the new plan cannot have it', async () => {
  const { make, status, gateway } = city()
  const other = load(
    `${CONTRACT}\nconsumers: { ann: { key: ann-key } }\noperations: ${OPERATIONS}`.replace(
      /consumers: \{ ann.*bob-key.*\n/,
      '',
    ),
  )
  assert.ok(other.plan)
  make('defaults: { fault: { kind: status, status: 500 } }')
  gateway.adopt(other.plan)
  assert.equal(await status('GET /things'), 500)

  const again = city()
  again.make('{ name: down }')
  again.gateway.adopt(other.plan)
  assert.equal(await again.status('GET /things'), 200)
})

test('weather is named in the explanation and in the journal', async () => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(
    `weather: { storm: { defaults: { latency: { uniform: { min: 5ms, max: 9ms } }, fault: [{ kind: reset, every: 9 }, { kind: status, status: 503, probability: 1 }] } } }\noperations: ${OPERATIONS}`,
    clock,
  )
  const headers = { 'understudy-weather': 'storm', 'understudy-explain': '1' }
  const asked = ask('GET /things', { headers })
  await clock.pass(9)
  const why = (await asked).headers['understudy-explanation'] ?? ''
  assert.match(why, /draws=\("fault 2";value=0\.\d{3} "latency";value=0\.\d{3}\)/)
  assert.match(why, /notes=\("weather: storm" "fault 2: 503" "latency: [5-8]\.\d ms"\)/)
  const [entry] = [...gateway.journal.each()]
  assert.deepEqual(entry?.notes.slice(0, 2), ['weather: storm', 'fault 2: 503'])
  assert.equal(entry?.fault, 'status')
})

test('the weather of a world replaces the weather of all worlds until the world is reset', async () => {
  const { gateway, make, status } = city()
  const mine = { headers: { 'understudy-world': 'mine' } }
  const put = (yaml: string, world = 'mine') => {
    const report = new Diagnostics()
    const source = parseSource('weather', yaml, report)
    assert.ok(source)
    const found = gateway.worlds.get(world)
    assert.ok(found)
    gateway.weather.of(found, gateway.plan).make(gateway.plan, source, report)
    return report.list.map(({ code }) => code)
  }
  assert.equal(await status('GET /things', mine), 200)
  assert.deepEqual(put('{ name: down }'), [])
  assert.deepEqual([await status('GET /things', mine), await status('GET /things')], [503, 200])
  assert.deepEqual(make('{ defaults: { fault: { kind: status, status: 500 } } }'), [])
  assert.deepEqual([await status('GET /things', mine), await status('GET /things')], [503, 500])
  const clear = { headers: { ...mine.headers, 'understudy-weather': 'clear' } }
  assert.equal(await status('GET /things', clear), 200)
  assert.deepEqual(put('{ rules: [] }'), ['unknown-key'])
  assert.equal(await status('GET /things', mine), 503)
  gateway.reset('mine')
  assert.equal(await status('GET /things', mine), 500)
})

test('weather can have rules', async () => {
  const { make, status } = city()
  assert.deepEqual(make('defaults: { rules: [{ times: 1, fault: { kind: status, status: 503 } }] }'), [])
  assert.deepEqual(
    [await status('GET /things'), await status('GET /things'), await status('GET /things')],
    [503, 200, 200],
  )
  const codes = make('operations: { listThings: { rules: [{ when: rquest.path == "x", latency: { fixed: 1s } }] } }')
  assert.deepEqual(codes, ['unknown-root at 1:45'])
  assert.deepEqual(make('operations: { listThings: { rules: [{ when: ordinal > 1, respond: { status: 503 } }] } }'), [])
  assert.equal(await status('GET /things'), 503)
})
