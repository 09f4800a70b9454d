// The control plane: a Koa application on a separate port, so that its paths do not collide with the API. Mounts the
// routes of `control/`.

import { createHash, timingSafeEqual } from 'node:crypto'
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa from 'koa'
import { stringifyJson } from '../../kernel/json.ts'
import { retryAfter } from '../../kernel/reply.ts'
import { Full } from '../../world/budget.ts'
import { breathe } from '../../world/clock.ts'
import { Unavailable } from '../../world/engines/engine.ts'
import { isConsolePath, serveConsole } from '../console-files.ts'
import { compileCallReader } from './read-call.ts'
import { GUARD_HEADERS, problem } from './replies.ts'
import type { ControlReply, ControlRoute } from './route.ts'

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
  const turn = turns()
  const open = new Set(routes.filter(route => route.open).map(({ path }) => path))
  const router = new Router({ sensitive: true, strict: true, exclusive: 'specificity', methods: [...METHODS] })
  for (const route of routes) {
    const read = compileCallReader(route)
    router.register(route.path.replace(/\{([^{}]+)\}/g, ':$1'), [route.method.toLowerCase()], async ctx => {
      const call = await read(ctx as never, ctx.params)
      await turn()
      write(ctx as never, 'refusal' in call ? call.refusal : await route.answer(call))
    })
  }

  app.use(async (ctx, next) => {
    try {
      const refusal = refuse(ctx, open.has(ctx.path) || isConsolePath(ctx.path))
      if (refusal === undefined) await next()
      else write(ctx, refusal)
      if (ctx.body === undefined && ctx.status >= 400) {
        const [code, detail] = NOWHERE[ctx.status] ?? ['error', 'the control plane could not answer']
        write(ctx, problem(ctx.status, code, detail))
      }
    } catch (error) {
      if (error instanceof Full) return write(ctx, problem(507, 'insufficient_storage', error.message))
      if (error instanceof Unavailable) {
        return write(ctx, {
          ...problem(503, 'unavailable', `the state is unavailable: ${error.message}`),
          headers: retryAfter(1000),
        })
      }
      failed(error)
      write(ctx, problem(500, 'internal_error', 'internal error; see the log'))
    }
  })
  app.use(serveConsole())
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app.callback()
}

/**
 * Returns a function that resolves once in each turn of the event loop, in the order of its calls: large replies are made one
 * after the other, so that the free memory is looked at in between.
 */
function turns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(breathe)
    return last
  }
}

const NOWHERE: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  404: ['not_found', 'the control plane does not have this path; see GET /openapi.json'],
  405: ['method_not_allowed', 'the path does not support this method; see the header Allow'],
}

function write(ctx: Koa.Context, { status, type, headers = {}, body }: ControlReply): void {
  ctx.status = status
  ctx.set({ ...GUARD_HEADERS, ...headers })
  if (body === undefined) return
  ctx.body = body instanceof Readable || typeof body === 'string' ? body : stringifyJson(body)
  if (type !== undefined) ctx.type = type
}

// Access to the control plane: programs on this machine, or clients with the token; never foreign web pages.

/** The control plane would listen where anybody can reach it. */
export class UnguardedControlPlane extends Error {
  override readonly name = 'UnguardedControlPlane'
}

/**
 * Throws if the control plane would be open to other machines without a token, or if no header can carry its token.
 */
export function checkGuarded(host: string, token: string | undefined): void {
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new UnguardedControlPlane(
      'UNDERSTUDY_CONTROL_TOKEN contains a character that a bearer token cannot have; use visible ASCII characters without blanks',
    )
  }
  if (token !== undefined || isLoopback(host)) return
  throw new UnguardedControlPlane(
    `the control plane on ${host} can be reached from other machines: set UNDERSTUDY_CONTROL_TOKEN to a secret that its clients send as a bearer token`,
  )
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/**
 * Returns the refusal of a request, if there is one.
 *
 * @param token the token that a client must send; `undefined` on loopback, where being there is enough
 */
export function compileAccess(
  token: string | undefined,
): (ctx: Koa.Context, open: boolean) => ControlReply | undefined {
  const expected = token === undefined ? undefined : digest(token)
  return (ctx, open) => {
    if (isForeignPage(ctx)) {
      return problem(403, 'foreign_origin', 'the control plane does not answer pages of another origin')
    }
    // A foreign name that was rebound to loopback would make a page of another origin look like our own. Where a token
    // is asked for, such a page has none.
    if (expected === undefined) {
      if (isLoopback(ctx.hostname) || ctx.hostname === '') return undefined
      return problem(403, 'foreign_host', 'the Host field must be localhost or an address')
    }
    if (open) return undefined
    const sent = /^bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1]
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return undefined
    const challenge = `Bearer realm="control plane"${sent === undefined ? '' : ', error="invalid_token"'}`
    const detail = sent === undefined ? 'a bearer token is missing' : 'the bearer token is wrong'
    return { ...problem(401, 'unauthorized', detail), headers: { 'www-authenticate': challenge } }
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns whether a page of another origin sent the request, by the headers of browsers. A link may come from any page. */
function isForeignPage(ctx: Koa.Context): boolean {
  const origin = ctx.get('Origin')
  if (origin !== '') return origin !== `${ctx.protocol}://${ctx.host}`
  const site = ctx.get('Sec-Fetch-Site')
  if (site === '' || site === 'same-origin' || site === 'none') return false
  return ctx.get('Sec-Fetch-Mode') !== 'navigate' || ctx.method !== 'GET' || FRAMES.has(ctx.get('Sec-Fetch-Dest'))
}

/** Navigations that a page of another origin causes without a click. */
const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe'])
