// Finds the records in the requests and replies of an operation: bare, in a list, or under keys of an object around them.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { requestSchema } from './bodies.ts'
import { sameWord } from './paths.ts'
import type { SchemaReader } from './schema.ts'

/** The records of a list: the schema of one, and the keys of the list; no keys if the reply is the list. */
export interface Listed {
  readonly items: Node
  readonly whole: Node
  readonly keys: readonly string[]
  /** The key of the record in each item of the list; absent if the items are the records. */
  readonly inside?: string
}

/** One record, and its keys in the reply. */
export interface Single {
  readonly record: Node
  readonly keys: readonly string[]
}

const LIST_KEYS = [
  'data',
  'items',
  'results',
  'records',
  'content',
  'values',
  'value',
  'entries',
  'list',
  'rows',
  'docs',
]
const RECORD_KEYS = [
  'data',
  'item',
  'result',
  'record',
  'content',
  'value',
  'entry',
  'attributes',
  'resource',
  'object',
]
/** Whether a list under this key is usually one of records. */
export const isListKey = (key: string): boolean => LIST_KEYS.includes(plainName(key))
/** Names of lists beside the records, unless the collection itself is called so: `/messages`. */
const BESIDE = new Set(['errors', 'error', 'warnings', 'links', 'link', 'included', 'messages', 'filters', 'sort'])

/**
 * The list in a reply, at most two keys deep.
 *
 * @param word the collection's name, which such a list often has
 */
export function listedIn(whole: Node, word: string, schemas: SchemaReader): Listed | undefined {
  const found = listIn(whole, word, schemas)
  const inside = found && insideOf(found.items, word, schemas)
  return found && inside === undefined ? found : found && inside && { ...found, items: inside[1], inside: inside[0] }
}

/** The record in an item that is around it: `{ customer: {…}, card: {…} }`. */
function insideOf(items: Node, word: string, schemas: SchemaReader): readonly [string, Node] | undefined {
  const { properties } = schemas.shape(items)
  if (hasId(properties) || [...properties.values()].some(one => schemas.isScalar(one))) return undefined
  return [...properties].find(([key, one]) => sameWord(key, word) && hasId(schemas.shape(one).properties))
}

function listIn(whole: Node, word: string, schemas: SchemaReader): Listed | undefined {
  const { items, properties } = schemas.shape(whole)
  if (items !== undefined) return schemas.isRecord(items) ? { items, whole, keys: [] } : undefined
  const own = bestList(properties, word, schemas)
  if (own !== undefined) return { items: own.items, whole, keys: [own.key] }
  for (const [key, node] of properties) {
    const inner = schemas.shape(node)
    if (inner.items !== undefined || BESIDE.has(plainName(key))) continue
    const best = bestList(inner.properties, word, schemas)
    const isWrapper = [...LIST_KEYS, ...RECORD_KEYS, 'embedded', 'response', word.toLowerCase()].includes(
      plainName(key),
    )
    if (best !== undefined && isWrapper) return { items: best.items, whole, keys: [key, best.key] }
  }
  return undefined
}

function bestList(properties: ReadonlyMap<string, Node>, word: string, schemas: SchemaReader) {
  const lists = [...properties].flatMap(([key, node]) => {
    const { items } = schemas.shape(node)
    const isBeside = BESIDE.has(plainName(key)) && !sameWord(key, word)
    return items !== undefined && schemas.isRecord(items) && !isBeside ? [{ key, items }] : []
  })
  const named = lists.find(({ key }) => sameWord(key, word)) ?? lists.find(({ key }) => isListKey(key))
  if (named !== undefined) return named
  // A record may hold a list too: then it says more of itself than a page does.
  return lists.length === 1 && properties.size <= 8 && !properties.has('id') ? lists[0] : undefined
}

/** The record in the body that an operation takes: see `singleIn`. */
export function singleSent(
  operation: Operation,
  word: string,
  known: readonly Node[],
  schemas: SchemaReader,
): Single | undefined {
  const request = requestSchema(operation)
  return request && singleIn(request, word, known, schemas)
}

/**
 * The record in a reply or a request: what is akin to a known record, else what stands under the collection's name or a
 * usual key, else the whole.
 */
export function singleIn(whole: Node, word: string, known: readonly Node[], schemas: SchemaReader): Single | undefined {
  const { properties, items } = schemas.shape(whole)
  if (items !== undefined || properties.size === 0) return undefined
  if (known.some(one => schemas.areAkin(one, whole))) return { record: whole, keys: [] }
  const inner = [...properties].filter(([, node]) => schemas.isRecord(node) && schemas.shape(node).items === undefined)
  const akin = inner.find(([, node]) => known.some(one => schemas.areAkin(one, node)))
  if (akin !== undefined && !holdsMore(properties, akin[0], known, schemas)) {
    return { record: akin[1], keys: [akin[0]] }
  }
  const deeper = deeperIn(inner, word, known, schemas)
  if (deeper !== undefined) return deeper
  const isId = hasId(properties)
  const named =
    inner.find(([key]) => sameWord(key, word)) ?? inner.find(([key]) => RECORD_KEYS.includes(plainName(key)))
  const isOwn = named !== undefined && sameWord(named[0], word)
  if (named !== undefined && !isId && (isOwn || !saysMuch(properties, schemas))) {
    return { record: named[1], keys: [named[0]] }
  }
  return { record: whole, keys: [] }
}

const hasId = (properties: ReadonlyMap<string, Node>): boolean =>
  [...properties.keys()].some(name => ['id', 'uuid', 'guid', 'gid', 'sid', 'sha'].includes(plainName(name)))

/** The record within an object under a usual key: `{ data: { post: {…} } }`. */
function deeperIn(
  inner: readonly (readonly [string, Node])[],
  word: string,
  known: readonly Node[],
  schemas: SchemaReader,
): Single | undefined {
  for (const [key, node] of inner) {
    if (!isAround(key)) continue
    const { properties } = schemas.shape(node)
    if (hasId(properties) || saysMuch(properties, schemas)) continue
    const records = [...properties].filter(([, one]) => schemas.isRecord(one) && schemas.shape(one).items === undefined)
    const found =
      records.find(([, one]) => known.some(record => schemas.areAkin(record, one))) ??
      records.find(([name]) => sameWord(name, word))
    if (found !== undefined) return { record: found[1], keys: [key, found[0]] }
  }
  return undefined
}

/** Whether an object under this key may be around a record. */
const isAround = (key: string): boolean => [...RECORD_KEYS, 'response', 'payload', 'body'].includes(plainName(key))

/** Whether an object has more than a record: it may have an `object` without being a wrapper, such as a tag. */
function saysMuch(properties: ReadonlyMap<string, Node>, schemas: SchemaReader): boolean {
  const own = [...properties].filter(([name, node]) => !AROUND.test(plainName(name)) && schemas.isScalar(node))
  return own.length > 3
}

/** Names of fields about the reply itself: `status`, `message`, `requestId`. */
export const AROUND =
  /^(?:status|code|statuscode|message|msg|success|ok|error|errorcode|errormessage|result|resultcode|type|kind|object|version|apiversion|.*requestid|traceid|timestamp|time|count|total|page|limit|offset|.*cursor|.*token|next|prev|previous|url|href|self|etag|.*duration|took)$/

/** Whether an object is a record that refers to another of its kind, not a wrapping of one: it has the record's fields. */
function holdsMore(
  properties: ReadonlyMap<string, Node>,
  key: string,
  known: readonly Node[],
  schemas: SchemaReader,
): boolean {
  const fields = new Set(known.flatMap(one => [...schemas.shape(one).properties.keys()]))
  return [...properties.keys()].filter(name => name !== key && fields.has(name)).length > 2
}

/** The key of the first element of a list. */
export const FIRST = '[]'

/** A value under keys: `a`, `b` → `{ a: { b: value } }`; `a`, `[]` → `{ a: [value] }`. */
export const nest = (keys: readonly string[], value: Json): Json =>
  keys.reduceRight<Json>((inner, key) => (key === FIRST ? [inner] : { [key]: inner }), value)

/** The record in a reply that is a list of one: a POST of one record that answers `[one]` or `{ things: [one] }`. */
export function aloneIn(whole: Node, word: string, known: readonly Node[], schemas: SchemaReader): Single | undefined {
  const listed = listedIn(whole, word, schemas)
  if (listed === undefined || !isLike(listed.items, known, schemas)) return undefined
  return {
    record: listed.items,
    keys: [...listed.keys, FIRST, ...(listed.inside === undefined ? [] : [listed.inside])],
  }
}

/**
 * The record in a reply about one: see `singleIn`, and `aloneIn` for what is not like a known record.
 *
 * @param isItem whether the operation is surely about one record, so that a list has just that
 */
export function shownIn(
  whole: Node,
  word: string,
  known: readonly Node[],
  schemas: SchemaReader,
  isItem = false,
): Single | undefined {
  const one = singleIn(whole, word, known, schemas)
  if (one !== undefined && (known.length === 0 || isLike(one.record, known, schemas))) return one
  const alone = aloneIn(whole, word, known, schemas)
  if (alone !== undefined) return alone
  const { items } = schemas.shape(whole)
  const isOnly = isItem && known.length === 0 && items !== undefined && schemas.isRecord(items)
  return isOnly ? { record: items, keys: [FIRST] } : one
}

/** Whether a schema describes the same thing as a known record: a related schema, or a copy with most of its fields. */
export function isLike(node: Node, known: readonly Node[], schemas: SchemaReader): boolean {
  if (known.some(one => schemas.areAkin(one, node))) return true
  const fields = new Set(known.flatMap(one => [...schemas.shape(one).properties.keys()]))
  const names = [...schemas.shape(node).properties.keys()]
  return names.length > 0 && names.filter(name => fields.has(name)).length * 2 >= names.length
}
