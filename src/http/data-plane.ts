// The Koa middleware of the API: makes a `Request`, passes it to the gateway, and writes its `Reply`. It is the last one of the
// application on the API's own port, which every request passes, or one of another application. The only file that imports
// @koa/cors.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import cors from '@koa/cors'
import Koa, { type Context, type Middleware } from 'koa'
import { METHODS } from '../contract/paths.ts'
import { type Gateway, servesPath } from '../gateway/gateway.ts'
import { type BodyRead, NO_HEADERS, problems, type Reply, type Request, withHeaders } from '../kernel/http.ts'
import type { Plan } from '../plan/plan.ts'
import type { CorsSettings, Delivery } from '../plan/settings.ts'
import type { RequestListener } from './listener.ts'
import { DataRequest, findMessageFault, readBody } from './request.ts'
import { createStatus, type Status } from './status.ts'
import { exposedNames, headerFields, watchDelivery, writeReply } from './wire.ts'

/**
 * Returns the handler of the API's port.
 *
 * @param status answers for the paths that are exposed beside the API
 * @param use middleware in front of the gateway: Koa then writes `ctx.body`, which the middleware may have changed
 */
export function createDataPlane(gateway: Gateway, status: Status, use: readonly KoaMiddleware[] = []): RequestListener {
  const settings = () => gateway.plan.simulation.listen.cors
  const deliveryOf = () => gateway.plan.simulation.delivery
  if (use.length === 0) {
    const answer = openToOrigins(settings, createStandIn(gateway, status, LAST))
    return runAlone(new Koa(), answer, gateway.reportFailure)
  }
  const app = new Koa()
  app.on('error', (error: { expose?: boolean; headerSent?: boolean }) => {
    // Not a client's mistake, nor a connection that the client has closed.
    if (error.expose !== true && error.headerSent !== true) gateway.reportFailure(error)
  })
  app.use(openToOrigins(settings, (_, next) => next()))
  app.use(async (ctx, next) => {
    const fault = findMessageFault(ctx.req, ctx.res)
    if (fault !== undefined) return giveReply(ctx, await gateway.refuse(...fault), deliveryOf())
    try {
      await next()
    } catch (error) {
      // Koa takes nothing that is thrown for no error, and would leave the client without a reply.
      throw error ?? new Error(`a middleware threw ${error}`)
    }
  })
  for (const middleware of use) app.use(middleware as Middleware)
  const read: ContextAdapter['readBody'] = (ctx, maxBytes) => readLateBody(ctx, maxBytes, true)
  app.use(createStandIn(gateway, status, { write: giveReply, readBody: read }))
  const handle = app.callback()
  return async (req, res) => {
    await handle(req, res)
    watchDelivery(req, res, deliveryOf().patience)
  }
}

/**
 * Returns a middleware for another application that answers as the API; it passes every request on once `closed` says so.
 *
 * @param unmatched whether requests to paths that the contract does not have are refused, or passed on
 */
export function mountStandIn(gateway: Gateway, unmatched: 'refuse' | 'next', closed: () => boolean): KoaMiddleware {
  const standIn = createStandIn(gateway, createStatus(gateway), {
    write: giveReply,
    // The server of the application has answered `Expect: 100-continue` already.
    readBody: (ctx, maxBytes) => readLateBody(ctx, maxBytes, false),
    prefixOf: ({ path, originalUrl }) => {
      const [sent = ''] = originalUrl.split('?', 1)
      return sent.endsWith(path) ? sent.slice(0, sent.length - path.length) : ''
    },
  })
  return (context: KoaContext, next) => {
    const passed = closed() || (unmatched === 'next' && !servesPath(gateway.plan, context.path))
    return passed ? next() : standIn(context as Context)
  }
}

/** Reads requests from Koa contexts and writes replies to them. */
interface ContextAdapter {
  /** Writes a reply as the response. Throws before writing if a header is invalid. */
  readonly write: (ctx: Context, reply: Reply, delivery: Delivery) => void
  readonly readBody: (ctx: Context, maxBytes: number) => Promise<BodyRead>
  /** Returns the part of a path that a router such as koa-mount has taken off: `/mock` of `/mock/v1/books?limit=2`. */
  readonly prefixOf?: (ctx: Context) => string
}

/** For the middleware that is the last one of our application, and writes its reply itself. */
const LAST: ContextAdapter = { write: writeReply, readBody }

function createStandIn(gateway: Gateway, status: Status, adapter: ContextAdapter): (ctx: Context) => Promise<void> {
  const { write, readBody, prefixOf } = adapter
  const replyExposed = async ({ method, path, headers: { accept } }: Request): Promise<Reply> => {
    if (method === 'GET' || method === 'HEAD') return status(path, accept as string | undefined)
    const headers = { allow: 'GET, HEAD, OPTIONS' }
    if (method === 'OPTIONS') return { status: 204, headers, body: undefined }
    return gateway.refuse(problems.method_not_allowed, `${method} is not allowed here; use ${headers.allow}`, headers)
  }
  return ctx => {
    const { req, res } = ctx
    const { plan } = gateway
    const { delivery } = plan.simulation
    const fault = findMessageFault(req, res)
    const request = new DataRequest(ctx, prefixOf?.(ctx) ?? '', readBody)
    const replying =
      fault !== undefined
        ? gateway.refuse(...fault)
        : EXPOSABLE.has(request.path) && isExposed(request.path, plan)
          ? replyExposed(request)
          : gateway.handle(request)
    return replying.then(reply => {
      try {
        write(ctx, res.hasHeader('access-control-allow-origin') ? withReadableHeaders(ctx, reply) : reply, delivery)
      } catch (error) {
        // HTTP cannot carry a header of the reply.
        gateway.reportFailure(error)
        return gateway.refuse(problems.internal_error, 'internal error').then(refusal => write(ctx, refusal, delivery))
      }
    })
  }
}

/** Returns the reply with all its headers readable for an admitted page of another origin. */
const withReadableHeaders = ({ res }: Context, reply: Reply): Reply =>
  res.hasHeader('access-control-expose-headers')
    ? reply
    : withHeaders(reply, { 'access-control-expose-headers': exposedNames(reply.headers) })

const EXPOSABLE = new Set(['/', '/metrics', '/healthz', '/readyz'])

/** A path of the contract is never taken from it. */
const isExposed = (path: string, { simulation, methodsOf }: Plan): boolean =>
  (path === '/' || (simulation.expose as readonly string[]).includes(path.slice(1))) && methodsOf(path).length === 0

/** Opens a middleware to the origins that `settings` admit: answers their preflights, and opens its replies to them. */
function openToOrigins(settings: () => CorsSettings | undefined, middleware: OurMiddleware): OurMiddleware {
  const admit = cors({
    // A wildcard admits no credentials, so the origin is named.
    origin: ctx => ctx.get('Origin'),
    credentials: () => settings()?.credentials ?? false,
    allowMethods: [...METHODS],
    maxAge: 600,
    privateNetworkAccess: true,
  }) as unknown as Middleware
  return (ctx, next) => {
    const { method, headers } = ctx.req
    if (headers.origin === undefined || settings()?.admits(headers.origin) !== true) return middleware(ctx, next)
    ctx.set('Cache-Control', 'no-store')
    const isPreflight = method === 'OPTIONS' && Boolean(headers['access-control-request-method'])
    return admit(ctx, () => middleware(ctx, next)).then(() => void (isPreflight && ctx.res.end()))
  }
}

type OurMiddleware = (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>

/**
 * Returns the handler of a Koa application whose one middleware writes the response itself. Koa's own `callback` would also watch
 * the end of the response and write `ctx.body`, which costs 4 µs of a request that costs 15: listPets takes 1.24 times the
 * processor time of a bare `node:http` server, and 1.65 times with `callback`. The middleware must end or destroy every response
 * and must not throw: a connection whose middleware throws is closed.
 *
 * @param failed is called with the error of a middleware that throws
 */
export function runAlone(app: Koa, middleware: OurMiddleware, failed: (error: unknown) => void): RequestListener {
  return async (req: IncomingMessage, res: ServerResponse) => {
    try {
      await middleware(app.createContext(req, res) as Context, nothing)
    } catch (error) {
      res.destroy()
      failed(error)
    }
  }
}

const nothing = async (): Promise<void> => {}

/** The members of the context of Koa that most middleware uses: a program that uses the library without Koa needs no types of Koa. */
export interface KoaContext {
  readonly method: string
  path: string
  readonly originalUrl: string
  status: number
  body: unknown
  /** Unset: Koa writes `body` when all middleware has run. */
  respond?: boolean | undefined
  readonly request: object
  readonly response: object
  readonly req: object
  readonly res: object
  /** Returns a field of the request; empty where it has none. */
  get(field: string): string
  /** Sets a field of the response. */
  set(field: string, value: string): void
}

/** A method, so that a middleware whose context has more members is one too. */
interface MiddlewareMethod {
  run(context: KoaContext, next: () => Promise<unknown>): unknown
}

/** A middleware for Koa 2 or 3. */
export type KoaMiddleware = MiddlewareMethod['run']

/** Sets status, headers and body of a context; a fault of the wire is written at once. Throws where a header cannot be. */
function giveReply(ctx: Context, reply: Reply, delivery: Delivery): void {
  const { status, headers, body, wire, stream } = reply
  if (wire !== undefined) {
    ctx.respond = false
    writeReply(ctx, reply, delivery)
    return
  }
  ctx.status = status
  const fields = headerFields(headers, delivery.vary)
  try {
    for (let i = 0; i < fields.length; i += 2) {
      const name = String(fields[i])
      const value = String(fields[i + 1])
      if (name === 'vary') ctx.vary(value.split(/ *, */))
      else ctx.set(name, value)
    }
  } catch (error) {
    for (let i = 0; i < fields.length; i += 2) ctx.remove(String(fields[i]))
    throw error
  }
  const typed = ctx.res.hasHeader('content-type')
  if (stream !== undefined) {
    for (const [name, value] of stream.fields) ctx.append(name, value)
    ctx.body = EMPTY.has(status) ? null : Readable.from(stream.chunks)
    return
  }
  // Koa takes any other object for JSON.
  ctx.body =
    body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : koaBodyOf(body, status)
  if (!typed) ctx.remove('content-type')
}

/** Statuses without a body (RFC 9110 §15). For all others Koa writes the reason where the body is `null`. */
const EMPTY = new Set([204, 205, 304])

const koaBodyOf = (body: string | undefined, status: number): string | null => (EMPTY.has(status) ? null : (body ?? ''))

/**
 * Returns the body that koa-bodyparser, koa-body or the like has left in `ctx.request`; `undefined` if none has
 * read it. The text as it was sent (`rawBody`) is preferred: a body that is written anew has lost the order of its digits.
 */
function parsedBody({ req, request }: Context): BodyRead | undefined {
  if (!req.readableDidRead) return undefined
  const { rawBody, body } = request as { readonly rawBody?: unknown; readonly body?: unknown }
  const bytes = bodyBytes(rawBody) ?? bodyBytes(body) ?? writtenBody(body, req.headers['content-type'] ?? '')
  return bytes === undefined ? LOST : { bytes }
}

const bodyBytes = (body: unknown): Uint8Array | undefined =>
  typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : undefined

function writtenBody(body: unknown, type: string): Uint8Array | undefined {
  if (/^[^;]*[/+]json\b/i.test(type)) return bodyBytes(JSON.stringify(body))
  if (!/^application\/x-www-form-urlencoded\b/i.test(type) || typeof body !== 'object' || body === null)
    return undefined
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((member): [string, string] => [name, String(member)]),
  )
  return bodyBytes(new URLSearchParams(fields).toString())
}

const LOST: BodyRead = {
  problem: problems.not_simulated,
  detail: 'a body parser has already read this body and kept no rawBody; mount the gateway before the parser',
  headers: NO_HEADERS,
}

/** Reads a body as `readBody` does, behind middleware that may have read it. */
const readLateBody = async (ctx: Context, maxBytes: number, awaited: boolean): Promise<BodyRead> =>
  parsedBody(ctx) ?? readBody(ctx, maxBytes, awaited)
