// Streams in process: their items, their pace on the clock of the world, their ids, and the changes of records.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { Gateway } from '../../../src/gateway/gateway.ts'
import { silentLog } from '../../../src/gateway/log.ts'
import { formatDiagnostics } from '../../../src/kernel/report.ts'
import { WINGS } from '../../../src/wings.ts'
import type { Clock } from '../../../src/world/clock.ts'
import { cases } from '../../support/cases.ts'
import { loadFiles, requestOf } from '../../support/in-process.ts'
import { FixedClock, VirtualClock } from '../../virtual-clock.ts'

const CONTRACT = `
openapi: 3.2.0
info: { title: Orders, version: "1" }
paths:
  /chat:
    post:
      operationId: chat
      requestBody: { content: { application/json: { schema: { type: object, properties: { stream: { type: boolean } } } } } }
      responses:
        "200":
          description: Events
          content:
            application/json: { schema: { type: object, required: [whole], properties: { whole: { const: true } } } }
            text/event-stream: { itemSchema: { type: object, required: [data], properties: { data: { type: string }, event: { enum: [delta] } } } }
  /lines: { get: { operationId: lines, responses: { "200": { description: Lines, content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Order" } } } } } } }
  /records: { get: { operationId: records, responses: { "200": { description: Records, content: { application/json-seq: { itemSchema: { $ref: "#/components/schemas/Order" } } } } } } }
  /parts: { get: { operationId: parts, responses: { "200": { description: Parts, content: { multipart/mixed: { itemSchema: { $ref: "#/components/schemas/Order" } } } } } } }
  /old: { get: { operationId: old, responses: { "200": { description: Events, content: { text/event-stream: { schema: { $ref: "#/components/schemas/Order" } } } } } } }
  /played:
    get:
      operationId: played
      responses: { "200": { description: Events, content: { application/x-ndjson: { schema: { type: array, items: { type: integer } }, example: [3, 1, 2] } } } }
  /text: { get: { operationId: text, responses: { "200": { description: Text, content: { text/event-stream: { schema: { type: string } } } } } } }
  /orders:
    get: { operationId: listOrders, responses: { "200": { description: All, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } } } } }
    post:
      operationId: createOrder
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
      responses: { "201": { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put:
      operationId: putOrder
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
      responses: { "200": { description: Changed, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
    delete: { operationId: deleteOrder, responses: { "204": { description: Gone } } }
  /watch:
    get:
      operationId: watchOrders
      parameters: [{ name: status, in: query, schema: { type: string } }]
      responses: { "200": { description: Events, content: { text/event-stream: { itemSchema: { type: object } } } } }
components:
  schemas:
    Order: { type: object, required: [id, status], properties: { id: { type: integer, readOnly: true }, status: { enum: [open, paid] } } }
`
const SETTINGS = `
contract: ./openapi.yaml
resources: { orders: { schema: Order } }
operations:
  chat: { respond: { stream: { count: 4, first: 300ms, gap: { p50: 25ms, p99: 200ms }, item: { event: delta, data: "\${item.index} of \${operation}" } } } }
  lines: { respond: { stream: { count: 3 } } }
  records: { respond: { stream: { count: 2 } } }
  parts: { respond: { stream: { count: 2 } } }
  old: { respond: { stream: { count: 5, gap: 1s } } }
  played: { respond: { stream: {} } }
  text: { respond: { stream: { count: 2, item: "a line\\nand another" } } }
  listOrders: { respond: { list: orders } }
  createOrder: { respond: { create: orders } }
  putOrder: { respond: { replace: orders } }
  deleteOrder: { respond: { delete: orders } }
  watchOrders: { respond: { stream: orders, filter: [status] } }
`

function gatewayOf(settings = SETTINGS, clock: Clock = new FixedClock()): Gateway {
  const { plan, report } = loadFiles({ 'gateway.yaml': settings, 'openapi.yaml': CONTRACT })
  assert.ok(plan, formatDiagnostics(report.list))
  return new Gateway(plan, clock, silentLog, '0', { wings: WINGS })
}

interface Opened {
  readonly status: number
  readonly type: string | undefined
  /** The next piece of the stream; `undefined` at its end. */
  next(): Promise<string | undefined>
  all(): Promise<string>
  leave(): void
}

async function open(gateway: Gateway, line: string, headers: Record<string, string> = {}): Promise<Opened> {
  const leaving = new AbortController()
  const {
    status,
    headers: fields,
    stream,
    body,
  } = await gateway.handle(requestOf(line, { headers, signal: leaving.signal }))
  const chunks = (async function* () {
    if (stream === undefined) yield Buffer.from((body as string) ?? '')
    else yield* stream.chunks
  })()
  const next = async () => {
    const { done, value } = await chunks.next()
    return done === true ? undefined : Buffer.from(value).toString()
  }
  return {
    status,
    type: fields['content-type'],
    next,
    async all() {
      let text = ''
      for (let piece = await next(); piece !== undefined; piece = await next()) text += piece
      return text
    },
    leave: () => leaving.abort(),
  }
}

const textOf = async (gateway: Gateway, line: string, headers: Record<string, string> = {}) =>
  (await open(gateway, line, headers)).all()
const EVENTS = { accept: 'text/event-stream' }

suite('the items of a stream', () => {
  test('are framed as the media type wants, and fit the schema', async () => {
    const gateway = gatewayOf()
    const orders = (texts: readonly string[]) => {
      const values = texts.map(text => JSON.parse(text) as { id: number; status: string })
      assert.ok(values.every(({ id, status }) => Number.isInteger(id) && /^(?:open|paid)$/.test(status)))
      return values.length
    }
    assert.equal(orders((await textOf(gateway, 'GET /lines')).trim().split('\n')), 3)
    assert.equal(orders((await textOf(gateway, 'GET /records')).split('\u001e').slice(1)), 2)
    const { type, all } = await open(gateway, 'GET /parts')
    const boundary = /boundary=(.*)$/.exec(type ?? '')?.[1] ?? ''
    const parts = (await all()).split(`--${boundary}`)
    assert.deepEqual([parts[0], parts.at(-1)], ['', '--\r\n'])
    assert.equal(orders(parts.slice(1, -1).map(part => part.split('\r\n\r\n')[1] as string)), 2)
    const old = await textOf(gateway, 'GET /old')
    assert.equal(orders([...old.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string)), 5)
  })

  test('are those of an example or a template', async () => {
    const gateway = gatewayOf()
    assert.equal(await textOf(gateway, 'GET /played'), '3\n1\n2\n')
    const chat = await textOf(gateway, 'POST /chat', EVENTS)
    assert.match(chat, /^retry: 1000\nid: 1-0\nevent: delta\ndata: 0 of chat\n\nid: 1-1\n/)
    assert.match(await textOf(gateway, 'GET /text'), /id: 1-0\ndata: a line\ndata: and another\n\n/)
  })

  test('become one JSON value for a client that wants JSON, unless a rule chose the stream', async () => {
    const json = await open(gatewayOf(), 'POST /chat', { accept: 'application/json' })
    assert.deepEqual([json.type, JSON.parse(await json.all())], ['application/json', { whole: true }])
    const ruled = gatewayOf(`
contract: ./openapi.yaml
operations:
  chat: { rules: [{ when: 'request.headers["x-stream"] == "1"', respond: { stream: { count: 1, item: { data: x } } } }] }`)
    const chosen = await open(ruled, 'POST /chat', { accept: 'application/json', 'x-stream': '1' })
    assert.equal(chosen.type, 'text/event-stream')
    assert.match(await chosen.all(), /data: x/)
  })

  test('are as many, and as far apart, as a request prefers', async () => {
    const clock = new FixedClock()
    const gateway = gatewayOf(SETTINGS, clock)
    const text = await textOf(gateway, 'GET /old', { prefer: 'items=2, gap=10ms' })
    assert.equal(text.match(/^data/gm)?.length, 2)
    assert.deepEqual(clock.slept, [10])
  })
})

suite('the pace of a stream', () => {
  test('is the same for the n-th stream of each world, and another for the next', async () => {
    const pace = async (gateway: Gateway, clock: FixedClock) => {
      const from = clock.slept.length
      await textOf(gateway, 'POST /chat', EVENTS)
      return clock.slept.slice(from).join()
    }
    const [one, two] = [new FixedClock(), new FixedClock()]
    const [first, second] = [gatewayOf(SETTINGS, one), gatewayOf(SETTINGS, two)]
    const [a, b] = [await pace(first, one), await pace(first, one)]
    assert.notEqual(a, b)
    assert.deepEqual([await pace(second, two), await pace(second, two)], [a, b])
    assert.match(a, /^300,/)
  })

  test('has the percentiles that are written', async () => {
    const clock = new FixedClock()
    const settings = SETTINGS.replace('count: 4, first: 300ms', 'count: 10001')
    await textOf(gatewayOf(settings, clock), 'POST /chat', EVENTS)
    const gaps = [...clock.slept].sort((a, b) => a - b)
    const at = (share: number) => gaps[Math.floor(gaps.length * share)] as number
    for (const [share, wanted] of [
      [0.5, 25],
      [0.99, 200],
    ] as const) {
      assert.ok(Math.abs(at(share) / wanted - 1) < 0.05, `${at(share)} instead of ${wanted}`)
    }
  })

  test('is held by a frozen clock, and goes on with a step', async () => {
    const clock = new VirtualClock()
    const gateway = gatewayOf(SETTINGS, clock)
    const { world } = { world: gateway.worlds.default }
    const stream = await open(gateway, 'GET /old')
    assert.match((await stream.next()) ?? '', /^retry: 1000\nid: 1-0\n/)
    world.clock.adjust({ freeze: true })
    const waiting = stream.next()
    await clock.pass(10_000)
    world.clock.adjust({ now: world.clock.now() + 2500, freeze: true })
    assert.match((await waiting) ?? '', /id: 1-1/)
    assert.match((await stream.next()) ?? '', /id: 1-2/)
    const held = stream.next()
    await clock.pass(16_000)
    assert.equal(await held, ':\n\n', 'a comment keeps the connection')
    stream.leave()
    assert.equal(await stream.all(), '')
  })
})

suite('a client that connects again', () => {
  test('gets the rest of its stream wherever it was cut', async () => {
    const gateway = gatewayOf()
    const whole = await textOf(gateway, 'GET /old')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3 }), async last => {
        const rest = await textOf(gateway, 'GET /old', { 'last-event-id': `1-${last}` })
        const marker = `id: 1-${last + 1}\n`
        assert.equal(rest, `retry: 1000\n${whole.slice(whole.indexOf(marker))}`)
      }),
      { numRuns: cases(20) },
    )
    assert.equal((await open(gateway, 'GET /old', { 'last-event-id': '1-4' })).status, 204)
  })

  test('begins anew with an id that is none', async () => {
    for (const id of ['', 'x', '1', '-1', '1-2-3', '9'.repeat(1000)]) {
      assert.match(await textOf(gatewayOf(), 'GET /old', { 'last-event-id': id }), /id: \d+-0\n/)
    }
  })
})

suite('the changes of a resource', () => {
  const write = (gateway: Gateway, line: string, status?: string) =>
    gateway.handle(requestOf(line, status === undefined ? {} : { body: { status } }))
  /** Events without the name of their feed. */
  const shown = (text: string | undefined) =>
    (text ?? '')
      .replace('retry: 1000\n', '')
      .replace(/^id: [a-z0-9]+-/, '#')
      .replaceAll('\n', ' ')
      .trim()

  test('are events, as a list with the filter would show them', async () => {
    const gateway = gatewayOf()
    const [all, opened] = [await open(gateway, 'GET /watch'), await open(gateway, 'GET /watch?status=open')]
    await write(gateway, 'POST /orders', 'open')
    await write(gateway, 'PUT /orders/1', 'paid')
    await write(gateway, 'POST /orders', 'paid')
    await write(gateway, 'PUT /orders/2', 'open')
    await write(gateway, 'DELETE /orders/2')
    const events = async (stream: Opened, count: number) => {
      const texts: string[] = []
      for (let i = 0; i < count; i++) texts.push(shown(await stream.next()))
      return texts
    }
    assert.deepEqual(await events(all, 5), [
      '#1 event: created data: {"id":1,"status":"open"}',
      '#2 event: updated data: {"id":1,"status":"paid"}',
      '#3 event: created data: {"id":2,"status":"paid"}',
      '#4 event: updated data: {"id":2,"status":"open"}',
      '#5 event: deleted data: {"id":2,"status":"open"}',
    ])
    assert.deepEqual(await events(opened, 4), [
      '#1 event: created data: {"id":1,"status":"open"}',
      '#2 event: deleted data: {"id":1,"status":"open"}',
      '#4 event: created data: {"id":2,"status":"open"}',
      '#5 event: deleted data: {"id":2,"status":"open"}',
    ])
  })

  test('are those of the world only, and a reset is one event', async () => {
    const gateway = gatewayOf()
    const stream = await open(gateway, 'GET /watch')
    await stream.next()
    await gateway.handle(
      requestOf('POST /orders', { body: { status: 'open' }, headers: { 'understudy-world': 'other' } }),
    )
    gateway.reset()
    assert.equal(shown(await stream.next()), '#1 event: reset data: {}')
    await write(gateway, 'POST /orders', 'open')
    assert.match(shown(await stream.next()), /^#2 event: created/)
    stream.leave()
    assert.equal(await stream.all(), '')
  })

  test('since the last event come again, or 204 where they are not kept', async () => {
    const gateway = gatewayOf()
    const stream = await open(gateway, 'GET /watch')
    await stream.next()
    await write(gateway, 'POST /orders', 'open')
    const [, id = ''] = /^id: (.*)$/m.exec((await stream.next()) ?? '') ?? []
    stream.leave()
    await write(gateway, 'POST /orders', 'paid')
    const again = await open(gateway, 'GET /watch', { 'last-event-id': id })
    assert.match(shown(await again.next()), /^#2 event: created/)
    for (let i = 0; i < 1001; i++) await write(gateway, 'PUT /orders/1', i % 2 === 0 ? 'paid' : 'open')
    for (const lost of [id, 'another-1', 'x', `${id}9999`]) {
      assert.equal((await open(gateway, 'GET /watch', { 'last-event-id': lost })).status, 204, lost)
    }
  })
})

suite('faults of a stream', () => {
  const under = (fault: string) =>
    gatewayOf(
      SETTINGS.replace('lines: { respond', `lines: { fault: ${fault}, respond`).replace('count: 3 }', 'count: 50 }'),
    )
  const lines = async (gateway: Gateway) => {
    const stream = await open(gateway, 'GET /lines')
    const texts: string[] = []
    for (;;) {
      const text = await stream.next().catch(error => void texts.push((error as Error).message))
      if (text === undefined) return texts
      texts.push(text)
    }
  }

  test('cut: the connection breaks behind some items, or in the middle of the next', async () => {
    const whole = await lines(gatewayOf(SETTINGS.replace('count: 3 }', 'count: 50 }')))
    assert.equal(whole.length, 50)
    const cut = await lines(under('{ kind: cut, items: 12 }'))
    assert.deepEqual(cut, [...whole.slice(0, 12), 'a fault cut this stream'])
    const inside = await lines(under('{ kind: cut, items: 12, inside: true }'))
    assert.deepEqual(inside.slice(0, 12), whole.slice(0, 12))
    assert.ok((whole[12] as string).startsWith(inside[12] as string) && inside[12] !== whole[12])
  })

  test('stall: nothing follows until the client leaves', async () => {
    const stream = await open(under('{ kind: stall, items: 2 }'), 'GET /lines')
    await stream.next()
    await stream.next()
    const waiting = stream.next()
    stream.leave()
    assert.equal(await waiting, undefined)
  })

  test('duplicate, reorder and malformed strike single items, the same for the same seed', async () => {
    const whole = await lines(gatewayOf(SETTINGS.replace('count: 3 }', 'count: 50 }')))
    const sorted = (texts: readonly string[]) => [...texts].sort().join('')
    for (const kind of ['duplicate', 'reorder', 'malformed']) {
      const fault = `{ kind: ${kind}, probability: 20% }`
      const texts = await lines(under(fault))
      assert.deepEqual(await lines(under(fault)), texts)
      assert.notDeepEqual(texts, whole)
      if (kind === 'duplicate')
        assert.deepEqual(
          texts.filter((text, i) => text !== texts[i - 1]),
          whole,
        )
      if (kind === 'reorder') assert.equal(sorted(texts), sorted(whole))
      if (kind === 'malformed') {
        const broken = texts.filter((text, i) => text !== whole[i])
        assert.ok(broken.length > 2 && broken.length < 25, `${broken.length}`)
        for (const text of broken) assert.throws(() => JSON.parse(text))
      }
    }
  })
})

suite('mistakes', () => {
  for (const [respond, code] of [
    ['listOrders: { respond: { stream: { count: 1 } } }', 'no-stream'],
    ['chat: { respond: { stream: { count: 0 } } }', 'invalid-value'],
    ['chat: { respond: { stream: { gap: 5 } } }', 'wrong-type'],
    ['chat: { respond: { stream: { file: ../secret } } }', 'no-such-file'],
    ['chat: { respond: { stream: nothing } }', 'unknown-resource'],
    ['chat: { respond: { stream: { item: "${item.number}" } } }', 'unknown-placeholder'],
    ['chat: { respond: { stream: { count: 1 }, filter: [status] } }', 'idle-key'],
    ['chat: { respond: { stream: { first: { p50: 1s, p99: 1ms } } } }', 'percentiles-out-of-order'],
  ] as const) {
    test(`${respond} is ${code}`, () => {
      const settings = `contract: ./openapi.yaml\noperations: { ${respond} }\n`
      const { report } = loadFiles({ 'gateway.yaml': settings, 'openapi.yaml': CONTRACT })
      assert.equal(report.list.map(one => one.code).join(), code, formatDiagnostics(report.list))
    })
  }
})

test('no more than a thousand streams are open', async () => {
  const gateway = gatewayOf()
  const streams = await Promise.all(Array.from({ length: 1000 }, () => open(gateway, 'GET /watch')))
  for (const stream of streams) await stream.next()
  const { status } = await open(gateway, 'GET /watch')
  assert.equal(status, 503)
  for (const stream of streams) {
    stream.leave()
    await stream.all()
  }
  assert.equal((await open(gateway, 'GET /watch')).status, 200)
})
