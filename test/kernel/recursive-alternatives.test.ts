// A validator judges a value once for each way that leads to it. Where alternatives refer back to the same schema the ways double
// with each level, so the number of judgements must not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'

type Definitions = Readonly<Record<string, Schema>>

/** The judgements of leaves: up to four for each reference that is followed before verdicts are remembered. */
const MOST_LEAVES = 5000

/** Returns the check by the definition `F`, which fails a test that judges leaves too often instead of running for ever. */
function checkOf(definitions: Definitions) {
  let leaves = 0
  const leaf = (text: string) => {
    leaves += 1
    assert.ok(leaves <= MOST_LEAVES, 'leaves are judged too often')
    return text === 'good'
  }
  const check = new Schemas(definitions, { leaf }).compileKey('F')
  return (value: unknown) => {
    leaves = 0
    return check(value)?.map(({ pointer, message }) => `${pointer} ${message}`) ?? []
  }
}

const F = { $ref: '#/$defs/F' }
const LEAF = { format: 'leaf' }

/** And, Or, Not and Compare. `isNamedLast`: the property that tells them apart comes after the list. */
function filters(union: 'oneOf' | 'anyOf', isNamedLast: boolean, further: object = {}): Definitions {
  const group = (name: string) => {
    const op = { const: name }
    const args = { type: 'array', items: F }
    return { required: ['op', 'args'], properties: isNamedLast ? { args, op } : { op, args }, ...further }
  }
  const compare = { required: ['op', 'text'], properties: { op: { enum: ['eq', 'lt'] }, text: LEAF }, ...further }
  const alternatives = ['And', 'Or', 'Not', 'Compare'].map(name => ({ $ref: `#/$defs/${name}` }))
  return { F: { [union]: alternatives }, And: group('and'), Or: group('or'), Not: group('not'), Compare: compare }
}

const filter = (depth: number, text: string): object =>
  depth === 0 ? { op: 'eq', text } : { op: 'and', args: [filter(depth - 1, text)] }

const CLOSED = { unevaluatedProperties: false }
for (const [name, definitions] of Object.entries<Definitions>({
  'oneOf, named first': filters('oneOf', false),
  'oneOf, named last': filters('oneOf', true),
  'anyOf, named first': filters('anyOf', false),
  'anyOf, named last': filters('anyOf', true),
  'oneOf, each without further properties': filters('oneOf', true, CLOSED),
  'anyOf, together without further properties': (() => {
    const all = filters('anyOf', true)
    return { ...all, F: { ...(all.F as object), ...CLOSED } }
  })(),
})) {
  test(`nested filters: ${name}: a leaf is judged a bounded number of times`, () => {
    const check = checkOf(definitions)
    for (const depth of [12, 14, 30, 120]) {
      assert.deepEqual(check(filter(depth, 'good')), [])
      // Four levels are explained; at a depth of five, no verdict is remembered.
      assert.deepEqual(check(filter(depth, 'bad')), check(filter(5, 'bad')))
      assert.notDeepEqual(check({ op: 'and', args: [filter(depth, 'good'), { op: 'and', args: 1 }] }), [])
    }
  })
}

const chain = (depth: number, leaf: object): object => (depth === 0 ? leaf : { a: chain(depth - 1, leaf) })
const TEXT = { $ref: '#/$defs/Text' }
const PART = { properties: { a: F, b: F, y: TEXT, z: TEXT } }
const DEPTH = 30
const STEPS = '/a'.repeat(DEPTH)
const twice = (keyword: string) => ({ F: { [keyword]: [PART, PART] }, Text: { allOf: [LEAF] } })

test('alternatives that are the same: a leaf is judged a bounded number of times', () => {
  assert.deepEqual(checkOf(twice('anyOf'))(chain(DEPTH, { y: 'good', z: 'good' })), [])
  for (const [keyword, text] of [
    ['anyOf', 'bad'],
    ['oneOf', 'good'],
    ['oneOf', 'bad'],
  ] as const) {
    const check = checkOf(twice(keyword))
    assert.deepEqual(check(chain(DEPTH, { y: text })), check(chain(5, { y: text })))
  }
})

test('parts that are the same: each mistake is reported once, at its place', () => {
  const check = checkOf(twice('allOf'))
  assert.deepEqual(check(chain(DEPTH, { y: 'good', z: 'good' })), [])
  const expected = ['y', 'z'].map(name => `${STEPS}/${name} must be a valid leaf`)
  assert.deepEqual(check(chain(DEPTH, { y: 'bad', z: 'bad' })), expected)
  // An alias in YAML is the same object in two places.
  const shared = { y: 'bad' }
  const places = ['a', 'b'].map(name => `${STEPS}/${name}/y must be a valid leaf`)
  assert.deepEqual(check(chain(DEPTH, { a: shared, b: shared })), places)
})
