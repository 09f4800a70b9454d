// A configured resource: the rules for its records, and the handling of the client's values.

import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, pointer, put } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { Site } from '../behaviour.ts'
import { type Resource, withoutOwners } from '../resource.ts'

export { asId, type Resource, type ResourceReference } from '../resource.ts'

/** Returns the part of a record to store: without unknown fields if so configured, in the schema's order. */
export function compileAccept({
  schema,
  idField,
  assign,
  unknownFields,
  unshown,
}: Resource): (body: Json | undefined) => JsonObject {
  const { properties, required, open } = schema.shape
  const names = [...properties.keys()].filter(name => name !== idField || assign === 'client')
  const keepsAll = open || unknownFields !== 'drop'
  // A required field without a description is a known field.
  const undescribed = [...required, ...unshown].filter(name => name !== idField && !properties.has(name))
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

/** Returns the mistakes of a record as sentences that begin with a JSON Pointer; `undefined` if it is valid. */
export const check = (resource: Resource, value: JsonObject): string[] | undefined =>
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

/** A broken rule of the body. */
export const inBody = (path: string, rule: string, message: string): BrokenRule => ({ in: 'body', path, rule, message })

/** Returns the resource with a name; `undefined` after reporting that there is none. */
export function resourceOf(name: string, key: string, site: Site): Resource | undefined {
  const resource = site.resources.get(name)
  if (resource === undefined) {
    site.error('unknown-resource', `there is no resource "${name}"`, [key], suggest(name, site.resources.keys()))
  }
  return resource
}
