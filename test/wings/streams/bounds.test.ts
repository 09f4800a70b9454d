import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const YAML = `
contract:
  openapi: 3.1.0
  info: { title: Events, version: "1" }
  paths:
    /events: { get: { operationId: watch, responses: { "200": { description: Events, content: { text/event-stream: { schema: { type: string } } } } } } }
operations: { watch: { respond: { stream: { count: 3, item: now } } } }
`

test('limits.streams is how many streams may be open; the end of a stream makes room', async () => {
  const gateway = gatewayOf(load(`${YAML}limits: { streams: 1 }`), new FixedClock())
  const open = () => gateway.handle(requestOf('GET /events'))
  const first = (await open()).stream?.chunks
  assert.ok(first !== undefined && Symbol.asyncIterator in first)
  const reading = first[Symbol.asyncIterator]()
  await reading.next()
  const { status, refusal, headers } = await open()
  assert.deepEqual([status, refusal?.problem.code, headers['retry-after']], [503, 'overloaded', '1'])
  await reading.return?.()
  assert.equal((await open()).status, 200)
})

test('limits.streams is a number of at least 1', () => {
  for (const most of ['0', '-1', '1MB', '1.5']) {
    const { report } = load(`${YAML}limits: { streams: ${most} }`)
    assert.ok(
      report.list.some(({ severity, place }) => severity === 'error' && place !== undefined),
      most,
    )
  }
})
