// The keys under which requests were made, and what became of them, by a world's clock. Bounded: the key that was used
// longest ago is forgotten. Knows no HTTP: what became of a request is whatever it is given.

import { LRUCache } from 'lru-cache'

/** What is known of a key: whose payload it came with, and what became of it, once something has. */
export interface Use<Outcome> {
  readonly payload: string
  /** `undefined` while it is under way. */
  outcome: Outcome | undefined
  /** Milliseconds since the epoch; while it is under way it does not end. */
  until: number
}

const MOST_KEYS = 10_000

export class IdempotencyKeys<Outcome extends object> {
  readonly #uses = new LRUCache<string, Use<Outcome>>({ max: MOST_KEYS })

  /** What is known of a key, unless its time is over. */
  find(key: string, now: number): Use<Outcome> | undefined {
    const use = this.#uses.get(key)
    return use !== undefined && now < use.until ? use : undefined
  }

  begin(key: string, payload: string): Use<Outcome> {
    const use = { payload, outcome: undefined, until: Number.POSITIVE_INFINITY }
    this.#uses.set(key, use)
    return use
  }

  /** As if it had never been used. */
  forget(key: string): void {
    this.#uses.delete(key)
  }
}
