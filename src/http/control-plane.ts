// The control plane: an ordinary Koa app on a port of its own, so that no path of the API is taken from it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import type { Gateway } from '../gateway/gateway.ts'
import type { Reloader } from '../gateway/reload.ts'
import { formatDiagnostics } from '../kernel/diagnostic.ts'
import { describePlan, describeWhole } from '../plan/describe.ts'
import type { Status } from './status.ts'

export function createControlPlane(
  gateway: Gateway,
  reloader: Reloader | undefined,
  status: Status,
): (req: IncomingMessage, res: ServerResponse) => void {
  const app = new Koa()
  app.silent = true
  const router = new Router()
  const fromStatus = async (ctx: Koa.Context) => {
    const reply = await status(ctx.path)
    ctx.status = reply.status
    ctx.set(reply.headers)
    ctx.body = reply.body
  }

  router.get('/metrics', fromStatus)
  router.get('/healthz', fromStatus)
  router.get('/readyz', fromStatus)
  router.get('/plan', ctx => {
    const text = ctx.accepts('json', 'text') === 'text'
    ctx.type = text ? 'text' : 'json'
    ctx.body = text ? describeWhole(gateway.plan) : describePlan(gateway.plan)
  })
  router.post('/reset', ctx => {
    gateway.reset()
    ctx.status = 204
  })
  router.post('/reload', ctx => {
    if (reloader === undefined) {
      refuse(ctx, 409, 'conflict', 'this gateway was not started from a file')
      return
    }
    const { plan, report } = reloader.reload()
    if (plan !== undefined) {
      ctx.body = { reloaded: true, operations: plan.operations.length, warnings: report.list.length }
      return
    }
    const diagnostics = report.list.map(({ severity, code, message, place: { file, line, column }, hint }) => ({
      ...{ severity, code, message, file, line, column },
      ...(hint === undefined ? {} : { hint }),
    }))
    refuse(ctx, 422, 'invalid_configuration', formatDiagnostics(report.list), { diagnostics })
  })

  app.use(async (ctx, next) => {
    try {
      if (isForeign(ctx)) {
        refuse(ctx, 403, 'foreign_origin', 'the control plane answers no page of another origin')
        return
      }
      await next()
      if (ctx.body === undefined && ctx.status >= 400) {
        refuse(ctx, ctx.status, CODES[ctx.status] ?? 'error', `${ctx.method} ${ctx.path}`)
      }
    } catch {
      refuse(ctx, 500, 'internal_error', 'something broke')
    }
  })
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app.callback()
}

const CODES: Readonly<Record<number, string>> = { 404: 'not_found', 405: 'method_not_allowed', 501: 'not_implemented' }

/** RFC 9457. */
function refuse(ctx: Koa.Context, status: number, code: string, detail: string, more: object = {}): void {
  ctx.status = status
  ctx.body = { title: code.replaceAll('_', ' '), status, detail, code, ...more }
  ctx.type = 'application/problem+json'
}

/**
 * A page that a developer visits must not steer the gateway: a browser says where a request comes from (`Origin`), and a
 * name that was rebound to loopback shows in `Host`.
 */
function isForeign(ctx: Koa.Context): boolean {
  const origin = ctx.get('Origin')
  if (origin !== '' && origin !== `http://${ctx.host}`) return true
  return (
    ctx.req.socket.localAddress !== undefined && !LOCAL.test(ctx.hostname) && isLoopback(ctx.req.socket.localAddress)
  )
}

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?|)$/i
const isLoopback = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/.test(address)
