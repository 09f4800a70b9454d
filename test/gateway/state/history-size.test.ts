import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from '../../../src/gateway/state/changes.ts'
import { History } from '../../../src/gateway/state/history.ts'

const write = (position: number, text: string, old: string | null) => ({
  position,
  at: 0,
  by: '',
  changes: [
    changeOf('default', ['in', 'pets', ['row', 1, text, 1, position]], ['in', 'pets', ['row', 1, old, 1, position]]),
  ],
})

test('the texts of the records of a history are bounded, and the oldest entries are forgotten', () => {
  const history = new History(10_000)
  for (let i = 1; i <= 100; i++) history.add(write(i, 'x'.repeat(600), 'y'.repeat(400)))
  assert.deepEqual(
    history.of('default').map(({ position }) => position),
    [91, 92, 93, 94, 95, 96, 97, 98, 99, 100],
  )
  assert.equal(history.reach, 90)
  history.add(write(101, 'x'.repeat(20_000), null))
  assert.deepEqual(history.of('default'), [])
  history.add(write(102, 'x', null))
  assert.deepEqual(
    history.of('default').map(({ position, changes }) => [position, changes.length]),
    [[102, 1]],
  )
  history.clear(102)
  for (let i = 103; i <= 112; i++) history.add(write(i, 'x'.repeat(1000), null))
  assert.equal(history.of('default').length, 10)
})
