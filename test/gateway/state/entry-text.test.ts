import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from '../../../src/gateway/state/changes.ts'
import { readGroups, writeGroup } from '../../../src/gateway/state/entry-text.ts'
import { RecordedPlace } from '../../../src/world/recorded-place.ts'
import { RowChange } from '../../../src/world/row-change.ts'

const PLACE = new RecordedPlace('default', 'books')
const COUNTS = { revision: 7, next: 4, creations: 1 }
const row = (id: number, title: string) => {
  const value = { id, title }
  return { id, value, text: JSON.stringify(value), created: 1, revision: 7 }
}

test('records follow an entry as they are stored', () => {
  const written = row(3, 'a "b"\tä')
  const text = writeGroup({
    position: 1,
    at: 5,
    by: 'POST /books',
    changes: [
      new RowChange(PLACE, written, undefined, row(1, 'old'), COUNTS, COUNTS),
      new RowChange(PLACE, undefined, row(2, 'gone'), undefined, COUNTS, COUNTS),
      new RowChange(PLACE, row(4, 'four'), undefined, undefined, COUNTS, COUNTS),
    ],
  })
  assert.deepEqual(text.split('\t').slice(1), [written.text, '{"id":4,"title":"four"}'])
  assert.deepEqual(
    [...readGroups([text])],
    [
      {
        at: 5,
        by: 'POST /books',
        changes: [
          [
            'default',
            [
              'in',
              'books',
              [
                'rows',
                [
                  ['row', 3, written.text, 1, 7],
                  ['row', 1, null, 0, 0],
                ],
              ],
            ],
          ],
          ['default', ['in', 'books', ['row', 2, null, 0, 0, [7, 4, 1]]]],
          ['default', ['in', 'books', ['row', 4, '{"id":4,"title":"four"}', 1, 7]]],
        ],
      },
    ],
  )
})

test('a record may be within its entry', () => {
  const effect = ['in', 'books', ['row', 3, '{"id":3}', 1, 7]] as const
  const text = writeGroup({ position: 1, at: 5, by: '', changes: [changeOf('default', effect, undefined)] })
  assert.ok(!text.includes('\t'))
  assert.deepEqual([...readGroups([text])], [{ at: 5, by: '', changes: [['default', effect]] }])
})

test('an entry without its record is refused', () => {
  const text = writeGroup({
    position: 1,
    at: 5,
    by: '',
    changes: [new RowChange(PLACE, row(3, 'x'), undefined, undefined, COUNTS, COUNTS)],
  })
  assert.throws(() => [...readGroups([text.split('\t')[0] as string])], /lacks the record/)
})
