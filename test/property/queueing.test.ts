import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler, Site } from '../../src/behaviours/behaviour.ts'
import { Exchange } from '../../src/behaviours/exchange.ts'
import { type LatencyConfig, latency } from '../../src/behaviours/latency.ts'
import { capacity } from '../../src/behaviours/limits.ts'
import type { Operation } from '../../src/contract/contract.ts'
import { draw } from '../../src/world/draws.ts'
import { World } from '../../src/world/world.ts'
import { requestOf } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

const ARRIVALS = 10_000
const SEED = 7

/** Returns the mean waiting time in milliseconds of independent arrivals (Poisson). */
async function measure(config: LatencyConfig, servers: number, rate: number): Promise<number> {
  const clock = new VirtualClock(0)
  const world = new World(SEED, clock, new Map())
  const operation = { id: 'work' } as unknown as Operation
  const site = { scope: 'operations/work' } as unknown as Site
  let waited = 0
  const arrived = new WeakMap<Exchange, number>()
  const done: Handler = async () => ({ status: 200, headers: {}, body: undefined })
  const serve = latency.compile(config, site)?.(done) as Handler
  const served: Handler = exchange => {
    waited += clock.now() - (arrived.get(exchange) as number)
    return serve(exchange)
  }
  const handle = capacity.compile({ concurrency: servers, queue: 1e6, timeout: '30d' }, site)?.(served) as Handler
  const replies: Promise<unknown>[] = []
  for (let i = 0; i < ARRIVALS; i++) {
    await clock.pass(-Math.log(1 - draw(SEED, 'arrivals', i, 'pause')) / rate)
    const exchange = new Exchange({ request: requestOf('GET /work'), world, operation })
    arrived.set(exchange, clock.now())
    replies.push(handle(exchange))
  }
  await clock.pass(1e9)
  await Promise.all(replies)
  return waited / ARRIVALS
}

const near = (measured: number, theory: number, tolerance: number, load: number): void => {
  const off = Math.abs(measured / theory - 1)
  assert.ok(off <= tolerance, `at load ${load} waited ${measured} ms, theory says ${theory} ms`)
}

// Pollaczek and Khinchine: the mean wait before one server, from the first two moments of the service time. The mean of
// 10,000 waits, each much like the one before it, scatters by a few percent at half load and by more above.
const pollaczekKhinchine = (rate: number, mean: number, square: number): number =>
  (rate * square) / (2 * (1 - rate * mean))

for (const [load, tolerance] of [
  [0.3, 0.06],
  [0.5, 0.06],
  [0.8, 0.1],
] as const) {
  test(`the waiting time at load ${load} agrees with queueing theory within ${tolerance * 100} %`, async () => {
    // Between 5 and 15 ms: a mean of 10, and a variance of 10²/12.
    const wait = await measure({ uniform: { min: '5ms', max: '15ms' } }, 1, load / 10)
    near(wait, pollaczekKhinchine(load / 10, 10, 100 + 100 / 12), tolerance, load)
  })
}
