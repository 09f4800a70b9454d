import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGroup, writeGroup } from '../../src/state/entry-text.ts'
import { type Change, changeOf } from '../../src/world/changes.ts'
import { Collection } from '../../src/world/records/collection.ts'

const OPTIONS = { name: 'books', idField: 'id', assign: 'client', indexed: [], maxRecords: 2, seed: 1 } as const

/** Returns the changes that some work on the books of the default world makes. */
async function changesOf(work: (books: Collection) => Promise<unknown>): Promise<readonly Change[]> {
  const changes: Change[] = []
  const books = new Collection(OPTIONS)
  await books.create({ id: 1, title: 'old' })
  await books.create({ id: 2, title: 'gone' })
  books.record(change => void changes.push(change), 'default', 'books')
  await work(books)
  return changes
}

test('records follow an entry as they are stored', async () => {
  const changes = await changesOf(async books => {
    await books.create({ id: 3, title: 'a "b"\tä' })
    await books.remove(2)
    await books.create({ id: 4, title: 'four' })
  })
  const text = writeGroup({ at: 5, by: 'POST /books', changes })
  const written = JSON.stringify({ id: 3, title: 'a "b"\tä' })
  assert.deepEqual(text.split('\t').slice(1), [written, '{"id":4,"title":"four"}'])
  const evicting = [
    ['row', 3, written, 3, 3],
    ['row', 1, null, 0, 0],
  ]
  assert.deepEqual(
    [readGroup(text)],
    [
      {
        at: 5,
        by: 'POST /books',
        changes: [
          ['default', ['in', 'books', ['rows', evicting]]],
          ['default', ['in', 'books', ['row', 2, null, 0, 0, [4, 4, 3]]]],
          ['default', ['in', 'books', ['row', 4, '{"id":4,"title":"four"}', 4, 5]]],
        ],
      },
    ],
  )
})

test('a record may be within its entry', () => {
  const effect = ['in', 'books', ['row', 3, '{"id":3}', 1, 7]] as const
  const text = writeGroup({ at: 5, by: '', changes: [changeOf('default', effect, () => {})] })
  assert.ok(!text.includes('\t'))
  assert.deepEqual([readGroup(text)], [{ at: 5, by: '', changes: [['default', effect]] }])
})

test('an entry without its record is refused', async () => {
  const text = writeGroup({ at: 5, by: '', changes: await changesOf(books => books.create({ id: 3, title: 'x' })) })
  assert.throws(() => readGroup(text.split('\t')[0] as string), /lacks the record/)
})

test('changes are undone in their opposite order', async () => {
  const changes: Change[] = []
  const books = new Collection({ ...OPTIONS, maxRecords: 3 }, [{ id: 1, title: 'seed' }])
  await books.create({ id: 2, title: 'two' })
  const [before, state] = [await books.dump(), books.state()]
  books.record(change => void changes.push(change), 'default', 'books')
  await books.create({ id: 3, title: 'three' })
  await books.create({ id: 4, title: 'evicts two' })
  await books.replace(1, { title: 'replaced' })
  await books.remove(3)
  await books.put(3, { title: 'again' })
  await books.load({ records: [{ id: 9, title: 'loaded' }] })
  await books.remove(9)
  for (const change of changes.reverse()) change.undo()
  assert.deepEqual([await books.dump(), books.state()], [before, state])
})
