import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

test('statuses that clients choose have 2,000 series, and further ones share one', async () => {
  const ids = Array.from({ length: 12 }, (_, i) => `read${i}`)
  const responses = { 200: { description: 'ok' } }
  const paths = Object.fromEntries(ids.map(operationId => [`/${operationId}`, { get: { operationId, responses } }]))
  const contract = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }
  const { send, gateway } = inProcess({ 'gateway.yaml': JSON.stringify({ contract }) })
  const statuses = Array.from({ length: 200 }, (_, i) => 400 + i)
  for (const id of ids) {
    for (const code of statuses)
      assert.equal((await send(`GET /${id}`, undefined, { prefer: `code=${code}` })).status, code)
  }
  const page = await gateway.metrics.page()
  const counts = page.match(/^http_server_request_duration_seconds_count\{.*$/gm) ?? []
  assert.equal(counts.length, 2001)
  assert.equal(counts.at(-1), 'http_server_request_duration_seconds_count{otel_metric_overflow="true"} 400')
})
