// The interface of a collection of records, for every storage engine. "Missing" and "stale" are values; a rejection is an
// outage. Independent of HTTP.

import { type Json, type JsonObject, put } from '../kernel/json.ts'
import type { Clock } from './clock.ts'
import type { CollectionEffect, CollectionState, PortableId, Recorder, RowBatch, RowEffect } from './effects.ts'
import type { Id } from './id.ts'
import { withField } from './record-field.ts'
import type { RecordedPlace } from './recorded-place.ts'
import type { DumpedTimer, RecordStates } from './states.ts'

export { fieldIn as idIn } from './record-field.ts'
export type { Id }

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
  /** Set where `after` names no record of a sorted list. */
  readonly lost?: boolean
}

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
  /** Makes the id of a new record out of how many were created, where ids are neither counted nor UUIDs. */
  readonly newId?: ((ordinal: number) => Id) | undefined
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

export interface Collection {
  readonly size: number
  /** The estimated bytes of the records that were written here: a fork begins with none. */
  readonly bytes: number
  list(query: Query): Promise<Page>
  read(id: Id): Promise<Entry | undefined>
  /**
   * Stores a new record under a new id, or under the one it has where the client gives it; unless `refuse`, asked about the
   * record as it would be stored, has an answer. No id is used up then. Every write that adds to the records rejects with
   * `Full` where there is no memory for it.
   */
  create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal>
  /** Stores another value under an id; with `revision`, only if the record has not changed since. */
  replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'>
  remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'>
  /** Stores a value under an id, new or existing. */
  put(id: Id, fields: JsonObject): Promise<{ readonly entry: Entry; readonly created: boolean }>
  dump(): Promise<Dump>
  /** Replaces its records by those of a dump. */
  load(dump: Dump): Promise<void>
  /** Whether it was written to since it was made or forked. */
  readonly touched: boolean
  /** An independent copy, in constant time. */
  fork(): Collection
  /** The same records under other options: after a reload. */
  adapt(options: CollectionOptions): void
  /** Returns the next timers that will fire, in their order. A collection without it has none. */
  upcoming?(limit: number): readonly DumpedTimer[]
  /** Uses this clock from now on. A collection without a clock ignores time. */
  follow?(clock: Clock): void
  /** Starts the first states of its seeds now, or at a time, if it has not been used yet. */
  begin?(at?: number): void
  /** Passes every later change to a recorder under this name; `undefined`: to none. */
  record(recorder: Recorder | undefined, place?: RecordedPlace): void
  /** Applies a change that another copy of the collection recorded, without recording it. Returns its inverse. */
  apply(effect: CollectionEffect): CollectionEffect
  /** Returns the effect that leaves the record of an id as it is now. */
  rowAt(id: PortableId): RowEffect
  /**
   * Returns a batch that takes many changes of records which another copy recorded, and stores them at once; `undefined` where
   * each must be applied. The collection must not be used otherwise until the batch is ended.
   */
  batch?(): RowBatch | undefined
  /** Returns the collection as a value; with `base`, the origin of this fork, only the differences. */
  state(base?: Collection): CollectionState
}

/** Returns a record with an id, which is first in its text and overrides that of the fields. */
export function withId(field: string, id: Id, fields: JsonObject): JsonObject {
  if (fields[field] === id && isFirst(field, fields)) return fields
  if (field.includes('.') && !Object.hasOwn(fields, field)) return withField(field, id, fields)
  const record: Record<string, Json> = {}
  put(record, field, id)
  for (const name of Object.keys(fields)) if (name !== field) put(record, name, fields[name] as Json)
  return record
}

function isFirst(field: string, fields: JsonObject): boolean {
  for (const name in fields) return name === field
  return false
}

/** The rejection of an engine that cannot be reached: the client gets 503, never an empty list. */
export class Outage extends Error {
  override readonly name = 'Outage'
}
