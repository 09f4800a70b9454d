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

/** The fields that every entry has, and those that most have not. A time of 0 is that of `at`. */
type Usual = readonly [
  ...[id: number, at: number, time: number, world: string, operation: string, consumer: string | null],
  ...[method: string, path: string, query: string, status: number, milliseconds: number, injected: number],
  position: number,
]
type Rare = Partial<
  Omit<JournalEntry, 'id' | 'at' | 'time' | 'world' | 'operation' | 'consumer' | 'method' | 'path' | 'query' | 'status'>
>

/** An entry as one line of text, credentials masked. */
export function writeEntry(entry: JournalEntry): string {
  const { mask, at, time, consumer, refusal, notes, query, milliseconds, position } = entry
  const text = JSON.stringify
  // In the order of `Usual`; most writes have a position.
  const usual =
    `${entry.id},${at},${time === at ? 0 : time},${text(entry.world)},${text(entry.operation)},` +
    `${consumer === undefined ? null : text(consumer)},${text(entry.method)},${text(mask.path(entry.path))},` +
    `${query === '' ? '""' : text(mask.query(query))},${entry.status},${Math.round(milliseconds * 1000) / 1000},${entry.injected},${position ?? 0}`
  const { fault, weather, queued, explanation, headers, replyHeaders, requestBody, replyBody } = entry
  const isUsual =
    fault === undefined &&
    weather === undefined &&
    !queued &&
    explanation === undefined &&
    headers === undefined &&
    replyHeaders === undefined &&
    requestBody === undefined &&
    replyBody === undefined &&
    refusal === undefined &&
    notes.length === 0
  if (isUsual) return `[${usual}]`
  const rare: Rare = {
    ...{ fault, weather, queued: queued || (undefined as unknown as boolean), explanation },
    ...(notes.length > 0 && { notes: notes.map(note => mask.text(note)) }),
    headers: masked(headers, mask),
    replyHeaders: masked(replyHeaders, mask),
    ...{ requestBody, replyBody },
    refusal: refusal && { ...refusal, detail: mask.text(refusal.detail) },
  }
  return `[${usual},${JSON.stringify(rare)}]`
}

const masked = (headers: JournalEntry['headers'], mask: Mask): JournalEntry['headers'] =>
  headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask.header(name, `${value}`)]))

function readEntry(text: string): JournalEntry {
  const [
    id,
    at,
    time,
    world,
    operation,
    consumer,
    method,
    path,
    query,
    status,
    milliseconds,
    injected,
    position,
    rare,
  ] = JSON.parse(text) as [...Usual, Rare | undefined]
  const usual = { id, at, time: time || at, world, operation, method, path, query, status, milliseconds, injected }
  return { ...blankEntry(MASKED), ...usual, consumer: consumer ?? undefined, position: position || undefined, ...rare }
}

/** The journal of this process as text: a line about it, then its entries. */
export function writeJournal(journal: Journal): string {
  const head = JSON.stringify({ member: journal.member, evicted: journal.evicted } satisfies JournalHead)
  return [head, ...[...journal.each()].map(writeEntry)].join('\n')
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
