import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../simulate.ts'
import { settle, VirtualClock } from '../virtual-clock.ts'

test('service time and injected delay are separate and add up to the total', async () => {
  const { ask, metric } = simulate(
    'operations: { listThings: { latency: { fixed: 5ms }, respond: { list: things } }, getThing: { respond: { read: things } } }',
  )
  for (const what of ['GET /things', 'GET /things', 'GET /things/1']) await ask(what)
  const labels = 'http_request_method="GET",http_route="/things",http_response_status_code="200",operation="listThings"'
  const total = (await metric(`http_server_request_duration_seconds_sum{${labels}}`)) as number
  const service = (await metric('understudy_service_duration_seconds_sum{operation="listThings"}')) as number
  const injected = (await metric('understudy_injected_delay_seconds_sum{operation="listThings"}')) as number
  assert.ok(Math.abs(total - service - injected) < 1e-9)
  assert.ok(service > 0 && injected > 0)
  assert.equal(await metric('understudy_injected_delay_seconds_count{operation="listThings"}'), 2)
  // A request without a delay is not counted as a delay of zero.
  assert.equal(await metric('understudy_injected_delay_seconds_count{operation="getThing"}'), undefined)
  assert.equal(await metric('understudy_service_duration_seconds_count{operation="getThing"}'), 1)
})

test('limited, queued, delayed and served requests are counted', async () => {
  const clock = new VirtualClock()
  const { ask, metric } = simulate(
    'operations: { listThings: { capacity: { concurrency: 2 }, latency: { fixed: 1s }, rateLimit: { limit: 4/h }, respond: { list: things } } }',
    clock,
  )
  const asked = Array.from({ length: 5 }, () => ask('GET /things'))
  await settle()
  const capacity = '{capacity="operations/listThings"}'
  assert.equal(await metric(`understudy_queue_length${capacity}`), 3)
  assert.equal(await metric(`understudy_busy_servers${capacity}`), 2)
  await clock.pass(10_000)
  await Promise.all(asked)
  assert.equal(await metric(`understudy_queue_length${capacity}`), 0)
  assert.equal(await metric(`understudy_busy_servers${capacity}`), 0)
  assert.equal(await metric('understudy_queued_requests_total{operation="listThings"}'), 3)
  assert.equal(await metric('understudy_refusals_total{operation="listThings",problem="too_many_requests"}'), 1)
})
