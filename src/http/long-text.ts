// Writes texts of many megabytes a piece at a time: encoding one holds the event loop for 2 ms a megabyte.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { breathe } from '../world/clock.ts'

/** A longer text, in characters, is written in pieces. */
export const LONG = 4_000_000
/** Characters of a piece. */
const PIECE = 1_000_000

/** Cuts a text, but not within a surrogate pair. */
function* piecesOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + PIECE
    if (isLeading(text.charCodeAt(to - 1))) to += 1
    yield text.slice(from, to)
    from = to
  }
}

/** Whether a code unit is the first of a surrogate pair. */
const isLeading = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Writes a text and ends the response, each piece when the client has taken the one before. */
export async function writeInPieces(res: ServerResponse, text: string, encoding: BufferEncoding): Promise<void> {
  for (const piece of piecesOf(text)) {
    if (res.destroyed) return
    if (!res.write(piece, encoding)) await drained(res)
    await breathe()
  }
  res.end()
}

/** Resolves when more can be written, or when the connection has closed. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.on('drain', end).on('close', end)
  })

/** The pieces of a text as a stream. */
export const streamOf = (text: string): Readable => Readable.from(inTurns(text), { objectMode: false })

async function* inTurns(text: string): AsyncIterable<Buffer> {
  for (const piece of piecesOf(text)) {
    yield Buffer.from(piece)
    await breathe()
  }
}
