// The journal: the last requests, in a ring that every request writes to and that is rarely read. Masking and wording
// therefore happen when it is read. Independent of HTTP.

import type { Refusal, Request } from '../../kernel/http.ts'
import type { JournalSettings } from '../../plan/settings.ts'
import { heapLimit } from '../../world/budget.ts'
import type { Explanation } from '../client-controls.ts'
import type { Finished } from '../finished.ts'
import type { Mask } from '../mask.ts'

/** The parts of a finished request that the journal keeps. */
export type JournalledRequest = Omit<Finished, 'plan' | 'planned'>

/** The share of the heap that entries may take, even if `journal.size` is larger: records take up to 40 %, see `Budget`. */
const SHARE = 0.1

/** Bytes of each body that are kept while somebody watches. */
const WATCHED_BODIES = 64_000

/** Is called with every request that is recorded; the entry must not be kept. */
export type JournalListener = (entry: JournalEntry, request: Request) => void

export class Journal {
  #settings: JournalSettings
  #ring: (JournalEntry | undefined)[] = []
  /** Ids of the oldest and the newest entry that are kept. */
  #first = 1
  #last = 0
  #bytes = 0
  /** The number of requests that were dropped for later ones since the journal was last emptied. */
  evicted = 0
  readonly #evictions = new Evictions()
  readonly #listeners = new Set<JournalListener>()
  #watchers = 0
  readonly #limit: number
  /** Bytes that all entries may take. */
  #room = 0
  /** The headers of requests that are kept. */
  #headers: JournalSettings['headers'] = []
  /** Whether headers, bodies and explanations of all requests are kept, because somebody watches. */
  watched = false
  /** Bytes kept of each body; 0 for none. */
  bodies = 0
  #member = 0
  /** Called when entries are removed for good: all, or those of a world. */
  onClear: ((world: string | undefined) => void) | undefined

  /** @param limit the maximum size of the entries in bytes, besides that of the settings */
  constructor(settings: JournalSettings, limit = Math.floor(SHARE * heapLimit())) {
    this.#settings = settings
    this.#limit = limit
    this.#settle()
  }

  /** Decides how much of each request is kept, by the settings and by whether somebody watches. */
  #settle(): void {
    const { requests, size, bodies, headers } = this.#settings
    this.watched = this.#watchers > 0
    this.bodies = requests === 0 ? 0 : this.watched ? Math.max(bodies, WATCHED_BODIES) : bodies
    this.#headers = this.watched ? 'all' : headers
    this.#room = Math.min(size, this.#limit)
  }

  /** At most how many requests are kept, and how many bytes they may take. */
  get bounds(): { readonly requests: number; readonly bytes: number } {
    return { requests: this.#settings.requests, bytes: this.#room }
  }

  /** Keeps all of every request until the returned function is called. */
  watch(): () => void {
    this.#watchers += 1
    this.#settle()
    let watching = true
    return () => {
      if (watching) this.#watchers -= 1
      watching = false
      this.#settle()
    }
  }

  /** The id of the last request; 0 if nothing is kept. */
  get latest(): number {
    return this.#settings.requests === 0 ? 0 : this.#last
  }

  /** The number of this process among those that share a state: its ids begin at a billion times that. */
  get member(): number {
    return this.#member
  }

  set member(member: number) {
    const more = (member - this.#member) * IDS
    if (more === 0) return
    const entries = [...this.each()]
    this.#member = member
    this.#first += more
    this.#last += more
    for (const entry of entries) entry.id += more
    this.#fill(entries)
  }

  #fill(entries: readonly JournalEntry[]): void {
    this.#ring = []
    this.#bytes = 0
    for (const entry of entries) {
      this.#ring[entry.id % this.#settings.requests] = entry
      this.#bytes += entry.size
    }
  }

  /** @returns its id; 0 if nothing is kept */
  record(outcome: JournalledRequest): number {
    const { requests } = this.#settings
    if (requests === 0) return 0
    const id = this.#last + 1
    this.#last = id
    if (id - this.#first >= requests) this.#evict()
    const { exchange, mask } = outcome
    const { request, operation } = exchange
    const secret = operation.secret === true
    const keepsBodies = this.bodies > 0 && !secret
    const index = id % requests
    let entry = this.#ring[index]
    if (entry === undefined) {
      entry = blankEntry(mask)
      this.#ring[index] = entry
    }
    entry.id = id
    entry.at = outcome.at
    entry.time = exchange.clock.adjusted ? exchange.clock.now() : outcome.at
    entry.world = exchange.world.name
    entry.operation = operation.id
    entry.consumer = exchange.consumer
    entry.method = request.method
    entry.path = outcome.path
    entry.query = secret ? '' : request.query
    entry.trace = exchange.trace
    entry.status = outcome.reply.status
    entry.milliseconds = outcome.milliseconds
    entry.injected = exchange.injected
    entry.fault = exchange.fault
    entry.weather = exchange.weather
    entry.queued = exchange.queued
    entry.notes = exchange.notes
    entry.replied = outcome.reply.headers['understudy-replied']
    entry.awaited = exchange.awaited
    entry.position = exchange.position
    entry.refusal = outcome.reply.refusal
    entry.explanation = outcome.explanation
    entry.headers = this.#headers.length === 0 ? undefined : this.#keepHeaders(request.headers)
    entry.replyHeaders = this.watched && !secret ? outcome.reply.headers : undefined
    entry.requestBody = keepsBodies ? this.#keep(outcome.requestBody, mask) : undefined
    entry.replyBody = keepsBodies ? this.#keep(outcome.reply.body, mask) : undefined
    entry.mask = mask
    entry.size = sizeOf(entry)
    this.#bytes += entry.size
    while (this.#bytes > this.#room) this.#evict()
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener(entry, request)
    return id
  }

  /** Adds a note to a request that is still kept. */
  note(id: number, text: string): void {
    const entry = this.find(id)
    if (entry === undefined) return
    entry.notes = [...entry.notes, text]
    entry.size += text.length
    this.#bytes += text.length
  }

  /** Keeps the body of a reply that was passed on as it arrived, of a request that is still kept. */
  keepReply(id: number, body: Uint8Array): void {
    const entry = this.find(id)
    if (entry === undefined || this.bodies === 0) return
    entry.replyBody = this.#keep(body, entry.mask)
    this.#bytes -= entry.size
    entry.size = sizeOf(entry)
    this.#bytes += entry.size
    while (this.#bytes > this.#room) this.#evict()
  }

  /** The kept entries, oldest first. Do not retain an entry: it is reused for another request. */
  *each(): Iterable<JournalEntry> {
    for (let id = this.#first; id <= this.#last; id++) {
      const entry = this.#ring[id % this.#settings.requests]
      if (entry?.id === id) yield entry
    }
  }

  /** Returns the request with this id; `undefined` if it was forgotten. */
  find(id: number): JournalEntry | undefined {
    const entry = this.#ring[id % (this.#settings.requests || 1)]
    return entry?.id === id && id > 0 ? entry : undefined
  }

  /** Removes all entries, or those of one world. */
  clear(world?: string): void {
    this.onClear?.(world)
    if (world !== undefined) {
      for (const entry of this.each()) if (entry.world === world) this.#forget(entry)
      this.#evictions.forget(world)
      return
    }
    this.#ring = []
    this.#first = this.#last + 1
    this.#bytes = 0
    this.evicted = 0
    this.#evictions.clear()
  }

  /** Returns how many of the evicted requests may have been of a world, since it was last emptied. */
  evictedFrom(world: string): number {
    return this.#evictions.of(world)
  }

  /** Calls back with every request from now on. Call the returned function to stop. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Applies other settings; entries that still fit stay. */
  adapt(settings: JournalSettings): void {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return
    const kept = [...this.each()].filter(({ id }) => id > this.#last - settings.requests)
    this.#settings = settings
    this.#settle()
    this.#fill(kept)
    this.#first = kept[0]?.id ?? this.#last + 1
    while (this.#bytes > this.#room) this.#evict()
  }

  #evict(): void {
    const entry = this.#ring[this.#first % this.#settings.requests]
    if (entry?.id === this.#first) {
      this.#evictions.count(entry.world)
      this.#forget(entry)
      this.evicted += 1
    }
    this.#first += 1
  }

  #forget(entry: JournalEntry): void {
    this.#bytes -= entry.size
    entry.id = 0
    entry.size = 0
    entry.path = ''
    entry.query = ''
    entry.refusal = undefined
    entry.explanation = undefined
    entry.headers = undefined
    entry.replyHeaders = undefined
    entry.requestBody = undefined
    entry.replyBody = undefined
  }

  #keep(body: string | Uint8Array | undefined, mask: Mask): JournalBody | undefined {
    if (body === undefined) return undefined
    const { bodies } = this
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const room = bodies + mask.longest
    const start = typeof body === 'string' ? body.slice(0, room) : new TextDecoder().decode(body.subarray(0, room))
    const text = mask.text(start).slice(0, bodies)
    return { text, bytes, cut: body.length > room || text.length === bodies }
  }

  #keepHeaders(sent: Request['headers']): Readonly<Record<string, string>> {
    const kept: Record<string, string> = {}
    for (const name of this.#headers === 'all' ? Object.keys(sent) : this.#headers) {
      const value = sent[name]
      if (value !== undefined) kept[name] = String(value)
    }
    return kept
  }
}

/** The worlds whose evicted requests are counted apart: names of worlds come from clients. */
const MOST_WORLDS = 10_000

/** Counts evicted requests by their world. */
class Evictions {
  readonly #counts = new Map<string, { count: number }>()
  /** The requests of worlds that are no longer counted apart. */
  #others = 0

  count(world: string): void {
    const counted = this.#counts.get(world)
    if (counted !== undefined) {
      counted.count += 1
      return
    }
    this.#counts.set(world, { count: 1 })
    if (this.#counts.size > MOST_WORLDS) this.#merge()
  }

  /** Counts the world that was the first to be counted with the others. */
  #merge(): void {
    for (const [world, { count }] of this.#counts) {
      this.#others += count
      this.#counts.delete(world)
      return
    }
  }

  /** Returns the number of a world, at most: those of worlds that are not counted apart may be its own. */
  of(world: string): number {
    return (this.#counts.get(world)?.count ?? 0) + this.#others
  }

  forget(world: string): void {
    this.#counts.delete(world)
  }

  clear(): void {
    this.#counts.clear()
    this.#others = 0
  }
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
  /** The id of its trace. */
  trace: string | undefined
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
  /** The one who replied, `upstream` or `simulation`, if there is a real API; and the wait for that, in milliseconds. */
  replied: string | undefined
  awaited: number
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

/**
 * Returns an entry that `Journal.record` fills. The ring reuses its entries: new ones survive until they are dropped, and collecting
 * them made each request 15 to 20 % dearer. A fraction makes the engine keep a number as a double from the start.
 */
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
  trace: undefined,
  status: 0,
  milliseconds: 0.5,
  injected: 0.5,
  fault: undefined,
  weather: undefined,
  queued: false,
  notes: [],
  replied: undefined,
  awaited: 0.5,
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
function sizeOf({
  path,
  query,
  trace = '',
  refusal,
  explanation,
  notes,
  headers,
  replyHeaders,
  requestBody,
  replyBody,
}: JournalEntry): number {
  let size = ENTRY_BYTES + path.length + query.length + trace.length
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
const IDS = 1_000_000_000

/** Returns the number of the process that answered a request. */
export const nestedMember = (id: number): number => Math.floor(id / IDS)
