// Relates the names of a request to those of the records: a form says `FriendlyName`, and the record has `friendly_name`.

import type { Contract } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { fieldsOf } from './asked.ts'
import type { Resource } from './resource.ts'

/** The record's names by those of the request. */
export type Renamed = ReadonlyMap<string, string>

/** Finds the fields that a request spells otherwise: in another case, with other separators. Each must be the only one. */
export function readRenamed(node: Node | undefined, { schema }: Resource, contract: Contract): Renamed {
  const renamed = new Map<string, string>()
  if (node === undefined) return renamed
  const { properties } = schema.shape
  const asked = [...fieldsOf(node, contract).properties.keys()]
  const names = [...properties.keys()]
  for (const name of asked) {
    if (properties.has(name)) continue
    const same = names.filter(one => plainName(one) === plainName(name) && !asked.includes(one))
    const twins = asked.filter(one => plainName(one) === plainName(name))
    if (same.length === 1 && twins.length === 1) renamed.set(name, same[0] as string)
  }
  return renamed
}

/** A body with the names that the record has. */
export function rename(body: Json, renamed: Renamed): Json {
  if (renamed.size === 0 || !isObject(body)) return body
  const entries = Object.entries(body as JsonObject)
  return Object.fromEntries(entries.map(([name, value]) => [renamed.get(name) ?? name, value]))
}
