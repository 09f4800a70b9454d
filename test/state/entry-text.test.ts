import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGroup, writeGroup } from '../../src/state/entry-text.ts'
import type { Change, CollectionChange, Counters } from '../../src/world/changes.ts'
import { Collection } from '../../src/world/records/collection.ts'

const OPTIONS = { name: 'books', idField: 'id', assign: 'client', indexed: [], maxRecords: 2, seed: 1 } as const

const changeOf = (change: CollectionChange, undo: () => void): Change => ({
  world: 'default',
  effect: { kind: 'in', collection: 'books', change },
  undo,
})

/** Returns the changes that some work on the books of the default world makes. */
async function changesOf(work: (books: Collection) => Promise<unknown>): Promise<readonly Change[]> {
  const changes: Change[] = []
  const books = new Collection(OPTIONS)
  await books.create({ id: 1, title: 'old' })
  await books.create({ id: 2, title: 'gone' })
  books.listen((change, undo) => void changes.push(changeOf(change, undo)))
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
  const row = (id: number, text: string | undefined, created: number, revision: number, counters?: Counters) =>
    ({ kind: 'row', id, text, created, revision, counters }) as const
  const inBooks = (change: CollectionChange) => ({
    world: 'default',
    effect: { kind: 'in', collection: 'books', change },
  })
  assert.deepEqual(
    [readGroup(text)],
    [
      {
        at: 5,
        by: 'POST /books',
        changes: [
          inBooks({ kind: 'rows', rows: [row(3, written, 3, 3), row(1, undefined, 0, 0)] }),
          inBooks(row(2, undefined, 0, 0, { revision: 4, next: 4, creations: 3 })),
          inBooks(row(4, '{"id":4,"title":"four"}', 4, 5)),
        ],
      },
    ],
  )
  assert.equal(
    text.split('\t')[0],
    '[5,"POST /books",[["default",["in","books",["rows",[["row",3,1,3,3],["row",1,null,0,0]]]]],' +
      '["default",["in","books",["row",2,null,0,0,[4,4,3]]]],["default",["in","books",["row",4,1,4,5]]]]]',
  )
})

test('a record may be within its entry', () => {
  const text = '[5,"",[["default",["in","books",["row",3,"{\\"id\\":3}",1,7]]]]]'
  const change = { kind: 'row', id: 3, text: '{"id":3}', created: 1, revision: 7, counters: undefined } as const
  const effect = { kind: 'in', collection: 'books', change } as const
  assert.deepEqual([readGroup(text)], [{ at: 5, by: '', changes: [{ world: 'default', effect }] }])
})

// A state file or a list in Redis outlives the program that wrote it.
for (const effect of [
  '["in","books",["row",{"big":"9007199254740993"},null,0,0,[4,{"big":"9007199254740995"},3]]]',
  '["in","books",["timer","a",["sent",2,1780272000000,"done"]]]',
  '["in","books",["timer","a",["done",3,null,null]]]',
  '["in","books",["timer","a",null]]',
  '["in","books",["all",{"whole":true,"rows":[["{}",1,2]],"gone":[],"counters":[2,2,1],"timers":[["a",["sent",1,5,"x"]]]}]]',
  '["kept","quotas","rateLimit operations/list","address 127.0.0.1",[1780272000000,2]]',
  '["clock",[1900000000000,1780272000000,60]]',
  '["clock",null]',
  '["ordinal","listBooks",3]',
  '["made",1780272000000,{"books":"DCl7UXkiaG64X54P"}]',
  '["reset",1780272000000,{}]',
  '["put",{"name":"a","began":1,"origin":{},"clock":null,"ordinals":{"list":1},"kept":[["hits","rule","",1]],"collections":{"books":{"whole":false,"rows":[],"gone":[7],"counters":[2,2,1]}}}]',
  '["deleted"]',
  '["seen"]',
  '["weather","{ name: storm }",1780272000000]',
  '["weather",null,null]',
  '["answer","a1",["{ respond: { status: 418 } }",2,1,0,null]]',
  '["answer","a1",null]',
  '["config","contract: ./openapi.yaml"]',
  '["seeds","DCl7UXkiaG64X54P",{"whole":true,"rows":[["{}",0,1]],"gone":[],"counters":[1,2,0]}]',
  '["reseed","books","DCl7UXkiaG64X54P"]',
]) {
  test(`the form of an effect stays: ${effect.slice(0, 40)}`, () => {
    const text = `[5,"POST /books",[["default",${effect}]]]`
    assert.equal(writeGroup(readGroup(text)), text)
  })
}

test('an entry without its record is refused', async () => {
  const text = writeGroup({ at: 5, by: '', changes: await changesOf(books => books.create({ id: 3, title: 'x' })) })
  assert.throws(() => readGroup(text.split('\t')[0] as string), /lacks the record/)
})

test('changes are undone in their opposite order', async () => {
  const changes: Change[] = []
  const books = new Collection({ ...OPTIONS, maxRecords: 3 }, [{ id: 1, title: 'seed' }])
  await books.create({ id: 2, title: 'two' })
  const [before, state] = [await books.dump(), books.state()]
  books.listen((change, undo) => void changes.push(changeOf(change, undo)))
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
