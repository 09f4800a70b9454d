// Deliveries over sockets, to receivers on 127.0.0.1.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import type { Delivery, DeliveryPage, DeliveryVerdict } from '../../../../src/wings/webhooks/types.ts'
import { fileOf } from '../../../support/in-process.ts'
import { until } from '../../../support/until.ts'
import { PAID, SHOP } from '../shop.ts'

const closing: (() => unknown)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

/** Starts a receiver; returns its origin. */
async function receive(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function start(yaml: string) {
  const gateway = await startGateway({ config: fileOf(SHOP + yaml) })
  closing.push(() => gateway.close())
  const json = (method: string, body: unknown, type = 'application/json') => ({
    method,
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  })
  const change = (body: object, id = 1) =>
    fetch(`${gateway.url}/orders/${id}`, json('PATCH', body, 'application/merge-patch+json'))
  const get = async <Reply>(path: string) => (await (await fetch(gateway.control + path)).json()) as Reply
  const post = (path: string, body: unknown) => fetch(gateway.control + path, json('POST', body))
  /** Moves the clock, and returns the deliveries after what is due. */
  const move = async (shift: string): Promise<readonly Delivery[]> => {
    const reply = await fetch(`${gateway.control}/worlds/default/clock`, json('PUT', { now: shift, freeze: true }))
    assert.equal(reply.status, 200)
    return (await get<DeliveryPage>('/deliveries')).deliveries
  }
  return { gateway, change, get, post, move }
}

const paidTo = (origin: string, more = '') => PAID.replace('http://localhost:9', origin) + more

test('a change of the clock answers when the attempts that are due have been made', async () => {
  let n = 0
  const origin = await receive((_, reply) => {
    n += 1
    reply.writeHead(n < 6 ? 503 : 204).end()
  })
  const { change, move, get } = await start(paidTo(origin, '    retry: { attempts: 6, first: 1h, factor: 3 }\n'))
  await move('2030-01-01')
  await change({ status: 'paid' })
  const [{ state, attempts } = assert.fail()] = await move('+10d')
  assert.equal(state, 'delivered')
  assert.deepEqual(
    attempts.map(({ due, status }) => [due.slice(0, 16), status]),
    [
      ['2030-01-01T00:00', 503],
      ['2030-01-01T01:00', 503],
      ['2030-01-01T04:00', 503],
      ['2030-01-01T13:00', 503],
      ['2030-01-02T16:00', 503],
      ['2030-01-06T01:00', 204],
    ],
  )
  const verdict = await get<DeliveryVerdict>('/deliveries/verify?webhook=orderPaid&state=failed')
  assert.deepEqual([verdict.passed, verdict.count, verdict.others.length], [false, 0, 1])
})

test('an event is sent by hand, and a delivery once more', async () => {
  const bodies: string[] = []
  const origin = await receive(async (request, reply) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push(body)
    reply.writeHead(204).end()
  })
  const { post } = await start(paidTo(origin))
  const sent = await post('/webhooks/orderPaid/send', { record: { id: 7, status: 'shipped' } })
  const { deliveries } = (await sent.json()) as DeliveryPage
  const [{ id, state, cause } = assert.fail()] = deliveries
  assert.deepEqual([state, cause], ['delivered', 'by hand'])
  const again = (await (await post(`/deliveries/${id}/redeliver`, undefined)).json()) as Delivery
  assert.equal(again.attempts.length, 2)
  await post('/webhooks/orderPaid/send', { body: { any: true }, url: `${origin}/elsewhere` })
  assert.deepEqual(bodies, [
    '{"type":"order.paid","order":{"id":7,"status":"shipped"}}',
    '{"type":"order.paid","order":{"id":7,"status":"shipped"}}',
    '{"any":true}',
  ])
})

const RECEIVERS: readonly (readonly [name: string, answer: RequestListener, why: RegExp])[] = [
  ['never answers', () => {}, /did not answer within 300 ms/],
  ['breaks off', request => request.socket.destroy(), /closed the connection/],
  [
    'drips',
    (_, reply) => {
      const timer = setInterval(() => reply.write('.'), 20)
      reply.writeHead(200)
      reply.once('close', () => clearInterval(timer))
    },
    /did not answer within 300 ms/,
  ],
  [
    'redirects',
    (_, reply) => reply.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    /redirects are not followed/,
  ],
  ['sends what is not HTTP', request => request.socket.end('nonsense\r\n\r\n'), /Parse Error/],
]

for (const [name, answer, why] of RECEIVERS) {
  test(`a receiver that ${name} is told, and the API goes on`, async () => {
    const origin = await receive(answer)
    // Only those that take too long are waited for.
    const timeout = why.source.includes('300 ms') ? '300ms' : '30s'
    const { change, move } = await start(
      `deliveries: { timeout: ${timeout} }\n${paidTo(origin, '    retry: { attempts: 1 }\n')}`,
    )
    const reply = await change({ status: 'paid' })
    assert.equal(reply.status, 200)
    const [{ state, why: told } = assert.fail()] = await move('+1s')
    assert.equal(state, 'failed')
    assert.match(told ?? '', why)
  })
}

test('of a reply of a gigabyte 64 kB are read', async () => {
  let written = 0
  const origin = await receive((_, reply) => {
    reply.writeHead(200, { 'content-length': 1e9 })
    const part = Buffer.alloc(64_000)
    const write = (): void => {
      while (!reply.destroyed && written < 1e9) {
        written += part.length
        if (!reply.write(part)) return void reply.once('drain', write)
      }
    }
    write()
  })
  const { change, move } = await start(paidTo(origin))
  await change({ status: 'paid' })
  const [{ state } = assert.fail()] = await move('+1s')
  assert.equal(state, 'delivered')
  assert.ok(written < 1e8, `${written}`)
})

test('a receiver that writes the record which fires is served one delivery at a time, and nobody waits for its end', async () => {
  let [running, most, count] = [0, 0, 0]
  let write = async (): Promise<unknown> => undefined
  const origin = await receive(async (_, reply) => {
    running += 1
    most = Math.max(most, running)
    count += 1
    await write()
    running -= 1
    reply.writeHead(204).end()
  })
  const { change, move } = await start(
    `webhooks: { any: { on: { update: orders }, to: "${origin}", schema: Order } }\n`,
  )
  write = () => change({ note: `${count}` })
  await change({ note: 'first' })
  await move('+1s')
  await until(() => count >= 20)
  write = async () => undefined
  assert.equal(most, 1)
  await move('+1s')
})
