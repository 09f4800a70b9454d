// JSON as text: indentation that keeps every digit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indentJson, piecesOfJson } from '../../src/console/model/wording.ts'

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
    piecesOfJson('{"a":[1,"b",null').flatMap(({ tone }) => tone ?? []),
    ['info', 'warn', 'good', 'cut'],
    'a key, a number, a text and a word',
  )
})
