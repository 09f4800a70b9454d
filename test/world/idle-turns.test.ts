import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdleTurns } from '../../src/world/idle-turns.ts'
import { VirtualClock } from '../virtual-clock.ts'

/** Takes turns beside other work, of which `share` pieces are done in a millisecond. Returns the milliseconds at which they began. */
async function beginnings(turns: number, milliseconds: number, share: number, spent = 0): Promise<number[]> {
  const clock = new VirtualClock(0)
  const idle = createIdleTurns(clock, 0.4, () => clock.now() * share)
  const begun: number[] = []
  for (let n = 0; n < turns; n++) {
    void idle.next().then(() => {
      begun.push(clock.now())
      idle.spend(spent)
    })
  }
  await clock.pass(milliseconds)
  return begun
}

test('a single turn comes after two milliseconds, however busy the process is', async () => {
  assert.deepEqual(await beginnings(1, 10, 0), [2])
  assert.deepEqual(await beginnings(1, 10, 1), [2])
})

test('turns follow each other while the process is idle', async () => {
  assert.deepEqual(await beginnings(5, 100, 0), [2, 4, 6, 8, 10])
})

test('in a busy process turns take one percent of the time', async () => {
  const begun = await beginnings(1000, 10_000, 0.5)
  assert.equal(begun.length, 250)
  assert.deepEqual(begun.slice(0, 3), [2, 42, 82])
})

test('a turn that took longer is followed by a longer pause', async () => {
  assert.deepEqual(await beginnings(3, 3000, 0.5, 9.6), [2, 1002, 2002])
})
