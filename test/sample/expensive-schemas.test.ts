// Documents that are expensive for a generator: the cost of a value is bounded, counted in comparisons and not in time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
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

/** Several open branches, of which the first is valid for any object. */
const overlapping: Record<string, Schema> = {
  Settings: {
    oneOf: [
      { type: 'object', properties: { title: { type: 'string' } } },
      ...['mail', 'chat', 'file'].map(
        (kind): Schema => ({
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${kind}${i}`, { type: 'integer' }])),
        }),
      ),
    ],
  },
}

test('a value is valid for one of several branches that overlap, though each must be broken by a property', () => {
  const sampler = new Sampler(overlapping)
  const { value, fits } = sampler.sample('Settings', { seed: 1 })
  assert.equal(fits, true)
  assert.equal(new Schemas(overlapping).compileKey('Settings')(value), undefined)
  assert.ok(sampler.work < MOST_WORK, `${sampler.work} comparisons`)
})

test('a text that cannot exist is searched once, and a value does not depend on earlier ones', () => {
  const impossible: Schema = { type: 'string', format: 'date-time', pattern: '^se(-[a-z0-9]+)+$', maxLength: 25 }
  const definitions = {
    It: object({ made: impossible, code: { type: 'string', pattern: '^[a-z]{12}$', format: 'date-time' } }),
    Code: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' },
  }
  const sampler = new Sampler(definitions)
  const { fits, gaps } = sampler.sample('It', { seed: 1 })
  assert.equal(fits, false)
  assert.ok(gaps.some(({ path }) => path.join('/') === 'made'))
  const codes = [1, 2, 3].map(seed => sampler.sample('Code', { seed, dynamic: true }).value)
  const alone = [3, 2, 1].map(seed => new Sampler(definitions).sample('Code', { seed, dynamic: true }).value)
  assert.deepEqual(codes, alone.reverse())
  assert.equal(new Set(codes).size, 3)
})
