// Reads a body that is compressed or has no Content-Length. The only file that imports koa-bodyparser.

import type { Context } from 'koa'
import bodyParser from 'koa-bodyparser'

/** The bytes, or the reason why there are none. `coding` is one of the names that the parser accepts. */
export type BodyDecoder = (ctx: Context, coding: string) => Promise<Uint8Array | 'too large' | 'unreadable' | 'cut'>

/** @param maxBytes the largest body, after decompression */
export function compileBodyDecoder(maxBytes: number): BodyDecoder {
  // Parses every type as undecoded "text": the contract decides about the meaning of the bytes.
  const options = { enableTypes: ['text'], extendTypes: { text: ['*/*'] }, textLimit: maxBytes, encoding: null }
  const parse = bodyParser(options as never)
  return async (ctx, coding) => {
    const { headers } = ctx.req
    const { 'content-type': type, 'content-encoding': written } = headers
    // The parser ignores a body of an invalid type, and accepts codings in lower case only.
    headers['content-type'] = 'application/octet-stream'
    if (written !== undefined) headers['content-encoding'] = coding
    const parsed = parse(ctx as never, async () => {})
    // It has looked at both by now, before its first wait.
    headers['content-type'] = type
    if (written !== undefined) headers['content-encoding'] = written
    try {
      await parsed
    } catch (error) {
      const { type: kind } = error as { type?: string }
      if (kind === 'entity.too.large') return 'too large'
      // Errors of the decompression have no type.
      return kind === undefined ? 'unreadable' : 'cut'
    }
    const { body } = ctx.request as { body?: unknown }
    return body instanceof Uint8Array ? body : NOTHING
  }
}

const NOTHING = new Uint8Array()
