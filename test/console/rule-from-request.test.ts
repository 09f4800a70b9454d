import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionsFor, ruleFromRequest } from '../../src/console/live/rule-from-request.ts'
import type { RecordedRequest } from '../../src/http/control/types.ts'

const request: RecordedRequest = {
  id: 7,
  at: '2026-01-01T00:00:00.000Z',
  time: '2026-01-01T00:00:00.000Z',
  world: 'default',
  operation: 'renameThing',
  consumer: null,
  method: 'PUT',
  path: '/v1/things/42/names/long%20name',
  query: 'dry=true',
  status: 200,
  durationMs: 1,
  requestBody: { text: '{"name":"it\'s","tags":["a"],"size":3}', bytes: 40 },
}

test('a rule holds for the parameters, the query and the plain fields of the body', () => {
  assert.deepEqual(conditionsFor(request, '/v1/things/{thingId}/names/{the-name}'), [
    'request.params.thingId == 42',
    'request.params["the-name"] == "long name"',
    'request.query.dry == "true"',
    'request.body.name == "it\'s"',
    'request.body.size == 3',
  ])
})

test('the rule is written as a block of gateway.yaml', () => {
  assert.equal(
    ruleFromRequest({ ...request, query: '', requestBody: undefined } as never, '/v1/things/{thingId}/names/all'),
    `operations:
  renameThing:
    rules:
      - when: 'request.params.thingId == 42'
        respond: { status: 500 }
        times: 1 # leave this out to let it hold for good
`,
  )
})

test('a request without parameters makes a rule without a condition', () => {
  const plain = { ...request, path: '/v1/things', query: '', requestBody: { text: 'not json', bytes: 8 }, status: 404 }
  assert.match(ruleFromRequest(plain, '/v1/things'), /rules:\n {6}- respond: \{ status: 404 \}/)
})
