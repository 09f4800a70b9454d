import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pulses } from '../../../src/wings/workers/pulses.ts'

test('a worker that does not answer is reported at once, and replaced only if it never does', () => {
  const pulses = new Pulses()
  const missed = (times: number) => Array.from({ length: times }, () => pulses.missed(1)).filter(Boolean).length
  assert.equal(missed(14), 0)
  assert.equal(pulses.unavailable, 'a worker does not answer')
  pulses.answered(1)
  assert.equal(pulses.unavailable, undefined)
  assert.equal(missed(14), 0)
  pulses.missed(2)
  assert.equal(pulses.unavailable, '2 workers do not answer')
  assert.equal(missed(1), 1)
})
