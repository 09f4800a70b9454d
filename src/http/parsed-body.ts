// The body of a request that a body parser in front of the gateway has already read.

import type { Context } from 'koa'
import { problems } from '../kernel/problem.ts'
import { NO_HEADERS } from '../kernel/reply.ts'
import type { BodyRead } from '../kernel/request.ts'
import { type BodyReader, compileBodyReader } from './body.ts'

/**
 * Returns the body that koa-bodyparser, koa-body or the like has left in `ctx.request`; `undefined` if none has
 * read it. The text as it was sent (`rawBody`) is preferred: a body that is written anew has lost the order of its digits.
 */
function parsedBody({ req, request }: Context): BodyRead | undefined {
  if (!req.readableDidRead) return undefined
  const { rawBody, body } = request as { readonly rawBody?: unknown; readonly body?: unknown }
  const bytes = bytesOf(rawBody) ?? bytesOf(body) ?? written(body, req.headers['content-type'] ?? '')
  return bytes === undefined ? LOST : { bytes }
}

const bytesOf = (body: unknown): Uint8Array | undefined =>
  typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : undefined

function written(body: unknown, type: string): Uint8Array | undefined {
  if (/^[^;]*[/+]json\b/i.test(type)) return bytesOf(JSON.stringify(body))
  if (!/^application\/x-www-form-urlencoded\b/i.test(type) || typeof body !== 'object' || body === null)
    return undefined
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return bytesOf(new URLSearchParams(fields).toString())
}

const LOST: BodyRead = {
  problem: problems.not_simulated,
  detail: 'a body parser has already read this body and kept no rawBody; mount the gateway before the parser',
  headers: NO_HEADERS,
}

/** As `compileBodyReader`, behind middleware that may have read the body. */
export function compileLateBodyReader(maxBytes: number, awaited: boolean): BodyReader {
  const read = compileBodyReader(maxBytes, awaited)
  return async ctx => parsedBody(ctx) ?? read(ctx)
}
