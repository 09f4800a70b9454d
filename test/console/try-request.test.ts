import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GENERATED, sendingFrom, startValues, type TryDraft } from '../../src/console/forms/drafts.ts'
import type { FormParameter } from '../../src/console/model/replies.ts'

const parameter = (
  name: string,
  where: string,
  required: boolean,
  more: Partial<FormParameter> = {},
): FormParameter => ({
  ...{ name, in: where, required, deprecated: false, schema: true, ...more },
})
const LIST = { $ref: '#/$defs/tags', $defs: { tags: { type: 'array' } } }
const parameters = [
  parameter('orderId', 'path', true, { schema: { type: 'integer' }, sample: 'a b' }),
  parameter('tags', 'query', false, { schema: LIST }),
  parameter('size', 'query', true, { sample: '3' }),
  parameter('X-Trace', 'header', false),
  parameter('session', 'cookie', false),
]
const operation = { method: 'PUT', path: '/v1/orders/{orderId}', parameters }
const draft: TryDraft = { values: {}, headers: '', type: 'application/json', body: '', consumer: '' }

/** A request as it is sent. */
const sent = (request: object): object => JSON.parse(JSON.stringify(request)) as object

test('a form begins with the values of required parameters, from the sample', () => {
  assert.deepEqual(startValues(operation), { 'path.orderId': 'a b', 'query.size': '3' })
})

test('each value is put in its place, and a list becomes several parameters', () => {
  const values = {
    'path.orderId': 'a/b',
    'query.tags': 'new, paid',
    'query.size': '3',
    'header.X-Trace': '42',
    'cookie.session': 'x y',
  }
  const request = sendingFrom(
    operation,
    { ...draft, values, headers: 'Accept: text/plain\nnonsense', body: '{}', consumer: 'app' },
    'checkout',
  )
  assert.deepEqual(sent(request), {
    method: 'PUT',
    path: '/v1/orders/a%2Fb',
    query: 'tags=new&tags=paid&size=3',
    headers: { accept: 'text/plain', 'x-trace': '42', cookie: 'session=x%20y', 'content-type': 'application/json' },
    body: '{}',
    consumer: 'app',
    world: 'checkout',
  })
})

test('empty values, an empty body and no consumer are left out', () => {
  assert.deepEqual(sent(sendingFrom({ ...operation, parameters: [] }, draft, 'default')), {
    method: 'PUT',
    path: '/v1/orders/{orderId}',
    world: 'default',
  })
})

test('"anybody" calls with a generated credential', () => {
  const request = sendingFrom({ ...operation, parameters: [] }, { ...draft, consumer: GENERATED }, 'default')
  assert.equal(request.credential, 'any')
  assert.equal(request.consumer, undefined)
})
