// Finds the collections of a contract: a path that lists records or creates one, with the path of its items.

import type { Contract, Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { isSilent, replySchema } from './bodies.ts'
import { confirmsCreate } from './confirmation.ts'
import { createdBy, eachSent, givenForEach, isBareId, isCreate, isGiven } from './creates.ts'
import { serverSetOf, withSelected } from './defaults.ts'
import { assignOf, findId } from './id.ts'
import type { SchemaCandidate } from './inference.ts'
import { findList, isChanged, isOwnedList, itemPathBelow, type List, listAlike } from './listing.ts'
import { type ItemPaths, itemParameter, itemPathsOf, segmentsOf, singular, wordOf } from './paths.ts'
import { type Single, shownIn, singleIn, singleSent } from './reply.ts'
import type { SchemaReader } from './schema.ts'
import { isIdOf, isNameIn, silentList, takenBy, withIdAdded } from './taken.ts'

export interface InferredCollection {
  readonly path: string
  readonly segments: readonly string[]
  /** The last of them that is a word: the name of the records. */
  readonly word: string
  readonly itemPath: string | undefined
  readonly list: List | undefined
  readonly create: { readonly operation: Operation; readonly single: Single | undefined } | undefined
  /** Whether no reply is described: the records are those that requests give. */
  readonly taken: boolean
  /** The schemas of its records in all operations: reading, creating and listing. */
  readonly records: readonly Node[]
  readonly candidates: readonly SchemaCandidate[]
  /** The operations of the collection's path and of its item's path, by method. */
  readonly own: ReadonlyMap<string, Operation>
  readonly item: ReadonlyMap<string, Operation>
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

/** The collections, those with the shortest paths first, since others are views of them. */
export function findCollections(contract: Contract, schemas: SchemaReader): InferredCollection[] {
  const byPath = new Map<string, Map<string, Operation>>()
  for (const one of contract.operations) {
    const known = byPath.get(one.path) ?? new Map<string, Operation>()
    byPath.set(one.path, known)
    // Requests reach the first of two operations at one path, `/a/{id}` and `/a/{id}#links`.
    if (!known.has(one.method)) known.set(one.method, one)
  }
  const items = itemPathsOf([...byPath.keys()])
  const byParent = new Map<string, Operation[]>()
  for (const one of contract.operations) {
    const parent = segmentsOf(one.path).slice(0, -1).join('/')
    const known = byParent.get(parent)
    if (known === undefined) byParent.set(parent, [one])
    else known.push(one)
  }
  const under = (path: string | undefined) =>
    path === undefined ? [] : (byParent.get(segmentsOf(path).join('/')) ?? [])
  const me = contract.operations.filter(({ path }) => ME.test(path))
  const alone = singletonsOf(contract)
  const collections: InferredCollection[] = []
  for (const path of byPath.keys()) {
    const found = findCollection(path, byPath, items, schemas)
    if (found === undefined) continue
    const one = {
      ...found,
      below: under(found.itemPath),
      beside: under(found.path),
      me: [...me, ...(alone.get(plainName(singular(found.word))) ?? [])],
    }
    const lists = [one.list?.operation, ...one.beside.filter(({ method }) => method === 'GET')]
    const candidates = one.candidates.map((candidate): SchemaCandidate => {
      const record = one.records.find(node => schemas.reference(node) === candidate.schema)
      return record === undefined
        ? candidate
        : { ...candidate, server: withSelected(candidate.server, record, lists, schemas) }
    })
    collections.push({ ...one, candidates })
  }
  return collections.sort((a, b) => a.segments.length - b.segments.length || a.path.length - b.path.length)
}

function findCollection(
  path: string,
  byPath: ReadonlyMap<string, ReadonlyMap<string, Operation>>,
  items: ItemPaths,
  schemas: SchemaReader,
): Omit<InferredCollection, 'below' | 'beside' | 'me'> | undefined {
  const segments = segmentsOf(path)
  // `/` beside `/{id}` has no word.
  const word = segments.length === 0 ? 'records' : wordOf(path)
  const own = byPath.get(path) as ReadonlyMap<string, Operation>
  const isOwned = segments.at(-1)?.includes('{') === true
  if (word === '' || (isOwned && !isOwnedList(segments, own, byPath, items, schemas))) return undefined
  const itemPath = itemPathBelow(path, byPath, items, schemas)
  const item = (itemPath === undefined ? undefined : byPath.get(itemPath)) ?? NONE
  const reader = item.get('GET')
  const taken = takenBy(own, reader, schemas)
  const list = findList(own.get('GET'), word, schemas) ?? silentList(own.get('GET'), taken, schemas)
  const listed = list === undefined || taken !== undefined ? [] : [list.listed.items]
  const parameter = itemPath === undefined ? undefined : itemParameter(itemPath)
  const isOne = isSurelyOne(item, word, parameter) || (isChanged(item) && listAlike(own, item, word, schemas))
  const read = reader && readBy(reader, word, listed, isOne, schemas)
  // A path that names one thing, and lists things, is a collection within another.
  if (reader !== undefined && read === undefined && taken === undefined && !isSilent(reader)) return undefined
  const known = [...(read === undefined ? [] : [read.record]), ...listed]
  // An item's GET without a body tells whether something exists, and shows no record.
  const isCheck = reader !== undefined && taken === undefined && isSilent(reader) && list === undefined
  if (isCheck) return undefined
  const posted = own.get('POST')
  const created = posted && createdBy(posted, word, known, schemas)
  const isShown = posted !== undefined && isCreate(posted, created, known, parameter, schemas)
  const each = posted && eachSent(posted, known, schemas)
  const isEach = each !== undefined && givenForEach(posted as Operation, word, known, parameter, schemas) !== undefined
  const create =
    posted && (isShown || isEach || confirmsCreate(posted, known, { word, ids: [parameter] }, schemas))
      ? { operation: posted, single: isShown && each === undefined ? created : undefined }
      : undefined
  if (list === undefined && (create === undefined || reader === undefined)) return undefined
  const made = create?.single?.record
  const records = [
    ...known,
    ...(made === undefined || (known.length > 0 && isBareId(made, parameter, schemas)) ? [] : [made]),
  ]
  const declared = [...item.values()][0]?.parameters.find(one => one.in === 'path' && one.name === parameter)
  const asked = each === undefined ? create && singleSent(create.operation, word, records, schemas) : { record: each }
  let candidates = (taken === undefined ? records : [taken]).flatMap(node =>
    schemas.recordSchemas(node).flatMap((one): SchemaCandidate[] => {
      const shape = schemas.shape(one)
      const schema = schemas.reference(one)
      const idField = findId({ word, parameter, declared }, shape, schemas)
      if (schema === undefined) return []
      if (taken !== undefined && !isIdOf(idField, parameter) && !isNameIn(idField, parameter, word, shape))
        return [withIdAdded(schema, declared)]
      if (idField === undefined) return []
      const given = asked !== undefined && isGiven(idField, asked.record, schemas)
      const server = serverSetOf(one, asked?.record, idField, schemas)
      const byServer = assignOf(idField, shape, schemas)
      return [{ schema, idField, added: false, assign: given ? 'client' : byServer, byServer, server }]
    }),
  )
  // If no record says its id, each gets one besides.
  if (candidates.length === 0 && create !== undefined && reader !== undefined) {
    candidates = records.flatMap(node => schemas.reference(node) ?? []).map(schema => withIdAdded(schema, declared))
  }
  // A schema that has the very field of the path is kept before one that has a name only: it may be a part of it.
  const isCertain = ({ idField, added }: SchemaCandidate) => added || isIdOf(idField, parameter)
  candidates.sort((a, b) => Number(isCertain(b)) - Number(isCertain(a)))
  // If the id in a request belongs to another resource, the server makes one.
  const all = candidates.flatMap(one => [one, { ...one, assign: one.byServer }])
  const different = all.filter(
    (one, i) => all.findIndex(({ schema, assign }) => schema === one.schema && assign === one.assign) === i,
  )
  // A list of records of another collection: it has no field that identifies them by itself.
  if (different.length === 0 && (list === undefined || itemPath !== undefined)) return undefined
  const isTaken = taken !== undefined
  return { path, segments, word, itemPath, list, create, taken: isTaken, records, candidates: different, own, item }
}

/** The operations of paths without expressions that end with a word in the singular: `/user` beside `/users/{id}`. */
function singletonsOf({ operations }: Contract): ReadonlyMap<string, readonly Operation[]> {
  const out = new Map<string, Operation[]>()
  for (const one of operations) {
    const word = segmentsOf(one.path).at(-1) ?? ''
    if (one.path.includes('{') || singular(word) !== word || !ALONE.has(one.method)) continue
    out.set(plainName(word), [...(out.get(plainName(word)) ?? []), one])
  }
  return out
}

const ALONE: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])

/** A path without expressions that ends so. */
const ME = /^[^{}]*\/(?:me|self|myself|whoami)\/?$/i
const NONE: ReadonlyMap<string, Operation> = new Map()

/** The record that an item's GET answers with. */
function readBy(
  operation: Operation,
  word: string,
  known: readonly Node[],
  isOne: boolean,
  schemas: SchemaReader,
): Single | undefined {
  const whole = replySchema(operation)
  if (whole === undefined) return undefined
  return isOne ? shownIn(whole, word, known, schemas, true) : singleIn(whole, word, known, schemas)
}

/** Whether a path is about one record even if its GET answers with a list: it is changed or deleted, and has an id. */
function isSurelyOne(item: ReadonlyMap<string, Operation>, word: string, parameter: string | undefined): boolean {
  const names = ['id', 'uuid', `${plainName(singular(word))}id`, plainName(singular(word))]
  return isChanged(item) && parameter !== undefined && names.includes(plainName(parameter))
}
