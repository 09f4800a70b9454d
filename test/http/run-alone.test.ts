import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import Koa from 'koa'
import { runAlone } from '../../src/http/data-plane.ts'

class Response {
  destroyed = false
  headersSent = false
  readonly headers = new Map<string, unknown>()
  setHeader(name: string, value: unknown) {
    this.headers.set(name, value)
  }
  destroy() {
    this.destroyed = true
  }
}

function meet(middleware: (ctx: Koa.Context) => Promise<unknown>) {
  const errors: unknown[] = []
  const app = new Koa()
  const res = new Response()
  const req = { method: 'GET', url: '/a?b=1', headers: { origin: 'http://here' } } as unknown as IncomingMessage
  const answered = runAlone(app, middleware, error => errors.push(error))(req, res as unknown as ServerResponse)
  return { app, req, res, answered, errors }
}

test("a context has all of Koa's members", async () => {
  let seen: Koa.Context | undefined
  const { app, req, res, answered } = meet(async ctx => {
    ctx.state.own = 1
    ctx.set('X-A', '1')
    seen = ctx
  })
  await answered
  const ctx = seen as Koa.Context
  assert.equal(ctx.app, app)
  assert.equal(ctx.req, req)
  assert.equal(ctx.response.req, req)
  assert.deepEqual([ctx.method, ctx.path, ctx.query.b, ctx.originalUrl], ['GET', '/a', '1', '/a?b=1'])
  assert.equal(ctx.get('Origin'), 'http://here')
  assert.equal(ctx.request.ctx, ctx)
  assert.equal(ctx.response.request, ctx.request)
  assert.equal(ctx.state.own, 1)
  assert.equal(res.headers.get('X-A'), '1')
})

for (const [name, middleware] of [
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
] as const) {
  test(`a connection whose middleware ${name} is closed, and the error is reported`, async () => {
    const { res, answered, errors } = meet(middleware)
    await answered
    assert.equal(res.destroyed, true)
    assert.deepEqual(errors.map(String), ['Error: broken'])
  })
}
