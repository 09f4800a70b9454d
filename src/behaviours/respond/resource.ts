// A resource as the simulation declares it: what a record of it must be, and what becomes of what a client sends.

import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, parseInteger, pointer, put } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { SchemaUse } from '../../schema/dialect.ts'
import type { Assign, Id } from '../../world/collection.ts'
import type { RecordStates } from '../../world/states.ts'
import type { Site } from '../behaviour.ts'
import type { Make } from './expressions.ts'

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

/** What to store of a record: unknown fields dropped where the resource says so, the rest in the schema's order. */
export function compileAccept({
  schema,
  idField,
  assign,
  unknownFields,
}: Resource): (body: Json | undefined) => JsonObject {
  const { properties, required, open } = schema.shape
  const names = [...properties.keys()].filter(name => name !== idField || assign === 'client')
  const keepsAll = open || unknownFields !== 'drop'
  // What a schema requires without describing it is not unknown to it.
  const undescribed = [...required].filter(name => name !== idField && !properties.has(name))
  return body => {
    const given = isObject(body) ? (body as JsonObject) : NO_FIELDS
    const out: Record<string, Json> = {}
    for (const name of names) {
      if (Object.hasOwn(given, name)) put(out, name, given[name] as Json)
    }
    const others = keepsAll ? Object.keys(given) : undescribed
    for (const name of others) {
      if (name === idField || properties.has(name) || !Object.hasOwn(given, name)) continue
      put(out, name, given[name] as Json)
    }
    return out
  }
}

const NO_FIELDS: JsonObject = {}

/** A value from a path as an id of the kind that the records have. */
export const asId = (value: Id, ids: Resource['ids']): Id => {
  if (ids === 'integer') return typeof value === 'string' ? (parseInteger(value) ?? value) : value
  return typeof value === 'string' ? value : String(value)
}

/** What is wrong with a record, as sentences that begin with a JSON Pointer; `undefined` if nothing is. */
export const check = (resource: Resource, value: JsonObject): string[] | undefined =>
  checkRecord(resource, value)?.map(({ path, message }) => `${path} ${message}`)

/** The rules that a record breaks: those of its schema, and that of unknown fields; `undefined` if it breaks none. */
export function checkRecord({ schema, idField, unknownFields }: Resource, value: JsonObject): BrokenRule[] | undefined {
  const { properties, open } = schema.shape
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

/** A rule that the body breaks. */
export const inBody = (path: string, rule: string, message: string): BrokenRule => ({ in: 'body', path, rule, message })

/** The resource of that name; `undefined` once it has reported that there is none. */
export function resourceOf(name: string, key: string, site: Site): Resource | undefined {
  const resource = site.resources.get(name)
  if (resource === undefined) {
    site.error('unknown-resource', `there is no resource "${name}"`, [key], suggest(name, site.resources.keys()))
  }
  return resource
}
