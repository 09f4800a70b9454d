// Reads a request's body: lazily, bounded, decompressed. The only file that knows koa-bodyparser.

import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { problems } from '../kernel/problem.ts'
import { NO_HEADERS } from '../kernel/reply.ts'
import type { BodyRead } from '../kernel/request.ts'

type BodyReader = (ctx: Koa.Context) => Promise<BodyRead>

const CODINGS = 'gzip, deflate, br'

/** @param maxBytes the largest body, after decompression */
export function compileBodyReader(maxBytes: number): BodyReader {
  // Every type as "text", and the text not decoded: what the bytes mean is for the contract to say.
  const options = { enableTypes: ['text'], extendTypes: { text: ['*/*'] }, textLimit: maxBytes, encoding: null }
  const parse = bodyParser(options as never)
  return async ctx => {
    // The client waits for this before it sends anything, so that a refusal costs it nothing (RFC 9110 §10.1.1).
    if (ctx.req.headers.expect !== undefined) ctx.res.writeContinue()
    // The parser takes a body without a type for none at all.
    ctx.req.headers['content-type'] ??= 'application/octet-stream'
    try {
      await parse(ctx as never, async () => {})
      const { body } = ctx.request as { body?: unknown }
      return { bytes: body instanceof Uint8Array ? body : NOTHING }
    } catch (error) {
      return describe(error as NodeJS.ErrnoException & { type?: string; status?: number }, maxBytes)
    }
  }
}

const NOTHING = new Uint8Array()

function describe(
  { type, status, code }: { type?: string; status?: number; code?: string },
  maxBytes: number,
): BodyRead {
  if (type === 'entity.too.large') {
    const detail = `the body is larger than ${maxBytes} bytes`
    return { problem: problems.payload_too_large, detail, headers: NO_HEADERS }
  }
  if (type === 'encoding.unsupported' || status === 415) {
    const headers = { 'accept-encoding': CODINGS }
    const detail = `the content encoding is not supported; ${CODINGS} are`
    return { problem: problems.unsupported_media_type, detail, headers }
  }
  const detail = code?.startsWith('Z_') ? 'the body cannot be decompressed' : 'the body did not arrive whole'
  return { problem: problems.invalid_request, detail, headers: NO_HEADERS }
}
