import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { Mask } from '../../../src/gateway/mask.ts'
import { driftObserver } from '../../../src/wings/drift/observe.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import type { Upstream, UpstreamReply, UpstreamRequest } from '../../../src/wings/real-api/upstream.ts'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock, VirtualClock } from '../../virtual-clock.ts'

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Books, version: '1' }
  paths:
    /books:
      get:
        operationId: listBooks
        parameters: [{ name: limit, in: query, schema: { type: integer } }]
        responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { type: object } } } } }, 400: { description: no } }
      post:
        operationId: createBook
        requestBody: { content: { application/json: { schema: { type: object } } } }
        responses: { 201: { description: ok, content: { application/json: { schema: { type: object } } } } }
`
const configured = (shadow: string, methods = '[GET, POST]') => `${CONTRACT}
upstream: { url: https://staging.example.com/api, methods: ${methods}, send: [accept, if-none-match], set: { x-api-key: abc } }
defaults: { shadow: ${shadow} }
`

/** A real API that answers as a test says, and the requests that it got. */
function realApi(answer: (request: UpstreamRequest) => Promise<string> | string, status = 200) {
  const seen: UpstreamRequest[] = []
  const client: Upstream = {
    async send(request): Promise<UpstreamReply> {
      seen.push(request)
      async function* body() {
        yield Buffer.from(await answer(request))
      }
      return { status, fields: ['Content-Type', 'application/json'], body: body(), trailers: () => ({}) }
    },
    close: async () => {},
  }
  return { client, seen }
}

function standIn(yaml: string, client: Upstream): Gateway {
  const gateway = gatewayOf(load(yaml), new FixedClock())
  gateway.observed(realApiObserver).client = client
  return gateway
}

/** The findings and counts, once as many replies were compared. */
async function drift(gateway: Gateway, compared: number) {
  for (;;) {
    const report = gateway.observed(driftObserver).report(new Mask(gateway.plan))
    if (report.compared >= compared) return report
    await new Promise(resolve => setImmediate(resolve))
  }
}
const settled = async () => {
  for (let turns = 0; turns < 20; turns++) await new Promise(resolve => setImmediate(resolve))
}

const post = (world?: string) => ({
  headers: { 'content-type': 'application/json', ...(world === undefined ? {} : { 'understudy-world': world }) },
  body: { title: 'Dune' },
})

test('the client has its reply before the real API has any, and both answers are reported', async () => {
  let answer = (_: string) => {}
  const { client, seen } = realApi(
    () =>
      new Promise<string>(resolve => {
        answer = resolve
      }),
  )
  const gateway = standIn(configured('{ share: 100% }'), client)
  const headers = { accept: 'application/json', 'if-none-match': '"1"', authorization: 'Bearer mine' }
  const reply = await gateway.handle(requestOf('GET /books?limit=2', { headers }))
  assert.deepEqual([reply.status, reply.headers['understudy-replied']], [200, 'simulation'])
  await settled()
  assert.equal(gateway.observed(driftObserver).report(new Mask(gateway.plan)).compared, 0)
  answer('{"books":[]}')
  const { findings } = await drift(gateway, 1)
  assert.deepEqual(
    findings.map(({ kind, contract, standIn: ours, upstream }) => [kind, contract, ours, upstream]),
    [['wrong-type', 'must be an array', 'array', 'object']],
  )
  const [sent] = seen
  assert.equal(sent?.path, '/books?limit=2')
  assert.deepEqual(sent?.headers, { accept: 'application/json', 'x-api-key': 'abc', via: '1.1 understudy' })
})

test('a request that the stand-in refuses and the real API accepts is a wrong status', async () => {
  const { client } = realApi(() => '[]')
  const gateway = standIn(configured('{ share: 1 }'), client)
  assert.equal((await gateway.handle(requestOf('GET /books?limit=many'))).status, 400)
  const { findings } = await drift(gateway, 1)
  assert.deepEqual(
    findings.map(({ kind, contract, standIn: ours, upstream }) => [kind, contract, ours, upstream]),
    [['wrong-status', 'refuses such a request with 400', '400', '200']],
  )
})

test('the same requests are chosen each time', async () => {
  const chosen = async () => {
    const { client, seen } = realApi(() => '[]')
    const gateway = standIn(configured('{ share: 30% }'), client)
    for (let n = 0; n < 200; n++) await gateway.handle(requestOf(`GET /books?n=${n}`))
    await settled()
    return seen.map(({ path }) => path)
  }
  const first = await chosen()
  assert.ok(first.length > 30 && first.length < 90, `${first.length} of 200`)
  assert.deepEqual(await chosen(), first)
})

test('a write is sent only if its method is named, and only from the default world', async () => {
  const { client, seen } = realApi(() => '{}', 201)
  const reading = standIn(configured('{ share: 1 }'), client)
  await reading.handle(requestOf('POST /books', post()))
  await settled()
  assert.equal(seen.length, 0)
  const writing = standIn(configured('{ share: 1, methods: [GET, POST] }'), client)
  await writing.handle(requestOf('POST /books', post('mine')))
  await settled()
  assert.equal(seen.length, 0)
  await writing.handle(requestOf('POST /books', post()))
  await drift(writing, 1)
  assert.deepEqual(
    seen.map(({ method, body }) => `${method} ${Buffer.from(body as Uint8Array)}`),
    ['POST {"title":"Dune"}'],
  )
})

test('at most 50 requests wait for the real API, and the others are counted', async () => {
  const answers: ((text: string) => void)[] = []
  const { client, seen } = realApi(() => new Promise<string>(resolve => void answers.push(resolve)))
  const gateway = standIn(configured('{ share: 1 }'), client)
  for (let n = 0; n < 60; n++) await gateway.handle(requestOf('GET /books'))
  await settled()
  assert.equal(seen.length, 50)
  for (const answer of answers) answer('[]')
  const { compared, dropped, findings } = await drift(gateway, 50)
  assert.deepEqual([compared, dropped, findings], [50, 10, []])
  const page = await gateway.metrics.page()
  assert.match(page, /^understudy_drift_total\{operation="listBooks",kind="dropped"\} 10$/m)
})

test('requests with pauses between them are all sent, however many', async () => {
  const { client, seen } = realApi(() => '[]')
  const clock = new VirtualClock()
  const gateway = gatewayOf(load(configured('{ share: 1 }')), clock)
  gateway.observed(realApiObserver).client = client
  for (let n = 0; n < 200; n++) {
    await gateway.handle(requestOf('GET /books'))
    await clock.pass(5)
  }
  await settled()
  assert.deepEqual([seen.length, gateway.observed(driftObserver).report(new Mask(gateway.plan)).dropped], [200, 0])
})

test('a request with dot segments is not sent', async () => {
  const { client, seen } = realApi(() => '{}')
  const getBook = `/books/{id}:
      get:
        operationId: getBook
        parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
        responses: { 200: { description: ok, content: { application/json: { schema: { type: object } } } } }`
  const yaml = configured('{ share: 1 }').replace('/books:', `${getBook}\n    /books:`)
  const gateway = standIn(yaml, client)
  for (const path of ['/books/..', '/books/1']) {
    assert.equal((await gateway.handle(requestOf(`GET ${path}`))).status, 200, path)
  }
  await drift(gateway, 1)
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/books/1'],
  )
})

test('an injected fault and a reply that the client chose are not compared', async () => {
  const { client, seen } = realApi(() => '[]')
  const yaml = `${configured('{ share: 1 }').trimEnd().slice(0, -1)}, fault: { kind: status, status: 503, every: 2 } }\n`
  const gateway = standIn(yaml, client)
  for (let n = 0; n < 4; n++) await gateway.handle(requestOf('GET /books'))
  await gateway.handle(requestOf('GET /books', { headers: { prefer: 'code=400' } }))
  await settled()
  assert.equal(seen.length, 2)
})

for (const [title, yaml, code, hint] of [
  [
    'a shadow without a real API',
    `${CONTRACT}\ndefaults: { shadow: { share: 1 } }\n`,
    'no-upstream',
    'add upstream: { url: https://… }',
  ],
  [
    'a shadow of a method that is not sent',
    configured('{ share: 1, methods: [POST] }', '[GET]'),
    'unsent-method',
    'add it to upstream.methods',
  ],
] as const) {
  test(`${title} is a mistake with its remedy`, () => {
    const { report } = load(yaml)
    assert.deepEqual(
      report.list.map(one => [one.code, one.hint]).find(([found]) => found === code),
      [code, hint],
    )
  })
}
