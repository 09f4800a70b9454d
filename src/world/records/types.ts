// The types of a collection: records, queries and pages, options, dumps, and the states of a record.

import type { Json, JsonObject } from '../../kernel/json.ts'

/** The id of a record. */
export type Id = number | bigint | string

/** How a new record gets its id: the next number, a UUID, text of the id's own form, or the one that the client gives it. */
export type Assign = 'sequence' | 'uuid' | 'generate' | 'client'

export interface Entry {
  readonly id: Id
  readonly value: JsonObject
  /** The value as JSON text, written once: replies are made of it. */
  readonly text: string
  /** Counts the writes of the collection: no two states of a record share one. */
  readonly revision: number
}

/** A stored record. `created` is 0 for a seed, else the ordinal of its creation: the order in which records are given up. */
export interface Row extends Entry {
  readonly created: number
}

/** Makes a write a part of a larger step: calls it, and throws where the step is to be undone. See `World.atOnce`. */
export type Step = (write: () => Row) => Entry

/** Selects the records whose field has one of the values. */
export interface Filter {
  readonly field: string
  readonly values: readonly Json[]
  /** Whether records without the field are selected, too. */
  readonly orAbsent?: boolean
}

/** Selects the records whose field compares so with the value: looks at every record. */
export interface Comparison {
  readonly field: string
  readonly is: 'at-least' | 'at-most' | 'more-than' | 'less-than' | 'not' | 'contains'
  readonly value: Json
}

export interface SortOrder {
  readonly field: string
  readonly descending: boolean
}

/** Filters and a limit cost the length of the page; everything else costs a look at the collection. */
export interface Query {
  readonly filters: readonly Filter[]
  readonly limit: number
  readonly comparisons?: readonly Comparison[] | undefined
  /** Words that some text of a record must hold, in upper or lower case. */
  readonly search?: string | undefined
  /** Default: by id, ascending. Records that compare alike stay in the order of their ids. */
  readonly sort?: readonly SortOrder[] | undefined
  readonly offset?: number | undefined
  /** Begins behind this record. */
  readonly after?: Id | undefined
  /** Whether to count `total`. */
  readonly count?: boolean
}

export interface Page {
  /** The records as the text of a JSON array. */
  readonly text: string
  /** The length of that text in bytes of UTF-8. */
  readonly bytes: number
  /** How many records are on the page. */
  readonly count: number
  /** Whether there are records behind the page. */
  readonly more: boolean
  /** The number of matching records on all pages, if requested. */
  readonly total?: number
  /** The id of the last record of the page. */
  readonly last?: Id | undefined
  /** The size of a page, where it is not that of the query. */
  readonly limit?: number
  /** Set where `after` names no record of a sorted list. */
  readonly lost?: boolean
}

/**
 * Makes an id that is text.
 *
 * @param ordinal the number of earlier records, and more if an id is taken
 */
export type NewId = (ordinal: number) => string

export interface CollectionOptions {
  readonly name: string
  readonly idField: string
  /** Fields that an id is unique within. Absent: ids are unique among all records. */
  readonly within?: readonly string[] | undefined
  readonly assign: Assign
  /** Fields that pages are filtered by: each costs an index. */
  readonly indexed: readonly string[]
  /** The bound above which the oldest created record is removed; seeds are never removed. */
  readonly maxRecords: number
  /** The same for the characters of all records as JSON. */
  readonly maxBytes?: number | undefined
  readonly seed: number
  /** The number that ids are counted from. Default: 1. */
  readonly first?: number | undefined
  /** Makes the id of a new record, where ids are neither counted nor UUIDs. */
  readonly newId?: NewId | undefined
  /** Set where records go from state to state. */
  readonly states?: RecordStates | undefined
}

/** All of a collection, to be written down and read back. */
export interface Dump {
  /** In the order of their ids. */
  readonly records: readonly JsonObject[]
  /** The ids of created records, oldest first, which may be removed. Absent: none. */
  readonly created?: readonly Id[]
  /** The next id of a sequence, if it is beyond those of the records. */
  readonly nextId?: number | bigint
  /** How many records were ever created: the next UUID follows from it. */
  readonly creations?: number
  /** Set if records change their states by the clock. */
  readonly timers?: readonly DumpedTimer[]
}

/** The rejection of an engine that cannot be reached: the client gets 503, never an empty list. */
export class Outage extends Error {
  override readonly name = 'Outage'
}

// --- the states of a record ------------------------------------------------------------------------------------------

/** A way from one state to another. */
export interface Edge {
  readonly to: string
  /** Milliseconds after which it fires, for a number in [0, 1). Without it only a write takes the edge. */
  readonly after?: ((share: number) => number) | undefined
  /** Returns the further fields that it sets when it fires at a moment. `share` is the record's own number in [0, 1). */
  readonly set?: ((moment: number, share: number) => JsonObject) | undefined
}

export interface RecordStates {
  /** The field of the state. */
  readonly field: string
  readonly from: ReadonlyMap<string, readonly Edge[]>
}

/** The timer of a record in a snapshot: it entered `state` as its `entry`-th one. */
export interface DumpedTimer {
  readonly id: number | bigint | string
  readonly state: string
  readonly entry: number
  /** Milliseconds since the epoch at which the edge to `to` fires. Absent: the record waits for a write. */
  readonly due?: number
  readonly to?: string
}

/** Whether a write may take a record from one state to another. Staying is always allowed. */
export const allows = (states: RecordStates, from: Json | undefined, to: Json | undefined): boolean =>
  from === to || typeof from !== 'string' || (states.from.get(from) ?? []).some(edge => edge.to === to)
