// One request as the ring of the journal keeps it, and how much memory that takes.

import type { Refusal } from '../../kernel/http.ts'
import type { Explanation } from '../explain.ts'
import type { Mask } from '../mask.ts'

/** One request. The entry is overwritten when the ring buffer wraps around: see `Journal.each`. */
export interface JournalEntry {
  /** Counts the requests of the process; 0 where the entry was forgotten. */
  id: number
  /** The time of the reply in milliseconds since the epoch, by the real clock and by the world's. */
  at: number
  time: number
  world: string
  /** Empty without an operation. */
  operation: string
  consumer: string | undefined
  method: string
  /** As sent, without the name of a world, and unmasked: see `describeEntry`. */
  path: string
  query: string
  /** 0 if a fault left the client without a reply. */
  status: number
  milliseconds: number
  /** The injected delay in milliseconds, and the kind of the injected fault. */
  injected: number
  fault: string | undefined
  /** The name of its weather, and whether it queued. */
  weather: string | undefined
  queued: boolean
  notes: readonly string[]
  /** The position of its changes in the log of a recorded world; `LOST` where that log is gone. */
  position: number | undefined
  refusal: Refusal | undefined
  explanation: Explanation | undefined
  /** Request headers that are kept, unmasked; `undefined` for none. */
  headers: Readonly<Record<string, string>> | undefined
  /** The same of the reply: kept only while somebody watches. */
  replyHeaders: Readonly<Record<string, string>> | undefined
  requestBody: JournalBody | undefined
  replyBody: JournalBody | undefined
  mask: Mask
  /** About how much memory it takes, in bytes. */
  size: number
}

/** The beginning of a body, masked. */
export interface JournalBody {
  readonly text: string
  /** The length of the whole. */
  readonly bytes: number
  /** Whether the text is less than the whole. */
  readonly cut: boolean
}

/** The position of every request from before the log was lost, whether it changed something or not. */
export const LOST = -1

/** An entry without its texts. */
const ENTRY_BYTES = 300

/** Returns an entry that `Journal.record` fills. A fraction makes the engine keep a number as a double from the start. */
export const blankEntry = (mask: Mask): JournalEntry => ({
  id: 0,
  at: 0.5,
  time: 0.5,
  world: '',
  operation: '',
  consumer: undefined,
  method: '',
  path: '',
  query: '',
  status: 0,
  milliseconds: 0.5,
  injected: 0.5,
  fault: undefined,
  weather: undefined,
  queued: false,
  notes: [],
  position: undefined,
  refusal: undefined,
  explanation: undefined,
  headers: undefined,
  replyHeaders: undefined,
  requestBody: undefined,
  replyBody: undefined,
  mask,
  size: 0,
})

/** Returns about how much memory an entry takes, in bytes. */
export function sizeOf({
  path,
  query,
  refusal,
  explanation,
  notes,
  headers,
  replyHeaders,
  requestBody,
  replyBody,
}: JournalEntry): number {
  let size = ENTRY_BYTES + path.length + query.length
  if (refusal !== undefined) size += refusal.detail.length
  if (explanation !== undefined) size += ENTRY_BYTES
  for (const note of notes) size += note.length
  for (const fields of [headers, replyHeaders]) {
    if (fields !== undefined) for (const name in fields) size += name.length + (fields[name] as string).length
  }
  if (requestBody !== undefined) size += 2 * requestBody.text.length
  if (replyBody !== undefined) size += 2 * replyBody.text.length
  return size
}
