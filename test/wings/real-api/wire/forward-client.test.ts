import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { createServer as createRaw, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { before, closeAll, closing, DOCUMENT, portOf } from './forwarding.ts'

after(closeAll)

/** Starts a real API that answers each connection by hand, and a gateway before it. */
async function standRaw(answer: (socket: Socket, data: string) => void, more: object = {}) {
  const raw = createRaw(socket => {
    socket.on('error', () => {})
    socket.on('data', data => answer(socket, data.toString('latin1')))
  })
  await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
  closing.push(() => raw.close())
  return before(portOf(raw), more)
}
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n'

test('links of a 103 pass before the reply, with our addresses', async () => {
  const early =
    'HTTP/1.1 103 Early Hints\r\nlink: </api/a.css>; rel=preload, <//cdn/b.js>; rel=preload\r\nx-no: 1\r\n\r\n'
  const { url } = await standRaw(socket => socket.write(`${early}${OK}\r\n[]`))
  const hints: unknown[] = []
  await new Promise((resolve, reject) => {
    const sent = request(`${url}/pets`, { agent: false }, res => res.resume().on('end', resolve))
    sent.on('information', ({ statusCode, headers }) => hints.push([statusCode, headers.link, headers['x-no']]))
    sent.on('error', reject).end()
  })
  assert.deepEqual(hints, [[103, '</v1/a.css>; rel=preload, <//cdn/b.js>; rel=preload', undefined]])
})

test('a read is repeated where the real API closed a kept connection, and a write is not', async () => {
  let connections = 0
  const seen = new Set<Socket>()
  const { url } = await standRaw(socket => {
    if (seen.has(socket)) return void socket.destroy()
    connections += 1
    seen.add(socket)
    socket.write(`${OK}\r\n[]`)
  })
  const ask = async (method: string) =>
    (await fetch(`${url}/pets`, { method, ...(method === 'POST' && { body: '{}' }) })).status
  assert.deepEqual([await ask('GET'), await ask('GET'), await ask('POST'), connections], [200, 200, 502, 2])
})

test('every field of a reply passes, however many there are', async () => {
  const fields = Array.from({ length: 2500 }, (_, i) => `${i.toString(36)}:\r\n`).join('')
  const { url } = await standRaw(socket => socket.write(`${OK}${fields}\r\n[]`))
  const names = await new Promise<number>((resolve, reject) => {
    const sent = request(`${url}/pets`, { agent: false }, res => resolve(res.resume().rawHeaders.length / 2))
    sent.maxHeadersCount = 0
    sent.on('error', reject).end()
  })
  assert.ok(names > 2500, `${names}`)
})

test('a body that a caller sends slowly is waited for, and a real API that is silent after it is late', async () => {
  let isSilent = false
  const { url } = await standRaw(
    (socket, data) => void (data.includes('0\r\n\r\n') && !isSilent && socket.write(`${OK}\r\n{}`)),
    { timeout: '300ms' },
  )
  const post = (pause: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
      const sent = request(`${url}/pets`, { method: 'POST', headers, agent: false }, res => {
        res.resume()
        resolve(res.statusCode)
      })
      sent.on('error', reject).write('{"name":')
      setTimeout(() => sent.end('"Rex"}'), pause)
    })
  assert.equal(await post(1000), 200)
  isSilent = true
  assert.equal(await post(0), 504)
})

// Node 20 has no proxies of the environment.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const skip = (major < 22 || (major === 22 && minor < 21)) && 'Node 20 knows no proxies of the environment'
test('a real API is reached through the proxy of the environment, unless it is excepted', { skip }, async () => {
  const asked: unknown[] = []
  const proxy = createServer((req, res) => {
    asked.push([req.url, req.headers['proxy-authorization']])
    res.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  closing.push(() => proxy.close())
  const status = async (environment: object) => {
    const config = { contract: DOCUMENT, upstream: { url: 'http://staging.invalid:81/api' } }
    const forward = { ...config, defaults: { respond: { forward: {} } } }
    const gateway = await startGateway({ port: 0, controlPort: 0, config: forward, environment } as never)
    closing.push(() => gateway.close())
    return (await fetch(`${gateway.url}/pets`)).status
  }
  const http_proxy = `http://me:secret@127.0.0.1:${portOf(proxy)}`
  const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`
  assert.equal(await status({ http_proxy, no_proxy: 'other.invalid' }), 200)
  assert.deepEqual(asked, [['http://staging.invalid:81/api/pets', credentials]])
  assert.equal(await status({ HTTP_PROXY: http_proxy, NO_PROXY: '.invalid' }), 502)
  assert.equal(asked.length, 1)
})
