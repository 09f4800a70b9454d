// Streams over the wire: they arrive as they are sent, resume, end with their client, and wait for one that does not read.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../../../src/index.ts'
import { until } from '../../../support/until.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
writeFileSync(
  join(home, 'openapi.yaml'),
  `
openapi: 3.1.0
info: { title: Events, version: "1" }
paths:
  /held: { get: { operationId: held, responses: { "200": { description: Events, content: { text/event-stream: { schema: { type: string } } } } } } }
  /short: { get: { operationId: short, responses: { "200": { description: Events, content: { text/event-stream: { schema: { type: string } } } } } } }
  /flood: { get: { operationId: flood, responses: { "200": { description: Lines, content: { application/jsonl: { schema: { type: array, items: {} } } } } } } }
`,
)
writeFileSync(
  join(home, 'gateway.yaml'),
  `
contract: ./openapi.yaml
operations:
  held: { respond: { stream: { count: 2, gap: 1h, item: now } } }
  short: { respond: { stream: { count: 300, item: "item \${item.index}" } } }
  flood: { respond: { stream: { count: 1000000, item: "${'x'.repeat(1000)}" } } }
`,
)

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: join(home, 'gateway.yaml') })
})
after(async () => {
  await gateway.close()
  rmSync(home, { recursive: true })
})

const metric = async (name: string) => {
  const page = await (await fetch(`${gateway.control}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1])
}
const allEnded = () => until(async () => (await metric('understudy_streams_open')) === 0)

suite('streams over the wire', () => {
  test('an item arrives before the next one is due, and the stream ends with its client', async () => {
    const leaving = new AbortController()
    const reply = await fetch(`${gateway.url}/held`, { signal: leaving.signal })
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('data: now\n\n')) text += Buffer.from((await reader.read()).value ?? []).toString()
    assert.match(text, /^retry: 1000\nid: 1-0\ndata: now\n\n$/)
    assert.equal(await metric('understudy_streams_open'), 1)
    leaving.abort()
    await allEnded()
    const told = async () => (await fetch(`${gateway.control}/requests?operation=held`)).text()
    await until(async () => (await told()).includes('stream: '))
    assert.match(await told(), /stream: 1 items, the first after \d+ ms; the client left/)
  })

  test('a client that is cut again and again gets every event once', async () => {
    const seen: string[] = []
    let last: string | undefined
    for (let cuts = 0; cuts < 200; cuts++) {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last }
      const reply = await fetch(`${gateway.url}/short`, { headers })
      if (reply.status === 204) break
      const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
      let text = ''
      // Some bytes at least, and another number of events each time.
      for (let pieces = 0; pieces <= cuts % 3; pieces++) {
        const { value, done } = await reader.read()
        if (done) break
        text += Buffer.from(value).toString()
      }
      await reader.cancel()
      for (const [, id, data] of text.matchAll(/id: (.*)\ndata: (.*)\n\n/g)) {
        last = id
        seen.push(data as string)
      }
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 300 }, (_, index) => `item ${index}`),
    )
  })

  test('a client that reads nothing is waited for, and others are served', async () => {
    await allEnded()
    const before = await metric('understudy_stream_items_total{operation="flood"}')
    assert.ok(Number.isNaN(before))
    const client = request(`${gateway.url}/flood`)
    const reply = await new Promise<import('node:http').IncomingMessage>(resolve =>
      client.on('response', resolve).end(),
    )
    reply.pause()
    assert.match(await (await fetch(`${gateway.url}/short`)).text(), /item 299/)
    client.destroy()
    await allEnded()
    // 1 GB was asked for; some megabytes at most have gone into the buffers of the connection.
    assert.ok((await metric('understudy_stream_items_total{operation="flood"}')) < 50_000)
  })

  test('HEAD has no body', async () => {
    const reply = await fetch(`${gateway.url}/held`, { method: 'HEAD' })
    assert.deepEqual([reply.status, await reply.text()], [200, ''])
  })
})
