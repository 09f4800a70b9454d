// Reads a request's body: lazily, bounded, decompressed.

import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { problems } from '../kernel/problem.ts'
import { NO_HEADERS } from '../kernel/reply.ts'
import type { BodyRead } from '../kernel/request.ts'
import { atFirstUse } from './at-first-use.ts'

export type BodyReader = (ctx: Context) => Promise<BodyRead>

/**
 * A body that is not compressed and says how long it is arrives as it is; the body parser sees to all others.
 *
 * @param maxBytes the largest body, after decompression
 * @param awaited whether a client that expects `100 Continue` is waiting for it still
 */
export function compileBodyReader(maxBytes: number, awaited = true): BodyReader {
  const tooLarge: BodyRead = {
    problem: problems.payload_too_large,
    detail: `the body is larger than ${maxBytes} bytes`,
    headers: NO_HEADERS,
  }
  const decoder = atFirstUse(async () => (await import('./decode-body.ts')).compileBodyDecoder(maxBytes))
  const decode = async (ctx: Context, coding: string): Promise<BodyRead> => {
    const read = await decoder()
    const bytes = await read(ctx, coding)
    if (bytes === 'too large') return tooLarge
    return bytes === 'unreadable' ? UNREADABLE : bytes === 'cut' ? CUT : { bytes }
  }
  return async ctx => {
    const { req } = ctx
    const { expect, 'content-encoding': written = '', 'content-length': length } = req.headers
    const coding = CODINGS.get(written.trim().toLowerCase())
    if (coding === undefined) return UNSUPPORTED
    if (coding === 'identity' && Number(length) > maxBytes) return tooLarge
    // The client waits for this before it sends anything, so that a refusal costs it nothing; a client of HTTP/1.0 would
    // take it for the reply (RFC 9110 §10.1.1).
    if (awaited && expect !== undefined && req.httpVersionMinor > 0) ctx.res.writeContinue()
    if (coding === 'identity' && length !== undefined) return readAsItIs(req)
    // A decompressor does not notice that the client disconnected, and would wait for the rest for ever.
    const gone = new Promise<BodyRead>(resolve => req.once('close', () => void (req.complete || resolve(CUT))))
    return Promise.race([decode(ctx, coding), gone])
  }
}

/** Reads the body unchanged. Node's parser limits it to its announced length. */
const readAsItIs = (req: IncomingMessage): Promise<BodyRead> =>
  new Promise(resolve => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }))
    // No more data arrives. An error has no listener and is followed by this event.
    req.on('close', () => void (req.complete || resolve(CUT)))
  })

/** RFC 9110 §8.4.1: names are compared without case; an empty field means no coding. */
const CODINGS = new Map([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
])

const UNSUPPORTED: BodyRead = {
  problem: problems.unsupported_media_type,
  detail: 'the content encoding is not supported; use gzip, deflate or br',
  headers: { 'accept-encoding': 'gzip, deflate, br' },
}

const invalid = (detail: string): BodyRead => ({ problem: problems.invalid_request, detail, headers: NO_HEADERS })
const UNREADABLE = invalid('the body cannot be decompressed')
const CUT = invalid('the body is incomplete')
