// Makes sense of a contract: which paths are collections, which their items, what a parameter is for. A guess with its
// reasons, for an author to read and correct. Does not know how it is written down.

import type { Contract, Operation } from '../../contract/contract.ts'
import type { SchemaCandidate } from './candidates.ts'
import { findCollections, type InferredCollection, type Named } from './collections.ts'
import { type InferredOperation, operationsOf } from './operations.ts'
import { listsOfOwners } from './owners.ts'
import { sameWord, segmentsOf } from './paths.ts'
import { SchemaReader } from './schema.ts'

export interface InferredResource {
  readonly name: string
  /** The likeliest first; the trial decides. */
  readonly candidates: readonly SchemaCandidate[]
  readonly because: string
}

export interface Inference {
  readonly resources: readonly InferredResource[]
  readonly operations: readonly InferredOperation[]
}

/**
 * Makes an inference.
 *
 * @param choices which candidate each resource is kept by; the first where it is not named
 * @param without the resources to leave out
 */
export type Infer = (choices?: ReadonlyMap<string, number>, without?: ReadonlySet<string>) => Inference

/** Reads collections, items and the roles of parameters off names and schemas. */
export function readInference(contract: Contract): Infer {
  const schemas = new SchemaReader(contract)
  const names = new Set<string>()
  const collections: Named[] = []
  const found = findCollections(contract, schemas)
  const isNameless = ({ candidates }: InferredCollection) => candidates.length === 0
  for (const collection of [...found.filter(one => !isNameless(one)), ...found.filter(isNameless)]) {
    if (collections.some(one => isView(collection, one))) continue
    const twin = collections.find(one => isTwin(one, collection))
    if (twin === undefined && isNameless(collection)) continue
    const name = twin?.name ?? freeName(collection.records.word, names)
    collections.push({ ...collection, name })
    names.add(name)
  }
  // The view with the most fields comes first: it has the id.
  collections.sort((a, b) => fullness(b) - fullness(a))
  const resources = new Map(
    [...names].map(name => {
      const fullest = collections.find(one => one.name === name) as Named
      return [name, { name, ...describeResource(fullest) }] as const
    }),
  )
  const paths = [...new Set(contract.operations.map(({ path }) => path))].map(segmentsOf)
  const listed = listsOfOwners(collections, paths, schemas)
  return (choices = new Map(), without = new Set()) => {
    const kept = [...resources.values()].filter(({ name }) => !without.has(name))
    const chosen = new Map(
      kept.map(one => [one.name, one.candidates[choices.get(one.name) ?? 0] as SchemaCandidate] as const),
    )
    const operations = new Map<Operation, InferredOperation>()
    const met = new Set<string>()
    for (const collection of collections) {
      if (without.has(collection.name)) continue
      for (const one of operationsOf(collection, chosen, listed, contract, schemas)) {
        if (operations.has(one.operation)) continue
        // The resource is useful without another view.
        operations.set(one.operation, met.has(one.resource) ? { ...one, essential: false } : one)
      }
      met.add(collection.name)
    }
    const ordered = contract.operations.flatMap(one => operations.get(one) ?? [])
    return { resources: [...resources.values()], operations: ordered }
  }
}

/** Whether two collections are views of one: their items are at one path, or they are called alike and list the same. */
function isTwin(one: InferredCollection, other: InferredCollection): boolean {
  if (one.itemPath !== undefined && one.itemPath === other.itemPath) return true
  if (haveOwnItems(one, other)) return false
  const isCalledAlike = sameWord(one.records.word, other.records.word)
  if (other.candidates.length === 0) {
    return isCalledAlike && other.records.known.some(node => one.records.isAkin(node))
  }
  return one.candidates[0]?.schema === other.candidates[0]?.schema && isCalledAlike
}

/**
 * Whether two collections belong to owners of different kinds, each with its items: webhooks of sites and of organisations.
 */
function haveOwnItems(one: InferredCollection, other: InferredCollection): boolean {
  const kindOf = ({ segments, itemPath }: InferredCollection) => {
    const isBelow = itemPath !== undefined && segmentsOf(itemPath).length === segments.length + 1
    const at = segments.findLastIndex(segment => segment.includes('{'))
    return isBelow && at > 0 ? segments[at - 1] : undefined
  }
  const [a, b] = [kindOf(one), kindOf(other)]
  return a !== undefined && b !== undefined && !sameWord(a, b)
}

/** Whether a list is one of several of a collection's records: `/book/findByStatus` beside `/book`. */
function isView({ segments, itemPath, create, list }: InferredCollection, of: InferredCollection): boolean {
  if (itemPath !== undefined || create !== undefined || list === undefined || of.itemPath === undefined) return false
  const base = of.segments
  if (segments.length !== base.length + 1 || base.some((one, i) => one !== segments[i])) return false
  return of.records.isAkin(list.listed.items)
}

/** The operations that a collection has: items below its path, a create, items elsewhere. */
function fullness({ segments, itemPath, create, list }: InferredCollection): number {
  const item = itemPath === undefined ? [] : segmentsOf(itemPath)
  const isBelow = item.length === segments.length + 1 && segments.every((one, i) => one === item[i])
  return (isBelow ? 4 : item.length > 0 ? 2 : 0) + (create === undefined ? 0 : 3) + (list === undefined ? 0 : 1)
}

function freeName(word: string, taken: ReadonlySet<string>): string {
  let free = word
  for (let n = 2; taken.has(free); n++) free = `${word}-${n}`
  return free
}

function describeResource({ path, itemPath, list, create, records, candidates }: InferredCollection) {
  const [{ schema, idField } = { schema: '', idField: '' }] = candidates
  const item = itemPath === undefined ? '' : `${itemPath} names one by its ${idField}`
  const isTaken = create !== undefined && create.single === undefined && records.known.length === 0
  const because = isTaken
    ? `POST ${path} takes ${schema}, and no reply is described`
    : list === undefined
      ? `POST ${path} creates ${schema}`
      : `GET ${path} lists ${schema}`
  return { candidates, because: item === '' ? because : `${because}, ${item}` }
}
