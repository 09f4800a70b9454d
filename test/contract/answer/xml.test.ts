import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeXml } from '../../../src/contract/answer/xml.ts'
import type { Json } from '../../../src/kernel/json.ts'

const ITEM = {
  type: 'object',
  xml: { name: 'thing' },
  properties: { id: { type: 'integer', xml: { attribute: true } }, name: { type: 'string' } },
}

const partsOf = (value: Json, schema: object) => [...writeXml(value, schema, {}, ['root', 'item'])]
const things = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `<${id}>` }))

for (const [what, value, schema] of [
  ['a list', things(20_000), { type: 'array', items: ITEM }],
  [
    'a wrapped list in a page',
    { total: 20_000, data: things(20_000) },
    { type: 'object', properties: { data: { type: 'array', xml: { wrapped: true }, items: ITEM } } },
  ],
] as const) {
  test(`${what} of 20,000 items is written in 40 steps, between which others have their turn`, () => {
    const parts = partsOf(value as unknown as Json, schema)
    assert.equal(parts.filter(part => part === '').length, 40)
    assert.equal(parts.join('').match(/<thing id="\d+"><name>&lt;\d+&gt;<\/name><\/thing>/g)?.length, 20_000)
  })
}

test('two properties with one name in XML are both written', () => {
  const named = { type: 'string', xml: { name: 'same' } }
  const text = partsOf({ a: 'one', b: 'two' }, { type: 'object', properties: { a: named, b: named } }).join('')
  assert.equal(text, '<?xml version="1.0" encoding="UTF-8"?><root><same>one</same><same>two</same></root>')
})
