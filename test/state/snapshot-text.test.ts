import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSnapshot, writeSnapshot } from '../../src/state/snapshot-text.ts'
import type { RowState } from '../../src/world/changes.ts'

const NUMBERS = { whole: true, gone: [], counters: { revision: 1500, next: 1501, creations: 1500 }, timers: undefined }
const worldOf = (rows: readonly RowState[]) => ({
  name: 'default',
  began: 5,
  origin: {},
  clock: undefined,
  ordinals: { createPet: 1500 },
  kept: [],
  collections: { pets: { ...NUMBERS, rows }, toys: { ...NUMBERS, rows: [] } },
})
const snapshotOf = (rows: readonly RowState[]) => ({
  seeds: [],
  worlds: [worldOf(rows)],
  weather: [],
  answers: [],
})

test('records follow a line of a snapshot as they are stored', async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => ({
    text: `{"id":${i + 1},"name":"a \\"b\\"\\tä"}`,
    created: i + 1,
    revision: i + 7,
  }))
  const text = await writeSnapshot(snapshotOf(rows))
  assert.ok(text.includes(`\t${rows[0]?.text}\t`))
  assert.deepEqual(readSnapshot(text), snapshotOf(rows))
})

test('a line of a snapshot that lacks a record is refused', async () => {
  const text = await writeSnapshot(snapshotOf([{ text: '{"id":1}', created: 1, revision: 7 }]))
  assert.throws(() => readSnapshot(text.replace('\t{"id":1}', '')), /lacks a record/)
})
