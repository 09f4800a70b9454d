// Generates the records that an inferred resource begins with.

import { type WithinConfig, withinsOf } from '../../behaviours/respond/within.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import type { Steps } from '../../kernel/steps.ts'
import type { SchemaUse } from '../../schema/dialect.ts'
import { valueFor } from '../../schema/sampling.ts'
import { type Id, idIn, withId } from '../../world/collection.ts'
import { withField } from '../../world/record-field.ts'
import { exampleIds } from '../seed/example-ids.ts'
import { compileNewId, isReadBack, type NewId, namingParameters } from '../seed/new-ids.ts'
import type { Inference, SchemaCandidate } from './inference.ts'
import { type LinkedSeeds, linkSeeds } from './links.ts'

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
  readonly #known = new Map<string, readonly JsonObject[]>();

  *generate(
    { resources, operations }: Inference,
    candidateOf: (resource: string) => SchemaCandidate,
    contract: Contract,
  ): Steps<Seeds> {
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
      const key = stringifyJson([name, candidate.schema, count, [...owners] as Json, readers.map(({ id }) => id)])
      const ids = () =>
        schema === undefined ? undefined : seedIds(name, schema, candidate, readers, creators, contract)
      const known =
        this.#known.get(key) ?? (schema === undefined ? [] : records(schema, candidate, count, owners, taken, ids()))
      this.#known.set(key, known)
      yield
      seeds.set(name, known)
      const owned = new Set(own.flatMap(({ respond }) => withinsIn(respond)).map(one => one.field ?? one.parameter))
      linked.set(name, { records: known, schema, idField: candidate.idField, owned })
    }
    return yield* linkSeeds(linked)
  }
}

/** The names of the resources, each after those whose records own its own; a circle is broken somewhere. */
function ownersFirst(byResource: ReadonlyMap<string, Inference['operations']>): ReadonlySet<string> {
  const ordered = new Set<string>()
  const visit = (name: string, above: readonly string[]): void => {
    const own = byResource.get(name)
    if (own === undefined || ordered.has(name) || above.includes(name)) return
    for (const { respond } of own) {
      for (const { resource: owner } of withinsIn(respond)) if (owner !== undefined) visit(owner, [...above, name])
    }
    ordered.add(name)
  }
  for (const name of byResource.keys()) visit(name, [])
  return ordered
}

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

/** The ids of the owners of a resource's records, by field. */
function ownersOf(
  own: Inference['operations'],
  candidateOf: (resource: string) => SchemaCandidate,
  seeds: Seeds,
): ReadonlyMap<string, readonly Json[]> {
  const owners = new Map<string, readonly Json[]>()
  for (const { parameter, field = parameter, resource } of own.flatMap(({ respond }) => withinsIn(respond))) {
    const records = resource === undefined ? undefined : seeds.get(resource)
    if (resource === undefined || records === undefined || records.length === 0) continue
    const { idField } = candidateOf(resource)
    owners.set(
      field,
      records.map(record => idIn(idField, record) as Json),
    )
  }
  return owners
}

/** Operations whose path names a record. */
const NAMING: ReadonlySet<string> = new Set(['read', 'replace', 'update', 'delete'])

/** Ids that the paths of a resource can name: those that the contract shows there, and the making of others. */
interface SeedIds {
  readonly shown: readonly Id[]
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
  const fits = (id: Json) => parameters.every(one => isReadBack(String(id), one))
  const isNumber =
    assign === 'sequence' || (!added && schema.check(withId(idField, 1, {}), true)?.some(isAbout(idField)) !== true)
  const shown = parameters.flatMap(({ node, schema: { node: inner } }): Id[] => {
    const values = [node, inner].map(({ value }) => (isObject(value) ? value.example : undefined))
    return values.filter(
      (id): id is Id => (isNumber ? Number.isInteger(id) : typeof id === 'string') && fits(id as Json),
    )
  })
  let make: NewId | undefined
  return {
    shown,
    fits,
    make(ordinal) {
      if (isNumber) return undefined
      make ??= compileNewId(name, schema, idField, readers, contract, 1, creators)
      return make?.(SEEDED + ordinal)
    },
  }
}

const NO_IDS: ReadonlySet<unknown> = new Set()

/** Ordinals of made ids that no created record has. */
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
  owners: ReadonlyMap<string, readonly Json[]>,
  taken: ReadonlySet<unknown>,
  ids: SeedIds | undefined,
): JsonObject[] {
  const seen = new Set(taken)
  const [shown] = ids?.shown.filter(id => !seen.has(id)) ?? []
  const out: JsonObject[] = []
  for (let number = 1; number <= count + 3 && out.length < count; number++) {
    const value = valueFor(schema, number)
    if (!isObject(value)) continue
    const owned = [...owners].map(([field, ids]) => [field, ids[(number - 1) % ids.length] as Json] as const)
    const own = idIn(idField, value as JsonObject)
    const counted = assign === 'sequence' || typeof own === 'number'
    const drawn = added
      ? ids?.make(number)
      : counted || own === undefined || ids?.fits(own) !== false
        ? own
        : (ids.make(number) ?? own)
    const id = number === 1 && shown !== undefined ? shown : counted ? number : (drawn ?? `${number}`)
    const whole = owned.reduce((all, [field, owner]) => withField(field, owner, all), value as JsonObject)
    const record = withId(idField, id as Id, whole)
    if (seen.has(id) || schema.check(record, true) !== undefined) continue
    seen.add(id)
    out.push(record)
  }
  return out
}
