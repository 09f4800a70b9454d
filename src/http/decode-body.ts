// Reads a body that is compressed or has no Content-Length. The only file that imports koa-bodyparser.

import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import bodyParser from 'koa-bodyparser'

const DECODERS = {
  identity: () => new PassThrough(),
  gzip: createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
}
export type Coding = keyof typeof DECODERS

/**
 * Returns the bytes, or the reason why there are none.
 *
 * @param maxBytes the largest body, after decompression
 */
export async function decodeBody(
  req: IncomingMessage,
  coding: Coding,
  maxBytes: number,
): Promise<Uint8Array | 'too large' | 'unreadable' | 'cut'> {
  // Every body is undecoded "text": the contract decides about the meaning of the bytes.
  const parse = bodyParser({ enableTypes: ['text'], textLimit: maxBytes, encoding: null } as never)
  const request: { is(): boolean; body?: unknown } = { is: () => true }
  const decoded = Object.assign(req.pipe(DECODERS[coding]()), { headers: {} })
  try {
    await parse({ req: decoded, request } as never, async () => {})
  } catch (error) {
    const { type } = error as { type?: string }
    if (type === 'entity.too.large') return 'too large'
    // Errors of the decompression have no type.
    return type === undefined ? 'unreadable' : 'cut'
  }
  return request.body instanceof Uint8Array ? request.body : new Uint8Array()
}
