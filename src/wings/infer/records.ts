// Finds the records in the requests and replies of an operation: bare, in a list, or under keys of an object around them.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { replySchema } from '../../contract/success.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName, singular, wordFormOf } from '../../kernel/names.ts'
import { requestSchema, type SchemaReader } from './schema.ts'

/** The records of a list: the schema of one, and the keys of the list; no keys if the reply is the list. */
export interface Listed {
  readonly items: Node
  readonly whole: Node
  readonly keys: readonly string[]
  /** The key of the record in each item of the list; absent if the items are the records. */
  readonly inside?: string
}

/** A GET that lists records. */
export interface List {
  readonly operation: Operation
  readonly listed: Listed
}

/** One record, and its keys in the reply. */
export interface Single {
  readonly record: Node
  readonly keys: readonly string[]
}

/** The key of the first element of a list. */
export const FIRST = '[]'

/** A value under keys: `a`, `b` → `{ a: { b: value } }`; `a`, `[]` → `{ a: [value] }`. */
export const nest = (keys: readonly string[], value: Json): Json =>
  keys.reduceRight<Json>((inner, key) => (key === FIRST ? [inner] : { [key]: inner }), value)

const COMMON_KEYS = ['data', 'content', 'value']
const LIST_KEYS = [
  ...COMMON_KEYS,
  'items',
  'results',
  'records',
  'values',
  'entries',
  'list',
  'rows',
  'docs',
  'contents',
]
const RECORD_KEYS = [
  ...COMMON_KEYS,
  ...['item', 'result', 'record', 'entry', 'attributes', 'resource', 'object', 'response'],
]
/** Names of lists beside the records, unless the collection itself is called so: `/messages`. */
const BESIDE = new Set(['errors', 'error', 'warnings', 'links', 'link', 'included', 'messages', 'filters', 'sort'])
/** Names of fields about the reply itself: `status`, `message`, `requestId`. */
const AROUND =
  /^(?:status|code|statuscode|message|msg|success|ok|error|errorcode|errormessage|result|resultcode|type|kind|object|version|apiversion|.*requestid|traceid|timestamp|time|count|total|page|limit|offset|.*cursor|.*token|next|prev|previous|url|href|self|etag|.*duration|took)$/

type FieldNodes = ReadonlyMap<string, Node>

const hasId = (properties: FieldNodes): boolean => [...properties.keys()].some(name => isIdOf(name, 'sha'))

/** Whether a field is surely the id that the path has: another one, such as `name`, need not be. */
export const isIdOf = (field: string | undefined, parameter: string | undefined): boolean =>
  field !== undefined &&
  (plainName(field) === plainName(parameter ?? 'id') || /^_?(?:id|uuid|guid|gid|sid)$/i.test(field))

/**
 * Finds the records of one collection.
 *
 * @param word the collection's name, which a list or a record often has as its key
 * @param parameter the path parameter that names an item
 * @param known schemas that surely describe a record
 */
export function readRecords(schemas: SchemaReader, word: string, parameter?: string, known: readonly Node[] = []) {
  const form = wordFormOf(word)
  /** The names of the fields of known records. */
  const fields: ReadonlySet<string> = new Set(known.flatMap(one => schemas.names(one)))

  /** Whether a schema is related to that of a known record. */
  function isAkin(node: Node): boolean {
    return known.some(one => schemas.areAkin(one, node))
  }

  /** Whether a schema describes the same thing as a known record: a related schema, or a copy with most of its fields. */
  function isLike(node: Node): boolean {
    if (isAkin(node)) return true
    const names = schemas.names(node)
    return names.length > 0 && names.filter(name => fields.has(name)).length * 2 >= names.length
  }

  /** Whether a reply says no more of a record than its id. */
  function isBareId(record: Node): boolean {
    const names = schemas.names(record)
    return names.length === 1 && isIdOf(names[0], parameter)
  }

  /** Whether an object has the field of the path parameter. */
  function isNamed(properties: FieldNodes): boolean {
    return parameter !== undefined && [...properties.keys()].some(name => plainName(name) === plainName(parameter))
  }

  /** Whether a key is that of the collection. */
  function isOwn(key: string): boolean {
    return wordFormOf(key) === form
  }

  function list(operation: Operation | undefined): List | undefined {
    const whole = operation && replySchema(operation)
    const found = whole && listed(whole)
    return operation && found && { operation, listed: found }
  }

  /** The list in a reply, at most two keys deep. */
  function listed(whole: Node): Listed | undefined {
    const { items, properties } = schemas.shape(whole)
    if (items !== undefined) {
      // `[{ "taxes": [{…}] }]` lists pages.
      const page = schemas.fields(items).size === 1 ? listed(items) : undefined
      if (page?.keys.length === 1) return { ...page, whole, keys: [FIRST, ...page.keys] }
      return schemas.isRecord(items) ? withInside({ items, whole, keys: [] }) : undefined
    }
    const own = bestList(properties)
    if (own !== undefined) return withInside({ items: own.items, whole, keys: [own.key] })
    // A record that a path names by this field has a list of something else.
    if (isNamed(properties)) return undefined
    for (const [key, node] of properties) {
      const inner = schemas.shape(node)
      const plain = plainName(key)
      if (inner.items !== undefined || BESIDE.has(plain)) continue
      const isWrapper = [...LIST_KEYS, ...RECORD_KEYS, 'embedded', word.toLowerCase()].includes(plain)
      const best = isWrapper ? bestList(inner.properties) : undefined
      if (best !== undefined) return withInside({ items: best.items, whole, keys: [key, best.key] })
    }
    return undefined
  }

  /** The list of the records in items that are around them: `{ customer: {…}, card: {…} }`. */
  function withInside(listed: Listed): Listed {
    const properties = schemas.fields(listed.items)
    if (hasId(properties) || [...properties.values()].some(one => schemas.isScalar(one))) return listed
    const [inside, items] = [...properties].find(([key, one]) => isOwn(key) && hasId(schemas.fields(one))) ?? []
    return inside && items ? { ...listed, items, inside } : listed
  }

  function bestList(properties: FieldNodes): { readonly key: string; readonly items: Node } | undefined {
    const lists = [...properties].flatMap(([key, node]) => {
      const items = schemas.items(node)
      const isBeside = BESIDE.has(plainName(key)) && !isOwn(key)
      return items !== undefined && schemas.isRecord(items) && !isBeside ? [{ key, items }] : []
    })
    const named =
      lists.find(({ key }) => isOwn(key)) ??
      lists.find(({ key }) => LIST_KEYS.includes(plainName(key))) ??
      // `usage_triggers` at `/Usage/Triggers`
      lists.find(({ key }) => word !== '' && plainName(key).endsWith(plainName(word)))
    if (named !== undefined) return named
    // A record may hold a list too: then it says more of itself than a page does.
    return lists.length === 1 && properties.size <= 8 && !properties.has('id') ? lists[0] : undefined
  }

  /** Whether a key is that of a list of records. */
  function isListKey(key: string): boolean {
    return isOwn(key) || LIST_KEYS.includes(plainName(key))
  }

  /** The record in the body that an operation takes. */
  function sent(operation: Operation): Single | undefined {
    const request = requestSchema(operation)
    return request && single(request)
  }

  /**
   * The record in a reply or a request: the part with a known record's schema; else the value under the collection's name or a
   * usual key; else the body.
   */
  function single(whole: Node): Single | undefined {
    const { properties, items } = schemas.shape(whole)
    if (items !== undefined || properties.size === 0) return undefined
    if (isAkin(whole)) return { record: whole, keys: [] }
    const inner = recordsIn(properties)
    const akin = inner.find(([, node]) => isAkin(node))
    // A record that refers to another of its kind is not a wrapping of one: it has the record's fields.
    const isReference = [...properties.keys()].filter(name => name !== akin?.[0] && fields.has(name)).length > 2
    if (akin !== undefined && !isReference) return { record: akin[1], keys: [akin[0]] }
    // A record may have a part that is called as its collection: the `profile` of a user at `/users/profiles`.
    if (properties.size > 2 && isLike(whole)) return { record: whole, keys: [] }
    for (const [key, node] of inner) {
      const deeper = schemas.fields(node)
      // `{ data: { post: {…} } }`
      const isAround = [...RECORD_KEYS, 'payload', 'body'].includes(plainName(key))
      if (!isAround || hasId(deeper) || saysMuch(deeper)) continue
      const records = recordsIn(deeper)
      const found = records.find(([, one]) => isAkin(one)) ?? records.find(([name]) => isOwn(name))
      if (found !== undefined) return { record: found[1], keys: [key, found[0]] }
    }
    const called = inner.find(([key]) => isOwn(key)) ?? inner.find(([key]) => RECORD_KEYS.includes(plainName(key)))
    const shared = (node: Node) => schemas.names(node).filter(name => fields.has(name)).length
    // `{ "payload": {…} }` has nothing else, and no field of a record.
    const named = called ?? (properties.size === 1 && shared(whole) === 0 ? inner[0] : undefined)
    const isInside = named !== undefined && shared(named[1]) > shared(whole)
    const isBare =
      called !== undefined && !hasId(properties) && !isNamed(properties) && (isOwn(called[0]) || !saysMuch(properties))
    if (named !== undefined && (isInside || isBare)) {
      return { record: named[1], keys: [named[0]] }
    }
    return { record: whole, keys: [] }
  }

  function recordsIn(properties: FieldNodes): [string, Node][] {
    return [...properties].filter(([, node]) => schemas.isRecord(node) && schemas.items(node) === undefined)
  }

  /** Whether an object has more than a record: it may have an `object` without being a wrapper, such as a tag. */
  function saysMuch(properties: FieldNodes): boolean {
    const own = [...properties].filter(([name, node]) => !AROUND.test(plainName(name)) && schemas.isScalar(node))
    return own.length > 3
  }

  /** The record in a reply that is a list of one: a POST of one record that answers `[one]` or `{ things: [one] }`. */
  function alone(whole: Node): Single | undefined {
    const found = listed(whole)
    if (found === undefined || !isLike(found.items)) return undefined
    const { items, keys, inside } = found
    return { record: items, keys: [...keys, FIRST, ...(inside === undefined ? [] : [inside])] }
  }

  /**
   * The record in a reply about one: see `single`, and `alone` for what is not like a known record.
   *
   * @param isItem whether the operation is surely about one record, so that a list has just that
   */
  function shown(whole: Node, isItem = false): Single | undefined {
    const one = single(whole)
    const isNew = known.length === 0
    if (one !== undefined && ((isNew && !isItem) || isLike(one.record))) return one
    const inList = alone(whole)
    if (inList !== undefined) return inList
    const found = isItem ? listed(whole) : undefined
    const isIts = found?.keys.length === 0 ? isNew : isOwn(found?.keys.at(-1) ?? '')
    return found && isIts ? { record: found.items, keys: [...found.keys, FIRST] } : one
  }

  /** Whether an operation answers with a record that is related to a known one. */
  function answersAkin(operation: Operation): boolean {
    const whole = replySchema(operation)
    const one = whole && single(whole)
    return one !== undefined && isAkin(one.record)
  }

  /**
   * Returns the template of a reply that tells of a new, changed or deleted record without showing it: its id, its address, a
   * success. Without the properties that the server completes.
   *
   * @param idField another name of the id
   * @param isSure whether the reply is about the record even if it has many other properties, as that of a deletion
   * @returns `undefined` if the reply seems to be about something else
   */
  function confirmation(whole: Node, idField?: string, isSure = false): Json | undefined {
    const types = [...schemas.types(whole)].filter(type => type !== 'null')
    if (schemas.isScalar(whole) && types.length === 1) return types[0] === 'boolean' ? true : ID
    const items = schemas.items(whole)
    const each = items && confirmation(items, idField)
    if (items !== undefined) return each && [each]
    const properties = schemas.fields(whole)
    const body: Record<string, Json> = {}
    let others = 0
    for (const [name, node] of properties) {
      const part = confirmedPart(name, node, idField)
      if (part !== undefined) body[name] = part
      else if (!isAside(name)) others += 1
    }
    const most = Object.keys(body).length > 0 ? MOST_OTHERS : 0
    return isSure || (properties.size > 0 && others <= most) ? body : undefined
  }

  function confirmedPart(name: string, node: Node, idField: string | undefined): Json | undefined {
    const plain = plainName(name)
    const types = schemas.types(node)
    const others = [`${singular(word)}id`, parameter, idField].flatMap(id => (id ? plainName(id) : []))
    const ids = [...IDS, ...others]
    if (schemas.isScalar(node)) {
      if (types.has('boolean')) return DONE.test(plain) ? true : undefined
      if (ids.includes(plain)) return ID
      return ADDRESS.test(plain) && types.has('string') ? addressFor(schemas.format(node)) : undefined
    }
    const { items, properties } = schemas.shape(node)
    if (items !== undefined) {
      const isIds = ids.includes(singular(plain)) || plain.endsWith(plainName(word))
      return isIds && schemas.isScalar(items) ? [ID] : undefined
    }
    const isWrapper = isOwn(name) || WRAPPERS.has(plain)
    if (!isWrapper || properties.size === 0 || properties.size > MOST_INSIDE) return undefined
    return confirmation(node, idField)
  }

  return {
    ...{ schemas, word, form, parameter, known, fields, isAkin, isLike, isBareId, isListKey },
    ...{ list, listed, sent, single, alone, shown, answersAkin, confirmation },
  }
}

export type RecordReader = ReturnType<typeof readRecords>

/** A reader of the same collection that knows these schemas of its records. */
export const knowing = ({ schemas, word, parameter }: RecordReader, known: readonly Node[]): RecordReader =>
  readRecords(schemas, word, parameter, known)

const ID = '${record.id}'
const IDS = ['id', 'uuid', 'guid', 'sid', 'entityid', 'resourceid', 'recordid', 'objectid', 'newid', 'createdid']
const ADDRESS = /^(?:location|url|uri|href|self|link|selflink|resourceurl|resourceuri)$/
const DONE =
  /^(?:is)?(?:deleted|removed|success|successful|succeeded|ok|created|updated|changed|saved|accepted|acknowledged)$/
const WRAPPERS = new Set(['data', 'result', 'response', 'item', 'record', 'resource'])
const MOST_INSIDE = 6
/** FieldNodes of something else that a confirmation may have. */
const MOST_OTHERS = 4

const isAside = (name: string): boolean =>
  AROUND.test(plainName(name)) ||
  ADDRESS.test(plainName(name)) ||
  /^(?:_?links?|meta|metadata|errors?|warnings?|reasons?|details?)$/i.test(name)

/** The placeholder of an address. The format `url` refuses addresses of this machine, so it stays generated. */
function addressFor(format: string | undefined): string | undefined {
  if (format === 'url') return undefined
  return format === undefined || format === 'uri-reference' ? '${record.location}' : '${record.url}'
}
