import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lognormal, normal, type Quantile, throughPercentiles, uniform } from '../../src/kernel/distribution.ts'
import { draw } from '../../src/world/draws.ts'
import { cases, size } from '../support/cases.ts'

const DRAWS = 100_000
const TOLERANCE = 0.02

/** The draws of the first requests of an operation as in the gateway, sorted. */
function sample(quantile: Quantile, seed: number): Float64Array {
  const values = new Float64Array(DRAWS)
  for (let i = 0; i < DRAWS; i++) values[i] = quantile(draw(seed, 'listThings', i + 1, 'latency'))
  return values.sort()
}

const near = (values: Float64Array, share: number, stated: number): void => {
  const found = values[Math.ceil(share * DRAWS) - 1] as number
  const off = Math.abs(found / stated - 1)
  assert.ok(off <= TOLERANCE, `p${share * 100} is ${found}, stated as ${stated}`)
}

test('100,000 draws land within 2 % of each stated percentile', () => {
  const step = fc.double({ min: 1.05, max: 6, noNaN: true })
  const run = (seed: number, p50: number, [a, b, c]: readonly [number, number, number]) => {
    const knots = [
      { share: 0.5, value: p50 },
      { share: 0.9, value: p50 * a },
      { share: 0.99, value: p50 * a * b },
    ]
    const values = sample(throughPercentiles(p50 / 2, [...knots, { share: 1, value: p50 * a * b * c }]), seed)
    for (const { share, value } of knots) near(values, share, value)
    assert.ok((values[0] as number) >= p50 / 2 && (values[DRAWS - 1] as number) <= p50 * a * b * c)
  }
  run(42, 12, [40 / 12, 10, 5])
  const arbitrary = [fc.integer(), fc.integer({ min: 1, max: 1000 }), fc.tuple(step, step, step)] as const
  fc.assert(fc.property(...arbitrary, run), { numRuns: size(2, 10), seed: 1 })
})

test('draws of the named distributions land on their percentiles too', () => {
  near(sample(uniform(10, 20), 1), 0.5, 15)
  near(sample(uniform(10, 20), 1), 0.9, 19)
  near(sample(normal(100, 10), 1), 0.5, 100)
  near(sample(normal(100, 10), 1), 0.8413447, 110)
  near(sample(lognormal(10, 30), 1), 0.5, 10)
  near(sample(lognormal(10, 30), 1), 0.99, 30)
})

test('a higher percentile never has a lower latency', () => {
  const knots = fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 6 }).chain(shares =>
    fc
      .uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: shares.length, maxLength: shares.length })
      .map(values => {
        const sorted = values.toSorted((a, b) => a - b)
        return shares.toSorted((a, b) => a - b).map((share, i) => ({ share: share / 1000, value: sorted[i] as number }))
      }),
  )
  fc.assert(
    fc.property(knots, all => {
      const quantile = throughPercentiles((all[0]?.value as number) / 2, all)
      let last = 0
      for (let i = 0; i < 2000; i++) {
        const value = quantile(i / 2000)
        assert.ok(value >= last * (1 - 1e-9), `${value} after ${last}`)
        last = value
      }
      for (const { share, value } of all) assert.ok(Math.abs(quantile(share) / value - 1) < 1e-9)
    }),
    { numRuns: cases(50) },
  )
})
