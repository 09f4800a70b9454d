// The tables that behaviours keep in a world and that outlast a process: JSON values by key. Each tells its changes to the
// world's recorder.

import { LRUCache } from 'lru-cache'
import type { KeptChange, KeptKind, Lasting } from './changes.ts'

/** A table of a bounded size: the least recently used key is evicted. */
abstract class Table<Value extends object | number | string> implements Lasting {
  onChange: KeptChange | undefined = undefined
  protected readonly values: LRUCache<string, Value>

  constructor(bounds: { max: number; maxSize?: number; sizeCalculation?: (value: Value) => number }) {
    this.values = new LRUCache(bounds)
  }

  /** Converts a value to JSON, and back; `null` for one that is not shared. */
  protected abstract write(value: Value): unknown
  protected abstract read(value: unknown): Value

  at(key: string): unknown {
    const value = this.values.peek(key)
    return value === undefined ? null : this.write(value)
  }

  restore(key: string, value: unknown): void {
    if (value === null) this.values.delete(key)
    else this.values.set(key, this.read(value))
  }

  /** Sets the value of a key. */
  protected set(key: string, value: Value): void {
    const before = this.onChange && this.at(key)
    this.values.set(key, value)
    this.onChange?.(key, this.at(key), before)
  }

  /** The oldest first. */
  *dump(): Iterable<readonly [string, unknown]> {
    for (const key of [...this.values.keys()].reverse()) {
      const value = this.at(key)
      if (value !== null) yield [key, value]
    }
  }
}

/** How often a rule that has a number of times has held in a world. */
export class Hits implements Lasting {
  onChange: KeptChange | undefined = undefined
  count = 0

  /** Counts one more atomically, if that is still within `times`. */
  take(times: number): boolean {
    if (this.count >= times) return false
    this.count += 1
    this.onChange?.('', this.count, this.count - 1)
    return true
  }

  resume(count: number): void {
    const before = this.count
    this.count = count
    this.onChange?.('', count, before)
  }

  at(): number {
    return this.count
  }

  restore(_: string, value: unknown): void {
    this.count = Number(value ?? 0)
  }

  *dump(): Iterable<readonly [string, unknown]> {
    yield ['', this.count]
  }
}

/** The key under which a world keeps them. */
export const PATHS = 'paths'

const MOST_PATHS = 100_000

/** Counts the requests of each method and path in a world. */
export class PathCounts extends Table<number> {
  #before: PathCounts | undefined

  constructor() {
    super({ max: MOST_PATHS })
  }

  protected write = Number
  protected read = Number

  /** Counts a request: 1 for the first of its path. */
  next(path: string): number {
    const count = (this.values.get(path) ?? this.#before?.values.peek(path) ?? 0) + 1
    this.set(path, count)
    return count
  }

  /** Counts on from these, which stay as they are. */
  continue(before: PathCounts): void {
    this.#before = before
  }

  load(counts: Iterable<readonly [path: string, count: number]>): void {
    for (const [path, count] of counts) this.set(path, count)
  }
}

/** The key under which a world keeps them. */
export const SCENARIOS = 'scenarios'

const MOST_SCENARIOS = 10_000

/** The states of a world's scenarios, by their names. */
export class Scenarios extends Table<string> {
  constructor() {
    super({ max: MOST_SCENARIOS })
  }

  protected write = String
  protected read = String

  /** Returns the state of a scenario: empty at first. */
  stateOf(name: string): string {
    return this.values.get(name) ?? ''
  }

  enter(states: Iterable<readonly [name: string, state: unknown]>): void {
    for (const [name, state] of states) this.set(name, String(state))
  }
}

// The used part of each quota, by a world's clock.

/**
 * A number of requests in a time in milliseconds: in windows that begin with the first, or, with `burst`, from a token
 * bucket.
 */
export interface Quota {
  readonly limit: number
  readonly window: number
  readonly burst: number | undefined
}

export interface Taken {
  readonly allowed: boolean
  /** How many more would be allowed now. */
  readonly remaining: number
  /** Milliseconds until one more is allowed, where none is; else until all of the quota is back. */
  readonly reset: number
}

/** A window: when it began, and how many it has seen. A bucket: when it was looked at, and how much time it needed then. */
interface QuotaUse {
  at: number
  count: number
}

const MOST_QUOTAS = 10_000

/** The uses of one quota, by key. */
export class Quotas extends Table<QuotaUse> {
  constructor() {
    super({ max: MOST_QUOTAS })
  }

  protected write({ at, count }: QuotaUse): unknown {
    return [at, count]
  }

  protected read(value: unknown): QuotaUse {
    const [at, count] = value as [number, number]
    return { at, count }
  }

  /** Takes one atomically, if one is left. */
  take(key: string, quota: Quota, now: number): Taken {
    const before = this.onChange && this.at(key)
    let use = this.values.get(key)
    if (use === undefined) {
      use = { at: now, count: 0 }
      this.values.set(key, use)
    }
    const taken =
      quota.burst === undefined ? takeFromWindow(use, quota, now) : takeFromBucket(use, quota, quota.burst, now)
    // One that is not allowed leaves the quota as it was, but for the time of the last look.
    if (taken.allowed) this.onChange?.(key, this.at(key), before)
    return taken
  }
}

function takeFromWindow(use: QuotaUse, { limit, window }: Quota, now: number): Taken {
  // A clock may have been set back: a window of the future is none.
  if (now >= use.at + window || now < use.at) {
    use.at = now
    use.count = 0
  }
  const allowed = use.count < limit
  if (allowed) use.count += 1
  return { allowed, remaining: limit - use.count, reset: use.at + window - now }
}

/** Tolerance of sums of fractions of a millisecond, which are not exact: a microsecond. */
const TOLERANCE = 0.001

/** The generic cell rate algorithm (ITU-T I.371): a bucket is as empty as the time it needs to be full. */
function takeFromBucket(use: QuotaUse, { limit, window }: Quota, burst: number, now: number): Taken {
  const each = window / limit
  const size = burst * each
  const missing = now < use.at ? 0 : Math.max(0, use.count - (now - use.at))
  const allowed = missing + each <= size + TOLERANCE
  use.at = now
  use.count = allowed ? missing + each : missing
  const remaining = Math.floor((size - use.count + TOLERANCE) / each)
  return { allowed, remaining, reset: allowed ? use.count : missing + each - size }
}

// The idempotency keys of requests with their outcomes, by a world's clock. Independent of HTTP: an outcome is any value.

/** The record of a key: the fingerprint of its payload, and its reply when it is made. */
export interface KeyUse<Outcome> {
  readonly payload: string
  /** `undefined` while it is under way. */
  readonly outcome: Outcome | undefined
  /** Milliseconds since the epoch; while it is under way it does not end. */
  readonly until: number
  /** About how many characters it keeps. */
  readonly size: number
}

const MOST_KEYS = 10_000
const MOST_CHARACTERS = 32 * 1024 * 1024
/** A key without its outcome. */
const KEY_SIZE = 300

export class IdempotencyKeys<Outcome extends { readonly body?: unknown }> extends Table<KeyUse<Outcome>> {
  constructor() {
    super({ max: MOST_KEYS, maxSize: MOST_CHARACTERS, sizeCalculation: ({ size }) => size })
  }

  // Keys of running requests belong to one process and are not shared.
  protected write({ payload, outcome, until, size }: KeyUse<Outcome>): unknown {
    if (outcome === undefined) return null
    const { body } = outcome
    const bytes = body instanceof Uint8Array && { body: { [BYTES]: Buffer.from(body).toString('base64') } }
    return [payload, { ...outcome, ...bytes }, until, size]
  }

  protected read(value: unknown): KeyUse<Outcome> {
    const [payload, outcome, until, size] = value as [string, Outcome, number, number]
    const bytes = (outcome.body as { [BYTES]?: string } | undefined)?.[BYTES]
    const body = bytes === undefined ? outcome.body : new Uint8Array(Buffer.from(bytes, 'base64'))
    return { payload, outcome: { ...outcome, body }, until, size }
  }

  /** Returns the record of a key, unless it has expired. */
  find(key: string, now: number): KeyUse<Outcome> | undefined {
    const use = this.values.get(key)
    return use !== undefined && now < use.until ? use : undefined
  }

  begin(key: string, payload: string): void {
    this.values.set(key, { payload, outcome: undefined, until: Number.POSITIVE_INFINITY, size: KEY_SIZE })
  }

  /** Keeps an outcome in this process. @param size the approximate number of characters of the outcome */
  finish(key: string, payload: string, outcome: Outcome, until: number, size: number): void {
    this.values.set(key, { payload, outcome, until, size: KEY_SIZE + size })
  }

  /** As if it had never been used. */
  forget(key: string): void {
    this.values.delete(key)
  }

  /** Keeps an outcome for all copies of the world: see `finish`. */
  settle(key: string, payload: string, outcome: Outcome, until: number, size: number): void {
    this.set(key, { payload, outcome, until, size: KEY_SIZE + size })
  }
}

/** The key of bytes in the place of a body. */
const BYTES = '$base64'

export const LASTING: Readonly<Record<KeptKind, new () => Lasting>> = {
  hits: Hits,
  quotas: Quotas,
  keys: IdempotencyKeys,
  paths: PathCounts,
  scenarios: Scenarios,
}

/** The kind of persistent kept state; `undefined` for state of this process only. */
export const kindOfKept = (kept: unknown): KeptKind | undefined =>
  (Object.keys(LASTING) as KeptKind[]).find(kind => kept instanceof LASTING[kind])

// A number of servers and a first-come-first-served queue. Independent of time and HTTP.

export class Servers {
  busy = 0
  // A set keeps the order in which it was filled, and lets go of one in the middle at once.
  readonly #line = new Set<() => void>()

  /** The length of the queue. */
  get waiting(): number {
    return this.#line.size
  }

  /** Takes a server, if one of this many is free and the queue is empty. */
  take(servers: number): boolean {
    if (this.busy >= servers || this.#line.size > 0) return false
    this.busy += 1
    return true
  }

  /**
   * Enters the queue; `served` is called when it has a server. Returns a function that leaves the queue, and returns whether
   * it was in time.
   */
  queue(served: () => void): () => boolean {
    this.#line.add(served)
    return () => this.#line.delete(served)
  }

  /** Returns a server, and gives free ones of this many to the queue. */
  release(servers: number): void {
    this.busy -= 1
    for (const served of this.#line) {
      if (this.busy >= servers) return
      this.#line.delete(served)
      this.busy += 1
      served()
    }
  }
}
