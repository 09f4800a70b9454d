// A Koa middleware in types of our own: a program that uses the library without Koa needs no types of Koa.

import type { Context } from 'koa'
import { type BodyRead, NO_HEADERS, problems, type Reply } from '../kernel/http.ts'
import type { Delivery } from '../plan/settings.ts'
import { readBody } from './request.ts'
import { headerFields, writeReply } from './wire.ts'

/** The members of Koa's context that most middleware uses. */
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
interface Middleware {
  run(context: KoaContext, next: () => Promise<unknown>): unknown
}

/** A middleware for Koa 2 or 3. */
export type KoaMiddleware = Middleware['run']

// Gives a reply to Koa, which writes it once the middleware in front has had its turn.

/** Sets status, headers and body of a context; a fault of the wire is written at once. Throws where a header cannot be. */
export function giveReply(ctx: Context, reply: Reply, delivery: Delivery): void {
  const { status, headers, body, wire } = reply
  if (wire !== undefined) {
    ctx.respond = false
    writeReply(ctx.req, ctx.res, reply, delivery)
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
  // Koa takes any other object for JSON.
  ctx.body =
    body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : koaBodyOf(body, status)
  if (!typed) ctx.remove('content-type')
}

/** Statuses without a body (RFC 9110 §15). For all others Koa writes the reason where the body is `null`. */
const EMPTY = new Set([204, 205, 304])

const koaBodyOf = (body: string | undefined, status: number): string | null => (EMPTY.has(status) ? null : (body ?? ''))

// The body of a request that a body parser in front of the gateway has already read.

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
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return bodyBytes(new URLSearchParams(fields).toString())
}

const LOST: BodyRead = {
  problem: problems.not_simulated,
  detail: 'a body parser has already read this body and kept no rawBody; mount the gateway before the parser',
  headers: NO_HEADERS,
}

/** Reads a body as `readBody` does, behind middleware that may have read it. */
export const readLateBody = async (ctx: Context, maxBytes: number, awaited: boolean): Promise<BodyRead> =>
  parsedBody(ctx) ?? readBody(ctx, maxBytes, awaited)
