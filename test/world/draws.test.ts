import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draw, drawUuid } from '../../src/world/draws.ts'
import { Collection } from '../../src/world/records/collection.ts'
import { size } from '../support/cases.ts'

const ORDINALS = Array.from({ length: 20_000 }, (_, i) => i + 1)

test('a draw depends on its seed, operation, ordinal and purpose, and on nothing else', () => {
  const first = draw(42, 'listPets', 1, 'fault')
  assert.equal(draw(42, 'listPets', 1, 'fault'), first)
  for (const other of [
    draw(43, 'listPets', 1, 'fault'),
    draw(42, 'getPet', 1, 'fault'),
    draw(42, 'listPets', 2, 'fault'),
    draw(42, 'listPets', 1, 'latency'),
  ]) {
    assert.notEqual(other, first)
  }
})

test('draws are spread evenly, whatever the seed and the purpose', () => {
  for (const [seed, purpose] of [
    [0, 'fault'],
    [1, 'latency'],
    [-7, 'x'],
  ] as const) {
    const tenths = new Array<number>(10).fill(0)
    for (const ordinal of ORDINALS) {
      const value = draw(seed, 'listPets', ordinal, purpose)
      assert.ok(value >= 0 && value < 1)
      tenths[Math.floor(value * 10)]! += 1
    }
    // 20,000 draws in ten equal parts: five standard deviations to either side.
    for (const count of tenths) assert.ok(Math.abs(count - 2000) < 215, tenths.join())
  }
})

test('every UUID has version 4 and is unique', () => {
  const count = size(20_000, 150_000)
  const uuids = new Set(Array.from({ length: count }, (_, i) => drawUuid(42, 'books', i + 1)))
  assert.equal(uuids.size, count)
  for (const uuid of [...uuids].slice(0, 100)) {
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  assert.notEqual(drawUuid(42, 'books', 1), drawUuid(43, 'books', 1))
  assert.notEqual(drawUuid(42, 'books', 1), drawUuid(42, 'shelves', 1))
})

test('a UUID of a seed is not drawn again', async () => {
  const options = { name: 'books', idField: 'id', assign: 'uuid', indexed: [], maxRecords: 9, seed: 42 } as const
  const seed = { id: drawUuid(42, 'books', 1), title: 'seed' }
  const books = new Collection(options, [seed])
  const made = await books.create({ title: 'new' })
  assert.ok(made !== 'exists')
  assert.equal(made.id, drawUuid(42, 'books', 2))
  assert.equal(books.size, 2)
  assert.deepEqual((await books.read(seed.id))?.value, seed)
})
