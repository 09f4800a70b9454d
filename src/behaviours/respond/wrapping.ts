// Where a request holds the record: as its whole body, or below a key, `{"tag": {…}}`. The template that wraps the replies
// names the key, and the contract says whether requests have it.

import { isJson, type MediaType } from '../../contract/contract.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { placeholders } from '../../kernel/template.ts'
import type { Node } from '../../schema/document.ts'
import type { Site } from '../behaviour.ts'
import type { Resource } from './resource.ts'

/** The record within a request. */
export interface RequestedRecord {
  /** Its schema; `undefined` where the operation takes no body, or describes none. */
  readonly node: Node | undefined
  /** The record's part of a body. */
  unwrap(body: Json | undefined): Json | undefined
}

/** @param template of the reply, with `${record.value}` where the record goes */
export function compileUnwrap(template: Json | undefined, resource: Resource, site: Site): RequestedRecord {
  const whole = mediaOf(site)?.schema?.node
  const path = whole === undefined ? [] : wrappedAt(whole, template, resource, site)
  if (path.length === 0) return { node: whole, unwrap: body => body }
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
  }
}

/** The keys below which a template has the record. */
export const recordPath = (template: Json | undefined): readonly string[] =>
  ([...placeholders(template, 'record')].find(([, name]) => name === 'value')?.[0] ?? []).map(String)

/** What a request body is described by: as JSON, else as the first type that has a schema. */
export function mediaOf({ operation }: Site): MediaType | undefined {
  const all = [...(operation.body?.content ?? [])]
  return (all.find(([type]) => isJson(type)) ?? all.find(([, { schema }]) => schema !== undefined))?.[1]
}

function wrappedAt(whole: Node, template: Json | undefined, resource: Resource, { contract }: Site): readonly string[] {
  const fields = resource.schema.shape.properties
  const own = contract.identify(resource.schema.node)
  if (contract.identify(whole) === own) return []
  /** Whether the schema is about the fields of a record, rather than about what is around them. */
  const isRecord = (node: Node): boolean => {
    if (contract.identify(node) === own) return true
    const names = [...contract.shapeOf(node).properties.keys()]
    return names.length > 0 && names.filter(name => fields.has(name)).length * 2 >= names.length
  }
  const named = recordPath(template)
  const { properties } = contract.shapeOf(whole)
  const inner = named.reduce<Node | undefined>((at, key) => at && contract.shapeOf(at).properties.get(key), whole)
  if (named.length > 0 && inner !== undefined && isRecord(inner)) return named
  // A body with a field of the record in it is the record.
  if ([...properties.keys()].some(name => fields.has(name))) return []
  const candidates = [...properties].filter(([, node]) => isRecord(node))
  return candidates.length === 1 ? [(candidates[0] as [string, Node])[0]] : []
}
