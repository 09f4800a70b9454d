// Generates the records that an inferred resource begins with, and links them: `authorId` has the id of an author.

import { findReferences } from '../../behaviours/references.ts'
import { calledAs, NAME } from '../../behaviours/respond/caller.ts'
import { type FilterConfig, isUnshown } from '../../behaviours/respond/config.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import { nameless } from '../../contract/paths.ts'
import { valueFor } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { compileNewId, exampleIds, isReadBack, namingParameters, parametersBelow } from '../../load/seed/new-ids.ts'
import { NAMING, schemaNamed } from '../../load/seed/seed.ts'
import type { Id, NewId } from '../../world/records/types.ts'
import { fieldIn, idIn, withField, withId } from '../../world/records/values.ts'
import type { SchemaCandidate } from './candidates.ts'
import { type Inference, type InferredOperation, isAsking, withinsIn } from './operations.ts'
import { segmentsOf } from './schema.ts'

/**
 * Records for each resource; fewer where a page of its list is smaller, so that a record that is created shows on the first.
 */
const SEEDS = 5
/** With more resources than these each has fewer records: making them is a fifth of an inference. */
const MANY = 60
const FEW_SEEDS = 3
/** Ordinals of made ids that no created record has, and that no client gives. */
const SEEDED = 9000

export type Seeds = ReadonlyMap<string, readonly JsonObject[]>

/** A resource to generate records for. */
interface SeededResource {
  readonly candidate: SchemaCandidate
  readonly schema: SchemaUse
  readonly operations: readonly InferredOperation[]
  /** The ids of the owners of its records, by field. */
  readonly owners: ReadonlyMap<string, OwnerIds>
}

interface OwnerIds {
  readonly ids: readonly Json[]
  /** Whether requests are refused if the owner does not exist. Otherwise the word before the parameter names it. */
  readonly certain: boolean
}

/** Returns a function that generates seeds, and keeps them: most resources are the same from one round to the next. */
export function compileSeeds(contract: Contract) {
  const known = new Map<string, readonly JsonObject[]>()
  return ({ resources, operations: all }: Inference, candidateOf: (resource: string) => SchemaCandidate): Seeds => {
    const seeds = new Map<string, readonly JsonObject[]>()
    const seeded = new Map<string, SeededResource>()
    const byResource = new Map(resources.map(({ name }) => [name, all.filter(one => one.resource === name)]))
    const ownersIn = readOwners(all)
    for (const name of ownersFirst(byResource, ownersIn)) {
      const candidate = candidateOf(name)
      const operations = byResource.get(name) ?? []
      const schema = schemaNamed(candidate.schema, contract) as SchemaUse
      const owners = ownerIds(operations.flatMap(ownersIn), candidateOf, seeds, field => {
        const node = schema.shape.properties.get(field.slice(1, -1))
        return node !== undefined && [...contract.shapeOf(node).properties.keys()].some(key => NAME.test(key))
      })
      const resource = { candidate, schema, operations, owners }
      const pages = operations.flatMap(one => (one.action === 'list' ? shownAtOnce(one) : highestOf(one)))
      const most = resources.length > MANY ? FEW_SEEDS : SEEDS
      const count = Math.max(1, Math.min(most, ...pages.map(size => Math.floor(size / 2))))
      const readers = recordReaders(operations).map(({ id }) => id)
      // Marks begin unset.
      if (
        operations.some(({ respond }) => respond.from !== undefined) &&
        !operations.some(one => one.action === 'list')
      ) {
        seeds.set(name, [])
        continue
      }
      const key = stringifyJson([name, candidate.schema, candidate.idField, count, [...owners], readers])
      seeds.set(
        name,
        getOrMake(known, key, () => seedRecords(name, resource, count, contract)),
      )
      seeded.set(name, resource)
    }
    return linkSeeds(seeds, seeded, all, contract)
  }
}

/** The names of the resources, each after those whose records own its own; a circle is broken at the one who asks, or somewhere. */
function ownersFirst(
  byResource: ReadonlyMap<string, Inference['operations']>,
  ownersIn: OwnersIn,
): ReadonlySet<string> {
  const all = [...byResource.values()].flat().flatMap(ownersIn)
  const ordered = new Set(all.flatMap(({ asking, owner }) => (asking && byResource.has(owner) ? [owner] : [])))
  const visit = (name: string, above: readonly string[]): void => {
    const own = byResource.get(name)
    if (own === undefined || ordered.has(name) || above.includes(name)) return
    for (const one of own) for (const { owner } of ownersIn(one)) visit(owner, [...above, name])
    ordered.add(name)
  }
  for (const name of byResource.keys()) visit(name, [])
  return ordered
}

type OwnersIn = ReturnType<typeof readOwners>

/** Returns a function for the owners that the path of an operation names: a resource, the field with its id, and whether it must exist. */
function readOwners(all: Inference['operations']) {
  const readers = all.filter(({ action, fixed }) => action === 'read' && !fixed)
  const items = new Map(readers.map(one => [nameless(segmentsOf(one.operation.path).join('/')), one.resource]))
  return (one: InferredOperation) =>
    withinsIn(one).map(owned => {
      const { parameter, field, resource } = owned
      const segments = segmentsOf(one.operation.path)
      const at = segments.indexOf(`{${parameter}}`)
      // The word of `/repos/{owner}/{repo}` is not that of the first.
      const word = segments[at + 1]?.includes('{') ? undefined : segments[at - 1]
      const owner = resource ?? items.get(nameless(segments.slice(0, at + 1).join('/'))) ?? word ?? ''
      return { field, owner, certain: resource !== undefined, asking: isAsking(owned, one.operation) }
    })
}

/** The ids of the owners of a resource's records, by field. */
function ownerIds(
  own: ReturnType<OwnersIn>,
  candidateOf: (resource: string) => SchemaCandidate,
  seeds: Seeds,
  isSaid: (field: string) => boolean,
): ReadonlyMap<string, OwnerIds> {
  const idsOf = (owner: string) =>
    (seeds.get(owner) ?? []).map(record => idIn(candidateOf(owner).idField, record) as Json)
  const owners = new Map<string, OwnerIds>()
  for (const field of new Set(own.map(one => one.field))) {
    // The first record is the caller's.
    const ways = own.filter(one => one.field === field).sort((a, b) => Number(b.asking) - Number(a.asking))
    const certain = ways.some(one => one.certain)
    const kinds = [...new Set(ways.filter(one => one.certain || !certain || isUnshown(field)).map(one => one.owner))]
    const all = kinds.map(idsOf)
    const known = all.filter(ids => ids.length > 0)
    const some = !isUnshown(field) ? known.slice(0, 1) : isSaid(field) ? known : all
    // A record with an unshown owner is found under no other: not where a path takes any, and the record does not say it.
    if (some.length === 0 || some.some(ids => ids.length === 0)) continue
    // Those of several kinds take turns.
    const most = Math.max(...some.map(ids => ids.length))
    owners.set(field, {
      ids: Array.from({ length: most }, (_, i) => some.flatMap(ids => ids[i] ?? [])).flat(),
      certain,
    })
  }
  return owners
}

const inQuery = ({ parameters }: Operation, name: unknown): Parameter | undefined =>
  parameters.find(one => one.in === 'query' && one.name === name)

/** How many records a list shows where the request does not say. */
function shownAtOnce({ operation, respond }: InferredOperation): number[] {
  const usual = inQuery(operation, respond.limit)?.default
  return typeof usual === 'number' ? [usual] : []
}

/** The highest id that the path allows: created ids must stay below it. */
const highestOf = ({ operation }: InferredOperation): number[] =>
  namingParameters([operation]).flatMap(({ schema }) => {
    const { maximum } = (schema.node.value ?? {}) as { readonly maximum?: unknown }
    return typeof maximum === 'number' ? [maximum] : []
  })

const creatorsOf = (operations: Inference['operations']): Operation[] =>
  operations.filter(one => one.action === 'create').map(({ operation }) => operation)

const recordReaders = (operations: Inference['operations']): Operation[] =>
  operations.filter(one => !one.fixed && NAMING.some(action => action === one.action)).map(({ operation }) => operation)

/** Records with unique ids; those that the schema refuses are left out. */
function seedRecords(name: string, resource: SeededResource, count: number, contract: Contract): JsonObject[] {
  const { candidate, schema, operations, owners } = resource
  const { idField, assign } = candidate
  // Requests name only ids that clients give: no other id is reserved for their examples.
  const seen = new Set(assign === 'client' ? exampleIds(creatorsOf(operations), idField, contract) : [])
  const idOf = compileSeedId(name, resource, seen, contract)
  const choices = choicesIn(operations)
  const shown = [...owners].filter(([field]) => !isUnshown(field))
  const unshown = [...owners].filter(([field]) => isUnshown(field))
  const out: JsonObject[] = []
  for (let number = 1; number <= count + 3 && out.length < count; number++) {
    const value = valueFor(schema, number) as JsonObject | undefined
    if (!isObject(value)) continue
    const nth = <Item>(all: readonly Item[]): Item => all[out.length % all.length] as Item
    const id = idOf(number, value)
    const fields = { ...value, ...Object.fromEntries([...choices].map(([field, all]) => [field, nth(all)])) }
    const record = [shown, shown.filter(([, { certain }]) => certain)]
      .map(some => some.reduce((made, [field, { ids }]) => withField(field, nth(ids), made), fields as JsonObject))
      .map(whole => withId(idField, id, whole))
      .find(one => schema.fits(one))
    if (seen.has(id) || record === undefined) continue
    seen.add(id)
    out.push(unshown.reduce((made, [field, { ids }]) => withOwner(made, field, nth(ids), schema), record))
  }
  return out
}

/** Returns a record with an owner that replies do not show, `{owner}`, or show as someone with that name. */
function withOwner(record: JsonObject, field: string, owner: Json, schema: SchemaUse): JsonObject {
  const name = field.slice(1, -1)
  const someone = record[name]
  const said = isObject(someone) && { ...record, [name]: calledAs(someone as JsonObject, owner) }
  return { ...(said && schema.fits(said) ? said : record), [field]: owner }
}

/**
 * Returns a function for the id of the n-th record, which the paths of the resource can name: one that the contract shows there,
 * a number, or the generated one.
 *
 * @param taken ids that no record may have
 */
function compileSeedId(
  name: string,
  { candidate: { idField, added, assign, from }, schema, operations }: SeededResource,
  taken: ReadonlySet<unknown>,
  contract: Contract,
): (number: number, value: JsonObject) => Id {
  const [readers, creators] = [recordReaders(operations), creatorsOf(operations)]
  const parameters = namingParameters(readers)
  const all = [...parameters, ...parametersBelow(readers, contract)]
  const fits = (id: Json) => all.every(one => isReadBack(one, [String(id)]))
  const idPointer = pointer(idField.split('.'))
  const takesNumber = () => schema.check(withId(idField, 1, {}), true)?.some(one => one.pointer === idPointer) !== true
  const isNumber = assign === 'sequence' || (!added && takesNumber())
  const shown = parameters
    .flatMap(({ node, schema: { node: inner } }) =>
      [node, inner].map(({ value }) => (isObject(value) ? value.example : undefined)),
    )
    .filter((id): id is Id => (isNumber ? Number.isInteger(id) : typeof id === 'string') && fits(id as Json))
    .find(id => !taken.has(id))
  // Clients that must give an id are likely to begin with 1.
  const isGiven =
    assign === 'client' &&
    creators.some(({ body }) =>
      [...(body?.content.values() ?? [])].some(one => one.schema?.shape.required.has(idField) === true),
    )
  let newId: NewId | undefined
  const make = (number: number, value: JsonObject): Id | undefined => {
    if (isNumber) return undefined
    newId ??= compileNewId(name, schema, idField, readers, contract, 1, creators, from)
    return newId?.(SEEDED + number, value)
  }
  return (number, value) => {
    if (number === 1 && shown !== undefined) return shown
    const own = idIn(idField, value)
    if (assign === 'sequence' || typeof own === 'number') {
      const far = SEEDED + number
      return isGiven && fits(far) && schema.fits(withId(idField, far, value)) ? far : number
    }
    const generated = from === undefined && (own === undefined || fits(own)) ? own : (make(number, value) ?? own)
    return ((added ? make(number, value) : generated) ?? `${number}`) as Id
  }
}

/** The values that lists select records by, for fields that have no enum themselves. */
function choicesIn(operations: Inference['operations']): ReadonlyMap<string, readonly Json[]> {
  const selecting = operations.flatMap(({ operation, respond }) =>
    ((respond.filter ?? []) as readonly (string | FilterConfig)[]).flatMap(one => {
      if (typeof one === 'string' || one.all === undefined) return []
      const node = inQuery(operation, one.parameter)?.schema.node
      const { enum: named } = (node?.value ?? {}) as { readonly enum?: readonly Json[] }
      const values = (named ?? []).filter(value => value !== one.all)
      return values.length === 0 ? [] : [[one.field ?? one.parameter, values] as const]
    }),
  )
  return new Map(selecting)
}

/** Returns the records of every resource, which refer to existing records and count those that they own. */
function linkSeeds(
  seeds: Seeds,
  seeded: ReadonlyMap<string, SeededResource>,
  all: Inference['operations'],
  contract: Contract,
): Seeds {
  const resources = [...seeded].map(([name, { candidate }]) => {
    return [name, { idField: candidate.idField, seeds: seeds.get(name) ?? [] }] as const
  })
  const references = findReferences(contract, new Map(resources))
  const linked = new Map(seeds)
  for (const [name, { candidate, schema, operations }] of seeded) {
    // The ids of owners in the path are not changed.
    const fixed = [candidate.idField, ...operations.flatMap(withinsIn).map(({ field }) => field)]
    const fields = [...references.fields(schema.node)].filter(([field]) => !fixed.includes(field))
    const link = (record: JsonObject, turn: number): JsonObject => {
      let current = record
      for (const [field, refer] of fields) {
        if (current[field] === undefined) continue
        const next = { ...current, [field]: refer(current[field] as Json, turn + 1) }
        if (schema.fits(next)) current = next
      }
      return current
    }
    linked.set(name, (seeds.get(name) ?? []).map(link))
  }
  for (const one of all) {
    for (const { field, resource = '', count } of withinsIn(one)) {
      const children = (linked.get(one.resource) ?? []).flatMap(record => fieldIn(field, record) ?? [])
      if (count === undefined || children.length === 0) continue
      const owner = seeded.get(resource)
      const counted = (linked.get(resource) ?? []).map(record => {
        const own = children.filter(id => id === idIn(owner?.candidate.idField ?? '', record)).length
        const next = { ...record, [count]: own }
        return Object.hasOwn(record, count) && owner?.schema.fits(next) ? next : record
      })
      linked.set(resource, counted)
    }
  }
  return linked
}
