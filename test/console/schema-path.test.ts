import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aboutAt, keysAt, type SchemaPart, type Suggestion, valuesAt } from '../../src/console/editor/schema-path.ts'
import { cursorAt, keyAt, placeOfValue } from '../../src/console/editor/yaml-path.ts'
import { indentJson } from '../../src/console/model/wording.ts'
import { publishedSchema } from '../../src/plan/published-schema.ts'

/** The place of `|` in a text, as `defaults/latency`, with `=` where a value is written. */
const placeOf = (text: string): string => {
  const at = text.indexOf('|')
  const { path, inValue, word } = cursorAt(text.replace('|', ''), at)
  return `${path.join('/')}${inValue ? '=' : ''} ${word}`
}

for (const [text, place] of [
  ['con|', ' con'],
  ['contract: ./o|', 'contract= ./o'],
  ['defaults:\n  lat|', 'defaults lat'],
  ['defaults:\n  latency: { p|', 'defaults/latency p'],
  ['defaults:\n  latency: { p50: 1|', 'defaults/latency/p50= 1'],
  ['operations:\n  addBook:\n    fault:\n      - { kind: st|', 'operations/addBook/fault/-/kind= st'],
  ['operations:\n  addBook:\n    fault:\n      - kind: status\n        sta|', 'operations/addBook/fault/- sta'],
  ['operations:\n  a:\n    respond: { create: b }\n  c:\n    |', 'operations/c '],
  ['seed: 4\nlisten:\n  port: 1\n\nop|', ' op'],
  ['rules:\n- when: a\n  ti|', 'rules/- ti'],
  ['operations:\n  "GET /a": { respond: { list: x, |', 'operations/GET /a/respond '],
  ['journal: { headers: [a, |', 'journal/headers/- '],
  ['{\n  "na|"\n}', ' na'],
  ['{\n  "a": { "b\\"{": [1, { "c": "d|" } ] }\n}', 'a/b\\"{/-/c= d'],
  ['{\n  "name": "it\'s {",\n  "price": { "amount":|', 'price/amount= '],
] as const) {
  test(`the cursor in ${JSON.stringify(text)} is at ${place}`, () => assert.equal(placeOf(text), place))
}

const schema = (await publishedSchema()) as SchemaPart
const textsOf = (found: readonly Suggestion[]) => found.map(({ value }) => String(value))

test('keys are suggested from the schema, through references', () => {
  const keys = keysAt(schema, ['defaults'])
  assert.ok(textsOf(keys).includes('latency'))
  assert.match(keys.find(({ value }) => value === 'latency')?.about ?? '', /The time that a reply takes/)
  assert.ok(textsOf(keysAt(schema, ['operations', 'addBook', 'fault', '-'])).includes('kind'))
})

test('values are suggested from enums, booleans and examples', () => {
  assert.ok(textsOf(valuesAt(schema, ['operations', 'addBook', 'fault', 'kind'])).includes('reset'))
  assert.deepEqual(textsOf(valuesAt(schema, ['listen', 'clientControls'])).slice(0, 2), ['true', 'false'])
})

test('a key is explained', () => {
  assert.match(aboutAt(schema, ['journal', 'requests']) ?? '', /number of requests that are kept/)
  assert.equal(aboutAt(schema, ['nothing', 'here']), undefined)
})

test('the place of a value is found by its JSON Pointer, or that of its nearest parent', () => {
  const text = indentJson('{"a/b":{"c":[1,{"d":"x"}]},"d":true,"e":[]}')
  const at = (pointer: string): string => {
    const { from, to } = placeOfValue(text, pointer)
    return text.slice(from, to)
  }
  assert.equal(at('/a~1b/c/0'), '1')
  assert.equal(at('/a~1b/c/1/d'), '"x"')
  assert.equal(at('/d'), 'true')
  assert.equal(at('/e/0'), '[')
  assert.equal(at('/a~1b/missing/0'), '{')
  assert.deepEqual(placeOfValue(text, '/missing'), { from: 0, to: 1 })
})

test('the key at a position is found with its path', () => {
  const text = 'journal:\n  requests: 1\n"a": { b: 2 }\n'
  assert.deepEqual(keyAt(text, 12)?.path, ['journal', 'requests'])
  assert.deepEqual(keyAt(text, 24), { path: ['a'], from: 23, to: 26 })
  assert.equal(keyAt(text, 20), undefined)
})
