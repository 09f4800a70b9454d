import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AnswerDraft,
  describeOrder,
  orderFrom,
  presetsOf,
  START,
  withoutItems,
} from '../../src/console/forms/drafts.ts'
import type { AnswerOrder } from '../../src/http/control/types.ts'

const draft: AnswerDraft = { ...START, status: '503' }

/** An order as it is sent. */
const sent = (order: AnswerOrder) => JSON.parse(JSON.stringify(order)) as AnswerOrder

test('the usual draft answers a status once', () => {
  assert.deepEqual(sent(orderFrom(draft)), { respond: { status: 503 }, times: 1 })
})

test('a JSON body is sent as JSON, another body as text, and no body with an example', () => {
  assert.deepEqual(orderFrom({ ...draft, status: '200', body: '[]' }).respond, { status: 200, body: [] })
  assert.deepEqual(orderFrom({ ...draft, body: 'sorry' }).respond, { status: 503, body: 'sorry' })
  assert.deepEqual(orderFrom({ ...draft, body: '[]', example: 'busy' }).respond, {
    status: 503,
    example: 'busy',
  })
})

test('an order can have a fault, a delay, a consumer and a condition', () => {
  const order = sent(
    orderFrom({
      ...draft,
      kind: 'fault',
      delay: ' 2s ',
      times: 'always',
      consumer: 'app',
      when: 'ordinal == 2',
    }),
  )
  assert.deepEqual(order, {
    when: 'ordinal == 2',
    consumer: 'app',
    latency: { fixed: '2s' },
    fault: { kind: 'reset' },
    times: null,
  })
  assert.equal(describeOrder(order), 'reset, after 2s · until switched off · for app · when ordinal == 2')
})

test('an order can skip the next request', () => {
  const order = sent(orderFrom({ ...draft, skip: '1' }))
  assert.deepEqual(order, { respond: { status: 503 }, skip: 1, times: 1 })
  assert.equal(describeOrder(order), '503 · once · after one request')
})

test('an order is described in a few words', () => {
  assert.equal(describeOrder({ respond: { status: 503 } }), '503 · once')
  assert.equal(describeOrder({ latency: { fixed: '2s' } as AnswerOrder['latency'], times: 3 }), 'after 2s · 3 times')
})

const reply = (status: string, sample?: object) => ({
  status,
  description: '',
  content: [{ type: 'application/json', examples: [], ...(sample === undefined ? {} : { sample: sample as never }) }],
})
const titles = (...responses: ReturnType<typeof reply>[]): string[] =>
  presetsOf({ responses }).map(({ title }) => title)

test('an operation that returns a list has a preset for an empty list', () => {
  assert.deepEqual(titles(reply('200', [{ id: 1 }])), [
    'An empty list',
    'A server error',
    'A slow reply',
    'No connection',
  ])
  assert.equal(titles(reply('200', { id: 1 }), reply('404', ['x'])).includes('An empty list'), false)
  assert.equal(presetsOf(undefined).length, 3)
})

test('an empty page has empty lists, zero counts and no next page', () => {
  const page = { object: 'list', data: [{ id: 1 }], total_count: 9, has_more: true, url: '/v1/things' }
  assert.deepEqual(withoutItems(page), { object: 'list', data: [], total_count: 0, has_more: false, url: '/v1/things' })
  assert.deepEqual(withoutItems([1, 2]), [])
  assert.equal(withoutItems({ id: 1 }), undefined)
  assert.equal(withoutItems('text'), undefined)
})
