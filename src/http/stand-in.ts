// The Koa middleware of the API: makes a `Request`, passes it to the gateway, and writes its `Reply`.

import type { Context } from 'koa'
import type { Gateway } from '../gateway/gateway.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, withHeaders } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Plan } from '../plan/plan.ts'
import type { Delivery } from '../plan/settings.ts'
import { type BodyReader, compileBodyReader } from './body.ts'
import { DataRequest } from './data-request.ts'
import { compileFaultFinder } from './message-fault.ts'
import { exposedNames } from './reply-fields.ts'
import type { Status } from './status.ts'
import { writeReply } from './wire.ts'

/** Reads requests from Koa contexts and writes replies to them. */
export interface ContextAdapter {
  /** Writes a reply as the response. Throws before writing if a header is invalid. */
  readonly write: (ctx: Context, reply: Reply, delivery: Delivery) => void
  readonly compileBodyReader: (maxBytes: number) => BodyReader
  /** Returns the part of the path that was taken off before: `/mock`. */
  readonly prefixOf: (ctx: Context) => string
}

/** For the middleware that is the last one of our application, and writes its reply itself. */
export const LAST: ContextAdapter = {
  write: ({ req, res }, reply, delivery) => writeReply(req, res, reply, delivery),
  compileBodyReader,
  prefixOf: () => '',
}

/**
 * Returns the middleware that answers every request.
 *
 * @param status answers for the paths that are exposed beside the API
 */
export function createStandIn(
  gateway: Gateway,
  status: Status,
  adapter: ContextAdapter,
): (ctx: Context) => Promise<void> {
  const { write, compileBodyReader, prefixOf } = adapter
  const replyExposed = async ({ method, path, headers: { accept } }: Request): Promise<Reply> => {
    if (method === 'GET' || method === 'HEAD') return status(path, accept as string | undefined)
    const headers = { allow: 'GET, HEAD, OPTIONS' }
    if (method === 'OPTIONS') return { status: 204, headers, body: undefined }
    return gateway.refuse(problems.method_not_allowed, `${method} is not allowed here; use ${headers.allow}`, headers)
  }
  /** Replies with 500 where HTTP cannot carry a header of the reply. */
  const replyInternalError = async (error: unknown, ctx: Context): Promise<void> => {
    gateway.reportFailure(error)
    const reply = await gateway.refuse(problems.internal_error, 'something broke')
    write(ctx, reply, gateway.plan.simulation.delivery)
  }
  const faultOf = compileFaultFinder()
  let maxBody = gateway.plan.simulation.limits.body
  let readBody = compileBodyReader(maxBody)
  const replyTo = (ctx: Context): Promise<Reply> => {
    const { req, res } = ctx
    const fault = faultOf(req, res)
    if (fault !== undefined) return gateway.refuse(...fault)
    const request = new DataRequest(req, res, prefixOf(ctx), () => readBody(ctx))
    const { path } = request
    if (EXPOSABLE.has(path) && isExposed(path, gateway.plan)) return replyExposed(request)
    return gateway.handle(request)
  }
  return ctx => {
    const { limits, delivery } = gateway.plan.simulation
    if (limits.body !== maxBody) {
      maxBody = limits.body
      readBody = compileBodyReader(maxBody)
    }
    return replyTo(ctx).then(reply => {
      try {
        write(ctx, opened(ctx, reply), delivery)
      } catch (error) {
        return replyInternalError(error, ctx)
      }
    })
  }
}

/** Returns the reply with all its headers readable for an admitted page of another origin. */
const opened = ({ res }: Context, reply: Reply): Reply =>
  res.hasHeader('access-control-allow-origin') && !res.hasHeader('access-control-expose-headers')
    ? withHeaders(reply, { 'access-control-expose-headers': exposedNames(reply.headers) })
    : reply

const EXPOSABLE = new Set(['/', '/metrics', '/healthz', '/readyz'])

/** A path of the contract is never taken from it. */
const isExposed = (path: string, { simulation, methodsOf }: Plan): boolean =>
  (path === '/' || (simulation.expose as readonly string[]).includes(path.slice(1))) && methodsOf(path).length === 0
