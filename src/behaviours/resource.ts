// A resource as the simulation declares it, and the values that its author writes for records.

import type { SchemaUse } from '../contract/schema/dialect.ts'
import type { Scope } from '../expression/scope.ts'
import { type Json, type JsonObject, parseInteger } from '../kernel/json.ts'
import type { Assign, Id } from '../world/collection.ts'
import type { RecordStates } from '../world/states.ts'

/** A configured resource, checked against the contract. */
export interface Resource {
  readonly name: string
  readonly schema: SchemaUse
  readonly idField: string
  /** Fields that an id is unique within, such as `metadata.namespace`; none if ids are unique among all records. */
  readonly within: readonly string[]
  /** Fields in braces, such as `{repo}`: owners that a record is kept with and that no reply shows. */
  readonly unshown: readonly string[]
  readonly assign: Assign
  /** Whether a write is refused or keeps its path's id if its body has another one. */
  readonly change: 'refuse' | 'ignore'
  /** The type of an id: an integer, exact at any size, or text. */
  readonly ids: 'integer' | 'text'
  /** Makes a new id from the number of created records; `undefined` if ids are counted. */
  readonly newId: ((ordinal: number) => string) | undefined
  /** Default values of a new record, by field. */
  readonly defaults: ReadonlyMap<string, Make>
  /** Values that every write through the API sets, by field. They replace those of the client. */
  readonly set: ReadonlyMap<string, Make>
  readonly unknownFields: 'drop' | 'keep' | 'refuse'
  readonly maxRecords: number
  readonly maxBytes: number
  /** Fields that hold the id of a record of another resource, or a list of such ids, by name. */
  readonly references: ReadonlyMap<string, ResourceReference>
  /** The initial records, validated. */
  readonly seeds: readonly JsonObject[]
  /** Set if its records have states. */
  readonly states: RecordStates | undefined
}

export interface ResourceReference {
  /** The resource that the field refers to. */
  readonly to: string
  /** The effect of deleting a referenced record: refuse, delete the referring records too, or empty their field. */
  readonly onDelete: 'restrict' | 'cascade' | 'null'
}

/** The data for a value's expressions. */
export interface Making {
  /** The time of the request. */
  readonly clock: { now(): number }
  /** Returns a UUID, the same for the same request and purpose. */
  uuid(purpose: string): string
  /** Returns a number in [0, 1), the same for the same request and purpose. */
  draw(purpose: string): number
  /** The scope of CEL expressions; absent outside a request. */
  readonly scope?: Scope
}

export interface Make {
  /** Returns `undefined` if an expression fails for this request; the field is left out then. */
  (making: Making): Json | undefined
  /** Whether it needs a request. */
  readonly scoped?: boolean
}

/** Converts a path value to an id of the records' type. */
export const asId = (value: Id, ids: Resource['ids']): Id => {
  if (ids === 'integer') return typeof value === 'string' ? (parseInteger(value) ?? value) : value
  return typeof value === 'string' ? value : String(value)
}

/** Returns a record without the owners that no reply shows. */
export function withoutOwners(unshown: readonly string[], record: JsonObject): JsonObject {
  if (!unshown.some(field => Object.hasOwn(record, field))) return record
  return Object.fromEntries(Object.entries(record).filter(([field]) => !unshown.includes(field)))
}
