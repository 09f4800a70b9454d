// A gateway that is asked by `fetch`, without a port: in what it differs from one that is asked over the wire, and in what it must not.

import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ConfigurationError, createGateway } from '../../src/index.ts'

const gateway = createGateway({
  config: {
    contract: './config/openapi.yaml',
    consumers: { demo: { apiKey: 'demo-key' } },
    limits: { body: '2kB' },
    resources: { pets: { schema: 'Pet', seed: { generate: 3 } } },
    operations: {
      listPets: { respond: { list: 'pets', limit: 'limit' } },
      createPet: { respond: { create: 'pets' } },
      getPet: { respond: { read: 'pets' } },
    },
    weather: {
      resets: { operations: { listPets: { fault: { kind: 'reset', probability: '100%' } } } },
      closes: { operations: { listPets: { fault: { kind: 'close', probability: '100%' } } } },
      garbles: { operations: { listPets: { fault: { kind: 'garbage', probability: '100%' } } } },
      cuts: { operations: { listPets: { fault: { kind: 'truncate', probability: '100%' } } } },
      fast: { operations: { listPets: { fault: { kind: 'drip', rate: '1MB/s', probability: '100%' } } } },
      slow: { operations: { listPets: { latency: '1h' } } },
    },
  },
})
after(() => gateway.close())

const KEY = { authorization: 'Bearer demo-key' }
const JSON_TYPE = { ...KEY, 'content-type': 'application/json' }
const REX = JSON.stringify({ name: 'Rex', categoryId: 1 })
const under = (weather: string) => ({ headers: { ...KEY, 'understudy-weather': weather } })

suite('fetch without a port', () => {
  test('answers with status, headers and body, whatever the host', async () => {
    for (const origin of ['http://localhost', 'https://api.example.com:8443']) {
      const reply = await gateway.fetch(`${origin}/v1/pets?limit=1`, { headers: KEY })
      assert.equal(reply.status, 200)
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
      const text = await reply.text()
      assert.equal(reply.headers.get('content-length'), `${Buffer.byteLength(text)}`)
      assert.equal(JSON.parse(text).length, 1)
    }
    assert.equal((await gateway.fetch(`${gateway.url}/pets/1`, { headers: KEY })).status, 200)
  })

  test('takes a Request, and remembers what it creates', async () => {
    const request = new Request(`${gateway.url}/pets`, { method: 'POST', headers: JSON_TYPE, body: REX })
    const created = await gateway.fetch(request)
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: number }
    const read = await gateway.fetch(`${gateway.url}/pets/${id}`, { headers: KEY })
    assert.equal(((await read.json()) as { name: string }).name, 'Rex')
  })

  test('refuses as the API does', async () => {
    assert.equal((await gateway.fetch(`${gateway.url}/pets`)).status, 401)
    const init = { method: 'POST', headers: JSON_TYPE, body: '{"name":5,"categoryId":1}' }
    const reply = await gateway.fetch(`${gateway.url}/pets`, init)
    assert.equal(reply.status, 400)
    assert.match(await reply.text(), /\/name must be a string/)
    assert.equal((await gateway.fetch('http://localhost/elsewhere', { headers: KEY })).status, 404)
  })

  test('has no body for HEAD', async () => {
    const reply = await gateway.fetch(`${gateway.url}/pets`, { method: 'HEAD', headers: KEY })
    assert.equal(reply.body, null)
  })

  test('finds worlds by header and by path, as the handle of a world does', async () => {
    const alice = gateway.world('alice')
    const world = { ...JSON_TYPE, 'understudy-world': 'alice' }
    const reply = await gateway.fetch(`${gateway.url}/pets`, { method: 'POST', headers: world, body: REX })
    const { id } = (await reply.json()) as { id: number }
    assert.equal((await gateway.fetch(`${alice.baseUrl}/pets/${id}`, { headers: KEY })).status, 200)
    assert.equal(alice.requests({ operation: 'getPet' }).length, 1)
  })

  test('decompresses a body, and refuses one that is too large or breaks off', async () => {
    const post = (body: BodyLike, headers = {}) =>
      gateway.fetch(`${gateway.url}/pets`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body,
        duplex: 'half',
      } as RequestInit)
    assert.equal((await post(gzipSync(REX), { 'content-encoding': 'gzip' })).status, 201)
    assert.equal((await post('x'.repeat(3000))).status, 413)
    assert.equal((await post(gzipSync('x'.repeat(100_000)), { 'content-encoding': 'gzip' })).status, 413)
    assert.equal((await post(REX, { 'content-encoding': 'lzma' })).status, 415)
    let begun = false
    const broken = new ReadableStream({
      pull(controller) {
        if (begun) return controller.error(new Error('the source broke'))
        begun = true
        controller.enqueue(new TextEncoder().encode('{"name":'))
      },
    })
    const reply = await post(broken)
    assert.equal(reply.status, 400)
    assert.match(await reply.text(), /the body is incomplete/)
    assert.equal((await post(REX)).status, 201)
  })
})
type BodyLike = ConstructorParameters<typeof Response>[0]

suite('faults without a port', () => {
  const failing = [
    ['resets', 'ECONNRESET'],
    ['closes', 'UND_ERR_SOCKET'],
    ['garbles', 'HPE_INVALID_CONSTANT'],
  ] as const
  for (const [weather, code] of failing) {
    test(`${weather}: the promise is rejected as by Node's own fetch`, async () => {
      const failure = await gateway.fetch(`${gateway.url}/pets`, under(weather)).catch((error: TypeError) => error)
      assert.ok(failure instanceof TypeError)
      assert.equal(failure.message, 'fetch failed')
      assert.equal((failure.cause as { code: string }).code, code)
    })
  }

  test('a body that is cut fails behind its first half', async () => {
    const whole = await (await gateway.fetch(`${gateway.url}/pets`, { headers: KEY })).text()
    const reply = await gateway.fetch(`${gateway.url}/pets`, under('cuts'))
    assert.equal(reply.headers.get('content-length'), `${whole.length}`)
    let text = ''
    await assert.rejects(async () => {
      for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk)
    }, /terminated/)
    assert.equal(text, whole.slice(0, Math.floor(whole.length / 2)))
  })

  test('a body that drips arrives whole', async () => {
    const whole = await (await gateway.fetch(`${gateway.url}/pets`, { headers: KEY })).text()
    assert.equal(await (await gateway.fetch(`${gateway.url}/pets`, under('fast'))).text(), whole)
  })

  test('a client that leaves waits for nothing', async () => {
    const leaving = new AbortController()
    const waiting = gateway.fetch(`${gateway.url}/pets`, { ...under('slow'), signal: leaving.signal })
    leaving.abort(new Error('gone'))
    await assert.rejects(waiting, /gone/)
    await assert.rejects(gateway.fetch(`${gateway.url}/pets`, { signal: leaving.signal }), /gone/)
  })
})

test('a closed gateway rejects, and one that would have to keep its state is not opened', async () => {
  const short = createGateway({ config: 'config/openapi.yaml' })
  short.close()
  await assert.rejects(short.fetch(`${short.url}/pets`), { name: 'TypeError', message: 'fetch failed' })
  const config = { contract: './config/openapi.yaml', state: { file: './state' } }
  assert.throws(() => createGateway({ config }), ConfigurationError)
  assert.throws(() => createGateway({ config: 'nowhere.yaml' }), ConfigurationError)
})
