// Finds the records in the requests and replies of an operation: bare, in a list, or under keys of an object around them.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { replySchema } from '../../contract/success.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName, singular, wordFormOf } from '../../kernel/names.ts'
import { requestSchema, type SchemaReader } from './schema.ts'

/** The records of a list: the schema of a record, and the keys of the list; no keys if the reply is the list. */
export interface Listed {
  readonly items: Node
  readonly whole: Node
  readonly keys: readonly string[]
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
const FIRST = '[]'

/** A value under keys: `a`, `b` → `{ a: { b: value } }`; `a`, `[]` → `{ a: [value] }`. */
export const nest = (keys: readonly string[], value: Json): Json =>
  keys.reduceRight<Json>((inner, key) => (key === FIRST ? [inner] : { [key]: inner }), value)

const COMMON_KEYS = ['data', 'content', 'value', 'payload', 'response']
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
  'embedded',
]
const RECORD_KEYS = [...COMMON_KEYS, 'item', 'result', 'record', 'entry', 'attributes', 'resource', 'object', 'body']
/** Names of lists beside the records, unless the collection itself is called so: `/messages`. */
const BESIDE = new Set(['errors', 'error', 'warnings', 'links', 'link', 'included', 'messages', 'filters', 'sort'])
/** Names of fields about the reply itself. */
const AROUND = new Set([
  'status',
  'code',
  'statuscode',
  'message',
  'msg',
  'success',
  'ok',
  'error',
  'errorcode',
  'errormessage',
  'result',
  'type',
  'kind',
  'object',
  'version',
  'requestid',
  'timestamp',
  'total',
  'count',
  'url',
  'self',
  'etag',
])
const IDS = ['id', 'uuid', 'guid', 'sid', 'resourceid', 'recordid', 'objectid']
const DONE = /^(?:deleted|removed|success|successful|ok|created|updated)$/
/** Fields of something else that a confirmation may have. */
const MOST_OTHERS = 4
/** The most fields of an object around a list whose key says nothing. */
const MOST_AROUND = 8

type FieldNodes = ReadonlyMap<string, Node>

const hasId = (properties: FieldNodes): boolean => [...properties.keys()].some(name => isIdOf(name, 'sha'))

/** Whether a field is surely the id that the path has: another one, such as `name`, need not be. */
export const isIdOf = (field: string | undefined, parameter: string | undefined): boolean =>
  field !== undefined &&
  (plainName(field) === plainName(parameter ?? 'id') || /^_?(?:id|uuid|guid|gid|sid)$/i.test(field))

/** Finds the records of one collection. */
export class RecordReader {
  readonly schemas: SchemaReader
  readonly word: string
  readonly form: string
  readonly parameter: string | undefined
  readonly known: readonly Node[]
  /** The names of the fields of known records. */
  readonly fields: ReadonlySet<string>

  /**
   * @param word the collection's name, which a list or a record often has as its key
   * @param parameter the path parameter that names an item
   * @param known schemas that surely describe a record
   */
  constructor(schemas: SchemaReader, word: string, parameter?: string, known: readonly Node[] = []) {
    this.schemas = schemas
    this.word = word
    this.form = wordFormOf(word)
    this.parameter = parameter
    this.known = known
    this.fields = new Set(known.flatMap(node => schemas.names(node)))
  }

  /** Returns a reader of the same collection that knows these schemas of its records. */
  knowing(known: readonly Node[]): RecordReader {
    return new RecordReader(this.schemas, this.word, this.parameter, known)
  }

  /** Whether a schema is related to that of a known record. */
  isAkin(node: Node): boolean {
    return this.known.some(record => this.schemas.areAkin(record, node))
  }

  /** Whether a schema describes the same thing as a known record: a related schema, or a copy with most of its fields. */
  isLike(node: Node): boolean {
    if (this.isAkin(node)) return true
    const names = this.schemas.names(node)
    return names.length > 0 && this.#countKnown(node) * 2 >= names.length
  }

  /** Whether a reply says no more of a record than its id. */
  isBareId(record: Node): boolean {
    const names = this.schemas.names(record)
    return names.length === 1 && isIdOf(names[0], this.parameter)
  }

  list(operation: Operation | undefined): List | undefined {
    const whole = operation && replySchema(operation)
    const listed = whole && this.listed(whole)
    return operation && listed && { operation, listed }
  }

  /** Returns the list in a reply, at most two keys deep. */
  listed(whole: Node): Listed | undefined {
    const { items, properties } = this.schemas.shape(whole)
    if (items !== undefined) return this.schemas.isRecord(items) ? { items, whole, keys: [] } : undefined
    const list = this.#bestList(properties)
    if (list !== undefined) return { items: list.items, whole, keys: [list.key] }
    // A record that a path names by this field has a list of something else.
    if (this.#hasParameter(properties)) return undefined
    for (const [key, node] of properties) {
      const isWrapper = [...LIST_KEYS, ...RECORD_KEYS, this.word.toLowerCase()].includes(plainName(key))
      const inner = isWrapper ? this.#bestList(this.schemas.fields(node)) : undefined
      if (inner !== undefined) return { items: inner.items, whole, keys: [key, inner.key] }
    }
    return undefined
  }

  /** Returns the record in the body that an operation takes. */
  sent(operation: Operation): Single | undefined {
    const request = requestSchema(operation)
    return request && this.single(request)
  }

  /**
   * Returns the record in a reply or a request: the part with a known record's schema; else the value under the collection's name
   * or a usual key; else the body.
   */
  single(whole: Node): Single | undefined {
    const { properties, items } = this.schemas.shape(whole)
    if (items !== undefined || properties.size === 0) return undefined
    const bare: Single = { record: whole, keys: [] }
    if (this.isAkin(whole)) return bare
    const objects = this.#objectsIn(properties)
    const akin = objects.find(([, node]) => this.isAkin(node))
    // A record that refers to another of its kind is not a wrapping of it: it has the record's fields.
    const isReference = [...properties.keys()].filter(name => name !== akin?.[0] && this.fields.has(name)).length > 2
    if (akin !== undefined && !isReference) return { record: akin[1], keys: [akin[0]] }
    // A record may have a part that is called as its collection: the `profile` of a user at `/users/profiles`.
    if (properties.size > 2 && this.isLike(whole)) return bare
    return this.#wrapped(whole, properties, objects) ?? bare
  }

  /**
   * Returns the record in a reply about one record: see `single`; else the only element of a list.
   *
   * @param isItem whether the operation is surely about one record, so that a list has just that
   */
  shown(whole: Node, isItem = false): Single | undefined {
    const single = this.single(whole)
    const isNew = this.known.length === 0
    if (single !== undefined && ((isNew && !isItem) || this.isLike(single.record))) return single
    const alone = this.alone(whole)
    if (alone !== undefined) return alone
    const listed = isItem && isNew ? this.listed(whole) : undefined
    return listed?.keys.length === 0 ? { record: listed.items, keys: [FIRST] } : single
  }

  /** Returns the record in a reply that is a list of one: a POST of one record that answers `[record]` or `{ things: [record] }`. */
  alone(whole: Node): Single | undefined {
    const listed = this.listed(whole)
    if (listed === undefined || !this.isLike(listed.items)) return undefined
    return { record: listed.items, keys: [...listed.keys, FIRST] }
  }

  /** Whether an operation answers with a record that is related to a known one. */
  answersAkin(operation: Operation): boolean {
    const whole = replySchema(operation)
    const single = whole && this.single(whole)
    return single !== undefined && this.isAkin(single.record)
  }

  /**
   * Returns the template of a reply that tells of a new, changed or deleted record without showing it: its id, or a success.
   *
   * @param idField another name of the id
   * @param isSure whether the reply is about the record even if it has many other properties, as that of a deletion
   * @returns `undefined` if the reply seems to be about something else
   */
  confirmation(whole: Node, idField?: string, isSure = false): Json | undefined {
    const { schemas } = this
    const types = [...schemas.types(whole)].filter(type => type !== 'null')
    if (schemas.isScalar(whole) && types.length === 1) return types[0] === 'boolean' ? true : ID
    const properties = schemas.fields(whole)
    const body: Record<string, Json> = {}
    let others = 0
    for (const [name, node] of properties) {
      const plain = plainName(name)
      if (schemas.isScalar(node) && this.#isIdName(plain, idField)) body[name] = ID
      else if (schemas.types(node).has('boolean') && DONE.test(plain)) body[name] = true
      else if (!AROUND.has(plain) && !BESIDE.has(plain)) others += 1
    }
    const most = Object.keys(body).length > 0 ? MOST_OTHERS : 0
    const isObject = schemas.items(whole) === undefined && properties.size > 0
    return isObject && (isSure || others <= most) ? body : undefined
  }

  #isIdName(plain: string, idField: string | undefined): boolean {
    const names = [`${singular(this.word)}id`, this.parameter ?? 'id', idField ?? 'id'].map(plainName)
    return IDS.includes(plain) || names.includes(plain)
  }

  /** Returns the record under keys of an object: `{ data: { post: {…} } }`, `{ post: {…} }`, `{ data: {…} }`. */
  #wrapped(whole: Node, properties: FieldNodes, objects: readonly [string, Node][]): Single | undefined {
    for (const [key, node] of objects) {
      const fields = this.schemas.fields(node)
      if (!RECORD_KEYS.includes(plainName(key)) || hasId(fields) || this.#saysMuch(fields)) continue
      const inner = this.#objectsIn(fields)
      const record = inner.find(([, object]) => this.isAkin(object)) ?? inner.find(([name]) => this.#isWord(name))
      if (record !== undefined) return { record: record[1], keys: [key, record[0]] }
    }
    const called =
      objects.find(([key]) => this.#isWord(key)) ?? objects.find(([key]) => RECORD_KEYS.includes(plainName(key)))
    // `{ "payload": {…} }` has nothing else, and no field of a record.
    const only = properties.size === 1 && this.#countKnown(whole) === 0 ? objects[0] : undefined
    const [key, record] = called ?? only ?? []
    if (key === undefined || record === undefined) return undefined
    const isBare = called !== undefined && !hasId(properties) && !this.#hasParameter(properties)
    const isWrapped = isBare && (this.#isWord(key) || !this.#saysMuch(properties))
    return isWrapped || this.#countKnown(record) > this.#countKnown(whole) ? { record, keys: [key] } : undefined
  }

  #bestList(properties: FieldNodes): { readonly key: string; readonly items: Node } | undefined {
    const lists = [...properties].flatMap(([key, node]) => {
      const items = this.schemas.items(node)
      const isBeside = BESIDE.has(plainName(key)) && !this.#isWord(key)
      return items !== undefined && this.schemas.isRecord(items) && !isBeside ? [{ key, items }] : []
    })
    const named =
      lists.find(({ key }) => this.#isWord(key)) ?? lists.find(({ key }) => LIST_KEYS.includes(plainName(key)))
    // A record may hold a list too: then it says more of itself than a page does.
    const isPage = lists.length === 1 && properties.size <= MOST_AROUND && !properties.has('id')
    return named ?? (isPage ? lists[0] : undefined)
  }

  #objectsIn(properties: FieldNodes): [string, Node][] {
    return [...properties].filter(([, node]) => this.schemas.isRecord(node) && this.schemas.items(node) === undefined)
  }

  /** Returns how many fields an object has in common with the known records. */
  #countKnown(node: Node): number {
    return this.schemas.names(node).filter(name => this.fields.has(name)).length
  }

  /** Whether an object has more than a record: it may have an `object` without being a wrapper, such as a tag. */
  #saysMuch(properties: FieldNodes): boolean {
    const said = [...properties].filter(([name, node]) => !AROUND.has(plainName(name)) && this.schemas.isScalar(node))
    return said.length > 3
  }

  /** Whether an object has the field of the path parameter. */
  #hasParameter(properties: FieldNodes): boolean {
    const wanted = this.parameter && plainName(this.parameter)
    return wanted !== undefined && [...properties.keys()].some(name => plainName(name) === wanted)
  }

  /** Whether a key is that of the collection. */
  #isWord(key: string): boolean {
    return wordFormOf(key) === this.form
  }
}

const ID = '${record.id}'
