import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerDraft, describeOrder, orderOf } from '../../src/console/answers/answer-order.ts'

const draft: AnswerDraft = {
  kind: 'reply',
  status: '503',
  example: '',
  body: '',
  delay: '',
  fault: 'reset',
  skip: '0',
  times: '1',
  consumer: '',
  when: '',
}

test('the usual draft answers a status once', () => {
  assert.deepEqual(orderOf('getThing', draft), { operation: 'getThing', reply: { status: 503 }, times: 1 })
})

test('a JSON body is sent as JSON, another body as text, and no body with an example', () => {
  assert.deepEqual(orderOf('getThing', { ...draft, status: '200', body: '[]' }).reply, { status: 200, body: [] })
  assert.deepEqual(orderOf('getThing', { ...draft, body: 'sorry' }).reply, { status: 503, body: 'sorry' })
  assert.deepEqual(orderOf('getThing', { ...draft, body: '[]', example: 'busy' }).reply, {
    status: 503,
    example: 'busy',
  })
})

test('an order can have a fault, a delay, a consumer and a condition', () => {
  const order = orderOf('getThing', {
    ...draft,
    kind: 'fault',
    delay: ' 2s ',
    times: 'always',
    consumer: 'app',
    when: 'ordinal == 2',
  })
  assert.deepEqual(order, {
    operation: 'getThing',
    when: 'ordinal == 2',
    consumer: 'app',
    delay: '2s',
    fault: { kind: 'reset' },
    times: null,
  })
  assert.equal(describeOrder(order), 'reset, after 2s · until switched off · for app · when ordinal == 2')
})

test('an order can skip the next request', () => {
  const order = orderOf('createThing', { ...draft, skip: '1' })
  assert.deepEqual(order, { operation: 'createThing', reply: { status: 503 }, skip: 1, times: 1 })
  assert.equal(describeOrder(order), '503 · once · after one request')
})

test('an order is described in a few words', () => {
  assert.equal(describeOrder({ reply: { status: 503 } }), '503 · once')
  assert.equal(describeOrder({ delay: '2s', times: 3 }), 'after 2s · 3 times')
})
