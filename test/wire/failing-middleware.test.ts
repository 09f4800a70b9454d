// Middleware in front of the gateway that throws, reads the body, or answers by itself: each client gets a reply, and the
// next request is served.

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import bodyParser from 'koa-bodyparser'
import { type KoaMiddleware, type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'
import { config, note } from './koa-notes.ts'

const drop: KoaMiddleware = async (ctx, next) => {
  for await (const _ of ctx.req as IncomingMessage);
  await next()
}
const CASES: readonly (readonly [name: string, middleware: KoaMiddleware, status: number])[] = [
  [
    'throws',
    async () => {
      throw new Error('no')
    },
    500,
  ],
  [
    'throws null',
    async () => {
      throw null
    },
    500,
  ],
  [
    'throws after the reply',
    async (_, next) => {
      await next()
      throw new Error('no')
    },
    500,
  ],
  ['reads the body and keeps nothing', drop, 501],
  ['parses the body', bodyParser() as unknown as KoaMiddleware, 201],
  [
    'calls the next one twice',
    async (_, next) => {
      await next()
      await next()
    },
    500,
  ],
  [
    'sets a body that JSON cannot hold',
    async ctx => {
      ctx.body = { large: 1n }
    },
    500,
  ],
]

let gateway: RunningGateway
let current: KoaMiddleware | undefined

before(async () => {
  gateway = await startGateway({ config, use: [(ctx, next) => (current === undefined ? next() : current(ctx, next))] })
})
after(() => gateway.close())

for (const [name, middleware, status] of CASES) {
  test(`a client gets a reply where a middleware ${name}`, async () => {
    current = middleware
    const reply = await ask(`${gateway.url}/notes`, note('{"text":"a"}'))
    assert.equal(reply.status, status, reply.text)
    current = undefined
    assert.equal((await ask(`${gateway.url}/notes`)).status, 200)
  })
}
