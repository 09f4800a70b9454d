// Makes sense of a contract: which paths are collections, which their items, what a parameter is for. A guess with its
// reasons, for an author to read and correct. Knows nothing of how it is written down.

import { type Contract, isJson, type Operation, type ResponseSpec } from '../contract/contract.ts'
import type { Shape } from '../contract/dialect.ts'
import type { Node } from '../contract/document.ts'
import { expressionsOf } from '../contract/paths.ts'
import type { Json } from '../kernel/json.ts'
import type { Assign } from '../world/collection.ts'
import { type Listed, listKeys, normal, wrapping } from './infer-list.ts'

export interface InferredResource {
  readonly name: string
  readonly schema: string
  readonly idField: string
  readonly assign: Assign
  readonly because: string
}

export interface InferredOperation {
  readonly operation: Operation
  /** The value of `respond`. */
  readonly respond: Readonly<Record<string, Json>>
  readonly because: string
}

export interface Inference {
  readonly resources: readonly InferredResource[]
  readonly operations: readonly InferredOperation[]
}

/** Reads collections, items and the roles of parameters off names and schemas. */
export function inferSimulation(contract: Contract): Inference {
  const named = new Map([...contract.schemas].map(([name, { node }]) => [contract.identify(node), name] as const))
  const resources = new Map<string, InferredResource>()
  const operations: InferredOperation[] = []
  const byPath = new Map<string, Operation[]>()
  for (const one of contract.operations) byPath.set(one.path, [...(byPath.get(one.path) ?? []), one])
  const collections = [...byPath].flatMap(([path, all]) => {
    const found = findCollection(path, all, [...byPath.keys()], contract, named)
    return found === undefined ? [] : [found]
  })
  // The shortest path names the resource; what lists the same schema below another is a view of it.
  collections.sort((a, b) => a.path.length - b.path.length)
  for (const collection of collections) {
    const twin = [...resources.values()].find(
      one => one.schema === collection.schema && sameWord(one.name, collection.name),
    )
    const resource = twin ?? newResource(collection, resources)
    resources.set(resource.name, resource)
    for (const one of operationsOf(collection, resource, byPath, contract, resources)) {
      if (!operations.some(({ operation }) => operation === one.operation)) operations.push(one)
    }
  }
  const order = new Map(contract.operations.map((one, index) => [one, index] as const))
  operations.sort((a, b) => (order.get(a.operation) ?? 0) - (order.get(b.operation) ?? 0))
  return { resources: [...resources.values()], operations }
}

interface Collection {
  readonly path: string
  readonly itemPath: string | undefined
  readonly name: string
  readonly schema: string
  readonly shape: Shape
  readonly idField: string
  readonly assign: Assign
  readonly list: Operation
  readonly listed: Listed
}

function findCollection(
  path: string,
  operations: readonly Operation[],
  paths: readonly string[],
  contract: Contract,
  named: ReadonlyMap<string, string>,
): Collection | undefined {
  const list = operations.find(({ method }) => method === 'GET')
  const last = path.split('/').at(-1) ?? ''
  if (list === undefined || last === '' || last.includes('{')) return undefined
  const listed = listedBy(list, contract)
  const schema = listed && named.get(contract.identify(listed.items))
  if (listed === undefined || schema === undefined) return undefined
  const isItem = (one: string, of: string) => one.startsWith(`${of}/{`) && /^\{[^{}]*\}$/.test(one.slice(of.length + 1))
  // `/authors/{id}/books` may have its items at `/books/{isbn}`.
  const itemPath = paths.find(one => isItem(one, path)) ?? paths.find(one => isItem(one, `/${last}`))
  const shape = contract.shapeOf(listed.items)
  const idField = findId(itemPath === undefined ? 'id' : (expressionsOf(itemPath).at(-1) as string), shape, last)
  const idNode = idField === undefined ? undefined : shape.properties.get(idField)
  if (idField === undefined || idNode === undefined) return undefined
  const id = contract.shapeOf(idNode)
  const assign = id.types.includes('integer') ? 'sequence' : id.format === 'uuid' ? 'uuid' : 'client'
  // A name that the client cannot give is made by us, as text.
  const given = postedFields(operations, contract)?.has(idField) ?? false
  return {
    ...{ path, itemPath, schema, shape, idField, list, listed },
    name: last,
    assign: assign === 'client' && !given && id.types.includes('string') ? 'uuid' : assign,
  }
}

function newResource(
  { name, schema, idField, assign, path, itemPath }: Collection,
  taken: ReadonlyMap<string, unknown>,
) {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`
  const item = itemPath === undefined ? '' : `, ${itemPath} names one by its ${idField}`
  return { name: free, schema, idField, assign, because: `GET ${path} lists ${schema}${item}` }
}

function operationsOf(
  collection: Collection,
  resource: InferredResource,
  byPath: ReadonlyMap<string, readonly Operation[]>,
  contract: Contract,
  resources: ReadonlyMap<string, InferredResource>,
): InferredOperation[] {
  const { path, itemPath, shape, listed, list } = collection
  const within = findOwner(path, shape, resources)
  const common: Readonly<Record<string, Json>> = within === undefined ? {} : { within }
  const out: InferredOperation[] = [
    {
      operation: list,
      respond: { list: resource.name, ...common, ...listKeys(list, shape, contract), ...wrapping(listed, contract) },
      because: `lists ${resource.schema}${listed.wrapping === undefined ? '' : ` under ${listed.key.join('.')}`}`,
    },
  ]
  const add = (where: string | undefined, method: string, action: string, because: string): void => {
    const operation = where === undefined ? undefined : byPath.get(where)?.find(one => one.method === method)
    const body = operation && recordBody(operation, resource, contract)
    if (operation === undefined || body === undefined) return
    const wrapped: Readonly<Record<string, Json>> = body === true ? {} : { body }
    const owned = where?.startsWith(path) ? common : {}
    out.push({ operation, respond: { [action]: resource.name, ...owned, ...wrapped }, because })
  }
  add(path, 'POST', 'create', `POST on the collection, answers ${resource.schema}`)
  add(itemPath, 'GET', 'read', `one ${resource.schema}, by ${resource.idField}`)
  add(itemPath, 'PUT', 'replace', 'PUT on the item')
  add(itemPath, 'PATCH', 'update', 'PATCH on the item')
  add(itemPath, 'DELETE', 'delete', 'DELETE on the item')
  return out
}

/** `true` where the reply is the record or nothing, a template where it wraps it, `undefined` where it is neither. */
function recordBody(operation: Operation, { schema }: InferredResource, contract: Contract): Json | true | undefined {
  const node = jsonSchemaOf(successOf(operation))
  const wanted = contract.schemas.get(schema)?.node as Node
  if (node === undefined) return true
  const isRecord = (one: Node) => contract.identify(one) === contract.identify(wanted)
  if (isRecord(node)) return true
  const { properties, required } = contract.shapeOf(node)
  const key = [...properties].find(([, child]) => isRecord(child))?.[0]
  if (key === undefined || [...required].some(name => name !== key)) return undefined
  return { [key]: '${record.value}' }
}

const LIST_KEYS = ['data', 'items', 'results', 'records', 'content', 'values', 'value', 'entries', 'list', 'rows']

function listedBy(operation: Operation, contract: Contract): Listed | undefined {
  const node = jsonSchemaOf(successOf(operation))
  if (node === undefined) return undefined
  const shape = contract.shapeOf(node)
  if (shape.items !== undefined) return { items: shape.items, wrapping: undefined, key: [] }
  const lists = [...shape.properties].flatMap(([key, child]) => {
    const { items } = contract.shapeOf(child)
    return items !== undefined && contract.shapeOf(items).properties.size > 0 ? [{ key, items }] : []
  })
  const best = lists.length === 1 ? lists[0] : lists.find(({ key }) => LIST_KEYS.includes(key))
  return best && { items: best.items, wrapping: node, key: [best.key] }
}

const sameWord = (a: string, b: string): boolean => normal(a) === normal(b)
const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/s$/, '')

/** The field that a path expression names: itself, `id`, or itself without the resource's name. */
function findId(expression: string, { properties }: Shape, collection: string): string | undefined {
  const names = [...properties.keys()]
  const bare = normal(expression).replace(normal(singular(collection)), '')
  const candidates = [
    normal(expression),
    bare,
    'id',
    normal(`${singular(collection)}id`),
    'uuid',
    'key',
    'slug',
    'code',
    'name',
  ]
  for (const candidate of candidates) {
    const found = candidate === '' ? undefined : names.find(name => normal(name) === candidate)
    if (found !== undefined) return found
  }
  return undefined
}

/** The owner that a sub-collection's path names, where the records say whose they are. */
function findOwner(
  path: string,
  { properties }: Shape,
  resources: ReadonlyMap<string, InferredResource>,
): Json | undefined {
  const parameter = expressionsOf(path).at(-1)
  if (parameter === undefined) return undefined
  const segments = path.split('/')
  const owner = segments[segments.indexOf(`{${parameter}}`) - 1] ?? ''
  const wanted = [normal(parameter), `${normal(singular(owner))}id`]
  const field = [...properties.keys()].find(name => wanted.includes(normal(name)))
  if (field === undefined) return undefined
  const resource = [...resources.values()].find(({ name }) => name === owner)?.name
  return { parameter, ...(field === parameter ? {} : { field }), ...(resource === undefined ? {} : { resource }) }
}

function successOf({ responses }: Operation): ResponseSpec | undefined {
  const statuses = [...responses.keys()].filter(status => /^2(?:\d\d|XX)$/.test(status)).sort()
  return responses.get(statuses[0] ?? 'default')
}

function jsonSchemaOf(response: ResponseSpec | undefined): Node | undefined {
  return [...(response?.content ?? [])].find(([type]) => isJson(type))?.[1].schema?.node
}

function postedFields(operations: readonly Operation[], contract: Contract): ReadonlySet<string> | undefined {
  const body = operations.find(({ method }) => method === 'POST')?.body
  const schema = [...(body?.content ?? [])].find(([type]) => isJson(type))?.[1].schema
  return schema && new Set(contract.shapeOf(schema.node).properties.keys())
}
