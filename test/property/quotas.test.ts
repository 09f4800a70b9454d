import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Quotas } from '../../src/world/kept/quotas.ts'
import { simulate } from '../simulate.ts'
import { cases } from '../support/cases.ts'
import { VirtualClock } from '../virtual-clock.ts'

const limit = fc.integer({ min: 1, max: 20 })
const window = fc.constantFrom(1000, 60_000)
const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 300 })

test('no window admits more than the limit', () => {
  fc.assert(
    fc.property(limit, window, pauses, (limit, window, pauses) => {
      const quotas = new Quotas()
      const windows = new Map<number, number>()
      let [now, began] = [1e12, Number.NEGATIVE_INFINITY]
      for (const pause of pauses) {
        now += pause
        if (now >= began + window) began = now
        const { allowed, remaining, reset } = quotas.take('ann', { limit, window, burst: undefined }, now)
        const count = (windows.get(began) ?? 0) + (allowed ? 1 : 0)
        windows.set(began, count)
        assert.ok(count <= limit)
        assert.equal(remaining, limit - count)
        assert.ok(allowed || count === limit)
        assert.equal(reset, began + window - now)
      }
    }),
  )
})

test('no interval admits more than the burst and its refill, and the time to wait is exact', () => {
  fc.assert(
    fc.property(limit, window, limit, pauses, (limit, window, burst, pauses) => {
      const quotas = new Quotas()
      const quota = { limit, window, burst }
      const taken: number[] = []
      let now = 1e12
      for (const pause of pauses) {
        now += pause
        const { allowed, reset } = quotas.take('ann', quota, now)
        if (!allowed) {
          const wait = Math.ceil(reset - 0.001)
          now += wait - 1
          if (wait > 1) assert.equal(quotas.take('ann', quota, now).allowed, false)
          now += 1
          assert.equal(quotas.take('ann', quota, now).allowed, true)
        }
        taken.push(now)
      }
      for (let from = 0; from < taken.length; from++) {
        for (let to = from; to < taken.length; to++) {
          const refilled = ((taken[to]! - taken[from]!) * limit) / window
          assert.ok(to - from + 1 <= burst + refilled + 0.001, `${to - from + 1} in ${taken[to]! - taken[from]!} ms`)
        }
      }
    }),
    { numRuns: cases(50) },
  )
})

test('concurrent requests never exceed the limit', async () => {
  const yaml = (limit: string) =>
    `defaults: { rateLimit: ${limit}, latency: { uniform: { min: 0ms, max: 2s } } }\noperations: { listThings: { respond: { list: things } }, getThing: { respond: { read: things } } }`
  for (const limit of ['{ limit: 37/h }', '{ limit: 3700/100h, burst: 37 }']) {
    const clock = new VirtualClock()
    const { ask } = simulate(yaml(limit), clock)
    const asked = Array.from({ length: 200 }, (_, i) => ask(i % 3 === 0 ? 'GET /things' : 'GET /things/1'))
    await clock.pass(2000)
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.equal(statuses.filter(status => status === 200).length, 37)
    assert.equal(statuses.filter(status => status === 429).length, 163)
  }
})
