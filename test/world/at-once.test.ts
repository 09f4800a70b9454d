import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, Recorder } from '../../src/world/changes.ts'
import { Collection } from '../../src/world/records/collection.ts'
import { World } from '../../src/world/world.ts'
import { FixedClock } from '../virtual-clock.ts'

const collection = (name: string, maxRecords = 3) =>
  new Collection({ name, idField: 'id', assign: 'sequence', indexed: [], maxRecords, seed: 1 }, [{ id: 1, n: 1 }])

/** A world with two collections, and what its recorder and its watcher are told. */
function watched() {
  const [a, b] = [collection('a'), collection('b')]
  const collections = new Map([
    ['a', a],
    ['b', b],
  ])
  const world = new World(1, new FixedClock(), collections)
  const told: string[] = []
  const recorder: Recorder = {
    repeats: false,
    record: ({ effect }: Change) => void told.push(`record ${effect.kind === 'in' ? effect.collection : effect.kind}`),
    counts: () => {},
    run: work => work(),
  }
  world.record(recorder)
  world.watch({ changed: (_, name) => void told.push(`watch ${name}`), moved: () => {}, placed: () => {} })
  const dump = async () => [await a.dump(), await b.dump()]
  return { world, a, b, told, dump }
}

test('work that throws leaves no change, and nobody learns of any', async () => {
  const { world, a, b, told, dump } = watched()
  const before = await dump()
  const work = () => {
    for (let n = 0; n < 5; n++) a.createAtOnce({ n })
    a.replaceAtOnce(1, { n: 2 })
    b.removeAtOnce(1)
    throw new Error('no')
  }
  assert.throws(() => world.atOnce(work), /no/)
  assert.deepEqual(await dump(), before)
  assert.deepEqual(told, [])
  await a.create({ n: 7 })
  assert.equal(a.find(2)?.value.n, 7)
})

test('the changes of other work are told in their order, after all of them', async () => {
  const { world, a, b, told } = watched()
  world.atOnce(() => {
    a.createAtOnce({ n: 2 })
    b.replaceAtOnce(1, { n: 3 })
    assert.deepEqual(told, [])
  })
  assert.deepEqual(told, ['record a', 'watch a', 'record b', 'watch b'])
  await b.remove(1)
  assert.deepEqual(told.slice(4), ['record b', 'watch b'])
})
