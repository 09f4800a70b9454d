import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEventParser } from '../../src/console/model/event-parser.ts'

test('events are parsed from arbitrary pieces', () => {
  const parse = createEventParser()
  assert.deepEqual(parse(': listening\n\nevent: request\nid: 1\nda'), [])
  assert.deepEqual(parse('ta: {"id":1}\n\nevent: dropped\ndata: {"count":3}\n'), [
    { name: 'request', id: '1', data: '{"id":1}' },
  ])
  assert.deepEqual(parse('\n'), [{ name: 'dropped', id: '', data: '{"count":3}' }])
})

test('a heartbeat is not an event', () => {
  assert.deepEqual(createEventParser()(': \n\n: \n\n'), [])
})
