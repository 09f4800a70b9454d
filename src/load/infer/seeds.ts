// Generates the records that an inferred resource begins with.

import { isUnshown, type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { valueFor } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { type Id, idIn, withId } from '../../world/collection.ts'
import { withField } from '../../world/record-field.ts'
import { exampleIds } from '../seed/example-ids.ts'
import { compileNewId, isReadBack, type NewId, namingParameters, parametersBelow } from '../seed/new-ids.ts'
import { choicesIn } from './choices.ts'
import type { Inference, SchemaCandidate } from './inference.ts'
import { type LinkedSeeds, linkSeeds } from './links.ts'
import { segmentsOf } from './paths.ts'

/**
 * Records for each resource; fewer where a page of its list is smaller, so that a record that is created shows on the first.
 */
const SEEDS = 5
/** With more resources than these each has fewer records: making them is a fifth of an inference. */
const MANY = 60
const FEW_SEEDS = 3

export type Seeds = ReadonlyMap<string, readonly JsonObject[]>

/** Generates seeds, and keeps them: most resources are the same from one round to the next. */
export class SeedBook {
  readonly #known = new Map<string, readonly JsonObject[]>()

  generate(
    { resources, operations }: Inference,
    candidateOf: (resource: string) => SchemaCandidate,
    contract: Contract,
  ): Seeds {
    const seeds = new Map<string, readonly JsonObject[]>()
    const linked = new Map<string, LinkedSeeds>()
    const byResource = new Map(resources.map(({ name }) => [name, operations.filter(one => one.resource === name)]))
    for (const name of ownersFirst(byResource)) {
      const candidate = candidateOf(name)
      const schema = schemaOf(candidate.schema, contract)
      const own = byResource.get(name) ?? []
      const owners = ownersOf(own, candidateOf, seeds)
      const pages = own.flatMap(one => (one.action === 'list' ? pageOf(one) : highestOf(one)))
      const most = resources.length > MANY ? FEW_SEEDS : SEEDS
      const count = Math.max(1, Math.min(most, ...pages.map(size => Math.floor(size / 2))))
      const creators = own.filter(one => one.action === 'create').map(({ operation }) => operation)
      // Requests name only ids that clients give: no other id is reserved for their examples.
      const isGiven = candidate.assign === 'client'
      const taken = isGiven ? exampleIds(creators, candidate.idField, contract) : NO_IDS
      const readers = own.filter(one => !one.fixed && NAMING.has(one.action)).map(({ operation }) => operation)
      const given = [...owners].map(([field, { ids, certain }]): Json => [field, [...ids], certain])
      const key = stringifyJson([name, candidate.schema, count, given, readers.map(({ id }) => id)])
      let known = this.#known.get(key)
      if (known === undefined) {
        const ids = schema && seedIds(name, schema, candidate, readers, creators, contract)
        known = schema === undefined ? [] : records(schema, candidate, count, owners, taken, ids, choicesIn(own))
        this.#known.set(key, known)
      }
      seeds.set(name, known)
      const owned = new Set(own.flatMap(({ respond }) => withinsIn(respond)).map(one => one.field ?? one.parameter))
      linked.set(name, { records: known, schema, idField: candidate.idField, owned })
    }
    return linkSeeds(linked)
  }
}

/** The names of the resources, each after those whose records own its own; a circle is broken somewhere. */
function ownersFirst(byResource: ReadonlyMap<string, Inference['operations']>): ReadonlySet<string> {
  const ordered = new Set<string>()
  const visit = (name: string, above: readonly string[]): void => {
    const own = byResource.get(name)
    if (own === undefined || ordered.has(name) || above.includes(name)) return
    for (const one of own) for (const { owner } of ownersIn(one)) visit(owner, [...above, name])
    ordered.add(name)
  }
  for (const name of byResource.keys()) visit(name, [])
  return ordered
}

/** The owners that a path names: a resource and the field with its id. */
interface PathOwner {
  readonly field: string
  readonly owner: string
  /** Whether requests are refused if it does not exist. Otherwise the word before the parameter names it. */
  readonly certain: boolean
}

const ownersIn = ({ operation, respond }: Inference['operations'][number]): PathOwner[] =>
  withinsIn(respond).flatMap(({ parameter, field = parameter, resource }): PathOwner[] => {
    const segments = segmentsOf(operation.path)
    const owner = resource ?? segments[segments.indexOf(`{${parameter}}`) - 1]
    return owner === undefined || isUnshown(field) ? [] : [{ field, owner, certain: resource !== undefined }]
  })

const withinsIn = ({ within }: Inference['operations'][number]['respond']): readonly WithinConfig[] =>
  withinsOf(within as WithinConfig | undefined)

export const schemaOf = (reference: string, contract: Contract): SchemaUse | undefined => {
  const node = contract.at(reference)
  return contract.schemas.get(reference) ?? (node === undefined ? undefined : contract.use(node))
}

/** How many records a list shows where the request does not say. */
function pageOf({ operation, respond }: Inference['operations'][number]): number[] {
  const parameter = operation.parameters.find(one => one.in === 'query' && one.name === respond.limit)
  return typeof parameter?.default === 'number' ? [parameter.default] : []
}

/** The highest id that the path allows: created ids must stay below it. */
function highestOf({ operation }: Inference['operations'][number]): number[] {
  const last = expressionsOf(operation.path).at(-1)
  const parameter = operation.parameters.find(one => one.in === 'path' && one.name === last)
  const { maximum } = (parameter?.schema.node.value ?? {}) as { readonly maximum?: unknown }
  return typeof maximum === 'number' ? [maximum] : []
}

/** The ids that the owner of a record may have. */
interface OwnerIds {
  readonly ids: readonly Json[]
  readonly certain: boolean
}

/** The ids of the owners of a resource's records, by field. */
function ownersOf(
  own: Inference['operations'],
  candidateOf: (resource: string) => SchemaCandidate,
  seeds: Seeds,
): ReadonlyMap<string, OwnerIds> {
  const owners = new Map<string, OwnerIds>()
  for (const { field, owner, certain } of own.flatMap(ownersIn)) {
    const records = seeds.get(owner)
    if (records === undefined || records.length === 0 || owners.get(field)?.certain) continue
    const { idField } = candidateOf(owner)
    owners.set(field, { ids: records.map(record => idIn(idField, record) as Json), certain })
  }
  return owners
}

/** Operations whose path names a record. */
const NAMING: ReadonlySet<string> = new Set(['read', 'replace', 'update', 'delete'])

/** Ids that the paths of a resource can name: those that the contract shows there, and the making of others. */
interface SeedIds {
  readonly shown: readonly Id[]
  /** Whether every new record needs an id from the client, who is likely to begin with 1. */
  readonly given: boolean
  fits(id: Json): boolean
  make(ordinal: number): Id | undefined
}

function seedIds(
  name: string,
  schema: SchemaUse,
  { idField, added, assign }: SchemaCandidate,
  readers: readonly Operation[],
  creators: readonly Operation[],
  contract: Contract,
): SeedIds {
  const parameters = namingParameters(readers)
  const all = [...parameters, ...parametersBelow(readers, contract)]
  const fits = (id: Json) => all.every(one => isReadBack(String(id), one))
  const isNumber =
    assign === 'sequence' || (!added && schema.check(withId(idField, 1, {}), true)?.some(isAbout(idField)) !== true)
  const shown = parameters.flatMap(({ node, schema: { node: inner } }): Id[] => {
    const values = [node, inner].map(({ value }) => (isObject(value) ? value.example : undefined))
    return values.filter(
      (id): id is Id => (isNumber ? Number.isInteger(id) : typeof id === 'string') && fits(id as Json),
    )
  })
  let make: NewId | undefined
  const given =
    assign === 'client' &&
    creators.some(({ body }) =>
      [...(body?.content.values() ?? [])].some(one => one.schema?.shape.required.has(idField) === true),
    )
  return {
    shown,
    given,
    fits,
    make(ordinal) {
      if (isNumber) return undefined
      make ??= compileNewId(name, schema, idField, readers, contract, 1, creators)
      return make?.(SEEDED + ordinal)
    },
  }
}

const NO_IDS: ReadonlySet<unknown> = new Set()

/** Ordinals of made ids that no created record has, and that no client gives. */
const SEEDED = 9000

const isAbout =
  (idField: string) =>
  ({ pointer: path }: { readonly pointer: string }): boolean =>
    path === pointer(idField.split('.'))

/** Records with unique ids; those that the schema refuses are left out. */
function records(
  schema: SchemaUse,
  { idField, added, assign }: SchemaCandidate,
  count: number,
  owners: ReadonlyMap<string, OwnerIds>,
  taken: ReadonlySet<unknown>,
  ids: SeedIds | undefined,
  choices: ReadonlyMap<string, readonly Json[]>,
): JsonObject[] {
  const seen = new Set(taken)
  const [shown] = ids?.shown.filter(id => !seen.has(id)) ?? []
  const out: JsonObject[] = []
  for (let number = 1; number <= count + 3 && out.length < count; number++) {
    const value = valueFor(schema, number)
    if (!isObject(value)) continue
    const owned = [...owners].map(([field, { ids, certain }]) => ({
      field,
      certain,
      id: ids[(number - 1) % ids.length] as Json,
    }))
    const own = idIn(idField, value as JsonObject)
    const counted = assign === 'sequence' || typeof own === 'number'
    const drawn = added
      ? ids?.make(number)
      : counted || own === undefined || ids?.fits(own) !== false
        ? own
        : (ids.make(number) ?? own)
    const far = SEEDED + number
    const isFar =
      ids?.given === true &&
      ids.fits(far) &&
      schema.check(withId(idField, far, value as JsonObject), true) === undefined
    const id = number === 1 && shown !== undefined ? shown : counted ? (isFar ? far : number) : (drawn ?? `${number}`)
    const chosen = [...choices].map(([field, all]) => [field, all[(number - 1) % all.length] as Json] as const)
    const fields = { ...(value as JsonObject), ...Object.fromEntries(chosen) }
    const record = [owned, owned.filter(({ certain }) => certain)]
      .map(some => some.reduce((all, { field, id: owner }) => withField(field, owner, all), fields as JsonObject))
      .map(whole => withId(idField, id as Id, whole))
      .find(one => schema.check(one, true) === undefined)
    if (seen.has(id) || record === undefined) continue
    seen.add(id)
    out.push(record)
  }
  return out
}
