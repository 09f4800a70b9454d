import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { type Called, fillUrl } from '../../../src/wings/webhooks/documented.ts'
import { delivering } from './receivers.ts'
import { SHOP } from './shop.ts'

const SENT: Readonly<Record<string, string>> = {
  'path.eventType': 'myevent',
  'query.queryUrl': 'http://clientdomain.com/stillrunning',
  'header.content-type': 'application/json',
}
const called: Called = {
  url: 'http://example.org/subscribe/myevent?queryUrl=http://clientdomain.com/stillrunning',
  method: 'POST',
  status: 201,
  request: {
    part: (place, name) => SENT[`${place}.${name}`],
    body: {
      failedUrl: 'http://clientdomain.com/failed',
      successUrls: ['http://clientdomain.com/fast', 'http://clientdomain.com/medium', 'http://clientdomain.com/slow'],
    },
  },
  response: {
    part: (place, name) => (`${place}.${name}` === 'header.location' ? 'http://example.org/subscription/1' : undefined),
    body: { id: 7, ok: true, none: null },
  },
}

/** Those of the OpenAPI specification, "Callback Object", and others. */
const EXPRESSIONS: readonly (readonly [expression: string, url: string | undefined])[] = [
  ['{$url}', called.url],
  ['{$method}', 'POST'],
  ['{$request.path.eventType}', 'myevent'],
  ['{$request.query.queryUrl}', 'http://clientdomain.com/stillrunning'],
  ['{$request.header.content-Type}', 'application/json'],
  ['{$request.body#/failedUrl}', 'http://clientdomain.com/failed'],
  ['{$request.body#/successUrls/1}', 'http://clientdomain.com/medium'],
  ['{$response.header.Location}', 'http://example.org/subscription/1'],
  ['{$request.query.queryUrl}/data', 'http://clientdomain.com/stillrunning/data'],
  ['$request.query.queryUrl', 'http://clientdomain.com/stillrunning'],
  ['http://host/{$response.body#/id}/{$statusCode}?ok={$response.body#/ok}', 'http://host/7/201?ok=true'],
  ['{$request.body#/nothing}', undefined],
  ['{$request.body#/successUrls}', undefined],
  ['{$response.body#/none}', undefined],
  ['{$request.cookie.a}', undefined],
]

for (const [expression, url] of EXPRESSIONS) {
  test(`${expression} is ${url ?? 'not found'}`, () => {
    const filled = fillUrl(expression, called)
    assert.equal('url' in filled ? filled.url : undefined, url)
  })
}

test('an operation calls back where its request says', async () => {
  const { ask, rest, receivers, gateway } = delivering(`${SHOP}webhooks: { shipped: {} }\n`)
  await ask('POST /orders', { body: { status: 'open', callbackUrl: 'http://localhost/back?a=1' } })
  await ask('POST /orders', { body: { status: 'open' } })
  await ask('PATCH /orders/77', { body: { status: 'open' } })
  await gateway.settle('default')
  await rest()
  assert.deepEqual(
    receivers.got.map(({ url, body }) => [url, body]),
    [['http://localhost/back?a=1', '{"id":3,"status":"open"}']],
  )
  const [, { state, why } = assert.fail()] = deliveriesIn(gateway, {})
  assert.deepEqual([state, why], ['failed', '$request.body#/callbackUrl is not in the request'])
})

test('a rule that applied is told of', async () => {
  const { ask, rest, receivers } = delivering(
    `${SHOP.replace('createOrder: { respond: { create: orders } }', 'createOrder: { respond: { create: orders }, rules: [{ when: \'request.body.status == "paid"\', respond: { status: 201 } }] }')}
webhooks: { ruled: { on: { rule: operations/createOrder/rules/0 }, to: "http://localhost/", body: { status: "\${request.body.status}" } } }
`,
  )
  await ask('POST /orders', { body: { status: 'open' } })
  await ask('POST /orders', { body: { status: 'paid' } })
  await rest()
  await rest()
  assert.deepEqual(receivers.bodies, [{ status: 'paid' }])
})
