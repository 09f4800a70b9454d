// Finds the record in a request: the whole body, or the value of a key, `{"tag": {…}}`. The template of the replies names
// the key, and the contract decides whether requests have it.

import { type Contract, isJson, type MediaType } from '../../contract/contract.ts'
import { childOf, itemsOf, type Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { placeholders } from '../../kernel/template.ts'
import type { Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'

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

// Finds the branches of a union: the one that a template matches, or all.

const UNIONS = ['oneOf', 'anyOf'] as const

/** Returns the schema if it has these properties, else the first branch of its union that has them, else the schema. */
export function branchWith(node: Node, names: readonly string[], contract: Contract): Node {
  const has = (one: Node) => names.every(name => contract.shapeOf(one).properties.has(name))
  if (names.length === 0 || has(node)) return node
  const target = contract.resolve(node)
  return UNIONS.flatMap(keyword => itemsOf(childOf(target, keyword))).find(has) ?? node
}

/** Returns the schema at some keys of a reply, through unions and lists; `undefined` if there is none. */
export const schemaBelow = (node: Node | undefined, keys: readonly string[], contract: Contract): Node | undefined =>
  keys.reduce<Node | undefined>((at, key) => {
    if (at === undefined) return undefined
    const { items } = contract.shapeOf(at)
    if (items !== undefined && /^\d+$/.test(key)) return items
    return contract.shapeOf(branchWith(at, [key], contract)).properties.get(key)
  }, node)

/** The depth to which unions within unions are followed. */
const DEEPEST = 4

/** Returns the schema and the branches of its unions, and of theirs. */
export function branchesWithin(node: Node, contract: Contract, depth = 0): readonly Node[] {
  const target = contract.resolve(node)
  if (depth === DEEPEST) return [target]
  const branches = UNIONS.flatMap(keyword => itemsOf(childOf(target, keyword)))
  return [target, ...branches.flatMap(branch => branchesWithin(branch, contract, depth + 1))]
}

// The fields of a record in an operation's request: required, allowed, or known to the server only.

export interface Asked {
  /** Whether the request schema describes no fields, so that any are allowed. */
  readonly empty: boolean
  /** Returns whether the request may have the field. */
  knows(name: string): boolean
  /** Returns whether the request has the field, be it `readOnly`. */
  has(name: string): boolean
  /** Returns whether the request also limits the field's values. */
  declares(name: string): boolean
  /** Returns whether the request must have the field. */
  wants(name: string): boolean
}

/**
 * @param node the record's part of the request schema; `undefined` where the operation takes no body
 * @param renamed the record's names of fields that the request spells otherwise
 */
export function readAsked(
  node: Node | undefined,
  contract: Contract,
  renamed: ReadonlyMap<string, string> = new Map(),
): Asked {
  const shape = node && withNames(fieldsOf(node, contract), renamed)
  const known = new Map<string, boolean>()
  const readOnlyOf = (name: string): boolean | undefined => {
    const child = shape?.properties.get(name)
    return child && describeField(name, contract.use(child)).readOnly
  }
  const declares = (name: string): boolean => {
    let answer = known.get(name)
    if (answer === undefined) {
      const child = shape?.properties.get(name)
      const field = child && describeField(name, contract.use(child))
      // Without a schema here, the record's schema decides.
      answer = field !== undefined && !field.readOnly && (field.types.length < 7 || field.choices !== undefined)
      known.set(name, answer)
    }
    return answer
  }
  return {
    empty: shape === undefined || shape.properties.size === 0,
    has: name => shape?.properties.has(name) === true,
    knows: name => readOnlyOf(name) === false,
    declares,
    wants(name) {
      if (shape?.required.has(name) !== true) return false
      return readOnlyOf(name) !== true
    },
  }
}

interface RequestFields {
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<string>
}

const withNames = ({ properties, required }: RequestFields, renamed: ReadonlyMap<string, string>): RequestFields => ({
  properties: new Map([...properties].map(([name, node]) => [renamed.get(name) ?? name, node])),
  required: new Set([...required].map(name => renamed.get(name) ?? name)),
})

/** The depth to which nested unions are followed. */
const DEPTH = 4

/**
 * Returns the fields of a request, including those of each branch of a union. A field is required if every branch requires
 * it.
 */
export function fieldsOf(node: Node, contract: Contract, depth = 0): RequestFields {
  const { properties, required } = contract.shapeOf(node)
  if (depth === DEPTH) return { properties, required }
  const target = contract.resolve(node)
  const parts = itemsOf(childOf(target, 'allOf')).map(part => fieldsOf(part, contract, depth + 1))
  const unions = UNIONS.map(keyword =>
    itemsOf(childOf(target, keyword)).map(branch => fieldsOf(branch, contract, depth + 1)),
  ).filter(branches => branches.length > 0)
  if (parts.length === 0 && unions.length === 0) return { properties, required }
  const all = [...parts, ...unions.flat()].flatMap(one => [...one.properties])
  return {
    properties: new Map([...all.filter(([name]) => !properties.has(name)), ...properties]),
    required: new Set([
      ...required,
      ...parts.flatMap(part => [...part.required]),
      ...unions.flatMap(([first, ...rest]) =>
        [...(first as RequestFields).required].filter(name => rest.every(one => one.required.has(name))),
      ),
    ]),
  }
}

// Relates the names of a request to those of the records: a form says `FriendlyName`, and the record has `friendly_name`.

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
