// Reads resources and operations off a contract: which collections are views of one resource, and what each operation does.

import type { Contract, Operation } from '../../contract/contract.ts'
import { freeName } from '../../kernel/names.ts'
import type { SchemaCandidate } from './candidates.ts'
import { CollectionFinder, type InferredCollection, isAlone, type Named } from './collections.ts'
import { type Inference, type InferredOperation, type InferredResource, OperationFinder } from './operations.ts'
import { type OwningItems, owningItems } from './owners.ts'
import { SchemaReader, segmentsOf } from './schema.ts'

/** Reads collections, items and the roles of parameters off names and schemas. */
export class ContractReading {
  readonly #contract: Contract
  readonly #schemas: SchemaReader
  readonly #collections: readonly Named[]
  readonly #resources: readonly InferredResource[]
  readonly #owning: OwningItems

  constructor(contract: Contract) {
    this.#contract = contract
    this.#schemas = new SchemaReader(contract)
    const collections = nameCollections(new CollectionFinder(contract, this.#schemas).collections())
    // The view with the most operations comes first: its schema has the id.
    this.#collections = collections.sort((a, b) => fullness(b) - fullness(a))
    this.#resources = [...new Set(collections.map(({ name }) => name))].map(name => {
      const [first, ...others] = collections.filter(collection => collection.name === name) as [Named, ...Named[]]
      return { name, candidates: withGivenIds(first, others), because: reasonOf(first) }
    })
    this.#owning = owningItems(collections, this.#schemas)
  }

  /**
   * Returns an inference.
   *
   * @param choices which candidate each resource is kept by; the first where it is not named
   * @param without the resources to leave out
   */
  infer(choices: ReadonlyMap<string, number>, without: ReadonlySet<string>): Inference {
    const resources = this.#resources.filter(({ name }) => !without.has(name))
    const operations = new Map<Operation, InferredOperation>()
    const met = new Set<string>()
    for (const collection of this.#collections) {
      const resource = resources.find(({ name }) => name === collection.name)
      if (resource === undefined) continue
      const candidate = resource.candidates[choices.get(resource.name) ?? 0] as SchemaCandidate
      const finder = new OperationFinder(collection, candidate, this.#owning, this.#schemas)
      for (const inferred of finder.operations()) {
        if (operations.has(inferred.operation)) continue
        // The resource is useful without another view.
        operations.set(inferred.operation, met.has(resource.name) ? { ...inferred, essential: false } : inferred)
      }
      met.add(resource.name)
    }
    const ordered = this.#contract.operations.flatMap(operation => operations.get(operation) ?? [])
    return { resources, operations: ordered }
  }
}

/** Gives each collection the name of its resource; leaves out those that are only one of several lists of another. */
function nameCollections(collections: readonly InferredCollection[]): Named[] {
  const names = new Set<string>()
  const named: Named[] = []
  const nameless = collections.filter(isNameless)
  for (const collection of [...collections.filter(other => !isNameless(other)), ...nameless]) {
    if (named.some(other => isView(collection, other))) continue
    const twin = named.find(other => isTwin(other, collection))
    if (twin === undefined && isNameless(collection) && !isAlone(collection) && !isClosed(collection, collections))
      continue
    const name = twin?.name ?? freeName(collection.records.word, names)
    named.push({ ...collection, name })
    names.add(name)
  }
  return named
}

/** Whether a collection may only be another view of one: no field names its records, or it has nothing but their items. */
const isNameless = ({ candidates, list, create }: InferredCollection): boolean =>
  candidates.length === 0 || (list === undefined && create === undefined)

/**
 * Whether items without a list and a create are the only ones of their kind: reading one documents a 404, and no create of another
 * collection may give its name, as `POST /users` that of `/profiles/{username}`.
 */
function isClosed({ item, candidates: [candidate], records }: InferredCollection, all: readonly InferredCollection[]) {
  if (candidate === undefined || item.get('GET')?.responses.has('404') !== true) return false
  return !all.some(({ create, records: others }) => {
    const sent = create && others.sent(create.operation)?.record
    const isGiven = sent !== undefined && records.schemas.fields(sent).has(candidate.idField)
    return isGiven && records.isLike(create?.single?.record ?? sent)
  })
}

/** Whether two collections are views of one: their items are at one path, or they are called alike and list the same. */
function isTwin(first: InferredCollection, second: InferredCollection): boolean {
  if (first.itemPath !== undefined && first.itemPath === second.itemPath) return true
  if (first.records.form !== second.records.form || haveOwnItems(first, second)) return false
  if (isNameless(second)) return second.records.known.some(node => first.records.isAkin(node))
  return first.candidates[0]?.schema === second.candidates[0]?.schema
}

/** Whether two collections belong to owners of different kinds, each with its items: webhooks of sites and of organisations. */
function haveOwnItems(first: InferredCollection, second: InferredCollection): boolean {
  const [a, b] = [first, second].map(({ segments, itemPath, item }) => {
    const isBelow = item.has('GET') && itemPath !== undefined && segmentsOf(itemPath).length === segments.length + 1
    const at = segments.findLastIndex(segment => segment.includes('{'))
    return isBelow && at >= 0 ? (segments[at - 1] ?? '') : undefined
  })
  return a !== undefined && b !== undefined && a !== b
}

/** Whether a list is one of several of a collection's records: `/book/findByStatus` beside `/book`. */
function isView({ segments, itemPath, create, list }: InferredCollection, of: InferredCollection): boolean {
  if (itemPath !== undefined || create !== undefined || list === undefined || of.itemPath === undefined) return false
  const isBeside =
    segments.length === of.segments.length + 1 && of.segments.every((segment, i) => segment === segments[i])
  return isBeside && of.records.isAkin(list.listed.items)
}

/**
 * Returns the candidates of a collection. Its fields are filled in, and its ids given, where a create of any view says so:
 * `POST /admin/teams`.
 */
function withGivenIds(
  { candidates }: InferredCollection,
  views: readonly InferredCollection[],
): readonly SchemaCandidate[] {
  const others = views.flatMap(view => view.candidates)
  return candidates.flatMap(candidate => {
    const same = others.filter(({ schema, idField }) => schema === candidate.schema && idField === candidate.idField)
    const filled = [candidate, ...same].find(other => other.filled.length > 0)?.filled ?? []
    const isGiven = candidate.assign !== 'client' && same.some(({ assign }) => assign === 'client')
    const completed = { ...candidate, filled }
    return isGiven ? [{ ...completed, assign: 'client' as const }, completed] : [completed]
  })
}

/** The operations that a collection has: items below its path, a create, items elsewhere. */
function fullness({ segments, itemPath, create, list }: InferredCollection): number {
  const item = itemPath === undefined ? [] : segmentsOf(itemPath)
  const isBelow = item.length === segments.length + 1 && segments.every((segment, i) => segment === item[i])
  return (isBelow ? 4 : item.length > 0 ? 2 : 0) + (create === undefined ? 0 : 3) + (list === undefined ? 0 : 1)
}

function reasonOf(collection: InferredCollection): string {
  const { path, itemPath, list, create, candidates } = collection
  const [{ schema, idField } = { schema: '', idField: '' }] = candidates
  if (list === undefined && create === undefined && itemPath !== undefined)
    return `GET ${itemPath} shows one ${schema} by its ${idField}`
  const isCreated = list === undefined && create !== undefined && !isAlone(collection)
  const verb = list !== undefined ? 'lists' : isCreated ? 'creates' : 'shows'
  const because = `${isCreated ? 'POST' : 'GET'} ${path} ${verb} ${schema}`
  return itemPath === undefined ? because : `${because}, ${itemPath} names one by its ${idField}`
}
