// Finds the record in a request: the whole body, or the value of a key, `{"tag": {…}}`. The template of the replies names
// the key, and the contract decides whether requests have it.

import { isJson, type MediaType } from '../../contract/contract.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { placeholders } from '../../kernel/template.ts'
import type { Node } from '../../schema/document.ts'
import type { Site } from '../behaviour.ts'
import type { Resource } from './resource.ts'

/** The record within a request. */
export interface RequestedRecord {
  /** Its schema; `undefined` without a described body. */
  readonly node: Node | undefined
  /** Returns the record's part of a body. */
  unwrap(body: Json | undefined): Json | undefined
  /** Returns whether a body has the record's part. */
  isIn(body: Json | undefined): boolean
}

/** @param template the reply's template, with `${record.value}` for the record */
export function compileUnwrap(template: Json | undefined, resource: Resource, site: Site): RequestedRecord {
  const whole = mediaOf(site)?.schema?.node
  const path = whole === undefined ? [] : wrappedAt(whole, template, resource, site)
  if (path.length === 0) return { node: whole, unwrap: body => body, isIn: body => body !== undefined }
  const node = path.reduce<Node | undefined>(
    (at, key) => at && site.contract.shapeOf(at).properties.get(key),
    whole,
  ) as Node
  return {
    node,
    unwrap(body) {
      let at = body
      for (const key of path) {
        if (!isObject(at) || !Object.hasOwn(at, key)) return body
        at = at[key] as Json
      }
      return at
    },
    isIn(body) {
      let at = body
      for (const key of path) at = isObject(at) && Object.hasOwn(at, key) ? (at[key] as Json) : undefined
      return at !== undefined
    },
  }
}

/** Returns the keys of the record in a template. */
export const recordPath = (template: Json | undefined): readonly string[] =>
  ([...placeholders(template, 'record')].find(([, name]) => name === 'value')?.[0] ?? []).map(String)

/** Returns the schema of a request body: of JSON, else of the first type with a schema. */
export function mediaOf({ operation }: Site): MediaType | undefined {
  const all = [...(operation.body?.content ?? [])]
  return (all.find(([type]) => isJson(type)) ?? all.find(([, { schema }]) => schema !== undefined))?.[1]
}

function wrappedAt(whole: Node, template: Json | undefined, resource: Resource, { contract }: Site): readonly string[] {
  const fields = resource.schema.shape.properties
  const own = contract.identify(resource.schema.node)
  if (contract.identify(whole) === own) return []
  /** Returns whether the schema describes the record's fields and not an envelope. */
  const isRecord = (node: Node): boolean => {
    if (contract.identify(node) === own) return true
    const names = [...contract.shapeOf(node).properties.keys()]
    return names.length > 0 && names.filter(name => fields.has(name)).length * 2 >= names.length
  }
  const named = recordPath(template)
  const { properties } = contract.shapeOf(whole)
  const inner = named.reduce<Node | undefined>((at, key) => at && contract.shapeOf(at).properties.get(key), whole)
  if (named.length > 0 && inner !== undefined && isRecord(inner)) return named
  // A body with one of the record's fields is the record.
  if ([...properties.keys()].some(name => fields.has(name))) return []
  const candidates = [...properties].filter(([, node]) => isRecord(node))
  return candidates.length === 1 ? [(candidates[0] as [string, Node])[0]] : []
}
