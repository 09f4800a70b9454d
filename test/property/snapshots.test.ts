import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson, stringifyJson } from '../../src/kernel/json.ts'
import { Collection } from '../../src/world/records/collection.ts'
import type { Dump, Id } from '../../src/world/records/types.ts'

const id = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(2n ** 53n, 2n ** 63n - 1n))
const deed = fc.oneof(
  fc.record({ what: fc.constant('create' as const), kind: fc.constantFrom('a', 'b', 2n ** 60n) }),
  fc.record({ what: fc.constant('put' as const), id, kind: fc.constantFrom('a', 'b') }),
  fc.record({ what: fc.constant('remove' as const), id }),
)

async function act(collection: Collection, deeds: readonly (typeof deed extends fc.Arbitrary<infer T> ? T : never)[]) {
  for (const one of deeds) {
    if (one.what === 'create') await collection.create({ kind: one.kind })
    else if (one.what === 'put') await collection.put(one.id as Id, { kind: one.kind })
    else await collection.remove(one.id as Id)
  }
}

for (const assign of ['sequence', 'uuid'] as const) {
  test(`a collection restored from a dump continues like its origin (${assign})`, async () => {
    const options = { name: 'things', idField: 'id', assign, indexed: ['kind'], maxRecords: 8, seed: 42 }
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 25 }), fc.array(deed, { maxLength: 25 }), async (before, after) => {
        const seeds = [1, 2, 3].map(id => ({ id: assign === 'sequence' ? id : `seed ${id}`, kind: 'a' }))
        const one = new Collection(options, seeds)
        await act(one, before)
        const text = stringifyJson(await one.dump())
        const read = parseJson(text)
        assert.ok('value' in read)
        const two = new Collection(options, seeds)
        await two.load(read.value as unknown as Dump)
        assert.equal(stringifyJson(await two.dump()), text)
        await act(one, after)
        await act(two, after)
        assert.equal(stringifyJson(await two.dump()), stringifyJson(await one.dump()))
        for (const kind of ['a', 'b', 2n ** 60n]) {
          const query = { filters: [{ field: 'kind', values: [kind] }], limit: 100 }
          assert.equal((await two.list(query)).text, (await one.list(query)).text)
        }
      }),
    )
  })
}
