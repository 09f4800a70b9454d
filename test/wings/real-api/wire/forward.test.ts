import assert from 'node:assert/strict'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createRaw } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { before, closeAll, closing, portOf, stand } from './forwarding.ts'

after(closeAll)

test('a request and its reply are passed on, without what belongs to one connection', async () => {
  let seen: IncomingMessage | undefined
  const { real, url } = await stand(
    (req, res) => {
      seen = req
      const fields = {
        connection: 'x-hop',
        'x-hop': '1',
        'set-cookie': ['a=1; Domain=real.example; Path=/api/pets', 'b=2; path=/'],
        'x-kept': 'yes',
      }
      res.writeHead(200, {
        ...fields,
        location: 'http://127.0.0.1:1/elsewhere',
        link: '</api/pets?page=2>; rel="next"',
      })
      res.end('{"id":7}')
    },
    { set: { 'x-api-key': 'secret-of-staging' } },
  )
  closing.push(() => real.close())
  const headers = { authorization: 'Bearer mine', cookie: 'a=b', accept: 'application/json', 'x-own': '1' }
  const reply = await fetch(`${url}/pets/7?full=1`, { headers })
  assert.equal(await reply.text(), '{"id":7}')
  assert.equal(seen?.url, '/api/pets/7?full=1')
  assert.equal(seen?.headers['x-api-key'], 'secret-of-staging')
  assert.deepEqual(
    [seen?.headers.authorization, seen?.headers.cookie, seen?.headers['x-own']],
    [undefined, undefined, undefined],
  )
  assert.equal(seen?.headers.via, '1.1 understudy')
  assert.deepEqual(reply.headers.getSetCookie(), ['a=1; Path=/v1/pets', 'b=2; path=/'])
  assert.equal(reply.headers.get('x-hop'), null)
  assert.equal(reply.headers.get('x-kept'), 'yes')
  assert.equal(reply.headers.get('link'), '</v1/pets?page=2>; rel="next"')
  assert.equal(reply.headers.get('location'), 'http://127.0.0.1:1/elsewhere')
  assert.equal(reply.headers.get('understudy-replied'), 'upstream')
})

test('a body is sent byte for byte, and judged', async () => {
  const bodies: Buffer[] = []
  const { real, url } = await stand((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      bodies.push(Buffer.concat(chunks))
      res.writeHead(201, { 'content-type': 'application/json' }).end('{}')
    })
  })
  closing.push(() => real.close())
  const send = (body: Uint8Array, more: Record<string, string> = {}) =>
    fetch(`${url}/pets`, { method: 'POST', headers: { 'content-type': 'application/json', ...more }, body })
  const packed = gzipSync('{"name":"Rex"}')
  assert.equal((await send(packed, { 'content-encoding': 'gzip' })).headers.get('understudy-warning'), null)
  assert.deepEqual(bodies[0], packed)
  const invalid = await send(Buffer.from('{"nmae":1}'))
  assert.equal(invalid.status, 201)
  assert.equal(invalid.headers.get('understudy-warning'), 'invalid request: /name is required, but the body has "nmae"')
  const large = await send(Buffer.alloc(3_000_000, ' '))
  assert.equal(bodies[2]?.length, 3_000_000)
  assert.match(large.headers.get('understudy-warning') ?? '', /not judged/)
})

test('a piece of a reply arrives before the next one is sent', async () => {
  let finish = () => {}
  const { real, url } = await stand((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    finish = () => res.end('data: 2\n\n')
  })
  closing.push(() => real.close())
  const reply = await fetch(`${url}/pets`)
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
  const text = async () => Buffer.from((await reader.read()).value ?? []).toString()
  assert.equal(await text(), 'data: 1\n\n')
  finish()
  assert.equal(await text(), 'data: 2\n\n')
})

test('a caller that goes away ends the request to the real API', async () => {
  const left = deferred()
  const { real, url } = await stand((req, res) => {
    res.on('close', () => left.resolve())
    res.writeHead(200).write('x')
    req.resume()
  })
  closing.push(() => real.close())
  const sent = request(`${url}/pets`, res => res.once('data', () => sent.destroy()))
  sent.on('error', () => {}).end()
  await left.promise
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}

/** Failures of a real API, and the refusals that callers get for them. */
const FAILURES: readonly (readonly [what: string, sent: string, status: number, detail: RegExp])[] = [
  ['closes without a word', '', 502, /closed the connection/],
  ['speaks something else', 'hello\r\n\r\n', 502, /what is not HTTP/],
  ['breaks off in its head', 'HTTP/1.1 200 OK\r\ncontent-le', 502, /closed the connection/],
  [
    'sends two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc',
    502,
    /another length than it announced/,
  ],
  [
    'sends larger headers than can be read',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    502,
    /larger headers/,
  ],
]
for (const [what, sent, status, detail] of FAILURES) {
  test(`a real API that ${what} is a ${status}, and the next request is served`, async () => {
    const raw = createRaw(socket => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(sent))
    })
    await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
    closing.push(() => raw.close())
    const { url } = await before(portOf(raw))
    const reply = await fetch(`${url}/pets`)
    assert.equal(reply.status, status)
    assert.match(((await reply.json()) as { detail: string }).detail, detail)
    assert.equal(reply.headers.get('understudy-replied'), 'simulation')
    assert.equal((await fetch(`${url}/nothing`)).status, 404)
  })
}

test('a reply that breaks off cuts the connection', async () => {
  const raw = createRaw(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'))
  })
  await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
  closing.push(() => raw.close())
  const { url } = await before(portOf(raw))
  const reply = await fetch(`${url}/pets`)
  assert.equal(reply.status, 200)
  await assert.rejects(reply.text())
})

test('a reply that breaks off while its latency runs cuts the connection', async () => {
  const raw = createRaw(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'))
  })
  await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
  closing.push(() => raw.close())
  for (const replies of ['off', 'warn']) {
    const { url } = await before(portOf(raw), {}, { latency: '50ms', validate: { replies } })
    const signal = AbortSignal.timeout(5000)
    const ask = async () => (await fetch(`${url}/pets`, { signal })).text()
    await assert.rejects(ask(), { name: 'TypeError' })
  }
})

test('a request that is not sent on is answered with 501, or by the contract', async () => {
  const { real, url } = await stand((_, res) => res.end('{}'), { methods: ['GET'] })
  closing.push(() => real.close())
  const post = (at: string, headers = {}) =>
    fetch(`${at}/pets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"name":"Rex"}',
    })
  assert.equal((await post(url)).status, 501)
  const simulating = await stand(
    (_, res) => res.end('{}'),
    { methods: ['GET'] },
    { respond: { forward: { else: 'simulate' } } },
  )
  closing.push(() => simulating.real.close())
  const reply = await post(simulating.url)
  assert.deepEqual([reply.status, reply.headers.get('understudy-replied')], [201, 'simulation'])
  const writing = await stand((_, res) => res.writeHead(201).end('{}'))
  closing.push(() => writing.real.close())
  assert.equal((await post(writing.url)).status, 201)
  assert.equal((await post(writing.url, { 'understudy-world': 'mine' })).status, 501)
})

test('a stand-in with state has the whole body where the real API breaks off within it', async () => {
  const raw = createRaw(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
  })
  await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
  closing.push(() => raw.close())
  const respond = { status: 201, body: { length: '${size(request.body.name)}' }, forward: { else: 'simulate' } }
  const { url } = await before(portOf(raw), {}, {}, { createPet: { respond } })
  for (const length of [3, 400_000]) {
    const body = JSON.stringify({ name: 'x'.repeat(length) })
    const reply = await fetch(`${url}/pets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    assert.deepEqual([reply.status, await reply.json()], [201, { length }])
  }
})

test('latency, faults and deprecation apply to a forwarded reply', async () => {
  const { real, url } = await stand(
    (_, res) => res.writeHead(200, { 'x-real': '1' }).end('[]'),
    {},
    {
      deprecation: { since: '2020-01-01', sunset: '2999-01-01' },
      fault: { kind: 'status', status: 503, every: 2 },
    },
  )
  closing.push(() => real.close())
  const first = await fetch(`${url}/pets`)
  assert.deepEqual([first.status, first.headers.get('x-real')], [200, '1'])
  assert.ok(first.headers.has('deprecation') && first.headers.has('sunset'))
  assert.equal((await fetch(`${url}/pets`)).status, 503)
})

test('a truncated and a dripping fault break a forwarded body', async () => {
  const answer = (_: IncomingMessage, res: ServerResponse) =>
    res.writeHead(200, { 'content-length': 20 }).end('[]'.padEnd(20))
  const cut = await stand(answer, {}, { fault: { kind: 'truncate', keep: '5B' } })
  closing.push(() => cut.real.close())
  const reader = ((await fetch(`${cut.url}/pets`)).body as ReadableStream<Uint8Array>).getReader()
  assert.equal((await reader.read()).value?.length, 5)
  await assert.rejects(reader.read())
  const slow = await stand(answer, {}, { fault: { kind: 'drip', rate: '200B/s' } })
  closing.push(() => slow.real.close())
  assert.equal((await (await fetch(`${slow.url}/pets`)).text()).length, 20)
})

test('a client waits for 100 until the real API is connected, and gets a refusal without sending its body', async () => {
  const { real, url } = await stand((req, res) => {
    req.resume()
    req.on('end', () => res.writeHead(201, { 'content-type': 'application/json' }).end('{}'))
  })
  closing.push(() => real.close())
  const headers = { 'content-type': 'application/json', expect: '100-continue', 'content-length': 14 }
  const post = (at: string) =>
    new Promise<string>((resolve, reject) => {
      let isAsked = false
      const sent = request(`${at}/pets`, { method: 'POST', headers, agent: false }, res => {
        res.resume()
        resolve(`${isAsked} ${res.statusCode}`)
      })
      sent.on('continue', () => {
        isAsked = true
        sent.end('{"name":"Rex"}')
      })
      sent.on('error', reject)
      sent.flushHeaders()
    })
  assert.equal(await post(url), 'true 201')
  const { url: down } = await before(1)
  assert.equal(await post(down), 'false 502')
})

test('trailers pass, and a change of the protocol does not', async () => {
  const { real, url } = await stand((_, res) => {
    res.writeHead(200, { trailer: 'x-sum' })
    res.write('[]')
    res.addTrailers({ 'x-sum': '7' })
    res.end()
  })
  closing.push(() => real.close())
  const ask = (headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; trailers: object }>((resolve, reject) => {
      const sent = request(`${url}/pets`, { headers, agent: false }, res => {
        res.resume()
        res.on('end', () => resolve({ status: res.statusCode, trailers: res.trailers }))
      })
      sent.on('error', reject).end()
    })
  assert.deepEqual({ ...(await ask({})).trailers }, { 'x-sum': '7' })
  assert.equal((await ask({ connection: 'upgrade', upgrade: 'websocket' })).status, 501)
})

test('a large reply takes no memory, and its server waits for a slow client', async () => {
  const piece = Buffer.alloc(1_000_000)
  let written = 0
  const { real, url } = await stand((_, res) => {
    res.writeHead(200)
    const more = (): void => {
      while (written < 300) {
        written += 1
        if (!res.write(piece)) return void res.once('drain', more)
      }
      res.end()
    }
    more()
  })
  closing.push(() => real.close())
  const reader = ((await fetch(`${url}/pets`)).body as ReadableStream<Uint8Array>).getReader()
  let read = (await reader.read()).value?.length ?? 0
  for (let before = -1; before !== written; ) {
    before = written
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  assert.ok(written < 100, `${written} MB were sent while the client read nothing`)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    read += value.length
  }
  assert.equal(read, 300_000_000)
})
