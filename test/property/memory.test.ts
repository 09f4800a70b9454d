import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Json, type JsonObject, stringifyJson } from '../../src/kernel/json.ts'
import { Collection } from '../../src/world/records/collection.ts'
import type { CollectionOptions, Id } from '../../src/world/records/types.ts'
import { cases } from '../support/cases.ts'

/** A model of a collection: a list with a linear search. */
interface Model {
  records: { id: Id; value: JsonObject; created: boolean }[]
  maxRecords: number
  readonly assign: 'sequence' | 'uuid'
}

interface Pair {
  readonly real: Collection
  readonly model: Model
}

const SEEDS: readonly JsonObject[] = [
  { id: 3, kind: 'a', size: 1 },
  { id: 1, kind: 'b' },
  { id: 9007199254740990, kind: 'a', size: 9007199254740993n },
]
const OPTIONS: CollectionOptions = {
  name: 'things',
  idField: 'id',
  assign: 'sequence',
  indexed: ['kind'],
  maxRecords: 6,
  seed: 7,
}

const sorted = (model: Model) => [...model.records].sort((a, b) => (a.id < b.id ? -1 : 1))
const evict = (model: Model): void => {
  while (model.records.length > model.maxRecords) {
    const oldest = model.records.findIndex(({ created }) => created)
    if (oldest === -1) return
    model.records.splice(oldest, 1)
  }
}

/** One step: changes a collection and its model, and compares them. */
type Step = (pairs: Pair[]) => Promise<void>

const at = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item
const fields = fc.record(
  { kind: fc.constantFrom('a', 'b', null, 1, 2n ** 60n), size: fc.constantFrom(1, 2) },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>
const which = fc.nat({ max: 20 })

const create = fc.tuple(which, fields).map(
  ([p, value]): Step =>
    async pairs => {
      const { real, model } = at(pairs, p)
      const asked: JsonObject[] = []
      const refuse = (record: JsonObject) => {
        asked.push(record)
        return 'no'
      }
      assert.equal(await real.create(value, refuse), 'no')
      const entry = await real.create({ ...value, id: 'ignored' })
      assert.ok(entry !== 'exists')
      assert.deepEqual(asked, [entry.value], 'what is refused uses no id up')
      assert.ok(!model.records.some(({ id }) => id === entry.id), 'an id is given once')
      model.records.push({ id: entry.id, value: { ...value, id: entry.id }, created: true })
      evict(model)
    },
)

const replace = fc.tuple(which, which, fields, fc.boolean()).map(
  ([p, r, value, stale]): Step =>
    async pairs => {
      const { real, model } = at(pairs, p)
      const target = at([...sorted(model), { id: 77, value: {}, created: true }], r)
      const known = model.records.find(({ id }) => id === target.id)
      const revision = (await real.read(target.id))?.revision ?? 0
      const outcome = await real.replace(target.id, value, stale ? revision + 1 : revision)
      if (known === undefined) assert.equal(outcome, 'missing')
      else if (stale) assert.equal(outcome, 'stale')
      else known.value = { ...value, id: target.id }
    },
)

const remove = fc.tuple(which, which).map(
  ([p, r]): Step =>
    async pairs => {
      const { real, model } = at(pairs, p)
      const target = at([...sorted(model), { id: 77 }], r)
      const known = model.records.findIndex(({ id }) => id === target.id)
      assert.equal(await real.remove(target.id), known === -1 ? 'missing' : 'removed')
      if (known !== -1) model.records.splice(known, 1)
    },
)

const fork = which.map(
  (p): Step =>
    async pairs => {
      const { real, model } = at(pairs, p)
      if (pairs.length < 4) pairs.push({ real: real.fork(), model: structuredClone(model) })
    },
)

const adapt = fc.tuple(which, fc.nat({ max: 8 }), fc.boolean()).map(
  ([p, most, sizes]): Step =>
    async pairs => {
      const { real, model } = at(pairs, p)
      model.maxRecords = most + 1
      real.adapt({
        ...OPTIONS,
        assign: model.assign,
        maxRecords: most + 1,
        indexed: sizes ? ['kind', 'size'] : ['kind'],
      })
      evict(model)
    },
)

const restore = which.map(
  (p): Step =>
    async pairs => {
      const { real } = at(pairs, p)
      await real.load(await real.dump())
    },
)

const values = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', null, 1, 2n ** 60n), { minLength: 1, maxLength: 3 })
const list = fc.tuple(which, fc.option(values), fc.nat({ max: 7 })).map(
  ([p, kinds, limit]): Step =>
    async pairs =>
      checkPage(at(pairs, p), kinds, limit),
)

async function checkPage({ real, model }: Pair, kinds: readonly Json[] | null, limit: number): Promise<void> {
  const filters = kinds === null ? [] : [{ field: 'kind', values: kinds }]
  const { text, bytes } = await real.list({ filters, limit })
  const expected = sorted(model)
    .filter(({ value }) => kinds === null || (value.kind !== undefined && kinds.includes(value.kind)))
    .slice(0, limit)
    .map(({ id, value: { id: _, ...rest } }) => stringifyJson({ id, ...rest }))
  assert.equal(text, `[${expected.join()}]`)
  assert.equal(bytes, Buffer.byteLength(text))
}

const steps = fc.array(fc.oneof(create, create, replace, remove, fork, adapt, restore, list, list), { maxLength: 40 })

for (const assign of ['sequence', 'uuid'] as const) {
  test(`collections with ids by ${assign}, and their forks, behave like a list of records`, async () => {
    const seeds = assign === 'sequence' ? SEEDS : SEEDS.map(({ id, ...rest }) => ({ id: `seed-${id}`, ...rest }))
    await fc.assert(
      fc.asyncProperty(steps, async todo => {
        const records = seeds.map(value => ({ id: value.id as Id, value, created: false }))
        const real = new Collection({ ...OPTIONS, assign }, seeds)
        const pairs: Pair[] = [{ real, model: { records, maxRecords: OPTIONS.maxRecords, assign } }]
        for (const step of todo) {
          await step(pairs)
          // The same pages repeatedly: cached pages must equal the records.
          for (const pair of pairs) {
            await checkPage(pair, null, 2)
            await checkPage(pair, ['a'], 2)
          }
        }
        for (const { real, model } of pairs) {
          assert.equal(real.size, model.records.length)
          for (const { id, value } of model.records) assert.deepEqual((await real.read(id))?.value, value)
        }
      }),
      { numRuns: cases(60) },
    )
  })
}
