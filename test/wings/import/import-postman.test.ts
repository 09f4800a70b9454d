import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ANN, auth, BOB, CONTRACT, info, list, reply, request, shop, url } from '../infer/collections.ts'
import { importOf, lost } from './imports.ts'

test('a collection of Postman becomes a contract with examples and records', async () => {
  const imported = await importOf({ 'shop.json': shop })
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    ['the test of "Log in" is not run'],
  )
  const { send, result, folder } = imported
  const counts = { equal: 5, alike: 4, tried: 9, named: 0, untried: 0, different: [] }
  assert.deepEqual(result?.tried, counts)
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

test('the beginning that all paths share is the path of the server', async () => {
  const get = (path: string) => ({ name: 'x', request: request('GET', url(path)) })
  const { result, send } = await importOf({
    'a.json': { info, item: [get('shop/api/v2/pens'), get('shop/api/v2/pens/:id')] },
  })
  const contract = String(result?.files.get('openapi.yaml'))
  assert.match(contract, /servers:\n {2}- url: \/shop\/api\/v2\npaths:\n {2}\/pens:\n {4}get: \{ operationId: getPens,/)
  assert.match(await send('GET /shop/api/v2/pens'), /^200/)
})

test('a field is required that all accepted requests have, if there are several or one without it is refused', async () => {
  const post = (path: string, body: object) => request('POST', url(path), body)
  const ok = (path: string, body: object) => reply('Ok', 200, { ok: true }, post(path, body))
  const bad = (path: string, body: object) => reply('Bad', 422, { error: 'invalid' }, post(path, body))
  const item = (path: string, body: object, response: object[]) => ({ name: path, request: post(path, body), response })
  const { result, send } = await importOf({
    'a.json': {
      info,
      item: [
        item('one', { a: 1, b: 2 }, [ok('one', { a: 1, b: 2 })]),
        item('two', { a: 1, b: 2 }, [ok('two', { a: 2, b: 2 }), ok('two', { a: 3 })]),
        item('bad', { a: 1, b: 2 }, [ok('bad', { a: 1, b: 2 }), bad('bad', { a: 1 })]),
      ],
    },
  })
  assert.deepEqual([result?.tried.equal, result?.tried.alike], [4, 1])
  assert.match(await send('POST /one', {}), /^200/)
  assert.match(await send('POST /two', { a: 1 }), /^200/)
  assert.match(await send('POST /two', { b: 1 }), /^4/)
  assert.match(await send('POST /bad', { b: 1 }), /^200/)
  assert.match(await send('POST /bad', { a: 7 }), /^422/)
})

test('a reply that is saved twice is one, and one that was copied is not called like the request that has it', async () => {
  const get = request('GET', url('users', { role: 'user' }))
  const both = [reply('Users', 200, [BOB], get), reply('Users', 200, [BOB], get)]
  const item = [{ name: 'Show reports', request: request('GET', url('reports')), response: both }]
  const { result } = await importOf({ 'a.json': { info, item } })
  assert.equal(result?.tried.tried, 1)
  const contract = String(result?.files.get('openapi.yaml'))
  assert.match(contract, /\/reports:\n {4}get:\n {6}operationId: showReports/)
  assert.match(contract, /\/users:\n {4}get:\n {6}operationId: listUsers/)
})

test('a new record has the fields that the reply to a create shows, and no others', async () => {
  const sent = { name: 'Carl' }
  const create = request('POST', url('users'), sent)
  const item = [
    { name: 'users', request: list, response: [reply('All', 200, [{ ...ANN, nick: 'a' }, BOB], list)] },
    { name: 'user', request: create, response: [reply('One', 201, { id: 9, ...sent, role: 'user' }, create)] },
  ]
  const { result, send } = await importOf({ 'a.json': { info, item } })
  assert.deepEqual([result?.tried.equal, result?.tried.alike, result?.tried.named], [1, 1, 0])
  assert.equal(await send('POST /users', sent), '201 {"id":3,"name":"Carl","role":"user"}')
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
  assert.deepEqual(lost(imported), [])
  assert.match(await imported.send('GET /last'), /^200/)
  assert.match(await imported.send('POST /__proto__/constructor', {}), /^200 \{"__proto__":\{"a":1\}\}/)
})

test('a contract that is there gets the requests, and each that does not fit is reported', async () => {
  const imported = await importOf({ 'shop.json': shop, 'api.yaml': CONTRACT }, 'shop.json', { contract: 'api.yaml' })
  assert.deepEqual(
    lost(imported).map(text => text.replace(/^\d+:\d+ /, '')),
    [
      'the test of "Log in" is not run',
      'this reply breaks listUsers: /*/role is "admin"; in the contract: must be one of "user"',
      'this reply breaks getUser: /role is "admin"; in the contract: must be one of "user"',
      'this reply breaks createUser: status is 422; in the contract: 201',
      'the contract has no operation for DELETE /v1/users/{id}',
      'the contract has no operation for POST /v1/orders',
      'the contract has no operation for GET /v1/orders/{orderId}',
      'the contract has no security scheme for "bearer"',
    ],
  )
  assert.deepEqual(imported.result?.variables, [])
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
  const { send } = await importOf(files, 'stubs.json', { contract: 'api.yaml' })
  assert.match(await send('GET /v1/users/7'), /^200 .*"Eve"/)
})
