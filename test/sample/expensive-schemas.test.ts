// Documents that are expensive for a generator: the cost of a value is bounded, counted in comparisons and not in time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Schema, Schemas } from '../../src/kernel/schema.ts'
import { Sampler } from '../../src/sample/sample.ts'

/** The bound of comparisons for all attempts: each has a limit that it exceeds slightly. */
const MOST_WORK = 60_000

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })
const object = (properties: Record<string, Schema>, required: readonly string[] = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
})

/** A syntax tree of `kinds` kinds of node, each with three children of any kind, and one kind without children. */
function tree(kinds: number): Record<string, Schema> {
  const names = Array.from({ length: kinds }, (_, index) => `Kind${index}`)
  const node = (name: string) =>
    object({
      type: { enum: [name] },
      left: ref('Node'),
      right: ref('Node'),
      list: { type: 'array', items: ref('Node'), minItems: 2 },
    })
  return {
    Node: { oneOf: [...names.map(ref), ref('Leaf')] },
    ...Object.fromEntries(names.map(name => [name, node(name)])),
    Leaf: object({ type: { enum: ['Leaf'] }, value: { type: 'string' } }),
  }
}

/** Each level requires two of the next; the deepest is unsatisfiable. */
function ladder(levels: number): Record<string, Schema> {
  const steps = Array.from({ length: levels }, (_, index) => [
    `Step${index}`,
    {
      anyOf: [
        object({ a: ref(`Step${index + 1}`), b: ref(`Step${index + 1}`) }),
        object({ c: ref(`Step${index + 1}`) }),
      ],
    },
  ])
  return { ...Object.fromEntries(steps), [`Step${levels}`]: { type: 'integer', minimum: 2, maximum: 1 } }
}

const HOSTILE: Readonly<Record<string, readonly [Record<string, Schema>, boolean]>> = {
  Node: [tree(12), true],
  Step0: [ladder(14), false],
  Many: [
    {
      Many: {
        allOf: Array.from({ length: 24 }, (_, i) => ({
          oneOf: [
            object({ [`a${i}`]: { const: i } }),
            object({ [`b${i}`]: { const: i }, [`a${i}`]: false }, [`b${i}`]),
          ],
        })),
      },
    },
    true,
  ],
  Mirror: [
    {
      Mirror: { allOf: [ref('Other'), object({ self: { anyOf: [ref('Mirror'), { type: 'null' }] } })] },
      Other: object({ other: { oneOf: [ref('Mirror'), { type: 'null' }] } }),
    },
    true,
  ],
}

for (const [name, [definitions, possible]] of Object.entries(HOSTILE)) {
  test(`${name}: a bounded cost gives ${possible ? 'a value that fits' : 'the closest value'}`, () => {
    const sampler = new Sampler(definitions)
    const check = new Schemas(definitions).compileKey(name)
    for (let seed = 1; seed <= 5; seed++) {
      for (const dynamic of [false, true]) {
        const before = sampler.work
        const { value, fits, gaps } = sampler.sample(name, { seed, dynamic })
        assert.ok(sampler.work - before < MOST_WORK, `${sampler.work - before} comparisons`)
        assert.equal(fits, possible)
        assert.equal(check(value) === undefined, possible)
        assert.equal(gaps.length === 0, possible)
        assert.notEqual(value, null)
      }
    }
  })
}

test('the same seed gives the same value, independent of earlier values', () => {
  const definitions = tree(12)
  const first = new Sampler(definitions).sample('Node', { seed: 7, dynamic: true })
  const sampler = new Sampler(definitions)
  for (let seed = 1; seed < 7; seed++) sampler.sample('Node', { seed, dynamic: seed % 2 === 0 })
  assert.deepEqual(sampler.sample('Node', { seed: 7, dynamic: true }), first)
})
