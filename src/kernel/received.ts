// Reads the messages of other servers: fields, and bodies without their content encoding. Bounded in bytes.

import { type Duplex, Readable } from 'node:stream'
import type { Headers, Unread } from './http.ts'
import { put } from './json.ts'

export const unread = (why: string, corrupt = false): Unread => ({ why, corrupt })
/** A body whose connection was closed before its end. */
export const BROKEN_OFF = unread('broke off')
export const tooLong = (most: number): Unread => unread(`is larger than ${most} bytes`)

/** A message that was read. */
export interface Received {
  readonly headers: Headers
  readonly body: Uint8Array | Unread
}

/**
 * Reads a message, up to `most` bytes of its body before and after it is decoded. If it breaks off, its body is `BROKEN_OFF`.
 *
 * @param fields names and values in turn
 */
export async function receive(
  { fields, body }: { readonly fields: readonly string[]; readonly body: AsyncIterable<Uint8Array> },
  most: number,
): Promise<Received> {
  const headers = joinFields(fields)
  const sent = await collect(body, most).catch(() => BROKEN_OFF)
  return { headers, body: await decodeBody(sent, headers['content-encoding'], most) }
}

/** Returns fields by their lower-case names; those of the same name are joined. */
export function joinFields(fields: readonly string[]): Headers {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [name, value] = [(fields[i] as string).toLowerCase(), fields[i + 1] as string]
    put(headers, name, headers[name] === undefined ? value : `${headers[name]}, ${value}`)
  }
  return headers
}

async function collect(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array | Unread> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > most) return tooLong(most)
    parts.push(piece)
  }
  return Buffer.concat(parts)
}

/** Returns a body that is still to be read, and calls back with a copy in the end, if it has at most `most` bytes. */
export function withCopy(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array,
  most: number,
  end: (copy: Uint8Array | Unread) => void,
): Readable {
  const source = pieces instanceof Readable ? pieces : Readable.from(pieces instanceof Uint8Array ? [pieces] : pieces)
  const parts: Uint8Array[] = []
  let size = 0
  // A listener would make it flow before there is one that passes it on.
  source.pause()
  source.on('data', (piece: Uint8Array) => {
    size += piece.length
    if (size > most) parts.length = 0
    else parts.push(piece)
  })
  source.on('end', () => end(size > most ? tooLong(most) : Buffer.concat(parts)))
  const close = (): void => void (source.readableEnded || end(BROKEN_OFF))
  if (source.closed) close()
  else source.on('close', close)
  return source
}

/** The functions of Node; that of zstd came with 22.15. */
const DECODERS: Readonly<Record<string, string>> = {
  gzip: 'createUnzip',
  'x-gzip': 'createUnzip',
  deflate: 'createUnzip',
  br: 'createBrotliDecompress',
  zstd: 'createZstdDecompress',
}

/** Undoes a `Content-Encoding` (RFC 9110 §8.4.1). */
export async function decodeBody(
  sent: Uint8Array | Unread,
  coding = 'identity',
  most: number,
): Promise<Uint8Array | Unread> {
  const name = coding.trim().toLowerCase()
  if ('why' in sent || sent.length === 0 || name === 'identity' || name === '') return sent
  const zlib = (await import('node:zlib')) as unknown as Readonly<Record<string, (() => Duplex) | undefined>>
  const create = zlib[DECODERS[name] ?? '']
  if (create === undefined)
    return unread(`has the content encoding ${name}, which this version of Node does not decode`)
  const decoder = create()
  decoder.end(sent)
  try {
    return await collect(decoder, most)
  } catch {
    return unread(`is not ${name}`, true)
  }
}
