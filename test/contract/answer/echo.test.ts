import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isObject } from '../../../src/kernel/json.ts'
import { inProcess } from '../../support/in-process.ts'

const object = (properties: string, required = '[]') =>
  `{ type: object, required: ${required}, properties: { ${properties} } }`
const text = '{ type: string }'
const post = (schema: string) =>
  `post: { requestBody: { content: { application/json: { schema: {} } } }, responses: { '200': { description: ok, content: { application/json: { schema: ${schema} } } } } }`
const USER = object(`email: ${text}, token: ${text}, username: ${text}`, '[email, token, username]')
const LINE = object(
  `id: { type: integer }, sku: ${text}, price: { type: number }, secret: { type: string, writeOnly: true }`,
  '[id, sku, price]',
)
const { send } = inProcess({
  'openapi.yaml': `openapi: 3.0.3
info: { title: Echo, version: "1" }
paths:
  /users: { ${post(object(`user: ${USER}`, '[user]'))} }
  /login: { ${post(object(`token: ${text}, account: ${USER}`))} }
  /profiles: { ${post(object(`nickname: ${text}, rank: { type: integer }`))} }
  /orders: { ${post(object(`firstName: ${text}, place: ${object(`city: ${text}, country: ${text}`)}, labels: { type: object, additionalProperties: ${text} }, lines: { type: array, items: ${LINE} }`))} }
  /lines/{lineId}:
    parameters: [{ name: lineId, in: path, required: true, schema: { type: integer } }, { name: sku, in: query, schema: ${text} }]
    ${post(LINE).replace('post:', 'put:')}
  /bulk: { ${post(object(`count: { type: integer }, lines: { type: array, items: ${LINE} }`))} }
`,
})

/** Returns whether a value has all parts of another, and no names that another one lacks. */
const repeats = (value: unknown, part: unknown): boolean =>
  Array.isArray(part)
    ? Array.isArray(value) && value.length === part.length && part.every((one, i) => repeats(value[i], one))
    : isObject(part)
      ? isObject(value) && Object.entries(part).every(([name, one]) => repeats(value[name], one))
      : value === part

const ADA = { username: 'ada', email: 'a@b.de' }
for (const [what, path, body, part] of [
  ['in its wrapper, beside a token', '/users', { user: { ...ADA, password: 'x' } }, { user: ADA }],
  ['in a wrapper of the reply alone', '/login', { ...ADA, password: 'x' }, { account: ADA }],
  ['in wrappers of other names', '/login', { user: { ...ADA, password: 'x' } }, { account: ADA }],
  ['without the wrapper of the request', '/profiles', { profile: { nickname: 'ada' } }, { nickname: 'ada' }],
  ['under another spelling', '/orders', { first_name: 'Ada', password: 'x' }, { firstName: 'Ada' }],
  ['in nested objects', '/orders', { place: { city: 'Rome', password: 'x' } }, { place: { city: 'Rome' } }],
  ['in maps', '/orders', { labels: { a: 'b' } }, { labels: { a: 'b' } }],
  [
    'in items of lists',
    '/orders',
    { lines: [...'abcd'].map(sku => ({ sku, secret: 'x', password: 'x' })) },
    { lines: [...'abcd'].map(sku => ({ sku })) },
  ],
  ['as a list', '/bulk', [{ sku: 'a', password: 'x' }, { sku: 'b' }], { lines: [{ sku: 'a' }, { sku: 'b' }] }],
  ['but for a value of another type', '/orders', { firstName: 'Ada', place: 5 }, { firstName: 'Ada' }],
] as const) {
  test(`a reply repeats what was sent, ${what}`, async () => {
    const { status, body: reply } = await send(`POST ${path}`, body)
    assert.equal(status, 200)
    assert.ok(repeats(reply, part), JSON.stringify(reply))
    assert.doesNotMatch(JSON.stringify(reply), /password|secret/)
  })
}

test('the path names the record, and the body says more than the query', async () => {
  const { body } = await send('PUT /lines/7?sku=a', { id: 8, sku: 'b' })
  const { id, sku } = body as { id: number; sku: string }
  assert.deepEqual([id, sku], [7, 'b'])
})

test('items that the reply needs more of get different values', async () => {
  const { body } = await send('POST /orders', { lines: [...'abcdef'].map(sku => ({ sku })) })
  const { lines } = body as { lines: readonly { id: number }[] }
  assert.ok(new Set(lines.map(({ id }) => id)).size > 3, JSON.stringify(lines))
})
