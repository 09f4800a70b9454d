// Makes a reply of the real API comparable: its fields by name, its body without content encoding.

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { put } from '../../kernel/json.ts'
import type { ObservedReply } from './differences.ts'

/** The bytes of a body that are compared, before and after it is decoded. */
export const MOST_COMPARED = 4 * 2 ** 20

const DECODERS: Readonly<Record<string, typeof gunzipSync | typeof brotliDecompressSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * @param fields names and values in turn
 * @param body unset if it is too large to be compared
 */
export function observe(status: number, fields: readonly string[], body: Uint8Array | undefined): ObservedReply {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase()
    put(headers, name, headers[name] === undefined ? (fields[i + 1] as string) : `${headers[name]}, ${fields[i + 1]}`)
  }
  const reply = { status, headers }
  if (body === undefined) return { ...reply, body, isPartial: true }
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity' || body.length === 0) return { ...reply, body }
  const decode = DECODERS[encoding]
  if (decode === undefined) return { ...reply, body: undefined, isPartial: true }
  try {
    return { ...reply, body: decode(body, { maxOutputLength: MOST_COMPARED }) }
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    const why = isLarge ? { isPartial: true } : { undecoded: `a body that is not ${encoding}` }
    return { ...reply, body: undefined, ...why }
  }
}
