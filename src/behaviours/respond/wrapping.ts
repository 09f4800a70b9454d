// Finds the record in a request: the whole body, or the value of a key, `{"tag": {…}}`. The template of the replies names
// the key, and the contract decides whether requests have it.

import { type Contract, isJson, type MediaType } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import type { SchemaUse } from '../../contract/schema/dialect.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { placeholders } from '../../kernel/template.ts'
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

/** The list of records in a request. */
export interface ListedRecords {
  /** The key of the list; `undefined` if the body is the list. */
  readonly key: string | undefined
  list(body: Json | undefined): Json | undefined
  /** Returns the schema of an item; `undefined` for a body of another shape. */
  itemsOf(body: SchemaUse): Node | undefined
}

/**
 * Finds the list in a request that creates several records: the whole body, or the value of a key, `{"tags": [{…}]}`. The
 * template of the replies names the key, or the body has one such list and no field of a record.
 */
export function listedRecords(template: Json | undefined, resource: Resource, site: Site): ListedRecords | undefined {
  const { contract } = site
  const schema = mediaOf(site)?.schema
  if (schema === undefined) return undefined
  if (schema.shape.items !== undefined) {
    const itemsOf = ({ shape, types }: SchemaUse) => (types.has('object') ? undefined : shape.items)
    return { key: undefined, list: body => body, itemsOf }
  }
  const key = listKeyOf(schema.node, template, resource, site)
  if (key === undefined) return undefined
  return {
    key,
    list: body => (isObject(body) && Object.hasOwn(body, key) ? (body[key] as Json) : undefined),
    itemsOf({ shape }) {
      const list = shape.properties.get(key)
      return list && contract.shapeOf(list).items
    },
  }
}

function listKeyOf(
  whole: Node,
  template: Json | undefined,
  resource: Resource,
  { contract }: Site,
): string | undefined {
  const { properties } = contract.shapeOf(whole)
  const fields = resource.schema.shape.properties
  if ([...properties.keys()].some(name => fields.has(name))) return undefined
  // A body with a record has a list of something that belongs to it.
  if ([...properties.values()].some(node => isRecordOf(resource, node, contract))) return undefined
  const lists = [...properties].flatMap(([key, node]) => {
    const { items } = contract.shapeOf(node)
    return items !== undefined && isRecordOf(resource, items, contract) ? [key] : []
  })
  const [named, index] = recordPath(template)
  const isNamed = named !== undefined && index === '0' && lists.includes(named)
  return isNamed ? named : lists.length === 1 ? lists[0] : undefined
}

/** Returns whether a schema describes the fields of a record, and not an envelope. */
function isRecordOf({ schema }: Resource, node: Node, contract: Contract): boolean {
  if (contract.identify(node) === contract.identify(schema.node)) return true
  const names = [...contract.shapeOf(node).properties.keys()]
  return names.length > 0 && names.filter(name => schema.shape.properties.has(name)).length * 2 >= names.length
}

function wrappedAt(whole: Node, template: Json | undefined, resource: Resource, { contract }: Site): readonly string[] {
  const fields = resource.schema.shape.properties
  const own = contract.identify(resource.schema.node)
  if (contract.identify(whole) === own) return []
  const isRecord = (node: Node) => isRecordOf(resource, node, contract)
  const named = recordPath(template)
  const { properties } = contract.shapeOf(whole)
  const inner = named.reduce<Node | undefined>((at, key) => at && contract.shapeOf(at).properties.get(key), whole)
  if (named.length > 0 && inner !== undefined && isRecord(inner)) return named
  // A body with one of the record's fields is the record.
  if ([...properties.keys()].some(name => fields.has(name))) return []
  const candidates = [...properties].filter(([, node]) => isRecord(node))
  return candidates.length === 1 ? [(candidates[0] as [string, Node])[0]] : []
}
