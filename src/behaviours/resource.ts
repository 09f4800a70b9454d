// A resource as the simulation declares it, and the values that its author writes for records.

import type { Scope } from '../expression/scope.ts'
import { type Json, type JsonObject, parseInteger } from '../kernel/json.ts'
import type { SchemaUse } from '../schema/dialect.ts'
import type { Assign, Id } from '../world/collection.ts'
import type { RecordStates } from '../world/states.ts'

/** A resource as the simulation declares it, checked against the contract. */
export interface Resource {
  readonly name: string
  readonly schema: SchemaUse
  readonly idField: string
  readonly assign: Assign
  /** What an id is: an integer, exact whatever its size, or text. */
  readonly ids: 'integer' | 'text'
  /** Makes a new id out of how many records were created; `undefined` where ids are counted. */
  readonly newId: ((ordinal: number) => string) | undefined
  /** What a new record has where the client says nothing, by field. */
  readonly defaults: ReadonlyMap<string, Make>
  /** What every write through the API sets, whatever the client says, by field. */
  readonly set: ReadonlyMap<string, Make>
  readonly unknownFields: 'drop' | 'keep' | 'refuse'
  readonly maxRecords: number
  readonly maxBytes: number
  /** Fields that hold the id of a record of another resource, or a list of such ids, by name. */
  readonly references: ReadonlyMap<string, Reference>
  /** The records it begins with, checked. */
  readonly seeds: readonly JsonObject[]
  /** Set where its records go from state to state. */
  readonly states: RecordStates | undefined
}

export interface Reference {
  /** The resource whose records the field names. */
  readonly to: string
  /** What deleting such a record does to the ones that name it: forbids it, deletes them too, or empties their field. */
  readonly onDelete: 'restrict' | 'cascade' | 'null'
}

/** What a value may be made of. */
export interface Making {
  /** The time of the request. */
  readonly clock: { now(): number }
  /** A UUID that this request always draws for this purpose. */
  uuid(purpose: string): string
  /** A number in [0, 1) that this request always draws for this purpose. */
  draw(purpose: string): number
  /** What an expression in CEL sees; absent where no request is under way. */
  readonly scope?: Scope
}

export interface Make {
  /** `undefined` where an expression fails for this request: the field is left out. */
  (making: Making): Json | undefined
  /** Whether it needs a request. */
  readonly scoped?: boolean
}

/** A value from a path as an id of the kind that the records have. */
export const asId = (value: Id, ids: Resource['ids']): Id => {
  if (ids === 'integer') return typeof value === 'string' ? (parseInteger(value) ?? value) : value
  return typeof value === 'string' ? value : String(value)
}
