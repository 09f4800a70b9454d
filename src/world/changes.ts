// Changes of worlds: as effects, which another copy of the world can apply, and with a way to undo them. An effect holds the new
// state, so applying one twice has the same result.

import type { Course } from './clock.ts'
import type { DumpedTimer, Entry, Id, Row } from './records/types.ts'

/** How far a collection has counted: its revision, the next id of its sequence, and how many records were created. */
export interface Counters {
  readonly revision: number
  readonly next: number | bigint
  readonly creations: number
}

/** The text of a record, the ordinal of its creation (0 for a seed), and its revision. */
export type RowState = Pick<Row, 'text' | 'created' | 'revision'>

/** All records of a collection, or those in which it differs from the collection that it began as. */
export interface CollectionState {
  /** Whether `rows` are all records. */
  readonly whole: boolean
  readonly rows: readonly RowState[]
  /** The ids of records that are gone, where `rows` are not all. */
  readonly gone: readonly Id[]
  readonly counters: Counters
  /** Set where records go from state to state by the clock. */
  readonly timers?: readonly DumpedTimer[] | undefined
}

/**
 * A record is written, or removed: it has no text. Without counters they follow from the record: it has the latest revision, and its
 * id and ordinal have been given. A removal leaves them.
 */
export interface RowChange {
  readonly kind: 'row'
  readonly id: Id
  readonly text: string | undefined
  readonly created: number
  readonly revision: number
  readonly counters?: Counters | undefined
}

export type CollectionChange =
  | RowChange
  /** Several records, one after the other: one is written, and another one is evicted for it. */
  | { readonly kind: 'rows'; readonly rows: readonly RowChange[] }
  | { readonly kind: 'timer'; readonly id: Id; readonly timer: DumpedTimer | undefined }
  /** The collection was replaced. */
  | { readonly kind: 'all'; readonly state: CollectionState }

/** The kinds of things that behaviours keep in a world and that outlast a process. */
export type KeptKind = 'hits' | 'quotas' | 'keys' | 'paths' | 'scenarios' | 'notes' | 'inherited'

/** A value of a table that behaviours keep in a world, as JSON; `null`: none. */
export interface KeptValue {
  readonly table: KeptKind
  readonly place: string
  readonly key: string
  readonly value: unknown
}

/** An effect inside a world. */
export type WorldEffect =
  | { readonly kind: 'in'; readonly collection: string; readonly change: CollectionChange }
  | ({ readonly kind: 'kept' } & KeptValue)
  | { readonly kind: 'clock'; readonly course: Course | undefined }
  /** A number of further requests of an operation: additions commute. */
  | { readonly kind: 'ordinal'; readonly operation: string; readonly more: number }

/** A change of a world. */
export interface Change<Effect = WorldEffect> {
  readonly world: string
  readonly effect: Effect
  /** The characters of the records that it replaced: a fork of before keeps them. */
  readonly replaced?: number | undefined
  /** Undoes the change. All later ones must be undone before. */
  undo(): void
}

/** Is called with every change of a collection, and with the characters of the records that it replaced. */
export type CollectionListener = (change: CollectionChange, undo: () => void, replaced?: number) => void

/** A record before and after a write; `undefined` where there is none. */
export interface RecordChange {
  readonly before: Entry | undefined
  readonly after: Entry | undefined
  /** The time of the world at which its clock made the change; `undefined` for that of a request. */
  readonly moment: number | undefined
}

/** Must not throw. Is not called for changes of other copies, nor where all records are replaced. */
export type RecordWatcher = (change: RecordChange) => void

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
  /** Returns a copy for a fork of its world, which else begins without it. */
  fork?(): Lasting
}
