// A team's own Koa middleware in front of the gateway.

import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { after, test } from 'node:test'
import compress from 'koa-compress'
import { type KoaMiddleware, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'
import { config, note } from './koa-notes.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

async function startWith(...use: readonly KoaMiddleware[]): Promise<string> {
  const gateway = await startGateway({ config, use })
  after(() => gateway.close())
  return gateway.url
}

test('`use` runs middleware in front of the gateway, and Koa writes its reply', async () => {
  const url = await startWith(
    async (ctx, next) => {
      await next()
      ctx.set('X-Team', ctx.get('x-asked') || 'none')
    },
    (ctx, next) => {
      if (ctx.path !== '/v1/own') return next()
      ctx.status = 201
      ctx.body = { own: true }
    },
  )
  const own = await ask(`${url}/own`, { headers: { 'x-asked': 'me' } })
  assert.deepEqual([own.status, own.text, own.headers['x-team']], [201, '{"own":true}', 'me'])
  const listed = await ask(`${url}/notes`)
  assert.deepEqual([listed.status, listed.headers['x-team']], [200, 'none'])
  assert.equal((await ask(`${url}/notes`, note('{"text":"a"}'))).headers.location, '/v1/notes/2')
})

test('koa-compress compresses replies, and CORS headers are kept', async () => {
  const url = await startWith(compress({ threshold: 1000 }))
  const origin = 'http://localhost:5173'
  const { headers } = await fetch(`${url}/notes`, { headers: { origin } })
  assert.equal(headers.get('content-encoding'), 'gzip')
  assert.equal(headers.get('access-control-allow-origin'), origin)
  assert.match(String(headers.get('vary')), /Accept-Encoding/)
  const preflight = { origin, 'access-control-request-method': 'POST' }
  assert.equal((await ask(`${url}/notes`, { method: 'OPTIONS', headers: preflight })).status, 204)
})

test('an exception in middleware fails one request only', async () => {
  const url = await startWith((ctx, next) => {
    if (ctx.get('x-break') !== '') throw new Error('broken')
    return next()
  })
  assert.equal((await ask(`${url}/notes`, { headers: { 'x-break': 'yes' } })).status, 500)
  assert.equal((await ask(`${url}/notes`)).status, 200)
})
