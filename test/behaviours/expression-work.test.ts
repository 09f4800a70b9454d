import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { failureIn, Language } from '../../src/expression/language.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import type { Request } from '../../src/kernel/http.ts'
import type { Json } from '../../src/kernel/json.ts'
import { realClock } from '../../src/world/clock.ts'
import { SCOPE } from '../expression/small-scope.ts'
import { fileOf, requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'

/** A gateway with one operation, `POST /orders`, that has these rules. */
function serve(rules: readonly string[], body = '{ all: unknown }') {
  const path = fileOf(`
contract:
  openapi: 3.1.0
  info: { title: Orders, version: "1" }
  paths:
    /orders:
      post:
        operationId: order
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { "200": { description: Whether all are in stock, content: { application/json: { schema: { type: object } } } } }
    /products:
      post:
        operationId: createProduct
        requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Product" } } } }
        responses: { "201": { description: A product, content: { application/json: { schema: { $ref: "#/components/schemas/Product" } } } } }
  components:
    schemas:
      Product: { type: object, required: [id], properties: { id: { type: string }, stock: { type: integer }, numbers: { type: array, items: { type: integer } } } }
      Big: { type: object, required: [a], properties: { a: { type: array, minItems: 50, items: { $ref: "#/components/schemas/Product" } } } }
resources:
  products: { schema: Product, id: { field: id, assign: client }, seed: [{ id: a, stock: 5 }, { id: b, stock: 9 }] }
operations:
  createProduct: { respond: { create: products } }
  order:
    respond: { status: 200, body: ${body} }
    rules:
${rules.map((when, i) => `      - { when: '${when}', respond: { status: 200, body: { rule: ${i} } } }`).join('\n')}`)
  const { plan, report } = loadPlan(path, dirname(path), {})
  assert.ok(plan, JSON.stringify(report.list.map(({ message }) => message)))
  const gateway = new Gateway(plan, realClock, silentLog, '0')
  return async (what: string, sent: unknown, headers = {}, more: Partial<Request> = {}) => {
    const reply = await gateway.handle({ ...requestOf(what, { body: sent, headers }), ...more })
    return { status: reply.status, headers: reply.headers, body: JSON.parse(String(reply.body)) }
  }
}

test('a condition over records in a loop holds for every request', async () => {
  const send = serve(['request.body.lines.all(line, record("products", line).stock > 0)'])
  for (let i = 0; i < 3; i++) assert.deepEqual((await send('POST /orders', { lines: ['a', 'b'] })).body, { rule: 0 })
  assert.deepEqual((await send('POST /orders', { lines: ['a', 'c'] })).body, { all: 'unknown' })
})

test('the expressions of a request share what they may cost, and the explanation says so', async () => {
  const costly = [
    'request.body.list.exists(x, sample("Big").a == [])',
    'request.body.zone != "" && now.getHours(request.body.zone) == 25',
    'request.body.list.exists(x, record("products", "big").numbers == [])',
    'request.body.list.exists(x, request.body.list.exists(y, y == 0))',
    `request.body.list.exists(x, ${Array.from({ length: 100 }, (_, i) => `x.none${i} == 1`).join(' || ')})`,
    'request.body.list.exists(x, request.body.list.exists(y, record("products", "none").stock == 1))',
  ]
  const list = Array.from({ length: 200 }, () => 1)
  const headers = { 'understudy-explain': '1' }
  for (const when of costly) {
    const send = serve([when, 'request.body.list.size() == 200', 'request.body.list.exists(x, x == 1)'])
    await send('POST /products', { id: 'big', numbers: Array.from({ length: 100_000 }, (_, i) => i % 10) })
    const zone = when.includes('zone') ? 'x'.repeat(100_000) : ''
    const { body, headers: sent } = await send('POST /orders', { list, zone }, headers)
    assert.deepEqual(body, { all: 'unknown' }, when)
    assert.match(String(sent['understudy-explanation']), /the expressions of this request take more than 20000 steps/)
  }
})

test('every loop and expression ends once the request has done too much', () => {
  const language = new Language()
  let calls = 0
  const calling = (text: string, body: Json) => {
    const expression = language.compile(text, 'bool')
    assert.ok(!('code' in expression), text)
    calls = 0
    const scope = { ...SCOPE, body, calls: () => ++calls }
    assert.equal(expression.holds(scope), false)
    assert.match(String(failureIn(scope)), /take more than 20000 steps/)
    return { expression, scope }
  }
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  const { expression, scope } = calling('request.body.all(x, calls("a") > 0)', list)
  const before = calls
  assert.ok(before <= 20_000, String(before))
  assert.equal(expression.holds(scope), false)
  assert.equal(calls, before)
  // Most of the time goes into making errors.
  for (const failing of ['x.lowerAscii() == "a"', '!x', 'x && true', 'x.a == 1', 'record("a", x) == 1']) {
    calling(`request.body.exists(x, calls("a") < 0 || ${failing})`, list)
    assert.ok(calls < 3000, `${failing}: ${calls}`)
  }
})

test('a body that cannot be read is read once for all rules', async () => {
  let reads = 0
  const readBody = async () => {
    reads += 1
    return { bytes: new TextEncoder().encode('{"list":') }
  }
  const send = serve(Array.from({ length: 100 }, (_, i) => `request.body.list[${i}] == 2`))
  const { status } = await send('POST /orders', {}, {}, { readBody })
  assert.deepEqual([status, reads], [400, 2])
})

test('a list or a map as a key or an id is refused', async () => {
  const headers = { 'understudy-explain': '1' }
  for (const [when, reason] of [
    ['request.headers[request.body.list] == "1"', 'a key is a text or an integer'],
    ['record("products", request.body.list).stock == 1', 'an id is a text or an integer'],
  ] as const) {
    const sent = await serve([when])('POST /orders', { list: [[1], {}] }, headers)
    assert.match(String(sent.headers['understudy-explanation']), new RegExp(reason))
  }
})

test('equal requests with a costly pattern get equal replies', async () => {
  const send = serve(['request.body.patterns.all(one, "aaa".matches(one))'])
  const patterns = ['a', 'b'].map(one => one.repeat(7000))
  for (let i = 0; i < 3; i++) assert.deepEqual((await send('POST /orders', { patterns })).body, { all: 'unknown' })
})

test('a result is counted while it is made', async () => {
  const send = serve([], '{ all: "${request.body.list.map(x, request.body.list)}" }')
  const { body, headers } = await send('POST /orders', { list: Array.from({ length: 19_000 }, () => 1) })
  assert.deepEqual(body, { all: null })
  assert.match(String(headers['understudy-warning']), /take more than 20000 steps|more than 1000000 characters/)
})

test('many rules convert a long list once', async () => {
  const rules = Array.from({ length: 100 }, (_, i) => `request.body.list[${i}] == 2`)
  const list = Array.from({ length: 100_000 }, () => 1)
  assert.deepEqual((await serve(rules)('POST /orders', { list })).body, { all: 'unknown' })
})

test('a reply has null where an expression fails, and a warning', async () => {
  const send = serve(
    ['bytes(request.body.text).json().a == 1'],
    '{ a: "${request.body.__proto__}", b: "by ${request.body.name}" }',
  )
  const { status, body, headers } = await send('POST /orders', { text: 'no JSON' })
  assert.deepEqual([status, body], [200, { a: null, b: 'by ' }])
  assert.equal(
    headers['understudy-warning'],
    'request.body.__proto__: no such key: __proto__; request.body.name: no such key: name',
  )
})

test('an id has no half of a surrogate pair', async () => {
  const { status, body } = await serve([])('POST /products', { id: '\ud800' })
  assert.deepEqual([status, body.detail], [400, '/id must be well-formed text or an integer'])
})
