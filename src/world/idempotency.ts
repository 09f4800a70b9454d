// The idempotency keys of requests with their outcomes, by a world's clock. Bounded: the least recently used key is evicted.
// Independent of HTTP: an outcome is any value.

import { LRUCache } from 'lru-cache'
import type { KeptChange, Lasting } from './changes.ts'

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

export class IdempotencyKeys<Outcome extends object> implements Lasting {
  onChange: KeptChange | undefined = undefined
  readonly #uses = new LRUCache<string, KeyUse<Outcome>>({
    max: MOST_KEYS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ size }) => size,
  })

  /** Returns the record of a key, unless it has expired. */
  find(key: string, now: number): KeyUse<Outcome> | undefined {
    const use = this.#uses.get(key)
    return use !== undefined && now < use.until ? use : undefined
  }

  begin(key: string, payload: string): void {
    this.#uses.set(key, { payload, outcome: undefined, until: Number.POSITIVE_INFINITY, size: KEY_SIZE })
  }

  /** @param size the approximate number of characters of the outcome */
  finish(key: string, payload: string, outcome: Outcome, until: number, size: number): void {
    this.#uses.set(key, { payload, outcome, until, size: KEY_SIZE + size })
  }

  /** As if it had never been used. */
  forget(key: string): void {
    this.#uses.delete(key)
  }

  /** Keeps an outcome at once, for all copies of the world: see `finish`. */
  settle(key: string, payload: string, outcome: Outcome, until: number, size: number): void {
    const before = this.at(key)
    this.finish(key, payload, outcome, until, size)
    this.onChange?.(key, this.at(key), before)
  }

  /** Keys of running requests belong to one process and are not shared. */
  at(key: string): unknown {
    const use = this.#uses.peek(key)
    if (use?.outcome === undefined) return null
    return [use.payload, toPortable(use.outcome), use.until, use.size]
  }

  restore(key: string, value: unknown): void {
    if (value === null) {
      this.forget(key)
      return
    }
    const [payload, outcome, until, size] = value as [string, unknown, number, number]
    this.#uses.set(key, { payload, outcome: fromPortable(outcome) as Outcome, until, size })
  }

  *dump(): Iterable<readonly [string, unknown]> {
    for (const key of [...this.#uses.keys()].reverse()) {
      const value = this.at(key)
      if (value !== null) yield [key, value]
    }
  }
}

/** Replaces bytes by an object that `fromPortable` turns into bytes again. */
function toPortable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(toPortable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPortable(item)]))
}

function fromPortable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPortable)
  if (typeof value !== 'object' || value === null) return value
  const bytes = (value as Record<string, unknown>)[BYTES]
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromPortable(item)]))
}

const BYTES = '$base64'
