// The API's own port: one Koa middleware that turns a request into a Request, asks the gateway, and writes its Reply.

import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from '@koa/cors'
import Koa from 'koa'
import { METHODS } from '../contract/paths.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { problems } from '../kernel/problem.ts'
import type { BodyRead, Request } from '../kernel/request.ts'
import { compileBodyReader } from './body.ts'
import type { Status } from './status.ts'
import { writeReply } from './wire.ts'

const EXPOSED = [
  ...['Deprecation', 'Sunset', 'Link', 'Link-Template', 'Location', 'Retry-After', 'WWW-Authenticate', 'Allow', 'ETag'],
  ...['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['X-Stability'],
]

/** The handler of the API's port. `status` answers for the paths that are exposed beside the API. */
export function createDataPlane(gateway: Gateway, status: Status): (req: IncomingMessage, res: ServerResponse) => void {
  const app = new Koa()
  app.silent = true
  // Reflecting the origin, with credentials, is what lets every page in: a stand-in guards nothing.
  const withCors = cors({
    origin: ctx => ctx.get('Origin'),
    credentials: true,
    exposeHeaders: EXPOSED,
    allowMethods: [...METHODS],
    maxAge: 600,
    privateNetworkAccess: true,
  })
  app.use((ctx, next) => (ctx.req.headers.origin === undefined ? next() : withCors(ctx as never, next)))
  let maxBody = gateway.plan.simulation.limits.body
  let readBody = compileBodyReader(maxBody)
  app.use(async ctx => {
    const { req, res } = ctx
    ctx.respond = false
    const { limits, expose } = gateway.plan.simulation
    if (limits.body !== maxBody) {
      maxBody = limits.body
      readBody = compileBodyReader(maxBody)
    }
    const request = new DataRequest(ctx, readBody)
    const { method, path } = request
    if (EXPOSABLE.has(path) && (expose as readonly string[]).includes(path.slice(1))) {
      if ((method === 'GET' || method === 'HEAD') && gateway.plan.methodsOf(path).length === 0) {
        writeReply(req, res, await status(path), limits.request)
        return
      }
    }
    const reply = request.fault === undefined ? await gateway.handle(request) : await gateway.refuse(...request.fault)
    writeReply(req, res, reply, limits.request)
  })
  return app.callback()
}

const EXPOSABLE = new Set(['/metrics', '/healthz'])

class DataRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly #ctx: Koa.Context
  readonly #readBody: (ctx: Koa.Context) => Promise<BodyRead>
  #signal: AbortSignal | undefined

  constructor(ctx: Koa.Context, readBody: (ctx: Koa.Context) => Promise<BodyRead>) {
    const { req } = ctx
    const target = originForm(req.url as string)
    const query = target.indexOf('?')
    this.method = req.method as string
    this.path = query === -1 ? target : target.slice(0, query)
    this.query = query === -1 ? '' : target.slice(query + 1)
    this.headers = req.headers
    this.#ctx = ctx
    this.#readBody = readBody
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers
    return coding !== undefined || (length !== undefined && length !== '0')
  }

  readBody(): Promise<BodyRead> {
    return this.#readBody(this.#ctx)
  }

  get address(): string {
    return this.#ctx.req.socket.remoteAddress ?? ''
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const { res } = this.#ctx
      if (res.destroyed) controller.abort()
      // A response closes once: after it was written, or when its socket does.
      else res.once('close', () => controller.abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }

  /** What is wrong with the request as HTTP, where Node's parser lets it pass. */
  get fault(): Parameters<Gateway['refuse']> | undefined {
    const { httpVersionMinor } = this.#ctx.req
    if (this.headers.host === undefined && httpVersionMinor > 0) {
      return [problems.invalid_request, 'the request has no Host field']
    }
    return undefined
  }
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  if (match === null) return target
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
