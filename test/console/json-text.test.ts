// JSON as text: indentation that keeps every digit, and the places of values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indentJson, piecesOfJson, spanInJson } from '../../src/console/model/json-text.ts'

test('an indented text keeps numbers digit for digit', () => {
  const text = '{"id":9007199254740993,"price":1.10,"tags":["a",{}],"none":[],"text":"{\\"1\\":[1,2]}"}'
  assert.equal(
    indentJson(text),
    `{
  "id": 9007199254740993,
  "price": 1.10,
  "tags": [
    "a",
    {}
  ],
  "none": [],
  "text": "{\\"1\\":[1,2]}"
}`,
  )
  assert.equal(indentJson('a text: [1]'), 'a text: [1]')
  assert.deepEqual(
    piecesOfJson('{"a":[1,"b",null').flatMap(({ kind }) => kind ?? []),
    ['key', 'number', 'text', 'word'],
  )
})

test('the place of a value is found by its JSON Pointer, or that of its nearest parent', () => {
  const text = indentJson('{"a/b":{"c":[1,{"d":"x"}]},"d":true,"e":[]}')
  const at = (pointer: string): string => {
    const { from, to } = spanInJson(text, pointer)
    return text.slice(from, to)
  }
  assert.equal(at('/a~1b/c/0'), '1')
  assert.equal(at('/a~1b/c/1/d'), '"x"')
  assert.equal(at('/d'), 'true')
  assert.equal(at('/e/0'), '[')
  assert.equal(at('/a~1b/missing/0'), '{')
  assert.deepEqual(spanInJson(text, '/missing'), { from: 0, to: 1 })
})
