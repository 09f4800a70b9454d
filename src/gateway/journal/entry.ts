// Describes an entry of the journal for people: masked, worded and copied. Masking takes regular expressions, and most entries are
// never read. Bodies are masked when they are kept, before they are cut: half a credential must be masked, too.

import { mapValues } from '../../kernel/json.ts'
import type { DateTime, Fraction } from '../../kernel/units.ts'
import { timestamp } from '../../world/dates.ts'
import type { Explanation } from '../client-controls.ts'
import type { Mask } from '../mask.ts'
import { type JournalBody, type JournalEntry, LOST } from './journal.ts'

export interface RecordedRequest {
  /** Counts the requests of the process. */
  readonly id: number
  /** When the reply was ready, by the real clock. */
  readonly at: DateTime
  /** The same by the clock of the request. */
  readonly time: DateTime
  readonly world: string
  /** `null` without an operation. */
  readonly operation: string | null
  /** `null` without a known consumer. */
  readonly consumer: string | null
  readonly method: string
  readonly path: string
  readonly query: string
  /** The id of its trace, from a valid `traceparent`. */
  readonly trace?: string
  /** 0 if a fault left the client without a reply. */
  readonly status: number
  readonly durationMs: Fraction
  /** `upstream` or `simulation`, if there is a real API. */
  readonly replied?: string
  /** The time until the real API began its reply. */
  readonly upstreamMs?: Fraction
  /** The position of its changes in the history of its world, where that is kept and it made any. */
  readonly position?: number
  /** Why it was refused, if it was: the problem's code, and the rule that was violated. */
  readonly refusal?: { readonly code: string; readonly rule: string }
  /** The deliberate effects on it. */
  readonly injected?: {
    readonly weather?: string
    readonly delayMs?: Fraction
    readonly queued?: true
    readonly fault?: string
    readonly notes?: readonly string[]
  }
  readonly explanation?: Omit<Explanation, 'time' | 'consumer' | 'trace' | 'problem' | 'rule' | 'notes'>
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
    trace: entry.trace,
    status: entry.status,
    durationMs: thousandths(entry.milliseconds),
    replied: entry.replied,
    upstreamMs: entry.awaited === 0 ? undefined : thousandths(entry.awaited),
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
