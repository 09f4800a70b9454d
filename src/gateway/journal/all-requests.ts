// The requests of this process together with those of the other processes that share its state. Each process adds its requests
// to a list beside the log before their replies are sent, masked, so that others know them even if it is killed.

import type { Plan } from '../../plan/plan.ts'
import type { SharedRequests } from '../../state/engines/engine.ts'
import type { SharedPlace } from '../../state/host.ts'
import { breathe } from '../../world/real-time.ts'
import { Mask } from '../mask.ts'
import { maskHeaders } from './entry.ts'
import { blankEntry, type Journal, type JournalEntry, LOST, nestedMember } from './journal.ts'

/** The requests to filter or verify: those of one process, or of all. */
export interface JournalView {
  /** The requests, in the order in which they were answered. */
  each(): Iterable<JournalEntry>
  /** Returns the request with this id; `undefined` if it was forgotten. */
  find(id: number): JournalEntry | undefined
  /** The number of requests that were dropped for later ones. */
  readonly evicted: number
  /** Returns how many of these may have been of a world. */
  evictedFrom(world: string): number
}

export class AllRequests {
  readonly #journal: Journal
  #shared: SharedRequests | undefined
  #log: SharedPlace = { name: () => '', catchUp: async () => {} }
  #lines: string[] = []
  /** The mean length of a line. */
  #length = 300
  /** Resolves when all requests so far would be known even if this process were killed; `undefined` if they are. */
  left: Promise<void> | undefined

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** Shares the requests from now on, and those so far. */
  share(shared: SharedRequests, log: SharedPlace): void {
    this.#shared = shared
    this.#log = log
    this.#journal.member = shared.member
    const note = (entry: JournalEntry) => this.#note(writeEntry(entry, shortened(log.name())))
    for (const entry of this.#journal.each()) note(entry)
    this.#journal.listen(note)
  }

  #note(line: string): void {
    this.#lines.push(line)
    this.left ??= this.#leave()
  }

  async #leave(): Promise<void> {
    // The requests that arrived together are added together.
    await breathe()
    const lines = this.#lines
    this.#lines = []
    this.left = undefined
    for (const { length } of lines) this.#length += (length - this.#length) / 100
    const { requests, bytes } = this.#journal.bounds
    await this.#shared?.add(lines, Math.ceil(Math.min(requests, bytes / this.#length)))
  }

  async read(): Promise<JournalView> {
    if (this.#shared === undefined) return this.#journal
    await this.left
    // The log may have been lost meanwhile.
    await this.#log.catchUp()
    const { requests, dropped } = await this.#shared.read()
    const log = shortened(this.#log.name())
    let found = new Map<number, JournalEntry>()
    const forgotten = new Set<string>()
    for (const line of requests) {
      if (line.startsWith('{')) {
        const { world } = JSON.parse(line) as Forgotten
        forgotten.add(world)
        found = new Map([...found].filter(([, entry]) => entry.world !== world))
        continue
      }
      const entry = readEntry(line, log)
      // A line is present twice if its arrival was unknown.
      found.set(entry.id, entry)
    }
    const entries = [...found.values()].sort((a, b) => a.at - b.at || a.id - b.id)
    // The lines that were dropped are older than the one that says that the world is forgotten.
    const evictedFrom = (world: string) => (forgotten.has(world) ? 0 : dropped)
    return { each: () => entries, find: id => found.get(id), evicted: dropped, evictedFrom }
  }

  /** Forgets all requests, or those of one world, in every process. */
  async forget(world?: string): Promise<void> {
    if (world !== undefined) return this.forgetWorld(world)
    this.#journal.clear()
    this.#lines = []
    await this.#shared?.clear()
  }

  /** Forgets the requests of a world that is reset or deleted. The other processes do so when they read of that change. */
  async forgetWorld(world: string): Promise<void> {
    this.#journal.clear(world)
    if (this.#shared === undefined) return
    this.#note(JSON.stringify({ world } satisfies Forgotten))
    await this.left
  }
}

/** A line among the requests: earlier requests of a world are forgotten. */
interface Forgotten {
  readonly world: string
}

const shortened = (log: string): string => log.slice(0, 8)

/** Knows no credentials: texts of other processes are masked already. */
const MASKED = new Mask({
  contract: { securitySchemes: new Map() },
  simulation: { file: {}, blocks: { secrets: [] } },
} as unknown as Plan)

/**
 * The fields that every entry has, and those that most have not. Durations are in microseconds. `log` is the beginning of the name
 * of the log that `position` is in.
 */
type EntryLine = readonly [
  ...[id: number, at: number, time: number, status: number, took: number, injected: number, position: number],
  ...[log: string],
  ...[path: string, query: string, world: string, operation: string, consumer: string | null, method: string],
  ...[rare: Rare],
]
type Rare = Partial<
  Omit<JournalEntry, 'id' | 'at' | 'time' | 'world' | 'operation' | 'consumer' | 'method' | 'path' | 'query' | 'status'>
>

/** Writes an entry as one line of text, credentials masked. */
function writeEntry(entry: JournalEntry, log: string): string {
  const { id, at, time, status, injected, position = 0, mask, world, operation, consumer = null, method } = entry
  const { trace, fault, weather, queued, explanation, notes, requestBody, replyBody, refusal, replied, awaited } = entry
  const rare: Rare = {
    trace,
    fault,
    weather,
    explanation,
    requestBody,
    replyBody,
    replied,
    ...(awaited > 0 && { awaited }),
    ...(queued && { queued }),
    ...(notes.length > 0 && { notes: notes.map(note => mask.text(note)) }),
    headers: maskHeaders(entry.headers, mask),
    replyHeaders: maskHeaders(entry.replyHeaders, mask),
    refusal: refusal && { ...refusal, detail: mask.text(refusal.detail) },
  }
  const took = Math.round(entry.milliseconds * 1000)
  const texts = [log, mask.path(entry.path), mask.query(entry.query), world, operation, consumer, method] as const
  const line: EntryLine = [id, at, time, status, took, injected, position, ...texts, rare]
  return JSON.stringify(line)
}

/** @param current the beginning of the name of the log as it is now */
function readEntry(text: string, current: string): JournalEntry {
  const [id, at, time, status, took, injected, position, log, path, query, world, operation, consumer, method, rare] =
    JSON.parse(text) as EntryLine
  const usual = { id, at, time, world, operation, method, path, query, status, injected }
  return {
    ...blankEntry(MASKED),
    awaited: 0,
    ...usual,
    milliseconds: took / 1000,
    consumer: consumer ?? undefined,
    position: log === current ? position || undefined : LOST,
    ...rare,
  }
}

/** Returns whether a request came after the one of an id. The ids of several processes are not in the order of requests. */
export function comesAfter(after: number, journal: JournalView | undefined): (entry: JournalEntry) => boolean {
  const last = journal?.find(after)
  return ({ at, id }) =>
    last === undefined || at === last.at || nestedMember(id) === nestedMember(after) ? id > after : at > last.at
}
