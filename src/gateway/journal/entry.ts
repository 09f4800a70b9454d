// Describes an entry of the journal for people: masked, worded and copied.

import type { Refusal } from '../../kernel/http.ts'
import { mapValues } from '../../kernel/json.ts'
import { timestamp } from '../../world/clock.ts'
import type { Explanation } from '../client-controls.ts'
import type { Mask } from '../mask.ts'

export interface RecordedRequest {
  /** Counts the requests of the process. */
  readonly id: number
  /** When the reply was ready, by the real clock. */
  readonly at: string
  /** The same by the clock of the request. */
  readonly time: string
  readonly world: string
  /** `null` without an operation. */
  readonly operation: string | null
  /** `null` without a known consumer. */
  readonly consumer: string | null
  readonly method: string
  readonly path: string
  readonly query: string
  /** 0 if a fault left the client without a reply. */
  readonly status: number
  readonly durationMs: number
  /** The position of its changes in the history of its world, where that is kept and it made any. */
  readonly position?: number
  /** Why it was refused, if it was: the problem's code, and the rule that was violated. */
  readonly refusal?: { readonly code: string; readonly rule: string }
  /** The deliberate effects on it. */
  readonly injected?: {
    readonly weather?: string
    readonly delayMs?: number
    readonly queued?: true
    readonly fault?: string
    readonly notes?: readonly string[]
  }
  readonly explanation?: Omit<Explanation, 'time' | 'consumer' | 'problem' | 'rule' | 'notes'>
  /** Request headers, as far as the journal keeps them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Reply headers, while somebody watches. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  readonly requestBody?: RecordedBody
  readonly replyBody?: RecordedBody
}

export interface RecordedBody {
  /** The beginning, as far as the journal keeps it. */
  readonly text: string
  /** The length of the whole in bytes. */
  readonly bytes: number
}

export function describeEntry(entry: JournalEntry): RecordedRequest {
  const { mask, refusal, headers, replyHeaders, requestBody, replyBody } = entry
  return present({
    id: entry.id,
    at: timestamp(entry.at),
    time: timestamp(entry.time),
    world: entry.world,
    operation: entry.operation === '' ? null : entry.operation,
    consumer: entry.consumer ?? null,
    method: entry.method,
    path: mask.path(entry.path),
    query: mask.query(entry.query),
    status: entry.status,
    durationMs: thousandths(entry.milliseconds),
    position: entry.position === LOST ? undefined : entry.position,
    refusal: refusal && { code: refusal.problem.code, rule: mask.text(refusal.detail) },
    injected: describeInjected(entry),
    explanation: entry.explanation && describeExplanation(entry.explanation),
    headers: maskHeaders(headers, mask),
    replyHeaders: maskHeaders(replyHeaders, mask),
    requestBody: requestBody && describeBody(requestBody),
    replyBody: replyBody && describeBody(replyBody),
  })
}

/** Returns an object without the members that are `undefined`. */
const present = <Members extends object>(members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members

export const thousandths = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

export const maskHeaders = (headers: JournalEntry['headers'], mask: Mask): JournalEntry['headers'] =>
  headers && mapValues(headers, (value, name) => mask.header(name, `${value}`))

const describeBody = ({ text, bytes }: JournalBody): RecordedBody => ({ text, bytes })

function describeInjected({
  injected,
  fault,
  weather,
  queued,
  notes,
  mask,
}: JournalEntry): RecordedRequest['injected'] {
  if (injected === 0 && fault === undefined && weather === undefined && notes.length === 0) return undefined
  return present({
    weather,
    queued: queued || undefined,
    delayMs: injected === 0 ? undefined : thousandths(injected),
    fault,
    notes: notes.length === 0 ? undefined : notes.map(note => mask.text(note)),
  })
}

/** The facts that the entry does not already contain. */
function describeExplanation({ route, operation, world, real, ordinal, passed, replied, draws }: Explanation) {
  return { route, operation, world, real, ordinal, passed, replied, draws }
}

// One request as the ring of the journal keeps it, and how much memory that takes.

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

// The ids of requests: unique among all processes that share a state.

/** The ids of each process begin this far after those of the one before: enough for a month at 300 requests a second. */
export const IDS = 1_000_000_000

/** Returns the number of the process that answered a request. */
export const nestedMember = (id: number): number => Math.floor(id / IDS)
