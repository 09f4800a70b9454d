import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
})
after(() => gateway.close())

const headers = { authorization: 'Bearer demo-key' }
const call = (path: string) => ask(gateway.url + path, { headers })

interface Stream {
  readonly type: string | undefined
  /** Resolves with the whole output when it contains this. */
  until(wanted: RegExp): Promise<string>
  leave(): void
  readonly ended: Promise<unknown>
}

async function listen(control: string, query = ''): Promise<Stream> {
  const sent = get(`${control}/requests/stream${query}`, { agent: false })
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  received.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  // The test ends the stream.
  received.on('error', () => {})
  return {
    type: received.headers['content-type'],
    async until(wanted) {
      while (!wanted.test(text)) await once(received, 'data')
      return text
    },
    leave: () => received.destroy(),
    ended: new Promise(resolve => received.once('close', resolve)),
  }
}

test('a client gets each matching request when it is answered', { timeout: 180_000 }, async () => {
  const stream = await listen(gateway.control, '?operation=getPet')
  assert.match(String(stream.type), /^text\/event-stream\b/)
  await call('/pets?limit=1')
  await call('/pets/7')
  const text = await stream.until(/data: .*\n\n/)
  const [event, id, data] = text.slice(text.indexOf('event')).split('\n')
  assert.equal(event, 'event: request')
  const request = JSON.parse(String(data?.replace('data: ', '')))
  assert.equal(id, `id: ${request.id}`)
  assert.deepEqual([request.operation, request.path, request.status], ['getPet', '/v1/pets/7', 200])
  stream.leave()
})

test('a client that reconnects first gets the requests that it missed', { timeout: 180_000 }, async () => {
  await ask(`${gateway.control}/requests`, { method: 'DELETE' })
  await call('/pets/8')
  await call('/pets/9')
  const { body } = await ask(`${gateway.control}/requests`)
  const [first] = (body as { requests: { id: number }[] }).requests
  const stream = await listen(gateway.control, `?after=${first?.id}`)
  await call('/pets/10')
  const text = await stream.until(/pets\/10/)
  assert.deepEqual(
    [...text.matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path),
    ['/v1/pets/9', '/v1/pets/10'],
  )
  stream.leave()
})

test('a hundred clients may listen, and a slot is free after one disconnects', { timeout: 180_000 }, async () => {
  const url = `${gateway.control}/requests/stream`
  const streams = await Promise.all(Array.from({ length: 100 }, () => listen(gateway.control)))
  const refused = await ask(url)
  assert.equal(refused.status, 429)
  assert.equal((refused.body as { code: string }).code, 'too_many_streams')
  for (const stream of streams) stream.leave()
  for (let status = 0; status !== 200; ) {
    const sent = get(url, { agent: false })
    const [received] = (await once(sent, 'response')) as [IncomingMessage]
    status = received.statusCode ?? 0
    received.on('error', () => {}).destroy()
  }
})

test('closing the gateway ends its streams', { timeout: 180_000 }, async () => {
  const other = await startGateway({ config: 'config/gateway.yaml' })
  const stream = await listen(other.control)
  await stream.until(/listening/)
  await other.close()
  await stream.ended
})
