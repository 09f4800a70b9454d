// The interface of a collection of records, for every storage engine. "Missing" and "stale" are values; a rejection is an
// outage. Knows no HTTP.

import { type Json, type JsonObject, put } from '../kernel/json.ts'
import type { Clock } from './clock.ts'
import type { CollectionEffect, CollectionState, Recorder } from './effects.ts'
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
  /** Words that some text of a record must hold, whatever their case. */
  readonly search?: string | undefined
  /** Default: by id, ascending. Records that compare alike stay in the order of their ids. */
  readonly sort?: readonly SortOrder[] | undefined
  readonly offset?: number | undefined
  /** Begins behind this record. */
  readonly after?: Id | undefined
  /** Whether `total` is wanted. */
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
  /** How many records match, on all pages; where it was asked for. */
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
  /** Above it the oldest created record goes; seeds never go. */
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
  /** The ids of those that were created, oldest first: what may be given up. Absent: none, all are like seeds. */
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
  /** Stores a value under an id, whether there is a record of that id or not. */
  put(id: Id, fields: JsonObject): Promise<{ readonly entry: Entry; readonly created: boolean }>
  dump(): Promise<Dump>
  /** Holds what was dumped, and nothing else. */
  load(dump: Dump): Promise<void>
  /** Whether it was written to since it was made or forked. */
  readonly touched: boolean
  /** An independent copy, in constant time. */
  fork(): Collection
  /** The same records under other options: after a reload. */
  adapt(options: CollectionOptions): void
  /** Returns the next timers that will fire, in their order. A collection without it has none. */
  upcoming?(limit: number): readonly DumpedTimer[]
  /** Lives by this clock from now on. A collection without it does not look at the time. */
  follow?(clock: Clock): void
  /** Lets the first states of its seeds begin now, or at a moment, where nobody has looked at it yet. */
  begin?(at?: number): void
  /** Tells every change to a recorder from now on, under the name of its place; `undefined`: to nobody. */
  record(recorder: Recorder | undefined, place?: RecordedPlace): void
  /** Does what another copy of the collection recorded, and tells no recorder; returns what reverses it. */
  apply(effect: CollectionEffect): CollectionEffect
  /** All of it as a value; with `base`, a collection that it began as a fork of, only what differs. */
  state(base?: Collection): CollectionState
}

/** The record under an id, which comes first in its text and is the one assigned, whatever the fields say. */
export function withId(field: string, id: Id, fields: JsonObject): JsonObject {
  if (isFirst(field, fields) && fields[field] === id) return fields
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
