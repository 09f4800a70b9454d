// The form of a record: fields of a schema, values of inputs, and refusals at their fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExactNumber, numberIn, parseExact, stringifyExact } from '../../src/console/worlds/exact-json.ts'
import {
  blankRecord,
  type FormField,
  faultsByField,
  fieldsOf,
  type RecordSchema,
  resolveSchema,
  valueIn,
  withValue,
} from '../../src/console/worlds/record-form.ts'

const SCHEMA: RecordSchema = {
  allOf: [{ $ref: '#/$defs/new' }, { required: ['id'], properties: { id: { type: 'integer', readOnly: true } } }],
  $defs: {
    new: {
      type: 'object',
      required: ['name', 'price'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 60, example: 'Kettle' },
        price: { $ref: '#/$defs/money' },
        note: { type: ['string', 'null'] },
        size: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
        colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        sold: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        either: { oneOf: [{ type: 'string' }, { type: 'object' }] },
      },
    },
    money: { type: 'object', required: ['amount'], properties: { amount: { type: 'number', minimum: 0 } } },
  },
}
const resolved = resolveSchema(SCHEMA, SCHEMA)
const fields = fieldsOf(resolved, SCHEMA, { name: 'x', beyond: 1 })
const field = (name: string): FormField => fields.find(one => one.name === name) as FormField

test('the form has the fields of all parts of the schema, then those of the record only', () => {
  assert.deepEqual(
    fields.map(({ name, kind, required }) => `${name}: ${kind}${required ? '!' : ''}`),
    [
      'name: text!',
      'price: group!',
      'note: text',
      'size: number',
      'colour: choice',
      'sold: boolean',
      'tags: list',
      'either: json',
      'id: number!',
      'beyond: json',
    ],
  )
  assert.equal(field('name').hint, 'at most 60 characters')
  assert.equal(field('size').hint, 'integer · at least 1')
  assert.equal(field('size').nullable, true)
  assert.equal(field('id').readOnly, true)
})

test('the text of a field becomes a value of its type', () => {
  assert.equal(valueIn(field('name'), ''), '')
  assert.equal(valueIn(field('note'), ''), undefined)
  assert.equal(valueIn({ ...field('note'), required: true }, ''), null)
  assert.equal(valueIn(field('size'), '12'), 12)
  assert.equal(valueIn(field('size'), 'twelve'), 'twelve', 'the gateway refuses it at its field')
  assert.equal(valueIn(field('sold'), 'true'), true)
  assert.equal(valueIn(field('colour'), 'blue'), 'blue')
  assert.equal(valueIn(field('colour'), ''), undefined)
})

test('a value is changed at its pointer, and an item is removed from a list', () => {
  const record = parseExact('{"a/b":{"c":[1,2,3]},"d":1}')
  assert.deepEqual(withValue(record, '/a~1b/c/1', 9), { 'a/b': { c: [1, 9, 3] }, d: 1 })
  assert.deepEqual(withValue(record, '/a~1b/c/0', undefined), { 'a/b': { c: [2, 3] }, d: 1 })
  assert.deepEqual(withValue(record, '/d', undefined), { 'a/b': { c: [1, 2, 3] } })
  assert.deepEqual(withValue(undefined, '/e/f', 'x'), { e: { f: 'x' } })
})

test('a new record has the defaults and the required groups', () => {
  assert.deepEqual(blankRecord(resolved, SCHEMA), { price: {}, colour: 'red' })
})

test('a refusal is shown at its field, or above the form if the field is not shown', () => {
  const { atFields, others } = faultsByField(
    [
      { pointer: '/name', message: 'is required' },
      { pointer: '/name', message: 'must be a string' },
      { pointer: '', message: 'is not allowed' },
    ],
    new Set(['/name']),
  )
  assert.deepEqual([...atFields], [['/name', 'is required; must be a string']])
  assert.deepEqual(others, [{ pointer: '', message: 'is not allowed' }])
})

test('a recursive schema is edited as JSON', () => {
  const tree: RecordSchema = { properties: { child: { $ref: '#' } } }
  let found = fieldsOf(tree, tree, undefined, 0)[0] as FormField
  for (let depth = 1; found.kind === 'group'; depth++)
    found = fieldsOf(found.schema, tree, undefined, depth)[0] as FormField
  assert.equal(found.kind, 'json')
})

test('numbers keep their digits', () => {
  const text = '{"id":9007199254740993,"price":1.10,"rate":0.1,"big":1e400,"text":"12345678901234567890 \\u0000#1"}'
  const record = parseExact(text) as Record<string, unknown>
  assert.deepEqual(record.id, new ExactNumber('9007199254740993'))
  assert.equal(record.rate, 0.1)
  assert.equal(stringifyExact(parseExact(text.replace(' \\u0000#1', ''))), text.replace(' \\u0000#1', ''))
  assert.equal(String(numberIn('1.50')), '1.50')
  assert.equal(numberIn('01'), undefined)
  assert.equal(numberIn('1e'), undefined)
})
