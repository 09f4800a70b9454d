// The gateway inside a Koa application, and Koa middleware in front of the gateway.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import compress from 'koa-compress'
import mount from 'koa-mount'
import { ConfigurationError, type UnderstudyOptions, understudy } from '../../src/index.ts'
import { ask } from './ask.ts'
import { config, note } from './koa-notes.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

async function serve(app: Koa): Promise<string> {
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An application with a route and the gateway below /mock. */
async function serveMounted(options: Partial<UnderstudyOptions> = {}, ...before: readonly Koa.Middleware[]) {
  const app = new Koa()
  app.silent = true
  for (const one of before) app.use(one)
  app.use((ctx, next) => {
    if (ctx.path !== '/own') return next()
    ctx.body = 'own'
    return undefined
  })
  const standIn = understudy({ config, ...options })
  after(() => standIn.close())
  app.use(mount('/mock', standIn))
  app.use(ctx => {
    ctx.body = `nobody answered ${ctx.path}`
  })
  return { standIn, url: await serve(app) }
}

test('routes of the application come first, and the gateway answers below its prefix', async () => {
  const { url } = await serveMounted()
  assert.equal((await ask(`${url}/own`)).text, 'own')
  assert.equal((await ask(`${url}/elsewhere`)).text, 'nobody answered /elsewhere')
  const listed = await ask(`${url}/mock/v1/notes`)
  assert.equal(listed.status, 200)
  assert.match(String(listed.headers['content-type']), /^application\/json/)
  assert.equal(listed.headers['cache-control'], 'no-store')
  assert.equal(listed.headers['content-length'], String(listed.text.length))
  assert.deepEqual(JSON.parse(listed.text), config.resources.notes.seed)
  const head = await ask(`${url}/mock/v1/notes`, { method: 'HEAD' })
  assert.deepEqual(
    [head.status, head.text, head.headers['content-length']],
    [200, '', listed.headers['content-length']],
  )
})

test('a record is created, read at its Location, and deleted', async () => {
  const { url } = await serveMounted()
  const made = await ask(`${url}/mock/v1/notes`, note('{"text":"a","price":1.10}'))
  assert.equal(made.status, 201)
  assert.equal(made.headers.location, '/mock/v1/notes/2')
  assert.equal((await ask(url + made.headers.location)).text, '{"id":2,"text":"a","price":1.10}')
  const gone = await ask(url + made.headers.location, { method: 'DELETE' })
  assert.deepEqual([gone.status, gone.text, gone.headers['content-type']], [204, '', undefined])
  assert.equal((await ask(url + made.headers.location)).status, 404)
})

test('a world can be named below the prefix, and its links keep both', async () => {
  const { url, standIn } = await serveMounted()
  assert.equal(standIn.world('ann').baseUrl, '/~ann/v1')
  const made = await ask(`${url}/mock${standIn.world('ann').baseUrl}/notes`, note('{"text":"a"}'))
  assert.equal(made.headers.location, '/mock/~ann/v1/notes/2')
  assert.equal((await standIn.world('ann').records('notes')).length, 2)
  assert.equal((await standIn.world().records('notes')).length, 1)
  assert.equal(standIn.world('ann').verify({ operation: 'createNote' }).matched, 1)
})

for (const [name, parser] of [
  ['koa-bodyparser', bodyParser()],
  [
    'a parser that keeps no text',
    async (ctx: Koa.Context, next: Koa.Next) => {
      const chunks: Buffer[] = []
      for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
      if (chunks.length > 0) Object.assign(ctx.request, { body: JSON.parse(Buffer.concat(chunks).toString()) })
      return next()
    },
  ],
] as const) {
  test(`a body that ${name} has parsed is used`, async () => {
    const { url } = await serveMounted({}, parser as Koa.Middleware)
    const made = await ask(`${url}/mock/v1/notes`, note('{"text":"a","price":1.5}'))
    assert.deepEqual([made.status, made.text], [201, '{"id":2,"text":"a","price":1.5}'])
    assert.equal((await ask(`${url}/mock/v1/notes`, note('{"text":1}'))).status, 400)
    assert.equal((await ask(`${url}/mock/v1/notes`)).status, 200)
  })
}

test('a body that was read and not kept is refused with a hint', async () => {
  const drop: Koa.Middleware = async (ctx, next) => {
    for await (const _ of ctx.req);
    return next()
  }
  const { url } = await serveMounted({}, drop)
  const refused = await ask(`${url}/mock/v1/notes`, note('text', 'application/json'))
  assert.equal(refused.status, 501)
  assert.match(refused.text, /mount the gateway before the parser/)
})

test('an unmatched path is refused, or passed on with `unmatched: next`', async () => {
  const refusing = await serveMounted()
  assert.equal((await ask(`${refusing.url}/mock/v1/nope`)).status, 404)
  const detailOf = async (path: string) => JSON.parse((await ask(refusing.url + path)).text).detail
  assert.equal(
    await detailOf('/mock/nothing'),
    'no operation matches GET /mock/nothing; the API is served below /mock/v1',
  )
  assert.equal(
    await detailOf('/mock/v1/note'),
    'no operation matches GET /mock/v1/note; did you mean GET /mock/v1/notes?',
  )
  const passing = await serveMounted({ unmatched: 'next' })
  assert.equal((await ask(`${passing.url}/mock/v1/nope`)).text, 'nobody answered /mock/v1/nope')
  assert.equal((await ask(`${passing.url}/mock/v1/~ann/nope`)).text, 'nobody answered /mock/v1/~ann/nope')
  assert.equal((await ask(`${passing.url}/mock/v1/~ann/notes`)).status, 200)
  assert.equal((await ask(`${passing.url}/mock/v1/notes`, { method: 'DELETE' })).status, 405)
})

test('a closed gateway passes every request on', async () => {
  const { url, standIn } = await serveMounted()
  standIn.close()
  assert.equal((await ask(`${url}/mock/v1/notes`)).text, 'nobody answered /mock/v1/notes')
})

test('middleware around the gateway sees its reply', async () => {
  const seen: unknown[] = []
  const watch: Koa.Middleware = async (ctx, next) => {
    await next()
    seen.push(ctx.status, ctx.type)
    ctx.set('X-Seen', 'yes')
  }
  const { url } = await serveMounted({}, compress({ threshold: 1000 }), watch)
  const reply = await fetch(`${url}/mock/v1/notes`)
  assert.deepEqual(seen, [200, 'application/json'])
  assert.equal(reply.headers.get('x-seen'), 'yes')
  assert.equal(reply.headers.get('content-encoding'), 'gzip')
  assert.deepEqual(await reply.json(), config.resources.notes.seed)
})

test('a fault of the wire reaches the client of an application too', async () => {
  const faulty = { ...config, operations: { ...config.operations, listNotes: { fault: { kind: 'reset' } } } }
  const { url } = await serveMounted({ config: faulty })
  await assert.rejects(ask(`${url}/mock/v1/notes`))
  assert.equal((await ask(`${url}/mock/v1/notes/1`)).status, 200)
})

test('an invalid configuration is thrown', () => {
  assert.throws(() => understudy({ config: 'config/nowhere.yaml' }), ConfigurationError)
})
