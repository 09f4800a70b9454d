import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))
const config = join(home, 'gateway.yaml')
writeFileSync(
  config,
  `
contract:
  openapi: 3.1.0
  info: { title: Events, version: "1" }
  components: { schemas: { Order: { type: object, properties: { id: { type: integer } } } } }
  paths:
    /paced: { get: { operationId: paced, responses: { "200": { description: Events, content: { text/event-stream: { schema: { type: string } } } } } } }
    /orders: { get: { operationId: orders, responses: { "200": { description: Events, content: { text/event-stream: { schema: { type: string } } } } } } }
resources: { orders: { schema: Order } }
operations:
  paced: { respond: { stream: { count: 2, gap: 1h, item: now, retry: 70ms } } }
  orders: { respond: { stream: orders } }
`,
)

test('a gateway that stops ends its streams, with the time to connect again', async () => {
  const gateway = await startGateway({ config })
  const replies = [await fetch(`${gateway.url}/paced`), await fetch(`${gateway.url}/orders`)]
  const texts = replies.map(reply => reply.text())
  await gateway.close()
  assert.deepEqual(await Promise.all(texts), ['retry: 70\nid: 1-0\ndata: now\n\nretry: 70\n\n', 'retry: 1000\n\n'])
})
