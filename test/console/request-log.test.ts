import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEventParser, createRequestLog } from '../../src/console/live/request-log.ts'
import type { RecordedRequest } from '../../src/http/control/types.ts'

const request = (id: number): RecordedRequest => ({
  id,
  at: '2026-01-01T00:00:00.000Z',
  time: '2026-01-01T00:00:00.000Z',
  world: 'default',
  operation: 'getThing',
  consumer: null,
  method: 'GET',
  path: '/things',
  query: '',
  status: 200,
  durationMs: 1,
})
const texts = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => JSON.stringify(request(from + i)))
const shown = (log: ReturnType<typeof createRequestLog>): (string | undefined)[] =>
  Array.from({ length: log.rows.length }, (_, index) => log.rows.at(-1 - index)?.key)

test('the newest request is the first row', () => {
  const log = createRequestLog(10)
  log.receive(texts(1, 3))
  log.read()
  assert.deepEqual(shown(log), ['3', '2', '1'])
  assert.equal(log.rows.at(-4), undefined)
})

test('the oldest rows are removed, and do not count as dropped', () => {
  const log = createRequestLog(3)
  for (let id = 1; id <= 10; id++) {
    log.receive(texts(id, id))
    log.read()
  }
  assert.deepEqual(shown(log), ['10', '9', '8'])
  assert.equal(
    log.rows.find(({ key }) => key === '7'),
    undefined,
  )
  assert.deepEqual([log.added, log.dropped], [10, 0])
})

test('requests that come faster than they are read are dropped and counted', () => {
  const log = createRequestLog(3)
  log.receive(texts(1, 5))
  assert.deepEqual([log.waiting.length, log.dropped], [3, 2])
  log.read()
  assert.deepEqual(shown(log), ['5', '4', '3'])
})

test('a request from both the journal and the stream is shown once', () => {
  const log = createRequestLog(10)
  log.merge([request(1), request(2)])
  log.receive(texts(2, 3))
  log.read()
  assert.deepEqual(shown(log), ['3', '2', '1'])
})

test('requests of a restarted gateway are added to those before the restart', () => {
  const log = createRequestLog(10)
  log.merge([request(1), request(2), request(3)])
  log.merge([request(1)])
  assert.deepEqual(shown(log), ['2-1', '3', '2', '1'])
})

test('requests with the same id before and after a restart are told apart by their times', () => {
  const log = createRequestLog(10)
  log.merge([request(1)])
  log.merge([{ ...request(1), at: '2026-01-01T00:00:09.000Z' }])
  assert.deepEqual(shown(log), ['2-1', '1'])
})

test('after clearing, only later requests are shown', () => {
  const log = createRequestLog(10)
  log.merge([request(1), request(2)])
  log.clear()
  log.merge([request(1), request(2), request(3)])
  assert.deepEqual(shown(log), ['3'])
})

test('under another filter the same requests are shown again', () => {
  const log = createRequestLog(10)
  log.merge([request(1), request(2)])
  log.restart()
  log.merge([request(2)])
  assert.deepEqual(shown(log), ['2'])
})

test('events are parsed from arbitrary pieces', () => {
  const parse = createEventParser()
  assert.deepEqual(parse(': listening\n\nevent: request\nid: 1\nda'), [])
  assert.deepEqual(parse('ta: {"id":1}\n\nevent: dropped\ndata: {"count":3}\n'), [
    { name: 'request', data: '{"id":1}' },
  ])
  assert.deepEqual(parse('\n'), [{ name: 'dropped', data: '{"count":3}' }])
})

test('a heartbeat is not an event', () => {
  assert.deepEqual(createEventParser()(': \n\n: \n\n'), [])
})
