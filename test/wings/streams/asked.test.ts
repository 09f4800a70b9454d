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
operations: { watch: { respond: { stream: { count: 9, gap: 1s, item: now } } } }
`

const ask = async (path: string, prefer: string | undefined) => {
  const clock = new FixedClock()
  const headers: Record<string, string> = prefer === undefined ? {} : { prefer }
  const reply = await gatewayOf(load(YAML), clock).handle(requestOf(`GET ${path}`, { headers }))
  const began = clock.time
  let items = 0
  for await (const _ of reply.stream?.chunks ?? []) items += 1
  return { status: reply.status, items, time: clock.time - began }
}

for (const [path, prefer] of [
  ['/events?__items=3&__gap=10ms', undefined],
  ['/events', 'items=3, gap=10ms'],
  ['/events', 'items=3, gap="10ms"'],
] as const) {
  test(`the client chooses the number of items and their gap: ${prefer ?? path}`, async () => {
    assert.deepEqual(await ask(path, prefer), { status: 200, items: 3, time: 20 })
  })
}

test('a gap without a unit, or of an hour, is refused', async () => {
  for (const gap of ['10', '1h', '-1s', 'soon']) {
    assert.equal((await ask('/events', `gap=${gap}`)).status, 400, gap)
    assert.equal((await ask(`/events?__gap=${gap}`, undefined)).status, 400, gap)
  }
})
