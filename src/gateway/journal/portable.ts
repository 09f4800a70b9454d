// The journals of several processes as one: entries travel as texts, masked, and are put in the order in which they were
// answered.

import type { Mask } from '../mask.ts'
import { IDS, memberOf } from './ids.ts'
import type { Journal } from './journal.ts'
import { blankEntry, type JournalEntry } from './kept-request.ts'

/** The requests to filter or verify: those of one process, or of all. */
export interface JournalView {
  /** The requests, in the order in which they were answered. */
  each(): Iterable<JournalEntry>
  /** Returns the request with this id; `undefined` if it was forgotten. */
  find(id: number): JournalEntry | undefined
  readonly evicted: number
}

/** Returns texts unchanged, since they are masked already. */
const MASKED = {
  text: (text: string) => text,
  path: (path: string) => path,
  query: (query: string) => query,
  header: (_: string, value: string) => value,
  holds: () => false,
  longest: 0,
} as unknown as Mask

/** The fields that every entry has, and those that most have not. A time of 0 is that of `at`; durations in microseconds. */
type Usual = readonly [
  ...[id: number, at: number, time: number, status: number, took: number, injected: number, position: number],
  ...[path: string, query: string, world: string, operation: string, consumer: string | null, method: string],
]
type Rare = Partial<
  Omit<JournalEntry, 'id' | 'at' | 'time' | 'world' | 'operation' | 'consumer' | 'method' | 'path' | 'query' | 'status'>
>

/** Writes entries as one line of text each, credentials masked. */
export class EntryWriter {
  #last: Pick<JournalEntry, 'world' | 'operation' | 'consumer' | 'method'> = NO_ENTRY
  /** The fields of the last entry that most entries share with it, as text. */
  #shared = ''

  write(entry: JournalEntry): string {
    const { mask, at, time, query } = entry
    // In the order of `Usual`. Numbers first, since the others are joined as texts.
    const usual =
      `[${entry.id},${at},${time === at ? 0 : time},${entry.status},${Math.round(entry.milliseconds * 1000)},` +
      `${entry.injected},${entry.position ?? 0},${JSON.stringify(mask.path(entry.path))},` +
      `${query === '' ? '""' : JSON.stringify(mask.query(query))},${this.#sharedOf(entry)}`
    return isUsual(entry) ? `${usual}]` : `${usual},${JSON.stringify(rareOf(entry))}]`
  }

  #sharedOf(entry: JournalEntry): string {
    const { world, operation, consumer, method } = entry
    const last = this.#last
    if (last.world !== world || last.operation !== operation || last.consumer !== consumer || last.method !== method) {
      this.#last = { world, operation, consumer, method }
      this.#shared = JSON.stringify([world, operation, consumer ?? null, method]).slice(1, -1)
    }
    return this.#shared
  }
}

const NO_ENTRY = { world: '', operation: '', consumer: undefined, method: '' }

const isUsual = (entry: JournalEntry): boolean =>
  entry.fault === undefined &&
  entry.weather === undefined &&
  !entry.queued &&
  entry.explanation === undefined &&
  entry.headers === undefined &&
  entry.replyHeaders === undefined &&
  entry.requestBody === undefined &&
  entry.replyBody === undefined &&
  entry.refusal === undefined &&
  entry.notes.length === 0

function rareOf(entry: JournalEntry): Rare {
  const { mask, fault, weather, queued, explanation, notes, requestBody, replyBody, refusal } = entry
  return {
    ...{ fault, weather, queued: queued || (undefined as unknown as boolean), explanation },
    ...(notes.length > 0 && { notes: notes.map(note => mask.text(note)) }),
    headers: masked(entry.headers, mask),
    replyHeaders: masked(entry.replyHeaders, mask),
    ...{ requestBody, replyBody },
    refusal: refusal && { ...refusal, detail: mask.text(refusal.detail) },
  }
}

const masked = (headers: JournalEntry['headers'], mask: Mask): JournalEntry['headers'] =>
  headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask.header(name, `${value}`)]))

function readEntry(text: string): JournalEntry {
  const [id, at, time, status, took, injected, position, path, query, world, operation, consumer, method, rare] =
    JSON.parse(text) as [...Usual, Rare | undefined]
  const usual = { id, at, time: time || at, world, operation, method, path, query, status, injected }
  return {
    ...blankEntry(MASKED),
    ...usual,
    milliseconds: took / 1000,
    consumer: consumer ?? undefined,
    position: position || undefined,
    ...rare,
  }
}

/** The journal of this process as text: a line about it, then its entries. */
export function writeJournal(journal: Journal): string {
  const head = JSON.stringify({ member: journal.member, evicted: journal.evicted } satisfies JournalHead)
  const writer = new EntryWriter()
  return [head, ...[...journal.each()].map(entry => writer.write(entry))].join('\n')
}

interface JournalHead {
  readonly member: number
  readonly evicted: number
}

/** A note beside the entries: earlier requests are forgotten, those of one world or process where it names one. */
interface Forgotten {
  readonly world: string | undefined
  readonly member: number | undefined
}

export const writeForgotten = (forgotten: Forgotten): string => JSON.stringify(forgotten)

/**
 * The journal of this process together with those of others.
 *
 * @param others the journals of the processes that run
 * @param notes lines of all processes, the oldest first, in place of the journals of exited ones
 */
export function joinJournals(own: Journal, others: readonly string[], notes: readonly string[]): JournalView {
  if (others.length === 0 && notes.length === 0) return own
  const known = new Set([own.member])
  let evicted = own.evicted
  const entries = [...own.each()]
  for (const text of others) {
    const [head = '', ...lines] = text.split('\n')
    const { member, evicted: dropped } = JSON.parse(head) as JournalHead
    known.add(member)
    evicted += dropped
    for (const line of lines) entries.push(readEntry(line))
  }
  const left = readNotes(notes, known)
  for (const entry of left.entries) entries.push(entry)
  evicted += left.dropped
  entries.sort((a, b) => a.at - b.at || a.id - b.id)
  return { each: () => entries, find: id => entries.find(entry => entry.id === id), evicted }
}

/** Returns the entries of processes that are not `known`, and how many of theirs are not there any more. */
function readNotes(notes: readonly string[], known: ReadonlySet<number>) {
  let entries = new Map<number, JournalEntry>()
  const first = new Map<number, number>()
  for (const line of notes.flatMap(note => note.split('\n'))) {
    if (line.startsWith('{')) {
      const { world, member } = JSON.parse(line) as Forgotten
      const stays = (entry: JournalEntry) =>
        (world !== undefined && entry.world !== world) || (member !== undefined && memberOf(entry.id) !== member)
      entries = new Map([...entries].filter(([, entry]) => stays(entry)))
      continue
    }
    const member = memberOf(Number.parseInt(line.slice(1), 10))
    if (known.has(member)) continue
    const entry = readEntry(line)
    // A line is present twice if its arrival was unknown.
    entries.set(entry.id, entry)
    first.set(member, Math.min(entry.id, first.get(member) ?? entry.id))
  }
  const dropped = [...first.values()].reduce((sum, id) => sum + (id % IDS) - 1, 0)
  return { entries: entries.values(), dropped }
}

/** Returns whether a request came after the one of an id. The ids of several processes are not in the order of requests. */
export function comesAfter(after: number, journal: JournalView | undefined): (entry: JournalEntry) => boolean {
  const last = journal?.find(after)
  return ({ at, id }) =>
    last === undefined || at === last.at || memberOf(id) === memberOf(after) ? id > after : at > last.at
}
