// The journal: the last requests, in a ring that every request writes to and that is rarely read. Masking and wording
// therefore happen when it is read. Independent of HTTP.

import type { Exchange } from '../../behaviours/behaviour.ts'
import type { Refusal, Reply, Request } from '../../kernel/http.ts'
import type { JournalSettings } from '../../plan/settings.ts'
import { heapLimit } from '../../world/budget.ts'
import type { Explanation } from '../client-controls.ts'
import type { Mask } from '../mask.ts'

/** The data of a request besides its exchange. */
export interface RequestOutcome {
  readonly at: number
  readonly path: string
  readonly reply: Reply
  /** Since the request came. */
  readonly milliseconds: number
  readonly explanation: Explanation | undefined
  readonly requestBody: Uint8Array | undefined
}

/** The share of the heap that entries may take, even if `journal.size` is larger: records take up to 40 %, see `Budget`. */
const SHARE = 0.1

/** Bytes of each body that are kept while somebody watches. */
const WATCHED_BODIES = 64_000

/** Is called with every request that is recorded. */
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

  /** The number of this process among those that share a state: its ids begin at a billion times that. */
  get member(): number {
    return this.#member
  }

  set member(member: number) {
    const more = (member - this.#member) * IDS
    if (more === 0) return
    const entries = [...this.each()].map(entry => ({ ...entry, id: entry.id + more }))
    this.#member = member
    this.#first += more
    this.#last += more
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
  record(exchange: Exchange, mask: Mask, outcome: RequestOutcome): number {
    const { requests } = this.#settings
    if (requests === 0) return 0
    const id = this.#last + 1
    this.#last = id
    if (id - this.#first >= requests) this.#evict()
    const { request } = exchange
    const { at, path, reply, milliseconds, explanation, requestBody } = outcome
    const entry: JournalEntry = {
      id,
      at,
      time: exchange.clock.adjusted ? exchange.clock.now() : at,
      world: exchange.world.name,
      operation: exchange.operation.id,
      consumer: exchange.consumer,
      method: request.method,
      path,
      query: request.query,
      status: reply.status,
      milliseconds,
      injected: exchange.injected,
      fault: exchange.fault,
      weather: exchange.weather,
      queued: exchange.queued,
      notes: exchange.notes,
      replied: reply.headers['understudy-replied'],
      awaited: exchange.awaited,
      position: exchange.position,
      refusal: reply.refusal,
      explanation,
      headers: this.#headers.length === 0 ? undefined : this.#keepHeaders(request.headers),
      replyHeaders: this.watched ? reply.headers : undefined,
      requestBody: this.bodies === 0 ? undefined : this.#keep(requestBody, mask),
      replyBody: this.bodies === 0 ? undefined : this.#keep(reply.body, mask),
      mask,
      size: 0,
    }
    entry.size = sizeOf(entry)
    this.#ring[id % requests] = entry
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

  /** The kept entries, oldest first. */
  *each(): Iterable<JournalEntry> {
    for (let id = this.#first; id <= this.#last; id++) {
      const entry = this.#ring[id % this.#settings.requests]
      if (entry?.id === id) yield entry
    }
  }

  /** Returns the request with this id; `undefined` if it was forgotten. */
  find(id: number): JournalEntry | undefined {
    const entry = this.#ring[id % (this.#settings.requests || 1)]
    return entry?.id === id ? entry : undefined
  }

  /** Removes all entries, or those of one world. */
  clear(world?: string): void {
    this.onClear?.(world)
    if (world !== undefined) {
      for (const entry of this.each()) if (entry.world === world) this.#forget(entry)
      return
    }
    this.#ring = []
    this.#first = this.#last + 1
    this.#bytes = 0
    this.evicted = 0
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
      this.#forget(entry)
      this.evicted += 1
    }
    this.#first += 1
  }

  #forget({ id, size }: JournalEntry): void {
    this.#bytes -= size
    this.#ring[id % this.#settings.requests] = undefined
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

// One request as the ring of the journal keeps it, and how much memory that takes.

/** One request. */
export interface JournalEntry {
  /** Counts the requests of the process. */
  readonly id: number
  /** The time of the reply in milliseconds since the epoch, by the real clock and by the world's. */
  readonly at: number
  readonly time: number
  readonly world: string
  /** Empty without an operation. */
  readonly operation: string
  readonly consumer?: string | undefined
  readonly method: string
  /** As sent, without the name of a world, and unmasked: see `describeEntry`. */
  readonly path: string
  readonly query: string
  /** 0 if a fault left the client without a reply. */
  readonly status: number
  readonly milliseconds: number
  /** The injected delay in milliseconds, and the kind of the injected fault. */
  readonly injected: number
  readonly fault?: string | undefined
  /** The name of its weather, and whether it queued. */
  readonly weather?: string | undefined
  readonly queued: boolean
  notes: readonly string[]
  /** The one who replied, `upstream` or `simulation`, if there is a real API; and the wait for that, in milliseconds. */
  readonly replied?: string | undefined
  readonly awaited: number
  /** The position of its changes in the log of a recorded world; `LOST` where that log is gone. */
  readonly position?: number | undefined
  readonly refusal?: Refusal | undefined
  readonly explanation?: Explanation | undefined
  /** Request headers that are kept, unmasked; `undefined` for none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The same of the reply: kept only while somebody watches. */
  readonly replyHeaders?: Readonly<Record<string, string>> | undefined
  readonly requestBody?: JournalBody | undefined
  readonly replyBody?: JournalBody | undefined
  readonly mask: Mask
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

/** Returns about how much memory an entry takes, in bytes. */
function sizeOf({
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
const IDS = 1_000_000_000

/** Returns the number of the process that answered a request. */
export const nestedMember = (id: number): number => Math.floor(id / IDS)
