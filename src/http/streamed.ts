// Writes bodies that arrive while they are sent: at the speed of the client, or broken, as a fault wants it.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { ReplyStream, Wire } from '../kernel/http.ts'

/**
 * Writes a body as it arrives, after the head has been made. If it breaks off, the connection is cut: the client must not take it
 * for whole.
 *
 * @param patience the longest time in milliseconds in which a client may take nothing while the rest waits
 */
export function passOn(res: ServerResponse, stream: ReplyStream, patience: number): void {
  const cut = () => void res.destroy()
  const end = (): void => {
    if (res.destroyed) return
    try {
      res.addTrailers(stream.trailers())
      res.end()
    } catch {
      cut()
    }
  }
  // Most replies have arrived with their head, and are sent with it.
  const arrivedBody = stream.whole?.()
  if (arrivedBody !== undefined) {
    if (arrivedBody.length > 0) res.write(arrivedBody)
    end()
    return
  }
  const source = stream.chunks instanceof Readable ? stream.chunks : Readable.from(stream.chunks)
  // A body that broke off while latency ran has emitted its last event.
  if (source.destroyed && !source.readableEnded) {
    cut()
    return
  }
  // The head does not wait for a body that has not begun.
  setImmediate(() => void (res.destroyed || res.writableEnded || res.flushHeaders()))
  // Node's `pipe` and `pipeline` add more listeners, and a watch of each pause was a timer and a promise for every 64 kB.
  const timer = setTimeout(() => void (res.writableNeedDrain && cut()), patience)
  timer.unref()
  source.on('data', (chunk: Uint8Array) => {
    if (res.write(chunk)) return
    source.pause()
    timer.refresh()
  })
  source.on('end', end).on('error', cut)
  source.on('close', () => void (source.readableEnded || cut()))
  res.on('drain', () => source.resume())
  res.on('close', () => {
    clearTimeout(timer)
    source.destroy()
  })
  source.resume()
}

/** Resolves when more can be written, or when the connection has closed. */
export const drained = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.on('drain', end).on('close', end)
  })

/** How often a drop falls, in milliseconds, unless a byte takes longer. */
const DROP_INTERVAL = 50

/** Writes a part of a body, or all of it slowly, after the head has been made. @param length that of the body; `NaN` if unknown */
export async function breakOff(
  socket: Socket,
  res: ServerResponse,
  chunks: ReplyStream['chunks'],
  wire: BreakingWire,
  length: number,
): Promise<void> {
  res.flushHeaders()
  const pieces = brokenOff(chunks, wire, length)
  for (;;) {
    const { done, value } = await pieces.next()
    if (done === true) {
      if (value) res.end()
      else socket.destroySoon()
      return
    }
    if (!res.write(value)) await drained(res)
    if (res.destroyed) await pieces.return(false)
  }
}

export type BreakingWire = Wire & { readonly kind: 'truncate' | 'drip' }

/** Yields a part of a body, or all of it slowly. Returns whether it was all. @param length that of the body; `NaN` if unknown */
export async function* brokenOff(
  chunks: ReplyStream['chunks'],
  wire: BreakingWire,
  length: number,
): AsyncGenerator<Uint8Array, boolean> {
  const isSlow = wire.kind === 'drip'
  const interval = isSlow ? Math.max(DROP_INTERVAL, 1000 / wire.rate) : 0
  const drop = isSlow ? Math.max(1, Math.round((wire.rate * interval) / 1000)) : Number.POSITIVE_INFINITY
  let left = isSlow ? Number.POSITIVE_INFINITY : (wire.keep ?? length / 2)
  if (left >= length && !isSlow) left = length - 1
  try {
    for await (const part of chunks) {
      // Half of what arrives first is sent of a body without a length.
      if (Number.isNaN(left)) left = part.length / 2
      for (let from = 0; from < part.length && left >= 1; from += drop) {
        const piece = part.subarray(from, Math.min(from + drop, from + Math.floor(left)))
        left -= piece.length
        yield piece
        if (isSlow) await new Promise(resolve => setTimeout(resolve, interval))
      }
      if (left < 1) break
    }
  } catch {
    return false
  }
  return isSlow
}
