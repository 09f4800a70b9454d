// Finds the collections of a contract: a path that lists records or creates one, with the path of its items.

import type { Contract, Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import { expressionsOf, nameless } from '../../contract/paths.ts'
import { replySchema } from '../../contract/success.ts'
import { isObject } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { plainName, singular, wordFormOf } from '../../kernel/names.ts'
import { candidatesOf, filledIn, type SchemaCandidate } from './candidates.ts'
import { type List, RecordReader } from './records.ts'
import { isExpression, isItemPath, isSilent, type SchemaReader, segmentsOf } from './schema.ts'
import { type Creation, creationOf, eachSent } from './writes.ts'

type Operations = ReadonlyMap<string, Operation>

export interface InferredCollection {
  readonly path: string
  readonly segments: readonly string[]
  readonly itemPath: string | undefined
  readonly list: List | undefined
  readonly create: Creation | undefined
  /** Its records; known are their schemas in all operations: reading, creating and listing. */
  readonly records: RecordReader
  readonly candidates: readonly SchemaCandidate[]
  /** The operations of the collection's path and of its item's path, by method. */
  readonly own: Operations
  readonly item: Operations
  /** The operations one segment below an item, `/orders/{id}/cancel`. */
  readonly below: readonly Operation[]
  /** The operations one segment below the collection, `/book/findByStatus`. */
  readonly beside: readonly Operation[]
  /** The operations about one record that no path names: the caller's, `/me`, of all collections. */
  readonly me: readonly Operation[]
}

/** A collection with the resource that it is a view of. */
export interface Named extends InferredCollection {
  readonly name: string
}

/** The field of a record's id that its schema does not have: no reply shows it. */
const UNSHOWN_ID = '{id}'

/** Whether no path identifies a record: `/settings`. */
export const isAlone = ({ itemPath, list }: InferredCollection): boolean => itemPath === undefined && list === undefined

/** A path without expressions that ends so. */
const ME = /^[^{}]*\/(?:me|self|myself|whoami)\/?$/i
const NONE: Operations = new Map()
/** A collection without operations. */
const NOTHING = {
  itemPath: undefined,
  list: undefined,
  create: undefined,
  own: NONE,
  item: NONE,
  below: [],
  beside: [],
  me: [],
}

/** Finds the collections of a contract. */
export class CollectionFinder {
  readonly #contract: Contract
  readonly #schemas: SchemaReader
  /** The operations by path and method. */
  readonly #operations = new Map<string, Map<string, Operation>>()
  /** The operations by the path above them. */
  readonly #children = new Map<string, Operation[]>()
  /** The paths of items by the path above them. */
  readonly #items = new Map<string, string>()
  /** The same by that path with its words in their common form. */
  readonly #alike = new Map<string, string>()
  /** The paths of items by their last word. */
  readonly #byWord = new Map<string, string[]>()
  readonly #callers: readonly Operation[]
  /** The operations of paths in the singular, by their last word: `/user` beside `/users/{id}`. */
  readonly #singulars = new Map<string, Operation[]>()
  /** The POSTs of paths without expressions, by the common form of their paths. */
  readonly #posts = new Map<string, Operation[]>()

  constructor(contract: Contract, schemas: SchemaReader) {
    this.#contract = contract
    this.#schemas = schemas
    this.#callers = contract.operations.filter(({ path }) => ME.test(path))
    this.#readOperations()
    this.#readItems()
  }

  /** Returns the collections, those with the shortest paths first, since others are views of them. */
  collections(): InferredCollection[] {
    const lists = [...this.#operations.keys()]
      .flatMap(path => this.#collectionAt(path) ?? [])
      .sort((a, b) => a.segments.length - b.segments.length || a.path.length - b.path.length)
    const itemPaths = new Set(lists.map(({ itemPath }) => itemPath))
    const singletons = [...this.#operations.keys()].flatMap(path => this.#singletonAt(path, lists) ?? [])
    const items = [...this.#items.values()].filter(path => !itemPaths.has(path))
    return [...lists, ...singletons, ...items.flatMap(path => this.#itemsAt(path, lists) ?? [])]
  }

  #readOperations(): void {
    const spellings = new Map<string, string>()
    for (const operation of this.#contract.operations) {
      // `POST /things` beside `GET /things/`
      const path = getOrMake(spellings, operation.path.replace(/\/$/, ''), () => operation.path)
      const atPath = getOrMake(this.#operations, path, () => new Map<string, Operation>())
      // Requests reach the first of two operations at one path, `/a/{id}` and `/a/{id}#links`.
      getOrMake(atPath, operation.method, () => operation)
      const segments = segmentsOf(operation.path)
      getOrMake(this.#children, nameless(segments.slice(0, -1).join('/')), () => []).push(operation)
      const word = segments.at(-1) ?? ''
      if (operation.method === 'POST' && !operation.path.includes('{'))
        getOrMake(this.#posts, commonForm(segments), () => []).push(operation)
      const isSingular = !operation.path.includes('{') && singular(word) === word && ALONE.has(operation.method)
      if (isSingular) getOrMake(this.#singulars, plainName(word), () => []).push(operation)
    }
  }

  #readItems(): void {
    const hasReader = (path: string) => Number(this.#at(path).has('GET'))
    const paths = [...this.#operations.keys()].filter(isItemPath).sort((a, b) => hasReader(b) - hasReader(a))
    for (const path of paths) {
      const above = segmentsOf(path).slice(0, -1)
      const first = getOrMake(this.#items, above.join('/'), () => path)
      getOrMake(this.#alike, commonForm(above), () => path)
      // Paths may name the parameter of one thing differently: `PUT /roles/{id}` beside `GET /roles/{roleId}`.
      for (const [method, operation] of this.#at(path))
        getOrMake(this.#operations.get(first) as Map<string, Operation>, method, () => operation)
    }
    for (const path of this.#items.values()) getOrMake(this.#byWord, wordFormOf(wordOf(path)), () => []).push(path)
  }

  #at(path = ''): Operations {
    return this.#operations.get(path) ?? NONE
  }

  #under(path: string): readonly Operation[] {
    return this.#children.get(nameless(segmentsOf(path).join('/'))) ?? []
  }

  #collectionAt(path: string): InferredCollection | undefined {
    const segments = segmentsOf(path)
    // The collection of `/{id}` is at `/`.
    const word = segments.length === 0 ? 'records' : wordOf(path)
    if (word === '' || segments.at(-1)?.includes('{') === true) return undefined
    const own = this.#at(path)
    const itemPath = this.#itemPathOf(path, own, word)
    const item = this.#at(itemPath)
    const reader = item.get('GET')
    const parameter = expressionsOf(itemPath ?? '').at(-1)
    const unknown = new RecordReader(this.#schemas, word, parameter)
    const list = unknown.list(own.get('GET'))
    const listed = list === undefined ? [] : [list.listed.items]
    const base = unknown.knowing(listed)
    const read = reader && readBy(reader, base, isOfOne(item, own, base, parameter))
    // A path that names one thing, and lists or tells other things, is a collection within another.
    if (reader !== undefined && read === undefined && (!isSilent(reader) || list === undefined)) return undefined
    const known = unknown.knowing([...(read === undefined ? [] : [read.record]), ...listed])
    const posted = own.get('POST')
    const create = posted && creationOf(posted, known)
    if (list === undefined && (create === undefined || reader === undefined)) return undefined
    const made = create?.single?.record
    const isNew = made !== undefined && !(known.known.length > 0 && known.isBareId(made))
    const records = isNew ? known.knowing([...known.known, made]) : known
    const beside = this.#under(path)
    const candidates = candidatesOf({
      records,
      declared: declaredIn(item, parameter),
      asked: create && (eachSent(create.operation, records) ?? records.sent(create.operation)?.record),
      lists: [list?.operation, ...beside.filter(({ method }) => method === 'GET')],
    })
    // A list of records of another collection has no field that identifies them by itself.
    if (candidates.length === 0 && (list === undefined || itemPath !== undefined)) return undefined
    return {
      path,
      segments,
      itemPath,
      list,
      create,
      records,
      candidates,
      own,
      item,
      below: itemPath === undefined ? [] : this.#under(itemPath),
      beside,
      me: [...this.#callers, ...(this.#singulars.get(records.form) ?? [])],
    }
  }

  /**
   * Returns the path of a collection's items: `/things/{id}`, else `/thing/{id}` beside it, else one elsewhere that shows the same
   * records: `/authors/{id}/books` may have its items at `/books/{isbn}`. Not one that lists records of the collection by owner:
   * `/repositories/{workspace}`.
   */
  #itemPathOf(path: string, own: Operations, word: string): string | undefined {
    const segments = segmentsOf(path)
    const records = new RecordReader(this.#schemas, word)
    const below = this.#items.get(segments.join('/')) ?? this.#alike.get(commonForm(segments))
    const isRead = this.#at(below).has('GET') || records.list(own.get('GET')) !== undefined
    const itemPath = (isRead ? below : undefined) ?? this.#itemPathElsewhere(segments, own, records) ?? below
    const item = this.#at(itemPath)
    // Some items are answered as a list of one. A page of records is not changed or deleted.
    const isItem = changesOne(item) || namesRecord(expressionsOf(itemPath ?? '').at(-1), word)
    return !isItem && listAlike(own, item, records) ? undefined : itemPath
  }

  /** Returns the path with the fewest owners that shows the records of a collection, and names at most one owner more. */
  #itemPathElsewhere(segments: readonly string[], own: Operations, records: RecordReader): string | undefined {
    const most = segments.filter(isExpression).length + 2
    const ownersIn = (path: string) => expressionsOf(path).length
    return (this.#byWord.get(records.form) ?? [])
      .filter(path => ownersIn(path) <= most && showSame(own, this.#at(path), records))
      .sort((a, b) => ownersIn(a) - ownersIn(b))[0]
  }

  /** Returns the items at a path without a collection: other ways to the records of one, `/users/{name}` to those of `/admin/users`. */
  #itemsAt(itemPath: string, lists: readonly InferredCollection[]): InferredCollection | undefined {
    const segments = segmentsOf(itemPath).slice(0, -1)
    const path = `/${segments.join('/')}`
    const item = this.#at(itemPath)
    const parameter = expressionsOf(itemPath).at(-1)
    const unknown = new RecordReader(this.#schemas, wordOf(path), parameter)
    const reader = item.get('GET')
    const read = reader && readBy(reader, unknown, false)
    // Without a GET, it changes or deletes the records of the collection above it.
    const known = read === undefined ? (lists.find(list => list.path === path)?.records.known ?? []) : [read.record]
    if (known.length === 0 || wordOf(path) === '') return undefined
    const records = unknown.knowing(known)
    const candidates = candidatesOf({ records, declared: declaredIn(item, parameter), lists: [] })
    return { ...NOTHING, path, segments, itemPath, records, candidates, item, below: this.#under(itemPath) }
  }

  /** Returns a thing that is alone, which its path reads and changes: `/settings`. */
  #singletonAt(path: string, lists: readonly InferredCollection[]): InferredCollection | undefined {
    const operations = this.#at(path)
    const reader = operations.get('GET')
    if (path.includes('{') || reader === undefined) return undefined
    const unknown = new RecordReader(this.#schemas, wordOf(path))
    const whole = replySchema(reader)
    const record = whole && !unknown.listed(whole) ? unknown.single(whole)?.record : undefined
    if (record === undefined || !this.#schemas.isRecord(record)) return undefined
    // It is one of a collection's records, such as that of the caller.
    if (lists.some(({ records }) => records.isAkin(record))) return undefined
    const records = unknown.knowing([record])
    const writers = ['PUT', 'PATCH'].flatMap(method => operations.get(method) ?? [])
    const changers = writers.filter(writer => {
      const reply = replySchema(writer)
      const shown = reply && records.single(reply)?.record
      return shown !== undefined && records.isLike(shown)
    })
    const schema = this.#schemas.reference(record)
    if (changers.length === 0 || schema === undefined) return undefined
    const sample = this.#contract.use(record).validSample({ seed: 1 })
    if (!isObject(sample)) return undefined
    const create = this.#creationBeside(path, records)
    const filled =
      create === undefined ? [] : filledIn(record, UNSHOWN_ID, records.sent(create.operation)?.record, this.#schemas)
    const candidate: SchemaCandidate = { schema, idField: UNSHOWN_ID, assign: 'sequence', filled, defaults: {} }
    return {
      ...NOTHING,
      path,
      segments: segmentsOf(path),
      create,
      records,
      candidates: [candidate],
      me: [reader, ...changers],
    }
  }

  /** Returns the POST that creates records of the kind that a path in the singular shows: `/users` for `/user`. */
  #creationBeside(path: string, records: RecordReader): Creation | undefined {
    const posts = this.#posts.get(commonForm(segmentsOf(path))) ?? []
    const creations = posts.filter(posted => posted.path !== path).flatMap(posted => creationOf(posted, records) ?? [])
    return creations.find(({ single }) => single !== undefined && records.isLike(single.record))
  }
}

/** The path parameter of a name. */
const declaredIn = (item: Operations, parameter: string | undefined): Parameter | undefined =>
  [...item.values()]
    .flatMap(({ parameters }) => parameters)
    .find(({ in: place, name }) => place === 'path' && name === parameter)

/** The last segment that is a word: `/repos/{owner}/{repo}` → `repos`. */
const wordOf = (path: string): string => segmentsOf(path).findLast(segment => !segment.includes('{')) ?? ''

/** A path in the form that its spellings share: words in the singular, and any name of a parameter. */
const commonForm = (segments: readonly string[]): string =>
  segments.map(segment => (isExpression(segment) ? '{}' : wordFormOf(segment))).join('/')

/** Whether a path has operations that change or delete. */
const changesOne = (operations: Operations): boolean =>
  ['PUT', 'PATCH', 'DELETE'].some(method => operations.has(method))

/** Whether a path is surely about one record, even if its GET answers with a list. */
function isOfOne(item: Operations, own: Operations, records: RecordReader, parameter: string | undefined): boolean {
  if (namesRecord(parameter, records.word)) return true
  const showsRecord = [...item.values()].some(change => change.method !== 'GET' && records.answersAkin(change))
  return changesOne(item) && (showsRecord || listAlike(own, item, records, true))
}

/**
 * Whether the GETs of two paths list the same records.
 *
 * @param evenBare whether a reply that is a list counts: it has no other fields than a list of one
 */
function listAlike(own: Operations, other: Operations, records: RecordReader, evenBare = false): boolean {
  const { schemas } = records
  const [first, second] = [own, other].map(operations => records.list(operations.get('GET'))?.listed)
  if (first === undefined || second === undefined || !schemas.areAkin(first.items, second.items)) return false
  if (second.keys.length === 0) return evenBare && first.keys.length === 0
  return first.keys.join() === second.keys.join() && schemas.areAkin(first.whole, second.whole)
}

/** Whether an item's GET shows the records that a collection lists or creates, by their schema. */
function showSame(own: Operations, item: Operations, records: RecordReader): boolean {
  const [reader, posted] = [item.get('GET'), own.get('POST')].map(operation => operation && replySchema(operation))
  const read = reader && records.single(reader)?.record
  const known = [records.list(own.get('GET'))?.listed.items, posted && records.single(posted)?.record]
  return read !== undefined && known.some(node => node !== undefined && records.schemas.areAkin(read, node))
}

/** Whether a parameter surely names one record. */
const namesRecord = (parameter: string | undefined, word: string): boolean =>
  parameter !== undefined &&
  new RegExp(`^(?:id|uuid|guid|${wordFormOf(word)}(?:id|name|username|key|code|number)?)$`).test(plainName(parameter))

/** The record that an item's GET answers with. */
function readBy(operation: Operation, records: RecordReader, isItem: boolean) {
  const whole = replySchema(operation)
  if (whole === undefined) return undefined
  return isItem ? records.shown(whole, true) : records.single(whole)
}

const ALONE: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])
