import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Brownouts } from '../../src/behaviours/behaviour.ts'
import { countRests, restAt, restsFrom } from '../../src/behaviours/deprecation.ts'

const SECOND = 1000
const brownouts: fc.Arbitrary<Brownouts> = fc
  .record({
    starts: fc.integer({ min: 0, max: 2e12 }),
    every: fc.integer({ min: 2, max: 90_000 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    periods: fc.double({ min: 0.1, max: 200, noNaN: true }),
    growing: fc.boolean(),
  })
  .map(({ starts, every, share, periods, growing }) => ({
    starts,
    ends: starts + Math.ceil(periods * every) * SECOND,
    every: every * SECOND,
    for: Math.max(1, Math.floor(every * share)) * SECOND,
    growing,
    answer: 503 as const,
  }))

test('brown-outs are disjoint, ordered, before the sunset, and never shrink', () => {
  fc.assert(
    fc.property(brownouts, given => {
      const rests = [...restsFrom(given, 0)]
      assert.equal(rests.length, countRests(given, 0))
      assert.equal(rests[0]?.start, given.starts)
      for (const [i, { start, end }] of rests.entries()) {
        assert.ok(start < end && end <= given.ends)
        assert.ok(end - start <= given.every)
        const before = rests[i - 1]
        if (before === undefined) continue
        assert.ok(before.end <= start)
        if (end < given.ends) assert.ok(end - start >= before.end - before.start)
      }
    }),
  )
})

test('at any time the current and the coming brown-outs agree with the list of all', () => {
  fc.assert(
    fc.property(brownouts, fc.double({ min: -0.1, max: 1.1, noNaN: true }), (given, where) => {
      const time = Math.round(given.starts + where * (given.ends - given.starts))
      const rests = [...restsFrom(given, 0)]
      assert.deepEqual(
        restAt(given, time),
        rests.find(({ start, end }) => time >= start && time < end),
      )
      const coming = rests.filter(({ end }) => end > time)
      assert.deepEqual([...restsFrom(given, time)], coming)
      assert.equal(countRests(given, time), coming.length)
    }),
  )
})
