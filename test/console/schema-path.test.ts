import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aboutAt,
  cursorAt,
  keysAt,
  type SchemaPart,
  type Suggestion,
  valuesAt,
} from '../../src/console/editor/schema-path.ts'
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

const schema = publishedSchema() as SchemaPart
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
