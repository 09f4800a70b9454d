// Gives a reply to Koa, which writes it once the middleware in front has had its turn.

import type { Context } from 'koa'
import type { Reply } from '../kernel/reply.ts'
import type { Delivery } from '../plan/settings.ts'
import { fieldsOf } from './reply-fields.ts'
import { writeReply } from './wire.ts'

/** Sets status, headers and body of a context; a fault of the wire is written at once. Throws where a header cannot be. */
export function giveReply(ctx: Context, reply: Reply, delivery: Delivery): void {
  const { status, headers, body, wire } = reply
  if (wire !== undefined) {
    ctx.respond = false
    writeReply(ctx.req, ctx.res, reply, delivery)
    return
  }
  ctx.status = status
  const fields = fieldsOf(headers, delivery.vary)
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
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : bodyOf(body, status)
  if (!typed) ctx.remove('content-type')
}

/** Statuses without a body (RFC 9110 §15). For all others Koa writes the reason where the body is `null`. */
const EMPTY = new Set([204, 205, 304])

const bodyOf = (body: string | undefined, status: number): string | null => (EMPTY.has(status) ? null : (body ?? ''))
