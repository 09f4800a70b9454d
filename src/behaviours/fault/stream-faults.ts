// Faults of a reply that is sent item by item: it is cut or stalls after some items, or single items are spoilt.

import type { ReplyStream } from '../../kernel/http.ts'
import type { Exchange } from '../behaviour.ts'

/** The kinds whose probability is that of an item. */
export const ITEM_KINDS = ['malformed', 'duplicate', 'reorder'] as const
export const STREAM_KINDS = ['cut', 'stall', ...ITEM_KINDS] as const
export type StreamFaultKind = (typeof STREAM_KINDS)[number]

export interface StreamFault {
  readonly kind: StreamFaultKind
  readonly items?: number | undefined
  readonly inside?: boolean | undefined
  readonly probability?: number | undefined
}

type Items = AsyncGenerator<Uint8Array>
type Source = ReplyStream['chunks']

/** Returns a stream with the fault, whose items are drawn by the exchange. */
export function spoilStream(stream: ReplyStream, fault: StreamFault, exchange: Exchange, purpose: string): ReplyStream {
  const { kind, items = 1, inside = false, probability = 1 } = fault
  const { chunks } = stream
  const strikes = (index: number) => exchange.draw(`${purpose} item ${index}`) < probability
  const spoilt =
    kind === 'cut' || kind === 'stall'
      ? broken(chunks, items, inside, kind === 'stall' ? () => left(exchange) : undefined)
      : kind === 'reorder'
        ? reordered(chunks, strikes)
        : changed(chunks, strikes, kind === 'duplicate' ? item => [item, item] : item => [malformed(item)])
  return { ...stream, whole: undefined, chunks: spoilt }
}

/** @param stall holds the rest until the client leaves; unset: the connection is cut */
async function* broken(
  chunks: Source,
  items: number,
  inside: boolean,
  stall: (() => Promise<void>) | undefined,
): Items {
  let sent = 0
  for await (const item of chunks) {
    if (sent === items) {
      if (inside) yield item.subarray(0, Math.ceil(item.length / 2))
      if (stall === undefined) throw new Error('a fault cut this stream')
      return await stall()
    }
    sent += 1
    yield item
  }
}

async function* changed(
  chunks: Source,
  strikes: (index: number) => boolean,
  change: (item: Uint8Array) => readonly Uint8Array[],
): Items {
  let index = 0
  for await (const item of chunks) {
    if (strikes(index)) yield* change(item)
    else yield item
    index += 1
  }
}

/** An item that is struck is sent behind the next one. */
async function* reordered(chunks: Source, strikes: (index: number) => boolean): Items {
  let held: Uint8Array | undefined
  let index = 0
  for await (const item of chunks) {
    if (held === undefined && strikes(index)) held = item
    else {
      yield item
      if (held !== undefined) yield held
      held = undefined
    }
    index += 1
  }
  if (held !== undefined) yield held
}

/** The first half of an item, with its end of line. */
function malformed(item: Uint8Array): Uint8Array {
  const text = Buffer.from(item).toString()
  const [end = ''] = /\s*$/.exec(text) ?? []
  return Buffer.from(text.slice(0, Math.floor((text.length - end.length) / 2)) + end)
}

/** Resolves when the client has left. */
const left = ({ request: { signal } }: Exchange): Promise<void> =>
  new Promise(resolve => {
    if (signal === undefined || signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
