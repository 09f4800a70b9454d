import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Collection } from '../../src/world/records/collection.ts'
import type { Page } from '../../src/world/records/types.ts'

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

test('a cached page shows later writes', async () => {
  const things = new Collection(options, seeds)
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

test('a fork and its origin cache their pages separately', async () => {
  const origin = new Collection(options, seeds)
  const page = { filters: [], limit: 4 }
  await origin.list(page)
  const fork = origin.fork()
  for (const kind of ['f', 'f', 'f']) await fork.create({ kind })
  for (const kind of ['o', 'o', 'o']) await origin.create({ kind })
  assert.deepEqual(ids(await fork.list(page)), ['1a', '2b', '3a', '4f'])
  assert.deepEqual(ids(await origin.list(page)), ['1a', '2b', '3a', '4o'])
})

test('a full page reports more records until those after it are deleted', async () => {
  const things = new Collection(options, seeds)
  const more = async () => (await things.list({ filters: [], limit: 3 })).more
  assert.equal(await more(), false)
  await things.create({ kind: 'a' })
  assert.equal(await more(), true)
  await things.remove(4)
  assert.equal(await more(), false)
})

test('a load replaces all records, with other revisions', async () => {
  const options = { name: 'things', idField: 'id', assign: 'sequence', indexed: [], maxRecords: 5000, seed: 1 } as const
  const things = new Collection(options, [{ id: 1 }])
  const records = Array.from({ length: 5000 }, (_, i) => ({ id: i + 1, kind: 'new' }))
  const written = await things.replace(1, { kind: 'old' })
  await things.load({ records })
  const page = await things.list({ filters: [], limit: 1 })
  assert.equal(page.text, '[{"id":1,"kind":"new"}]')
  assert.equal(things.size, 5000)
  assert.ok(typeof written === 'object' && written.revision !== (await things.read(1))?.revision)
})

test('a number assigned within an owner differs from those of seeds', async () => {
  const nested = { ...options, assign: 'client', within: ['{place}'] } as const
  const things = new Collection(nested, [{ id: 1 }])
  const made = await things.create({ '{place}': 'a' })
  assert.ok(typeof made === 'object')
  assert.deepEqual([made.id, made.value], ['a/2', { id: 2, '{place}': 'a' }])
})

test('an id that is unique within an owner names one record of each owner', async () => {
  const nested = { ...options, assign: 'client', within: ['meta.owner', '{place}'] } as const
  const record = (id: string, owner: string, place?: string) => ({
    id,
    meta: { owner },
    ...(place === undefined ? {} : { '{place}': place }),
  })
  const things = new Collection({ ...nested, indexed: ['meta.owner', '{place}'] }, [record('x', 'ann')])
  const made = await things.create(record('x', 'ann', 'a/b'))
  assert.ok(typeof made === 'object')
  assert.equal(made.id, 'ann/a%2Fb/x')
  assert.equal(await things.create(record('x', 'ann', 'a/b')), 'exists')
  assert.ok(typeof (await things.create(record('x', 'bob', 'a/b'))) === 'object')
  const found = async (owner: string, orAbsent: boolean) => {
    const filters = [
      { field: '{place}', values: ['a/b'], orAbsent },
      { field: 'meta.owner', values: [owner] },
    ]
    return JSON.parse((await things.list({ filters, limit: 9 })).text)
  }
  assert.deepEqual(await found('ann', false), [record('x', 'ann', 'a/b')])
  assert.deepEqual(await found('ann', true), [record('x', 'ann'), record('x', 'ann', 'a/b')])

  const copy = new Collection({ ...nested, indexed: [] })
  await copy.load(await things.dump())
  assert.deepEqual((await copy.read('bob/a%2Fb/x'))?.value, record('x', 'bob', 'a/b'))
  const other = new Collection({ ...nested, indexed: [] })
  other.become(things.state())
  assert.deepEqual((await other.read('ann//x'))?.value, record('x', 'ann'))

  things.adapt({ ...nested, within: ['meta.owner'], indexed: ['meta.owner', '{place}'] })
  assert.equal((await things.read('bob/x'))?.id, 'bob/x')
  assert.equal((await things.read('ann/a%2Fb/x'))?.id, undefined)
  assert.equal(await things.remove('bob/x'), 'removed')
  assert.deepEqual(await found('bob', false), [])
})
