import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../src/world/collection.ts'
import { MemoryCollection } from '../../src/world/memory.ts'

const options = {
  name: 'things',
  idField: 'id',
  assign: 'sequence',
  indexed: ['kind'],
  maxRecords: 100,
  seed: 1,
} as const
const seeds = [1, 2, 3].map(id => ({ id, kind: id === 2 ? 'b' : 'a' }))
const kindA = [{ field: 'kind', values: ['a'] }]
const ids = ({ text }: Page) => (JSON.parse(text) as { id: number; kind: string }[]).map(one => `${one.id}${one.kind}`)

test('a page that was asked for before shows every write that concerns it', async () => {
  const things = new MemoryCollection(options, seeds)
  const full = async () => ids(await things.list({ filters: [], limit: 2 }))
  const short = async () => ids(await things.list({ filters: kindA, limit: 9 }))
  assert.deepEqual(
    [await full(), await short()],
    [
      ['1a', '2b'],
      ['1a', '3a'],
    ],
  )
  await things.create({ kind: 'a' })
  assert.deepEqual(
    [await full(), await short()],
    [
      ['1a', '2b'],
      ['1a', '3a', '4a'],
    ],
  )
  await things.replace(2, { kind: 'a' })
  assert.deepEqual(
    [await full(), await short()],
    [
      ['1a', '2a'],
      ['1a', '2a', '3a', '4a'],
    ],
  )
  await things.remove(1)
  assert.deepEqual(
    [await full(), await short()],
    [
      ['2a', '3a'],
      ['2a', '3a', '4a'],
    ],
  )
})

test('a full page of a fork is not taken for the same page of its origin, once each has added records', async () => {
  const origin = new MemoryCollection(options, seeds)
  const page = { filters: [], limit: 4 }
  await origin.list(page)
  const fork = origin.fork()
  for (const kind of ['f', 'f', 'f']) await fork.create({ kind })
  for (const kind of ['o', 'o', 'o']) await origin.create({ kind })
  assert.deepEqual(ids(await fork.list(page)), ['1a', '2b', '3a', '4f'])
  assert.deepEqual(ids(await origin.list(page)), ['1a', '2b', '3a', '4o'])
})

test('a full page says that there is more until what stands behind it is gone', async () => {
  const things = new MemoryCollection(options, seeds)
  const more = async () => (await things.list({ filters: [], limit: 3 })).more
  assert.equal(await more(), false)
  await things.create({ kind: 'a' })
  assert.equal(await more(), true)
  await things.remove(4)
  assert.equal(await more(), false)
})

test('a load in slices shows all of the old records or all of the new ones', async () => {
  const options = { name: 'things', idField: 'id', assign: 'sequence', indexed: [], maxRecords: 5000, seed: 1 } as const
  const things = new MemoryCollection(options, [{ id: 1 }])
  const records = Array.from({ length: 5000 }, (_, i) => ({ id: i + 1, kind: 'new' }))
  const loading = things.load({ records })
  assert.equal((await things.list({ filters: [], limit: 2 })).text, '[{"id":1}]')
  const written = await things.replace(1, { kind: 'old' })
  await loading
  const page = await things.list({ filters: [], limit: 1 })
  assert.equal(page.text, '[{"id":1,"kind":"new"}]')
  assert.equal(things.size, 5000)
  assert.ok(typeof written === 'object' && written.revision !== (await things.read(1))?.revision)
})
