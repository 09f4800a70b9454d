import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSnapshot, writeSnapshot } from '../../src/state/snapshot-text.ts'

const NUMBERS = { whole: true, gone: [], counters: [1500, 1501, 1500] as const }
const worldOf = (rows: readonly (readonly [string, number, number])[]) => ({
  name: 'default',
  began: 5,
  origin: {},
  clock: null,
  ordinals: { createPet: 1500 },
  kept: [],
  collections: { pets: { ...NUMBERS, rows }, toys: { ...NUMBERS, rows: [] } },
})
const snapshotOf = (rows: readonly (readonly [string, number, number])[]) => ({
  seeds: [],
  worlds: [worldOf(rows)],
  weather: [],
  answers: [],
})

test('records follow a line of a snapshot as they are stored', async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => [`{"id":${i + 1},"name":"a \\"b\\"\\tä"}`, i + 1, i + 7] as const)
  const text = await writeSnapshot(snapshotOf(rows))
  assert.ok(text.includes(`\t${rows[0]?.[0]}\t`))
  assert.deepEqual(readSnapshot(text), snapshotOf(rows))
})

test('a line of a snapshot that lacks a record is refused', async () => {
  const text = await writeSnapshot(snapshotOf([['{"id":1}', 1, 7]]))
  assert.throws(() => readSnapshot(text.replace('\t{"id":1}', '')), /lacks a record/)
})
