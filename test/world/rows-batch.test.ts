// Changes of records that are stored at once, compared with the same changes applied one by one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CollectionState, RowChange } from '../../src/world/changes.ts'
import { Collection } from '../../src/world/records/collection.ts'
import type { CollectionOptions } from '../../src/world/records/types.ts'

const OPTIONS: CollectionOptions = {
  name: 'things',
  idField: 'id',
  assign: 'sequence',
  indexed: ['kind', 'size'],
  maxRecords: 60,
  seed: 1,
}
const seeds = (count: number) => Array.from({ length: count }, (_, i) => ({ id: i + 1, kind: 'seed', size: i % 3 }))

/** Returns the changes of records that some work makes. */
async function changesOf(
  collection: Collection,
  work: (collection: Collection) => Promise<void>,
): Promise<readonly RowChange[]> {
  const effects: RowChange[] = []
  collection.listen(change => {
    if (change.kind === 'row') effects.push(change)
    else if (change.kind === 'rows') effects.push(...change.rows)
  })
  await work(collection)
  collection.listen(undefined)
  return effects
}

/** Applies changes to two copies, one by one and at once. */
function copies(origin: Collection, effects: readonly RowChange[]): [Collection, Collection] {
  const [single, batched] = [origin.fork(), origin.fork()]
  for (const effect of effects) single.apply(effect)
  const batch = batched.batch()
  for (const effect of effects) batch?.add(effect)
  batch?.end()
  return [single, batched]
}

const page = async (collection: Collection, field: string, value: string | number | boolean) =>
  (await collection.list({ filters: [{ field, values: [value] }], limit: 100 })).text

const writes = async (things: Collection): Promise<void> => {
  for (let i = 0; i < 200; i++) {
    if (i % 7 === 0) await things.remove(i % 50)
    if (i % 5 === 0) await things.replace(3 + (i % 40), { kind: `replaced ${i % 4}`, size: i })
    if (i % 11 === 0) await things.put(1000 - i, { kind: 'put', size: 1 })
    await things.create({ kind: `made ${i % 3}`, size: i % 2 === 0 ? i : { within: i } })
  }
}

for (const count of [0, 5, 40]) {
  test(`changes stored at once are like changes one by one, above ${count} seeds`, async () => {
    const origin = new Collection(OPTIONS, seeds(count))
    const made = origin.fork()
    const [single, batched] = copies(origin, await changesOf(made, writes))
    assert.deepEqual(batched.state(), single.state())
    assert.deepEqual(batched.state(origin), single.state(origin))
    assert.deepEqual(await batched.dump(), await single.dump())
    assert.equal(batched.bytes, single.bytes)
    for (const [field, value] of [
      ['kind', 'made 1'],
      ['kind', 'put'],
      ['size', 1],
      ['size', 120],
    ] as const) {
      assert.equal(await page(batched, field, value), await page(single, field, value), `${field} ${value}`)
    }
    const next = [made, single, batched].map(async one => (await one.create({ kind: 'next' })) as { id: number })
    const [expected, ...others] = (await Promise.all(next)).map(({ id }) => id)
    assert.deepEqual(others, [expected, expected])
    assert.deepEqual(await batched.dump(), await made.dump())
  })
}

test('records that exchange their ordinals are evicted in their new order', async () => {
  const origin = new Collection({ ...OPTIONS, maxRecords: 20 }, seeds(17))
  await origin.load({ ...(await origin.dump()), records: [...seeds(17), { id: 31 }, { id: 32 }], created: [31, 32] })
  const [first, second] = origin
    .state()
    .rows.slice(-2)
    .map(({ text, created, revision }, i): RowChange => ({ kind: 'row', id: 31 + i, text, created, revision })) as [
    RowChange,
    RowChange,
  ]
  const exchanged = (row: RowChange, by: RowChange): RowChange => ({ ...row, created: by.created })
  const gone = ({ kind, id }: RowChange): RowChange => ({ kind, id, text: undefined, created: 0, revision: 0 })
  const effects = [gone(first), gone(second), exchanged(first, second), exchanged(second, first)]
  for (const one of copies(origin, effects)) {
    const left: unknown[] = []
    for (let i = 0; i < 3; i++) {
      await one.create({ kind: 'next' })
      left.push([await one.read(31), await one.read(32)].map(entry => entry !== undefined))
    }
    assert.deepEqual(left, [
      [true, true],
      [true, false],
      [false, false],
    ])
  }
})

test('ids that a client gives are in their order', async () => {
  const origin = new Collection({ ...OPTIONS, assign: 'client' })
  const ids = ['b', 9_007_199_254_740_993n, 'a', 7, 9_007_199_254_740_992, 2]
  const effects = await changesOf(origin.fork(), async things => {
    for (const id of ids) await things.create({ id, kind: 'given' })
    await things.remove('b')
  })
  const [single, batched] = copies(origin, effects)
  assert.deepEqual(batched.state(), single.state())
  assert.deepEqual(
    (await batched.dump()).records.map(({ id }) => id),
    [2, 7, 9_007_199_254_740_992n, 9_007_199_254_740_993n, 'a'],
  )
})

test('more values than are sorted apart', async () => {
  const options = { ...OPTIONS, maxRecords: 10_000 }
  const origin = new Collection(options)
  const effects = await changesOf(origin.fork(), async things => {
    for (let i = 0; i < 3000; i++) await things.create({ kind: `${(i * 7919) % 3000}`, size: true })
  })
  const [single, batched] = copies(origin, effects)
  for (const kind of ['0', '17', '2999'])
    assert.equal(await page(batched, 'kind', kind), await page(single, 'kind', kind))
  assert.equal(await page(batched, 'size', true), await page(single, 'size', true))
})

test('a state whose records have no id under the present options keeps them all', () => {
  const written = new Collection(OPTIONS, seeds(3))
  const renamed = new Collection({ ...OPTIONS, idField: 'code' })
  const state = written.state()
  renamed.become(state)
  const textsOf = ({ rows }: CollectionState) => rows.map(({ text }) => text)
  assert.deepEqual(textsOf(renamed.state()), textsOf(state))
})
