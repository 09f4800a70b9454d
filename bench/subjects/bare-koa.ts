// An empty Koa application: one middleware that finds the reply in a table. A write is read by koa-bodyparser first.

import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { replies } from './replies.ts'

const app = new Koa()
app.use(bodyParser())
app.use(ctx => {
  const reply = replies.get(`${ctx.method} ${ctx.req.url}`)
  if (reply === undefined) {
    ctx.status = 599
    return
  }
  ctx.status = reply.status
  ctx.set(reply.headers)
  ctx.body = reply.body
})
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
