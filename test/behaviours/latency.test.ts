import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../src/behaviours/behaviour.ts'
import { type LatencyConfig, latency } from '../../src/behaviours/latency.ts'
import type { Path } from '../../src/kernel/file/source.ts'
import { simulate } from '../simulate.ts'
import { settle, VirtualClock } from '../virtual-clock.ts'

const GET = 'GET /things'

const timed = async (latency: string, requests = 1): Promise<number[]> => {
  const clock = new VirtualClock()
  const { ask } = simulate(`operations: { listThings: { latency: ${latency}, respond: { list: things } } }`, clock)
  const times: number[] = []
  for (let i = 0; i < requests; i++) {
    const started = clock.now()
    let done = false
    const asked = ask(GET).then(() => {
      times.push(clock.now() - started)
      done = true
    })
    for (let passed = 0; !done && passed < 60_000; passed += 1000) await clock.pass(1000)
    await asked
  }
  return times
}

test('a fixed latency passes by the clock of the world', async () => {
  const clock = new VirtualClock()
  const { ask } = simulate('operations: { listThings: { latency: { fixed: 30ms }, respond: { list: things } } }', clock)
  let status: number | undefined
  const asked = ask(GET).then(reply => {
    status = reply.status
  })
  await clock.pass(29)
  assert.equal(status, undefined)
  await clock.pass(1)
  await asked
  assert.equal(status, 200)
})

test('waiting ends when the client disconnects', async () => {
  const clock = new VirtualClock()
  const { ask } = simulate('operations: { listThings: { latency: { fixed: 1h }, respond: { list: things } } }', clock)
  const client = new AbortController()
  const asked = ask(GET, { signal: client.signal })
  await settle()
  assert.equal(clock.waiting, 1)
  client.abort()
  await asked
  assert.equal(clock.waiting, 0)
})

test('the n-th request has the same latency in every fresh world', async () => {
  const latency = '{ p50: 12ms, p90: 40ms, p99: 400ms, max: 2s }'
  assert.deepEqual(await timed(latency, 20), await timed(latency, 20))
  assert.ok(new Set(await timed(latency, 20)).size > 10)
})

test('an operation with `latency: null` does not wait', async () => {
  const clock = new VirtualClock()
  const { ask } = simulate(
    'defaults: { latency: { fixed: 1h } }\noperations: { listThings: { latency: null, respond: { list: things } } }',
    clock,
  )
  assert.equal((await ask(GET)).status, 200)
})

test('an impossible distribution is reported at load', () => {
  const cases: [LatencyConfig, string[]][] = [
    [{ p50: '12ms', p90: '40ms', p99: '400ms', max: '2s' }, []],
    [{ 'p99.9': '1s', p50: '10ms' }, []],
    [{ min: '5ms', p50: '5ms' }, []],
    [{ uniform: { min: '5ms', max: '5ms' } }, []],
    [{ p50: '40ms', p90: '12ms' }, ['percentiles-out-of-order at p90']],
    [{ p50: '40ms', p90: '40ms' }, ['percentiles-out-of-order at p90']],
    [{ p50: '0ms' }, ['percentiles-out-of-order at p50']],
    [{ p50: '40ms', max: '12ms' }, ['percentiles-out-of-order at max']],
    [{ min: '50ms', p50: '40ms' }, ['percentiles-out-of-order at p50']],
    [{ uniform: { min: '5ms', max: '4ms' } }, ['percentiles-out-of-order at uniform.max']],
    [{ lognormal: { p50: '5ms', p99: '5ms' } }, ['percentiles-out-of-order at lognormal.p99']],
    [{ min: '5ms', max: '10ms' }, ['no-percentile at ']],
    [{ fixed: '5ms', p50: '10ms' }, ['ambiguous-latency at p50']],
    [{ fixed: '5ms', uniform: { min: '5ms', max: '4ms' } }, ['ambiguous-latency at uniform']],
  ]
  for (const [config, expected] of cases) {
    const found: string[] = []
    const site = { error: (code: string, _: string, path: Path = []) => found.push(`${code} at ${path.join('.')}`) }
    latency.compile(config, site as unknown as Site)
    assert.deepEqual(found, expected)
  }
})
