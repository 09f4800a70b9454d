// The idempotency keys of requests with their outcomes, by a world's clock. Independent of HTTP: an outcome is any value.

import { Table } from './table.ts'

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
