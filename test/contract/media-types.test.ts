import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileMediaTypes } from '../../src/contract/media-types.ts'
import { inProcess } from '../support/in-process.ts'

const choose = (...types: string[]) => compileMediaTypes(new Map(types.map(type => [type, type])))

for (const [sent, documented, chosen] of [
  ['application/json', ['application/json', 'application/json;simple'], 'application/json'],
  ['application/json', ['application/json;simple', 'application/json'], 'application/json'],
  ['application/json;simple', ['application/json', 'application/json;simple'], 'application/json;simple'],
  ['application/json; Simple', ['application/json', 'application/json;simple'], 'application/json;simple'],
  ['application/json; charset=utf-8', ['application/json;simple', 'application/json'], 'application/json'],
  [
    'application/json; charset=utf-8; simple',
    ['application/json', 'application/json;simple'],
    'application/json;simple',
  ],
  ['text/x; VERSION="2"', ['text/x; version=1', 'text/x; version=2'], 'text/x; version=2'],
  ['text/x; version=3', ['text/x; version=1', 'text/x; version=2'], 'text/x; version=1'],
  ['text/x; b=2; a=1', ['text/x', 'text/x; a=1', 'text/x; a=1; b=2'], 'text/x; a=1; b=2'],
  ['text/plain', ['*/*', 'text/*'], 'text/*'],
  ['image/png', ['*/*', 'text/*'], '*/*'],
  ['image/png', ['text/*'], undefined],
] as const) {
  test(`${sent} falls under ${chosen ?? 'nothing'} of ${documented.join(' and ')}`, () => {
    assert.equal(choose(...documented)(sent), chosen)
  })
}

const types = (...order: ('plain' | 'simple')[]) =>
  order
    .map(one =>
      one === 'plain'
        ? 'application/json: { schema: { type: array, items: { type: object } }, example: [] }'
        : 'application/json;simple: { schema: { type: object }, example: {} }',
    )
    .join(', ')
const operation = (content: string) =>
  `post: { requestBody: { required: true, content: { ${content} } }, responses: { "200": { description: ok, content: { ${content} } } } }`
const { send } = inProcess({
  'openapi.yaml': `openapi: 3.0.3
info: { title: T, version: "1" }
paths:
  /a: { ${operation(types('plain', 'simple'))} }
  /b: { ${operation(types('simple', 'plain'))} }
`,
})

for (const path of ['/a', '/b']) {
  test(`a request to ${path} is validated by its exact media type, and answered with it`, async () => {
    const ask = (body: unknown, type: string, accept: string) =>
      send(`POST ${path}`, body, { 'content-type': type, accept })
    const plain = await ask([], 'application/json', 'application/json')
    assert.deepEqual([plain.status, plain.headers['content-type'], plain.body], [200, 'application/json', []])
    const simple = await ask({}, 'application/json; simple', 'application/json;simple')
    assert.deepEqual([simple.status, simple.headers['content-type'], simple.body], [200, 'application/json;simple', {}])
    assert.equal((await ask({}, 'application/json', '*/*')).status, 400)
    assert.equal((await ask({}, 'application/json; charset=utf-8', '*/*')).status, 400)
    assert.equal((await ask([{}], 'application/json;simple', '*/*')).status, 400)
  })
}
