import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectRequests } from '../../src/gateway/journal/filter.ts'
import { simulate } from '../simulate.ts'
import { load } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

test('a request during a reload is finished, counted and masked by its first plan', async () => {
  const clock = new VirtualClock()
  const { gateway, ask, metric } = simulate(
    'operations: { getThing: { respond: { read: things }, latency: { fixed: 1s } } }',
    clock,
  )
  const asked = ask('GET /things/1?note=ann-key', { headers: { 'x-key': 'ann-key' } })
  const { plan } = load(`
contract: { openapi: 3.1.0, info: { title: Nothing, version: "2" }, paths: {} }
`)
  assert.ok(plan)
  gateway.adopt(plan)
  await clock.pass(1000)
  assert.equal((await asked).status, 200)
  const labels =
    'http_request_method="GET",http_route="/things/{id}",http_response_status_code="200",operation="getThing"'
  assert.equal(await metric(`http_server_request_duration_seconds_count{${labels}}`), 1)
  const [request] = selectRequests(gateway.journal, [], 1)
  assert.deepEqual([request?.operation, request?.consumer, request?.query], ['getThing', 'ann', 'note=***'])
  assert.equal((await ask('GET /things/1')).status, 404)
})
