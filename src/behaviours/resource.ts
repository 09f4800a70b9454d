// A resource as the simulation declares it: its settings, and the rules for its records.

import type { SchemaUse } from '../contract/schema/schema-book.ts'
import type { Scope } from '../expression/scope.ts'
import type { BrokenRule } from '../kernel/http.ts'
import { isObject, type Json, type JsonObject, parseInteger, parseJson, pointer } from '../kernel/json.ts'
import type { Assign, Entry, Id, NewId, RecordStates } from '../world/records/types.ts'

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
  /** Makes a new id; `undefined` if ids are counted. */
  readonly newId: NewId | undefined
  /** Returns whether the paths of its readers can name a record by this id. */
  canName(id: string): boolean
  /** Default values of a new record, by field. */
  readonly defaults: ReadonlyMap<string, Make>
  /** Values that every write through the API sets, by field. They replace those of the client. */
  readonly set: ReadonlyMap<string, Make>
  /** Fields that the server fills in a new record although they are optional. */
  readonly filled: ReadonlySet<string>
  readonly unknownFields: 'drop' | 'keep' | 'refuse'
  /** Whether the client is warned of unknown fields that are dropped. */
  readonly warnsOfUnknown: boolean
  readonly maxRecords: number
  readonly maxBytes: number
  /** Fields that hold the id of a record of another resource, or a list of such ids, by name. */
  readonly references: ReadonlyMap<string, ResourceReference>
  /** The initial records, validated. */
  readonly seeds: readonly JsonObject[]
  /** Set if its records have states. */
  readonly states: RecordStates | undefined
  /** Set if its records are those of another server until a world changes them. */
  readonly source: RecordSource | undefined
}

/** Another server whose records are those of a resource until a world changes them. */
export interface RecordSource {
  /** Its name in the configuration: `base: upstream`. */
  readonly name: string
  /** Its name in sentences: `the real API`. */
  readonly owner: string
  /** The number that new ids are counted from, above those that the server counts. */
  readonly first: number | undefined
  /** The fields of a changed record in the world that say so. No reply shows them. */
  readonly marks: readonly string[]
  /** Returns a changed record without these fields; `undefined` if the world has deleted it. */
  changed(stored: Entry): Entry | undefined
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
  /** The caller's name, once known. */
  readonly consumer?: string | undefined
  /** The scope of CEL expressions; absent outside a request. */
  readonly scope?: Scope
}

export interface Make {
  /** Returns `undefined` if an expression fails for this request; the field is left out then. */
  (making: Making): Json | undefined
  /** Whether it needs a request. */
  readonly scoped?: boolean
  /** For a value of one expression whose type is known at load: some value of that type. */
  readonly sample?: Json
}

/** Half of a surrogate pair, which no path of a record can hold. */
const HALF = /\p{Surrogate}/u

export const isId = (value: Json | undefined): value is Id =>
  (typeof value === 'string' && !HALF.test(value)) ||
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value))

/** Whether a value is an id of a resource. */
export const fitsIds = (id: unknown, { ids }: Pick<Resource, 'ids'>): boolean =>
  ids === 'text' ? typeof id === 'string' : typeof id === 'number' || typeof id === 'bigint'

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

/** Returns the part of a record to store: without unknown fields if so configured, in the schema's order. */
export function compileAccept({
  schema,
  idField,
  assign,
  unknownFields,
  unshown,
}: Resource): (body: Json | undefined) => JsonObject {
  const { properties, required, open } = schema.shape
  const takesId = assign === 'client' && properties.has(idField)
  // A required field without a description is a known field.
  const known = [...properties.keys(), ...required, ...unshown]
  return body => {
    const given = fieldsOf(body)
    const names = new Set(open || unknownFields !== 'drop' ? [...known, ...Object.keys(given)] : known)
    if (!takesId) names.delete(idField)
    const own = [...names].filter(name => Object.hasOwn(given, name))
    return Object.fromEntries(own.map(name => [name, given[name] as Json]))
  }
}

/** Returns the records in the text of a list, which the world has written. */
export const readPage = (text: string): readonly JsonObject[] =>
  (parseJson(text, true) as { readonly value: Json }).value as JsonObject[]

const NO_FIELDS: JsonObject = {}

/** Returns the fields of a body; none of one that is no object. */
export const fieldsOf = (body: Json | undefined): JsonObject => (isObject(body) ? (body as JsonObject) : NO_FIELDS)

/** Returns the mistakes of a record as sentences that begin with a JSON Pointer; `undefined` if it is valid. */
export const recordMistakes = (resource: Resource, value: JsonObject): string[] | undefined =>
  checkRecord(resource, value)?.map(({ path, message }) => `${path} ${message}`)

/** Returns the broken rules of a record, including unknown fields; `undefined` if it is valid. */
export function checkRecord(resource: Resource, record: JsonObject): BrokenRule[] | undefined {
  const { schema, idField, unknownFields, unshown } = resource
  const { properties, open } = schema.shape
  const value = unshown.length === 0 ? record : withoutOwners(unshown, record)
  const violations = schema.check(value, true)
  if (violations === undefined && unknownFields !== 'refuse') return undefined
  const broken = (violations ?? []).map(({ pointer: path, keyword, message }) => inBody(path, keyword, message))
  if (unknownFields === 'refuse' && !open) {
    for (const name of Object.keys(value)) {
      if (name === idField || properties.has(name)) continue
      broken.push(inBody(pointer([name]), 'unknownField', 'is not a field of this resource'))
    }
  }
  return broken.length === 0 ? undefined : broken
}

/** The keywords that refuse a field for its name. */
export const EXTRA: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties'])

/** A broken rule of the body. */
export const inBody = (path: string, rule: string, message: string): BrokenRule => ({ in: 'body', path, rule, message })
