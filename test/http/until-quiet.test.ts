import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptWaiting, untilQuiet } from '../../src/http/until-quiet.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

/** Holds up the event loop for this many milliseconds, as a process does that gets no processor. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('a connection that arrives while the event loop is held up is waited for', async () => {
  let arrivals = 0
  const steps: string[] = []
  const quiet = untilQuiet(() => arrivals).then(() => steps.push('quiet'))
  await turn()
  block(30)
  // The connection is accepted in the turn that follows.
  setImmediate(() => {
    arrivals += 1
    steps.push('accepted')
  })
  await quiet
  assert.deepEqual(steps, ['accepted', 'quiet'])
})

test('a connection that is being passed on is waited for', async () => {
  let pending = true
  const quiet = untilQuiet(
    () => 1,
    () => pending,
  )
  const first = await Promise.race([
    quiet.then(() => 'quiet'),
    (async () => {
      await turn()
      block(30)
      await turn()
      await turn()
      return 'pending'
    })(),
  ])
  assert.equal(first, 'pending')
  pending = false
  await quiet
})

test('waiting connections are accepted in a whole turn of the event loop', async () => {
  let turns = 0
  setImmediate(() => {
    turns += 1
    setImmediate(() => {
      turns += 1
    })
  })
  await acceptWaiting()
  assert.equal(turns, 2)
})
