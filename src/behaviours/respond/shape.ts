// Finds the record in the bodies of requests and replies, and the fields that a request has of it. The templates of the
// configuration name the place, and the contract decides.

import { type Contract, type MediaType, type Operation, responseFor, successStatus } from '../../contract/contract.ts'
import { branchesIn, childOf, itemsOf, type Node } from '../../contract/documents.ts'
import { isJson } from '../../contract/media-types.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { placeholdersIn } from '../../expression/template.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import type { Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import { freshOf, SOME_REQUEST } from './values.ts'

/** Returns the keys of a placeholder in a template: `record.value`; none if the template lacks it. */
export function pathOfPlaceholder(template: Json | undefined, placeholder: string): readonly string[] {
  for (const [path, name] of placeholdersIn(template)) if (name === placeholder) return path.map(String)
  return []
}

export const recordPath = (template: Json | undefined): readonly string[] => pathOfPlaceholder(template, 'record.value')

/** Returns the schema of the JSON that an operation succeeds with; `undefined` if the contract has none. */
export function successSchema(operation: Operation, ...preferred: [number, ...number[]]): SchemaUse | undefined {
  const { content } = responseFor(operation, successStatus(operation, ...preferred)) ?? {}
  return [...(content ?? [])].find(([type]) => isJson(type) || type === '*/*')?.[1].schema
}

/** Returns the index of a parameter of the path among the parameters of an operation; -1 if it is not declared. */
export const pathParameter = ({ parameters }: Operation, name: string | undefined): number =>
  parameters.findIndex(one => one.in === 'path' && one.name === name)

/** Returns the operation that reads one record of a resource. */
export function recordReader({ name }: Resource, { readers, contract }: Site): Operation | undefined {
  const path = readers.get(name)?.[0]
  return contract.operations.find(one => one.method === 'GET' && one.path === path)
}

/** Returns a request's body: JSON, else the first type with a schema. */
export function requestMedia({ body }: Operation): MediaType | undefined {
  const all = [...(body?.content ?? [])]
  return (all.find(([type]) => isJson(type)) ?? all.find(([, { schema }]) => schema !== undefined))?.[1]
}

/** The record within a request: the whole body, or the value of a key, `{"tag": {…}}`. */
interface RequestedRecord {
  /** Its schema; `undefined` without a described body. */
  readonly node: Node | undefined
  /** The keys of the record; none if the body is the record. */
  readonly path: readonly string[]
  readonly part?: RecordPart
}

/** A part with most of the record's fields, beside others of them: `{"card": {…}, "metadata": {}}`. */
type RecordPart = readonly [key: string, node: Node]

/** Returns a record that was sent with the fields of such a part in place of it. */
export function withPart(record: Json, [key]: RecordPart | readonly [] = []): Json {
  if (key === undefined || !isObject(record)) return record
  const { [key]: part, ...rest } = record as JsonObject
  return isObject(part) ? { ...rest, ...(part as JsonObject) } : record
}

/** @param template the reply's template, with `${record.value}` for the record */
export function requestedRecord(
  template: Json | undefined,
  resource: Resource,
  { operation, contract }: Site,
): RequestedRecord {
  const whole = requestMedia(operation)?.schema?.node
  if (whole === undefined || contract.identify(whole) === contract.identify(resource.schema.node)) {
    return { node: whole, path: [] }
  }
  const named = recordPath(template)
  const inner = schemaBelow(whole, named, contract)
  if (named.length > 0 && inner !== undefined && isRecordOf(resource, inner, contract)) {
    return { node: inner, path: named }
  }
  const { properties } = contract.shapeOf(whole)
  const flat = commonFields(properties, resource)
  // The only key of a body is around the record, of which it may have few fields.
  const isAround = (node: Node) =>
    isRecordOf(resource, node, contract) ||
    (properties.size === 1 && commonFields(contract.shapeOf(node).properties, resource) > 0)
  const [only, other] = [...properties].filter(([, node]) => isAround(node))
  if (only && !other && flat === 0) return { node: only[1], path: [only[0]] }
  const [part, another] = [...properties].filter(([key, node]) => {
    const fields = requestFields(node, contract).properties
    const common = commonFields(fields, resource)
    return !resource.schema.shape.properties.has(key) && common > 2 * flat && common * 2 > fields.size
  })
  return { node: whole, path: [], ...(part && !another && flat > 0 ? { part } : {}) }
}

/** Returns how many of these properties a record has; a body that is not around it has some. */
const commonFields = (properties: ReadonlyMap<string, Node>, { schema }: Resource): number =>
  [...properties.keys()].filter(name => schema.shape.properties.has(name)).length

/** Returns whether a schema describes the fields of a record, and not an envelope. */
function isRecordOf({ schema }: Resource, node: Node, contract: Contract): boolean {
  if (contract.identify(node) === contract.identify(schema.node)) return true
  const names = [...contract.shapeOf(node).properties.keys()]
  return names.length > 0 && names.filter(name => schema.shape.properties.has(name)).length * 2 >= names.length
}

/**
 * Returns the keys of the list in a request that creates several records: none if the body is the list, or one,
 * `{"tags": [{…}]}`. The template of the replies names the key, or the body has one such list and no field of a record.
 */
export function listedRecords(
  template: Json | undefined,
  resource: Resource,
  { operation, contract }: Site,
): readonly string[] | undefined {
  const schema = requestMedia(operation)?.schema
  if (schema === undefined) return undefined
  if (schema.shape.items !== undefined) return []
  const { properties } = contract.shapeOf(schema.node)
  // A body with a record has a list of something that belongs to it.
  if (commonFields(properties, resource) || [...properties.values()].some(node => isRecordOf(resource, node, contract)))
    return undefined
  const lists = [...properties].flatMap(([key, node]) => {
    const { items } = contract.shapeOf(node)
    return items !== undefined && isRecordOf(resource, items, contract) ? [key] : []
  })
  const [named, index] = recordPath(template)
  if (named !== undefined && index === '0' && lists.includes(named)) return [named]
  return lists.length === 1 ? lists : undefined
}

/** Returns the schema of an item of a listed body; `undefined` for a body of another shape. */
export function itemOf({ shape, types }: SchemaUse, [key]: readonly string[], contract: Contract): Node | undefined {
  if (key === undefined) return types.has('object') ? undefined : shape.items
  const list = shape.properties.get(key)
  return list && contract.shapeOf(list).items
}

/** The depth to which unions within unions are followed. */
const DEEPEST = 4

/** Returns the schema if it has these properties, else the first branch of its union that has them, else the schema. */
function branchWith(node: Node, names: readonly string[], contract: Contract): Node {
  const has = (one: Node) => names.every(name => contract.shapeOf(one).properties.has(name))
  if (names.length === 0 || has(node)) return node
  return branchesIn(contract.resolve(node)).find(has) ?? node
}

/** Returns the schema and the branches of its unions, and of theirs. */
export function shownBranches(node: Node, contract: Contract, depth = 0): readonly Node[] {
  const target = contract.resolve(node)
  if (depth === DEEPEST) return [target]
  return [target, ...branchesIn(target).flatMap(branch => shownBranches(branch, contract, depth + 1))]
}

/** Returns the schema at some keys of a reply, through unions and lists; `undefined` if there is none. */
export const schemaBelow = (node: Node | undefined, keys: readonly string[], contract: Contract): Node | undefined =>
  keys.reduce<Node | undefined>((at, key) => {
    if (at === undefined) return undefined
    const { items } = contract.shapeOf(at)
    if (items !== undefined && /^\d+$/.test(key)) return items
    return contract.shapeOf(branchWith(at, [key], contract)).properties.get(key)
  }, node)

export type Asked = ReturnType<typeof readAsked>

/**
 * Reads the fields of a record in an operation's request: required, allowed, or known to the server only.
 *
 * @param node the record's part of the request schema; `undefined` where the operation takes no body
 * @param renamed the record's names of fields that the request spells otherwise
 */
export function readAsked(node: Node | undefined, contract: Contract, renamed: Renamed, part?: RecordPart) {
  const shape = node && requestFields(node, contract)
  const ownName = (name: string): string => renamed.get(name) ?? name
  const all = [...(shape?.properties ?? []), ...(part ? requestFields(part[1], contract).properties : [])]
  const nodes = new Map(all.map(([name, child]) => [ownName(name), child]))
  const required = new Set([...(shape?.required ?? [])].map(ownName))
  const fieldOf = (name: string): Field | undefined => {
    const child = nodes.get(name)
    return child && describeField(name, contract.use(child))
  }
  return {
    /** Whether the request schema describes no fields, so that any are allowed. */
    empty: nodes.size === 0,
    /** Returns whether the request has the field, be it `readOnly`. */
    has: (name: string): boolean => nodes.has(name),
    /** Returns whether the request may have the field. */
    knows: (name: string): boolean => fieldOf(name)?.readOnly === false,
    /** Returns whether the request also limits the field's values. */
    declares(name: string): boolean {
      const field = fieldOf(name)
      // Without a schema here, the record's schema decides.
      return field !== undefined && !field.readOnly && (field.types.length < 7 || field.choices !== undefined)
    },
    /** Returns whether the request must have the field. */
    wants: (name: string): boolean => required.has(name) && fieldOf(name)?.readOnly !== true,
  }
}

interface RequestFields {
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<string>
}

/**
 * Returns the fields of a request, including those of each branch of a union. A field is required if every branch requires
 * it.
 */
function requestFields(node: Node, contract: Contract, depth = 0): RequestFields {
  const { properties, required } = contract.shapeOf(node)
  if (depth === DEEPEST) return { properties, required }
  const target = contract.resolve(node)
  const within = (keyword: string) =>
    itemsOf(childOf(target, keyword)).map(part => requestFields(part, contract, depth + 1))
  const parts = within('allOf')
  const unions = ['oneOf', 'anyOf'].map(within)
  const all = [...parts, ...unions.flat()].flatMap(one => [...one.properties])
  return {
    properties: new Map([...all.filter(([name]) => !properties.has(name)), ...properties]),
    required: new Set([
      ...required,
      ...parts.flatMap(part => [...part.required]),
      ...unions.flatMap(([first, ...rest]) =>
        [...(first?.required ?? [])].filter(name => rest.every(one => one.required.has(name))),
      ),
    ]),
  }
}

/** The record's names of fields by the request's: a form says `FriendlyName`, and the record has `friendly_name`. */
type Renamed = ReadonlyMap<string, string>

/**
 * Finds the fields that a request spells otherwise: in another case, with other separators. Each must be the only one. The id
 * may also have the name that the path of the record gives it: `username` for `login`.
 */
export function readRenamed(
  node: Node | undefined,
  { name: resource, schema, idField }: Resource,
  site: Site,
): Renamed {
  const { contract, readers } = site
  const renamed = new Map<string, string>()
  if (node === undefined) return renamed
  const { properties } = schema.shape
  const asked = [...requestFields(node, contract).properties.keys()]
  for (const name of asked) {
    if (properties.has(name)) continue
    const isSame = (one: string): boolean => plainName(one) === plainName(name)
    const same = [...properties.keys()].filter(one => isSame(one) && !asked.includes(one))
    if (same.length === 1 && asked.filter(isSame).length === 1) renamed.set(name, same[0] as string)
  }
  const parameter = expressionsOf(readers.get(resource)?.[0] ?? '').at(-1) ?? ''
  const isOther = !asked.includes(idField) && !properties.has(parameter) && !renamed.has(parameter)
  if (properties.has(idField) && asked.includes(parameter) && isOther) renamed.set(parameter, idField)
  return renamed
}

export type Inside = ReturnType<typeof readInside>

/**
 * Finds the part of a record that a request gives without the key around it: the `attributes` of a JSON:API resource. More of the
 * request's fields must be in that part than in the record itself.
 */
export function readInside(node: Node, { schema, idField }: Resource, { contract }: Site) {
  const { properties, open } = schema.shape
  const asked = open ? [] : [...requestFields(node, contract).properties.keys()]
  const others = asked.filter(name => !properties.has(name))
  // Beside `attributes`, a resource of JSON:API has an id and its own type.
  const own = asked.filter(name => name !== idField)
  const parts = [...properties]
    .map(([key, part]) => ({
      key,
      names: (key === 'attributes' ? own : others).filter(name => contract.shapeOf(part).properties.has(name)),
    }))
    .filter(({ key, names }) => names.length > Math.max(key === 'attributes' ? 0 : 1, asked.length - others.length))
    .filter(({ key }) => !asked.includes(key))
  // A commit has an author and a committer: neither is surely meant.
  return parts.length === 1 ? parts[0] : undefined
}

/** Returns the placeholder for a property of an envelope, such as `page.total`; `undefined` if it is unknown. */
type Recognise = (field: Field, siblings: readonly string[]) => string | undefined

/**
 * Completes the template of a reply with the properties that the contract requires: those that `recognise` knows, and for
 * the rest the schema's enum, default, example or a generated value.
 *
 * @param node the schema of the whole reply
 */
export function completeTemplate(
  template: Json,
  node: Node,
  contract: Contract,
  recognise: Recognise = () => undefined,
): Json {
  if (template === '${record.id}') return takesNumber(contract.use(node)) ? '${record.#number}' : template
  if (Array.isArray(template)) {
    const { items } = contract.shapeOf(node)
    return items === undefined ? template : template.map((one: Json) => completeTemplate(one, items, contract))
  }
  if (!isObject(template)) return template
  const { properties, required } = contract.shapeOf(branchWith(node, Object.keys(template), contract))
  const siblings = [...properties.keys()]
  const out = new Map<string, Json>(Object.entries(template as JsonObject))
  for (const [name, child] of properties) {
    const written = out.get(name)
    if (written !== undefined) out.set(name, completeTemplate(written, child, contract, recognise))
    else if (required.has(name)) {
      const made = requiredValue(describeField(name, contract.use(child)), child, siblings, contract, recognise)
      if (made !== undefined) out.set(name, made)
    }
  }
  // In the order of the contract.
  const order = [...siblings.filter(name => out.has(name)), ...[...out.keys()].filter(name => !properties.has(name))]
  return Object.fromEntries(order.map(name => [name, out.get(name) as Json]))
}

const takesNumber = ({ types }: SchemaUse): boolean =>
  !types.has('string') && (types.has('integer') || types.has('number'))

function requiredValue(
  field: Field,
  node: Node,
  siblings: readonly string[],
  contract: Contract,
  recognise: Recognise,
): Json | undefined {
  const known = field.choices?.length === 1 ? undefined : recognise(field, siblings)
  if (known !== undefined) return `\${${known}}`
  if (contract.shapeOf(node).properties.size > 0 && field.types.includes('object') && !field.types.includes('null')) {
    return completeTemplate({}, node, contract, recognise)
  }
  return freshOf(field)?.(SOME_REQUEST)
}
