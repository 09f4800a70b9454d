// Finds the collections of a contract: a path that lists records or creates one, with the path of its items.

import type { Contract, Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf, nameless } from '../../contract/paths.ts'
import { replySchema } from '../../contract/success.ts'
import { isObject, type JsonObject } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { plainName, singular, wordFormOf } from '../../kernel/names.ts'
import { withField } from '../../world/records/values.ts'
import { ADDED_ID, candidatesOf, type SchemaCandidate } from './candidates.ts'
import { isIdOf, knowing, type List, type RecordReader, readRecords, type Single } from './records.ts'
import { answersEmpty, isExpression, isItemPath, isSilent, type SchemaReader, sameWord, segmentsOf } from './schema.ts'
import { confirmsCreate, createdBy, eachSent, givenForEach, isCreate, takenBy } from './writes.ts'

type Operations = ReadonlyMap<string, Operation>

export interface InferredCollection {
  readonly path: string
  readonly segments: readonly string[]
  readonly itemPath: string | undefined
  readonly list: List | undefined
  readonly create: { readonly operation: Operation; readonly single: Single | undefined } | undefined
  /** Whether its records are those of another collection, which a PUT without a body adds: `/user/starred/{owner}/{repo}`. */
  readonly members: boolean
  /** Whether no reply is described: the records are those that requests give. */
  readonly taken: boolean
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
  /** The operations about the caller, `/me`, of all collections. */
  readonly me: readonly Operation[]
}

/** A collection with the resource that it is a view of. */
export interface Named extends InferredCollection {
  readonly name: string
}

/** Whether there is one record, which no path identifies: `/settings`. */
export const isAlone = ({ itemPath, list, create }: InferredCollection): boolean =>
  itemPath === undefined && list === undefined && create === undefined

/** A path without expressions that ends so. */
const ME = /^[^{}]*\/(?:me|self|myself|whoami)\/?$/i
const NONE: Operations = new Map()
/** A collection without operations. */
const NOTHING = {
  ...{ itemPath: undefined, list: undefined, create: undefined, members: false, taken: false, own: NONE, item: NONE },
  ...{ below: [], beside: [], me: [] },
}

/** The collections, those with the shortest paths first, since others are views of them. */
export function findCollections(contract: Contract, schemas: SchemaReader): InferredCollection[] {
  const byPath = new Map<string, Map<string, Operation>>()
  const byParent = new Map<string, Operation[]>()
  const spelt = new Map<string, string>()
  for (const one of contract.operations) {
    // `POST /things` beside `GET /things/`
    const path = getOrMake(spelt, one.path.replace(/\/$/, ''), () => one.path)
    const known = getOrMake(byPath, path, () => new Map<string, Operation>())
    // Requests reach the first of two operations at one path, `/a/{id}` and `/a/{id}#links`.
    getOrMake(known, one.method, () => one)
    getOrMake(byParent, nameless(segmentsOf(one.path).slice(0, -1).join('/')), () => []).push(one)
  }
  // Paths that name one thing: by the path above them, and by that path with its words in their common form.
  const exact = new Map<string, string>()
  const alike = new Map<string, string>()
  const hasReader = (path: string) => Number(byPath.get(path)?.has('GET'))
  /** The paths of members that two parameters name, by the path of their list. */
  const pairs = new Map<string, string>()
  for (const path of [...byPath.keys()].filter(isItemPath).sort((a, b) => hasReader(b) - hasReader(a))) {
    const above = segmentsOf(path).slice(0, -1)
    if (isExpression(above.at(-1) ?? '') && addsMembers(byPath.get(path) as Operations))
      pairs.set(above.slice(0, -1).join('/'), path)
    const first = getOrMake(exact, above.join('/'), () => path)
    getOrMake(alike, commonForm(above), () => path)
    // Paths may name the parameter of one thing differently: `PUT /roles/{id}` beside `GET /roles/{roleId}`.
    for (const [method, one] of byPath.get(path) ?? [])
      getOrMake(byPath.get(first) as Map<string, Operation>, method, () => one)
  }
  const byWord = new Map<string, string[]>()
  for (const path of exact.values()) getOrMake(byWord, wordFormOf(wordOf(path)), () => []).push(path)
  const callers = contract.operations.filter(({ path }) => ME.test(path))
  const alone = singletonsOf(contract)

  const operationsAt = (path = ''): Operations => byPath.get(path) ?? NONE
  const foundAbove = (path = '/{}'): readonly Operation[] => {
    const above = operationsAt(`/${segmentsOf(path).slice(0, -1).join('/')}`).get('GET')
    return above === undefined || above.path.includes('{') ? [] : [above]
  }
  const under = (path: string): readonly Operation[] => byParent.get(nameless(segmentsOf(path).join('/'))) ?? []

  /** Whether a path that ends with an owner lists records: `/flags/{project}` beside `/flags/{project}/{flag}`. */
  const isOwnedList = (segments: readonly string[], own: Operations): boolean => {
    if (!exact.has(segments.join('/'))) return false
    const above = `/${segments.slice(0, -1).join('/')}`
    const records = readRecords(schemas, wordOf(above))
    const operations = byPath.get(above)
    if (operations !== undefined) return listAlike(operations, own, records)
    const item = operationsAt(exact.get(segments.join('/')))
    return records.list(own.get('GET')) !== undefined || sameness(own, item, records) > 0
  }

  /**
   * The path of items that shows the records of a collection, and names at most one owner more: of several the one with the
   * fewest such owners, which begins most like its own.
   */
  const itemPathElsewhere = (
    segments: readonly string[],
    own: Operations,
    records: RecordReader,
  ): string | undefined => {
    const likeness = (path: string): number => {
      const item = [...segmentsOf(path), '']
      const more = Math.max(0, expressionsOf(path).length - 1 - segments.filter(isExpression).length)
      const same = more > 1 ? 0 : sameness(own, operationsAt(path), records)
      return same && (same * 2 - more) * MOST_SEGMENTS + item.findIndex((one, i) => one !== segments[i])
    }
    const all = (byWord.get(records.form) ?? []).map(path => [likeness(path), path] as const)
    return all.filter(([sure]) => sure > 0).sort(([a], [b]) => b - a)[0]?.[1]
  }

  /**
   * The path of a collection's items: `/things/{id}`, else `/thing/{id}` beside it, else one elsewhere: `/authors/{id}/books` may
   * have its items at `/books/{isbn}`, and `/user/repos` at `/repos/{owner}/{repo}`, if these are the same records. Not one that
   * lists records of the collection by owner: `/repositories/{workspace}`.
   */
  const itemPathBelow = (path: string, own: Operations, word: string): string | undefined => {
    const all = segmentsOf(path)
    const records = readRecords(schemas, word)
    const below = exact.get(all.join('/')) ?? alike.get(commonForm(all))
    const isRead = operationsAt(below).has('GET') || records.list(own.get('GET')) !== undefined
    const found =
      (isRead ? below : undefined) ?? pairs.get(all.join('/')) ?? itemPathElsewhere(all, own, records) ?? below
    const item = operationsAt(found)
    // Some items are answered as a list of one. A page of records is not changed or deleted.
    const isOfOne = changesOne(item) || namesRecord(expressionsOf(found ?? '').at(-1), word)
    return !isOfOne && listAlike(own, item, records) ? undefined : found
  }

  const collectionAt = (path: string): InferredCollection | undefined => {
    const segments = segmentsOf(path)
    // `/` beside `/{id}` has no word, and `/{owner}` that of `/{owner}/{cardId}`.
    const last = exact.get(segments.join('/'))?.replace(/^.*\{(\w*?)[-_]?(?:id)?\}.*$/i, '$1') ?? ''
    const word = segments.length === 0 ? 'records' : wordOf(path) || last
    const own = operationsAt(path)
    const isOwned = segments.at(-1)?.includes('{') === true
    if (word === '' || (isOwned && !isOwnedList(segments, own))) return undefined
    const itemPath = itemPathBelow(path, own, word)
    const item = operationsAt(itemPath)
    const reader = item.get('GET')
    const parameter = expressionsOf(itemPath ?? '').at(-1)
    const unknown = readRecords(schemas, word, parameter)
    const taken = takenBy(own.get('POST'), reader, schemas)
    const list = unknown.list(own.get('GET')) ?? silentList(own.get('GET'), taken, schemas)
    const listed = list === undefined || taken !== undefined ? [] : [list.listed.items]
    const base = knowing(unknown, listed)
    const changesRecord = [...item.values()].some(one => one.method !== 'GET' && base.answersAkin(one))
    const isOne =
      namesRecord(parameter, word) || (changesOne(item) && (changesRecord || listAlike(own, item, unknown, true)))
    const read = reader && readBy(reader, base, isOne)
    // A path that names one thing, and lists things, is a collection within another.
    if (reader !== undefined && read === undefined && taken === undefined && !isSilent(reader)) return undefined
    // An item's GET without a body tells whether something exists, and shows no record.
    if (reader !== undefined && taken === undefined && isSilent(reader) && list === undefined) return undefined
    const known = knowing(unknown, [read?.record ?? [], listed].flat())
    const posted = own.get('POST')
    const each = posted && eachSent(posted, known)
    const create = posted && createOf(posted, each, known)
    if (list === undefined && (create === undefined || reader === undefined)) return undefined
    const made = create?.single?.record
    const isNew = made !== undefined && !(known.known.length > 0 && known.isBareId(made))
    const records = isNew ? knowing(known, [...known.known, made]) : known
    const beside = under(path)
    const candidates = candidatesOf({
      records,
      declared: declaredIn(item, parameter),
      asked: each ?? (create && records.sent(create.operation)?.record),
      changes: ['PUT', 'PATCH'].flatMap(method => {
        const change = item.get(method)
        return (change && records.sent(change)?.record) ?? []
      }),
      taken,
      isNamed: create !== undefined && reader !== undefined,
      lists: [list?.operation, ...beside.filter(({ method }) => method === 'GET')],
    })
    // A list of records of another collection: it has no field that identifies them by itself.
    if (candidates.length === 0 && (list === undefined || itemPath !== undefined)) return undefined
    return {
      ...{ path, segments, itemPath, list, create, taken: taken !== undefined, records, candidates, own, item },
      members: list !== undefined && posted === undefined && addsMembers(item, records),
      below: itemPath === undefined ? [] : under(itemPath),
      beside,
      // `GET /things?path=…` beside `GET /things/{id}` finds one of them.
      me: [...callers, ...(alone.get(records.form) ?? []), ...foundAbove(itemPath)],
    }
  }

  const found = [...byPath.keys()]
    .flatMap(path => collectionAt(path) ?? [])
    .sort((a, b) => a.segments.length - b.segments.length || a.path.length - b.path.length)

  /** The items at a path without a collection: other ways to the records of one, `/users/{name}` to those of `/admin/users`. */
  const itemAt = (itemPath: string): InferredCollection | undefined => {
    const segments = segmentsOf(itemPath).slice(0, -1)
    const path = `/${segments.join('/')}`
    const item = operationsAt(itemPath)
    const parameter = expressionsOf(itemPath).at(-1)
    const unknown = readRecords(schemas, wordOf(path), parameter)
    const reader = item.get('GET')
    const read = reader && readBy(reader, unknown, false)
    // Without a GET, it changes or deletes the records of the collection above it.
    const known = read === undefined ? (found.find(one => one.path === path)?.records.known ?? []) : [read.record]
    if (known.length === 0 || wordOf(path) === '') return undefined
    const records = knowing(unknown, known)
    const candidates = candidatesOf({ records, declared: declaredIn(item, parameter), isNamed: false, lists: [] })
    return { ...NOTHING, path, segments, itemPath, records, candidates, item, below: under(itemPath) }
  }

  /** A thing that is alone: `/settings`, which PUT changes, or `/user`, which a POST to `/users` or `/users/login` answers with. */
  const singletonAt = (path: string): InferredCollection | undefined => {
    if (path.includes('{')) return undefined
    const segments = segmentsOf(path)
    const word = wordOf(path)
    const reader = operationsAt(path).get('GET')
    const unknown = readRecords(schemas, word)
    const whole = reader && replySchema(reader)
    const record = whole && !unknown.listed(whole) ? unknown.single(whole)?.record : undefined
    if (reader === undefined || record === undefined || !schemas.isRecord(record)) return undefined
    // It is one of a collection's records, such as that of the caller.
    if (found.some(({ records }) => records.isAkin(record))) return undefined
    const records = knowing(unknown, [record])
    const answersIt = (one: Operation) => {
      const reply = replySchema(one)
      const shown = reply && records.single(reply)?.record
      return shown !== undefined && records.isLike(shown)
    }
    const isAbout = (one: Operation) => {
      if (one.method !== 'POST') return one.path === path
      const [last = '', before = ''] = segmentsOf(one.path).reverse()
      return singular(word) === word && (sameWord(last, word) || (sameWord(before, word) && SIGNING.test(last)))
    }
    const writers = contract.operations.filter(
      one => WRITES.has(one.method) && !one.path.includes('{') && isAbout(one) && answersIt(one),
    )
    const [likely] = candidatesOf({ records, declared: undefined, isNamed: true, lists: [] })
    if (writers.length === 0 || likely === undefined) return undefined
    // A name may change, so that it does not identify the record.
    const candidate = isIdOf(likely.idField, undefined) && !likely.added ? likely : { ...likely, ...ADDED_ID }
    const use = contract.use(record)
    const sample = use.validSample({ seed: 1 })
    if (
      !isObject(sample) ||
      !use.fits(candidate === likely ? sample : withField(candidate.idField, 1, sample as JsonObject))
    )
      return undefined
    return { ...NOTHING, path, segments, records, candidates: [candidate], me: [reader, ...writers] }
  }

  /** Those below the items of a collection that PUT marks and DELETE unmarks: `/gists/{id}/star`. */
  const markedIn = (collection: InferredCollection): readonly InferredCollection[] =>
    collection.below.flatMap(({ method, path: itemPath }) => {
      const item = operationsAt(itemPath)
      const reader = item.get('GET')
      const isMark = method === 'PUT' && !isItemPath(itemPath) && addsMembers(item)
      if (!isMark || reader?.responses.has('404') !== true || !isSilent(reader)) return []
      const { path, segments, candidates, records } = collection
      const own = readRecords(schemas, wordOf(itemPath), records.parameter, records.known)
      return [{ ...NOTHING, path, segments, itemPath, records: own, candidates, item, members: true }]
    })

  const known = new Set(found.map(one => one.itemPath))
  return [
    ...found,
    ...[...byPath.keys()].flatMap(path => singletonAt(path) ?? []),
    ...[...exact.values()].filter(path => !known.has(path)).flatMap(path => itemAt(path) ?? []),
    ...found.flatMap(markedIn),
  ]
}

/** The path parameter of a name. */
const declaredIn = (item: Operations, parameter: string | undefined): Parameter | undefined =>
  [...item.values()].flatMap(one => one.parameters).find(one => one.in === 'path' && one.name === parameter)

/** The last segment that is a word: `/repos/{owner}/{repo}` → `repos`. */
const wordOf = (path: string): string => segmentsOf(path).findLast(segment => !segment.includes('{')) ?? ''

/** A path in the form that its spellings share: words in the singular, and any name of a parameter. */
const commonForm = (segments: readonly string[]): string =>
  segments.map(one => (isExpression(one) ? '{}' : wordFormOf(one))).join('/')

/** Whether a path has operations that change or delete. */
const changesOne = (operations: Operations): boolean =>
  ['PUT', 'PATCH', 'DELETE'].some(method => operations.has(method))

/** Whether a path adds a record to a list by its names, and removes it: neither a reply nor a request has a record. */
function addsMembers(item: Operations, records?: RecordReader): boolean {
  const [put, removal] = [item.get('PUT'), item.get('DELETE')]
  if (put === undefined || removal === undefined || ![put, removal].every(isSilent)) return false
  const sent = records?.sent(put)
  return put.body === undefined || (sent !== undefined && records?.isLike(sent.record) === false)
}

/**
 * Whether the GETs of two paths list the same records.
 *
 * @param evenBare whether a reply that is a list counts: it has no other fields than a list of one
 */
function listAlike(own: Operations, other: Operations, records: RecordReader, evenBare = false): boolean {
  const { schemas } = records
  const [one, two] = [own, other].map(operations => records.list(operations.get('GET'))?.listed)
  if (one === undefined || two === undefined || !schemas.areAkin(one.items, two.items)) return false
  if (two.keys.length === 0) return evenBare && one.keys.length === 0
  return one.keys.join() === two.keys.join() && schemas.areAkin(one.whole, two.whole)
}

/** More than a path has. */
const MOST_SEGMENTS = 100

/** How surely an item's GET shows the records that a collection lists or creates: 2 by their schema, 1 by most of their fields. */
function sameness(own: Operations, item: Operations, records: RecordReader): 0 | 1 | 2 {
  const { schemas } = records
  const [reader, posted] = [item.get('GET'), own.get('POST')].map(one => one && replySchema(one))
  const read = reader && records.single(reader)?.record
  if (read === undefined) return 0
  const known = [records.list(own.get('GET'))?.listed.items, posted && records.single(posted)?.record]
  const made = known.filter(one => one !== undefined)
  if (made.some(one => schemas.areAkin(read, one))) return 2
  const fields = schemas.fields(read)
  const isLike = (names: readonly string[]) =>
    names.length > 2 && names.filter(name => fields.has(name)).length * 4 >= names.length * 3
  return made.some(one => isLike(schemas.names(one))) ? 1 : 0
}

/** A list whose reply is not described, or as objects only, of records that are taken. */
function silentList(
  operation: Operation | undefined,
  taken: Node | undefined,
  schemas: SchemaReader,
): List | undefined {
  if (operation === undefined || taken === undefined) return undefined
  const whole = replySchema(operation)
  const items = whole && schemas.items(whole)
  const isSilentList = isSilent(operation) || (items !== undefined && answersEmpty(items, schemas))
  return isSilentList ? { operation, listed: { items: taken, whole: taken, keys: [] } } : undefined
}

/** Whether a parameter surely names one record: its path is about it even if its GET answers with a list. */
const namesRecord = (parameter: string | undefined, word: string): boolean =>
  parameter !== undefined &&
  new RegExp(`^(?:id|uuid|guid|${wordFormOf(word)}(?:id|name|username|key|code|number)?)$`).test(plainName(parameter))

/** The record that an item's GET answers with. */
function readBy(operation: Operation, records: RecordReader, isOne: boolean): Single | undefined {
  const whole = replySchema(operation)
  if (whole === undefined) return undefined
  return isOne ? records.shown(whole, true) : records.single(whole)
}

/** The POST of a collection, if it creates a record, or each of a list. */
function createOf(operation: Operation, each: Node | undefined, known: RecordReader): InferredCollection['create'] {
  const created = createdBy(operation, known)
  const isShown = isCreate(operation, created, known)
  const isEach = each !== undefined && givenForEach(operation, known) !== undefined
  if (!isShown && !isEach && !confirmsCreate(operation, known)) return undefined
  return { operation, single: isShown && each === undefined ? created : undefined }
}

/** Actions that begin to be about the caller. */
const SIGNING = /^(?:log-?in|sign-?(?:in|up)|register|registration)$/i
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
const ALONE: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])

/** The operations of paths without expressions that end with a word in the singular: `/user` beside `/users/{id}`. */
function singletonsOf({ operations }: Contract): ReadonlyMap<string, readonly Operation[]> {
  const out = new Map<string, Operation[]>()
  for (const one of operations) {
    const word = segmentsOf(one.path).at(-1) ?? ''
    if (one.path.includes('{') || singular(word) !== word || !ALONE.has(one.method)) continue
    getOrMake(out, plainName(word), () => []).push(one)
  }
  return out
}
