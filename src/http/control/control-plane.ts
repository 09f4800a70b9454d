// The control plane: a Koa application on a separate port, so that its paths do not collide with the API. Mounts the
// routes of `control/`.

import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa from 'koa'
import { retryAfter } from '../../kernel/http.ts'
import { stringifyJson } from '../../kernel/value/json.ts'
import { Full } from '../../world/budget.ts'
import { breathe } from '../../world/clock.ts'
import { Unavailable } from '../../world/engines/engine.ts'
import { isConsolePath, serveConsole } from '../console-files.ts'
import { compileAccess } from './access.ts'
import { compileCallReader } from './read-call.ts'
import { GUARD_HEADERS, problem } from './replies.ts'
import { type ControlReply, type ControlRoute, routeAddress } from './route.ts'

/**
 * @param token the token that a client must send; `undefined` on loopback
 * @param failed is called with the exception, which the client does not see
 */
export function createControlPlane(
  routes: readonly ControlRoute[],
  token: string | undefined,
  failed: (error: unknown) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  const app = new Koa()
  app.silent = true
  const refuse = compileAccess(token)
  const open = new Set(routes.filter(route => route.open).map(route => routeAddress(route).path))
  const router = new Router({ sensitive: true, strict: true, exclusive: 'specificity', methods: [...METHODS] })
  // Large replies are made one after the other, one in each turn of the event loop: the free memory is looked at in between.
  let last = Promise.resolve()
  for (const route of routes) {
    const { method, path } = routeAddress(route)
    const read = compileCallReader(route)
    router.register(path.replace(/\{([^{}]+)\}/g, ':$1'), [method.toLowerCase()], async ctx => {
      const call = await read(ctx as never, ctx.params)
      last = last.then(breathe)
      await last
      writeControlReply(ctx as never, 'refusal' in call ? call.refusal : await route.handle(call))
    })
  }
  app.use(async (ctx, next) => {
    try {
      const refusal = refuse(ctx, open.has(ctx.path) || isConsolePath(ctx.path))
      if (refusal === undefined) await next()
      else writeControlReply(ctx, refusal)
      if (ctx.body === undefined && ctx.status >= 400) {
        const [code, detail] = NOWHERE[ctx.status] ?? ['error', 'the control plane could not answer']
        writeControlReply(ctx, problem(ctx.status, code, detail))
      }
    } catch (error) {
      if (error instanceof Full) return writeControlReply(ctx, problem(507, 'insufficient_storage', error.message))
      if (error instanceof Unavailable) {
        const refusal = problem(503, 'unavailable', `the state is unavailable: ${error.message}`)
        return writeControlReply(ctx, { ...refusal, headers: retryAfter(1000) })
      }
      failed(error)
      writeControlReply(ctx, problem(500, 'internal_error', 'internal error; see the log'))
    }
  })
  app.use(serveConsole())
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app.callback()
}

const NOWHERE: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  404: ['not_found', 'the control plane does not have this path; see GET /openapi.json'],
  405: ['method_not_allowed', 'the path does not support this method; see the header Allow'],
}

function writeControlReply(ctx: Koa.Context, { status, type, headers = {}, body }: ControlReply): void {
  ctx.status = status
  ctx.set({ ...GUARD_HEADERS, ...headers })
  if (body === undefined) return
  ctx.body = body instanceof Readable || typeof body === 'string' ? body : stringifyJson(body)
  if (type !== undefined) ctx.type = type
}
