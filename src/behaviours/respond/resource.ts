// A resource as the simulation declares it: what a record of it must be, and what becomes of what a client sends.

import type { SchemaUse } from '../../contract/dialect.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, parseInteger } from '../../kernel/json.ts'
import type { Assign, Id } from '../../world/collection.ts'
import type { Site } from '../behaviour.ts'

/** A resource as the simulation declares it, checked against the contract. */
export interface Resource {
  readonly name: string
  readonly schema: SchemaUse
  readonly idField: string
  readonly assign: Assign
  /** What an id is: an integer, exact whatever its size, or text. */
  readonly ids: 'integer' | 'text'
  readonly defaults: JsonObject
  readonly unknownFields: 'drop' | 'keep' | 'refuse'
  readonly maxRecords: number
  /** Fields that hold the id of a record of another resource, by name. */
  readonly references: ReadonlyMap<string, string>
  /** The records it begins with, checked. */
  readonly seeds: readonly JsonObject[]
}

/** The fields to store: unknown ones dropped where the resource says so, the rest in the schema's order. */
export function accept({ schema, idField, assign, unknownFields }: Resource, body: Json | undefined): JsonObject {
  const given = isObject(body) ? (body as JsonObject) : {}
  const { properties, required, open } = schema.shape
  const out: Record<string, Json> = {}
  for (const name of properties.keys()) {
    if (name === idField && assign !== 'client') continue
    if (Object.hasOwn(given, name)) put(out, name, given[name] as Json)
  }
  if (open || unknownFields !== 'drop') {
    for (const name of Object.keys(given)) {
      if (name !== idField && !properties.has(name)) put(out, name, given[name] as Json)
    }
    return out
  }
  // What a schema requires without describing it is not unknown to it.
  for (const name of required) {
    if (name !== idField && !properties.has(name) && Object.hasOwn(given, name)) put(out, name, given[name] as Json)
  }
  return out
}

/** The fields of a new record: what the request did not say, the resource's defaults do. */
export function withDefaults({ schema, defaults }: Resource, fields: JsonObject): JsonObject {
  if (Object.keys(defaults).every(name => Object.hasOwn(fields, name))) return fields
  const out: Record<string, Json> = {}
  for (const name of schema.shape.properties.keys()) {
    const from = Object.hasOwn(fields, name) ? fields : defaults
    if (Object.hasOwn(from, name)) put(out, name, from[name] as Json)
  }
  for (const name of Object.keys(fields)) if (!Object.hasOwn(out, name)) put(out, name, fields[name] as Json)
  return out
}

/** Assigning to `__proto__` would change the object's kind: it must become a name like any other. */
function put(fields: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
  } else fields[name] = value
}

/** A value from a path as an id of the kind that the records have. */
export const asId = (value: Id, ids: Resource['ids']): Id => {
  if (ids === 'integer') return typeof value === 'string' ? (parseInteger(value) ?? value) : value
  return typeof value === 'string' ? value : String(value)
}

/** What is wrong with a record, as sentences that begin with a JSON Pointer; `undefined` if nothing is. */
export function check({ schema, idField, unknownFields }: Resource, value: JsonObject): string[] | undefined {
  const { properties, open } = schema.shape
  const violations = schema.check(value, true)
  if (violations === undefined && unknownFields !== 'refuse') return undefined
  const faults = (violations ?? []).map(({ pointer, message }) => `${pointer} ${message}`)
  if (unknownFields === 'refuse' && !open) {
    for (const name of Object.keys(value)) {
      if (name !== idField && !properties.has(name)) faults.push(`/${name} is not a field of this resource`)
    }
  }
  return faults.length === 0 ? undefined : faults
}

/** The resource of that name; `undefined` once it has reported that there is none. */
export function resourceOf(name: string, key: string, site: Site): Resource | undefined {
  const resource = site.resources.get(name)
  if (resource === undefined) {
    site.error('unknown-resource', `there is no resource "${name}"`, [key], suggest(name, site.resources.keys()))
  }
  return resource
}
