// Changes of worlds: as effects, which can be written down as JSON and applied to another copy of the world, and as they are
// recorded, with a way to undo them. An effect holds the new state, so applying one twice has the same result.

import type { Id } from './records/types.ts'

/** An id as exact JSON. */
export type PortableId = number | string | { readonly big: string }

/** How far a collection has counted: its revision, the next id of its sequence, and how many records were created. */
export type Counters = readonly [revision: number, next: PortableId, creations: number]

/** All records of a collection, or those in which it differs from the collection that it began as. */
export interface CollectionState {
  /** Whether `rows` are all records. */
  readonly whole: boolean
  readonly rows: readonly (readonly [text: string, created: number, revision: number])[]
  /** The ids of records that are gone, where `rows` are not all. */
  readonly gone: readonly PortableId[]
  readonly counters: Counters
  /** Set where records go from state to state by the clock. */
  readonly timers?: readonly (readonly [id: PortableId, timer: PortableTimer])[]
}

/** The `entry`-th state of a record, and when the edge to `to` fires: milliseconds since the epoch, `null` for never. */
export type PortableTimer = readonly [state: string, entry: number, due: number | null, to: string | null]

/**
 * A record is written, or removed (`null`). `created` is 0 for a seed, else the ordinal of its creation. Without counters
 * they follow from the record: it has the latest revision, and its id and ordinal have been given. A removal leaves them.
 */
export type RowEffect = readonly ['row', PortableId, text: string | null, created: number, revision: number, Counters?]

export type CollectionEffect =
  | RowEffect
  /** Several records, one after the other: one is written, and another one is evicted for it. */
  | readonly ['rows', readonly RowEffect[]]
  | readonly ['timer', PortableId, PortableTimer | null]
  /** The collection was replaced. */
  | readonly ['all', CollectionState]

/**
 * The clock of a world: it showed `shown` when the clock below showed `since`, and runs at `rate`; `null` is real time.
 */
export type PortableCourse = readonly [shown: number, since: number, rate: number]

/** The kinds of things that behaviours keep in a world and that outlast a process. */
export type KeptKind = 'hits' | 'quotas' | 'keys' | 'paths' | 'scenarios'

/** An effect inside a world. */
export type WorldEffect =
  | readonly ['in', collection: string, CollectionEffect]
  | readonly ['kept', KeptKind, place: string, key: string, value: unknown]
  | readonly ['clock', PortableCourse | null]
  /** A number of further requests of an operation: additions commute. */
  | readonly ['ordinal', operation: string, more: number]

/** A change of a world, as it is recorded. */
export interface Change {
  /** The first item of the effect. */
  readonly kind: string
  /** The world and the effect as the text of a JSON array. In the place of the text of `record` is 1. */
  readonly text: string
  /** The text of the record that was written, if one was. */
  readonly record?: string | undefined
  /** The characters of the records that it replaced: a fork of before keeps them. */
  readonly replaced?: number
  /** Undoes the change. All later ones must be undone before. */
  undo(): void
  /** Does the change again after it was undone, in place of its text. Returns it with its new undoing. */
  again?(): Change
}

/** A world that counts requests. */
export interface Counting {
  /** Hands over how many requests of each operation there were since this was called last, as changes. */
  takeCounts(take: (change: Change) => void): void
}

/** The reason of changes, for the history. */
export interface Cause {
  /** `POST /v1/books`. */
  readonly text: string
  /** The position of the changes in the log, set when it is known. */
  position?: number | undefined
}

/** Is called with every change. */
export type ChangeListener = (change: Change) => void

/** Is told every change of the worlds that have it, and orders the work that changes them. */
export interface Recorder {
  record(change: Change): void
  /** The world counted a request for the first time since its counts were taken. */
  counts(world: Counting): void
  /** Whether work may run several times, because other processes change the same worlds: it must begin as it began first. */
  readonly repeats: boolean
  /**
   * Runs some work in its turn, and resolves once its changes are as durable as promised. The work must not wait for the network
   * or the time, because all others wait for it.
   */
  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result>
}

/** Thrown by work that must wait for something before it can go on: its changes are undone, and it may run again after `wait`. */
export class Interrupt extends Error {
  override readonly name = 'Interrupt'
  readonly wait: () => Promise<void>

  constructor(wait: () => Promise<void>) {
    super('work in a turn must wait')
    this.wait = wait
  }
}

export const changeOf = (world: string, effect: readonly [string, ...unknown[]], undo: () => void): Change => ({
  kind: effect[0],
  text: JSON.stringify([world, effect]),
  undo,
})

/** Called with a key and its values after and before; `null` if absent. */
export type KeptChange = (key: string, after: unknown, before: unknown) => void

/** A table of JSON values that outlasts the process. */
export interface Lasting {
  /** Called with every change while it is set. */
  onChange: KeptChange | undefined
  /** The value of a key as JSON, `null` where it has none. */
  at(key: string): unknown
  /** Sets the value of a key without recording it. */
  restore(key: string, value: unknown): void
  /** Every key with its value. */
  dump(): Iterable<readonly [key: string, value: unknown]>
}

export const portableId = (id: Id): PortableId => (typeof id === 'bigint' ? { big: `${id}` } : id)
export const idOf = (id: PortableId): Id => (typeof id === 'object' ? BigInt(id.big) : id)
