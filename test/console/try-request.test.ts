import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationParameter } from '../../src/console/model/shapes.ts'
import {
  ANYBODY,
  requestOf,
  resolveSchema,
  startValues,
  type TryDraft,
} from '../../src/console/operations/try-request.ts'

const parameters: readonly OperationParameter[] = [
  { name: 'orderId', in: 'path', required: true, schema: { type: 'integer' }, sample: 'a b' },
  { name: 'tags', in: 'query', required: false, schema: { type: 'array' } },
  { name: 'size', in: 'query', required: true, sample: '3' },
  { name: 'X-Trace', in: 'header', required: false },
  { name: 'session', in: 'cookie', required: false },
]
const operation = { method: 'PUT', path: '/v1/orders/{orderId}', parameters }
const draft: TryDraft = { values: {}, headers: '', type: 'application/json', body: '', consumer: '' }

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
  const request = requestOf(
    operation,
    { ...draft, values, headers: 'Accept: text/plain\nnonsense', body: '{}', consumer: 'app' },
    'checkout',
  )
  assert.deepEqual(request, {
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
  assert.deepEqual(requestOf({ ...operation, parameters: [] }, draft, 'default'), {
    method: 'PUT',
    path: '/v1/orders/{orderId}',
    world: 'default',
  })
})

test('a reference into the definitions of a schema is resolved', () => {
  const schema = { $ref: '#/$defs/s2', $defs: { s2: { enum: ['a', 'b'] } } }
  assert.deepEqual(resolveSchema(schema).enum, ['a', 'b'])
  assert.deepEqual(resolveSchema(undefined), {})
})

test('"anybody" calls with a generated credential', () => {
  const request = requestOf({ ...operation, parameters: [] }, { ...draft, consumer: ANYBODY }, 'default')
  assert.equal(request.credential, 'any')
  assert.equal(request.consumer, undefined)
})
