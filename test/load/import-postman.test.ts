import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { importOf, lost } from './imports.ts'

const JSON_TYPE = [{ key: 'Content-Type', value: 'application/json' }]

/** The URL of a request as Postman exports it. */
const url = (path: string, query: Record<string, string> = {}, variable: Record<string, string> = {}) => {
  const listed = (all: Record<string, string>) => Object.entries(all).map(([key, value]) => ({ key, value }))
  const raw = `{{baseUrl}}/${path}${Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`}`
  return { raw, host: ['{{baseUrl}}'], path: path.split('/'), query: listed(query), variable: listed(variable) }
}
const request = (method: string, at: object, body?: object) => ({
  method,
  header: body === undefined ? [] : JSON_TYPE,
  url: at,
  ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body) } }),
})
const reply = (name: string, code: number, body: unknown, originalRequest: object) => ({
  ...{ name, code, originalRequest, _postman_previewlanguage: 'json', header: JSON_TYPE },
  body: body === undefined ? '' : JSON.stringify(body),
})
const info = { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' }

const ANN = { id: 1, name: 'Ann', role: 'admin' }
const BOB = { id: 2, name: 'Bob', role: 'user' }
const list = request('GET', url('users'))
const one = (id: string) => url('users/:id', {}, { id })
const shop = {
  info,
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] },
  variable: [{ key: 'baseUrl', value: 'https://api.example.com/v1' }],
  item: [
    {
      name: 'Users',
      item: [
        {
          name: 'List users',
          request: list,
          response: [
            reply('All', 200, [ANN, BOB], list),
            reply('By role', 200, [BOB], request('GET', url('users', { role: 'user' }))),
          ],
        },
        {
          name: 'Create user',
          request: request('POST', url('users'), { name: 'Carl', role: 'user' }),
          response: [
            reply(
              'Created',
              201,
              { id: 9, name: 'Carl', role: 'user' },
              request('POST', url('users'), { name: 'Carl', role: 'user' }),
            ),
            reply('Refused', 422, { error: 'a name is missing' }, request('POST', url('users'), { role: 'user' })),
          ],
        },
        {
          name: 'Get user',
          request: request('GET', one('1')),
          response: [
            reply('One', 200, ANN, request('GET', one('1'))),
            reply('None', 404, { error: 'no such user' }, request('GET', one('99'))),
          ],
        },
        {
          name: 'Delete user',
          request: request('DELETE', one('2')),
          response: [reply('Gone', 204, undefined, request('DELETE', one('2')))],
        },
      ],
    },
    {
      name: 'Orders',
      item: [
        { name: 'Order', request: request('POST', url('orders'), { item: 'book', count: 2 }), response: [] },
        { name: 'Get order', request: request('GET', url('orders/{{orderId}}')) },
      ],
    },
    {
      name: 'Log in',
      event: [{ listen: 'test', script: { exec: ['pm.environment.set("token", pm.response.json().token)'] } }],
      request: { ...request('POST', url('login'), { user: 'ann', password: 'x' }), auth: { type: 'noauth' } },
      response: [
        reply('Token', 200, { token: 'abc' }, request('POST', url('login'), { user: 'ann', password: 'x' })),
        reply('Wrong', 401, { error: 'wrong' }, request('POST', url('login'), { user: 'ann', password: 'wrong' })),
      ],
    },
  ],
}
const auth = { authorization: 'Bearer any' }

test('a collection of Postman becomes a contract with examples and records', async () => {
  const imported = await importOf({ 'shop.json': shop })
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    ['the test of "Log in" is not run'],
  )
  const { send, result, folder } = imported
  assert.deepEqual([result?.tried.equal, result?.tried.tried, result?.tried.named], [9, 9, 1])
  assert.match(await send('GET /v1/users'), /^401/)
  assert.equal(await send('GET /v1/users?role=user', undefined, auth), `200 ${JSON.stringify([BOB])}`)
  assert.match(await send('GET /v1/users/99', undefined, auth), /^404/)
  assert.equal(await send('POST /v1/login', { user: 'ann', password: 'wrong' }), '401 {"error":"wrong"}')
  assert.equal(await send('POST /v1/login', { user: 'ann', password: 'x' }), '200 {"token":"Masked-2"}')
  const named = { ...auth, prefer: 'example=refused' }
  assert.equal(await send('POST /v1/users', { name: 'x' }, named), '422 {"error":"a name is missing"}')
  const contract = readFileSync(join(folder, 'out/openapi.yaml'), 'utf8')
  for (const part of [
    'operationId: getUser',
    'tags: [ Users ]',
    'security: [ { bearer: [] } ]',
    '$ref: "#/components/schemas/User"',
  ]) {
    assert.ok(contract.includes(part), part)
  }
})

test('a record that is created on an imported collection is read back', async () => {
  const { send } = await importOf({ 'shop.json': shop })
  const created = await send('POST /v1/users', { name: 'Eve', role: 'user' }, auth)
  assert.equal(created, '201 {"id":3,"name":"Eve","role":"user"}')
  assert.equal(await send('GET /v1/users/3', undefined, auth), created.replace('201', '200'))
  assert.match(await send('GET /v1/users', undefined, auth), /"Eve"/)
  assert.match(await send('DELETE /v1/users/3', undefined, auth), /^204/)
  assert.match(await send('GET /v1/users/3', undefined, auth), /^404/)
  // No reply was saved: the record is the one that the request creates.
  const order = await send('POST /v1/orders', { item: 'pen', count: 1 }, auth)
  assert.match(order, /^201 \{"id":\d+,"item":"pen","count":1\}$/)
  const { id } = JSON.parse(order.slice(4)) as { id: number }
  assert.equal(await send(`GET /v1/orders/${id}`, undefined, auth), order.replace('201', '200'))
})

test('variables of an environment and folders with credentials are filled in', async () => {
  const environment = {
    name: 'staging',
    _postman_variable_scope: 'environment',
    values: [
      { key: 'baseUrl', value: 'https://{{host}}/api', enabled: true },
      { key: 'host', value: 'staging.example.com', enabled: true },
      { key: 'plan', value: 'free', enabled: true },
      { key: 'plan', value: 'paid', enabled: false },
    ],
  }
  const key = [
    { key: 'key', value: 'X-Api-Key' },
    { key: 'value', value: '{{apiKey}}' },
  ]
  const collection = {
    info,
    item: [
      {
        name: 'Plans',
        auth: { type: 'apikey', apikey: key },
        item: [{ name: 'Plan', request: 'plain', response: [] }],
      },
      {
        name: 'Plans',
        auth: { type: 'apikey', apikey: key },
        item: [{ name: 'Show', request: { url: '{{baseUrl}}/plans/{{plan}}?lang={{lang}}' }, response: [] }],
      },
      { name: 'Signed', request: { url: 'https://x.example.com/signed', auth: { type: 'awsv4' } } },
    ],
  }
  const imported = await importOf({ 'pm/a.json': collection, 'pm/b.json': environment }, 'pm')
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    ['credentials of the kind "awsv4" are not asked for'],
  )
  assert.match(await imported.send('GET /api/plans/free'), /^401/)
  assert.match(await imported.send('GET /api/plans/free', undefined, { 'x-api-key': 'any' }), /^200/)
  assert.match(await imported.send('GET /signed'), /^200/)
})

test('texts that look like templates stay, and values of secret variables are not copied', async () => {
  const get = request('GET', url('odd'))
  const collection = {
    info,
    variable: [
      { key: 'adminPassword', value: 'hunter2' },
      { key: 'pin', value: '4711', type: 'secret' },
    ],
    item: [
      { name: 'Odd', request: get, response: [reply('Odd', 200, { price: '${5}', name: '{{name}}' }, get)] },
      { name: 'In', request: request('POST', url('in'), { password: '{{adminPassword}}', pin: '{{pin}}' }) },
    ],
  }
  const { send, result, folder } = await importOf({ 'odd.json': collection })
  assert.equal(await send('GET /odd'), '200 {"price":"${5}","name":"{{name}}"}')
  assert.deepEqual([result?.tried.equal, result?.tried.tried], [1, 1])
  assert.doesNotMatch(readFileSync(join(folder, 'out/openapi.yaml'), 'utf8'), /hunter2|4711/)
})

test('a collection of version 1 is refused, with the way to export a newer one', async () => {
  const { result, report } = await importOf({ 'old.json': { id: '1', name: 'Old', order: [], requests: [] } })
  assert.equal(result, undefined)
  assert.equal(report.unsorted[0]?.code, 'old-collection')
  assert.match(report.unsorted[0]?.hint ?? '', /Collection v2\.1/)
})

test('folders that are nested very deep and names of prototypes stop nothing', async () => {
  let item: object = { name: 'last', request: 'https://x.example.com/last' }
  for (let i = 0; i < 60; i++) item = { name: `${i}`, item: [item] }
  const odd = {
    name: '__proto__',
    request: request('POST', url('__proto__/constructor', { constructor: 'x' }), { constructor: 1 }),
    response: [
      reply('__proto__', 200, JSON.parse('{"__proto__":{"a":1}}'), request('POST', url('__proto__/constructor'))),
    ],
  }
  const imported = await importOf({ 'odd.json': { info, item: [item, odd] } })
  assert.match(lost(imported)[0] ?? '', /folders are nested more than 50 deep/)
  assert.match(await imported.send('POST /__proto__/constructor', {}), /^200 \{"__proto__":\{"a":1\}\}/)
})

const CONTRACT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: /v1 }]
paths:
  /users:
    get:
      operationId: listUsers
      parameters: [{ name: role, in: query, schema: { type: string } }]
      responses:
        "200":
          description: all
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/User" } } } }
    post:
      operationId: createUser
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses:
        "201": { description: one, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
  /users/{userId}:
    get:
      operationId: getUser
      parameters: [{ name: userId, in: path, required: true, schema: { type: integer } }]
      responses:
        "200": { description: one, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
        "404": { description: none }
  /login:
    post:
      operationId: logIn
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: object } } } }
        "401": { description: no, content: { application/json: { schema: { type: object } } } }
components:
  schemas:
    User:
      type: object
      required: [name]
      properties: { id: { type: integer, readOnly: true }, name: { type: string }, role: { enum: [user] } }
`

test('a contract that is there gets the requests, and each that does not fit is reported', async () => {
  const imported = await importOf({ 'shop.json': shop, 'api.yaml': CONTRACT }, 'shop.json', 'api.yaml')
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    [
      'the test of "Log in" is not run',
      'this reply breaks createUser: status is 422; in the contract: 201',
      'this reply breaks listUsers: /*/role is "admin"; in the contract: must be one of "user"',
      'this reply breaks getUser: /role is "admin"; in the contract: must be one of "user"',
      'the contract has no operation for DELETE /v1/users/{id}',
      'the contract has no operation for POST /v1/orders',
      'the contract has no operation for GET /v1/orders/{orderId}',
    ],
  )
  const { send, folder } = imported
  assert.equal(await send('GET /v1/users/2'), `200 ${JSON.stringify(BOB)}`)
  assert.equal(await send('POST /v1/login', { user: 'ann', password: 'wrong' }), '401 {"error":"wrong"}')
  assert.match(readFileSync(join(folder, 'out/gateway.yaml'), 'utf8'), /^contract: \.\.\/api\.yaml/)
})

test('rules for a contract that is there have its names of parameters', async () => {
  const stub = (equalTo: string, body: object) => ({
    request: { method: 'GET', urlPathTemplate: '/v1/users/{id}', pathParameters: { id: { equalTo } } },
    response: { status: 200, jsonBody: body },
  })
  const files = {
    'stubs.json': [stub('7', { id: 7, name: 'Eve' })],
    'api.yaml': CONTRACT.replace('operationId: listUsers', 'operationId: search'),
  }
  const { send } = await importOf(files, 'stubs.json', 'api.yaml')
  assert.match(await send('GET /v1/users/7'), /^200 .*"Eve"/)
})

test('credentials in bodies and parameters are not written', async () => {
  const fields = { user: 'ann', password: 'open-sesame' }
  const login = request('POST', url('login', { api_key: 'key-of-ann' }), fields)
  const item = {
    name: 'Log in',
    request: login,
    response: [reply('In', 200, { token: 'eyJ.ann', user: 'ann' }, login)],
  }
  const { result } = await importOf({ 'shop.json': { ...shop, item: [item] } })
  const written = [...(result?.files.values() ?? [])].join('\n')
  assert.doesNotMatch(written, /open-sesame|key-of-ann|eyJ\.ann/)
  assert.match(written, /user: ann/)
  assert.equal(result?.tried.equal, 1)
})
