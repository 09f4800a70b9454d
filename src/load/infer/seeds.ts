// Generates the records that an inferred resource begins with.

import type { WithinConfig } from '../../behaviours/respond/within.ts'
import type { Contract } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { SchemaUse } from '../../schema/dialect.ts'
import { valueFor } from '../../schema/sampling.ts'
import { type Id, idIn, withId } from '../../world/collection.ts'
import { exampleIds } from '../seed/example-ids.ts'
import type { Candidate, Inference } from './infer.ts'

/** Records for each resource; fewer where a page of its list is smaller, so that a record that is created shows on the first. */
const SEEDS = 5

export type Seeds = ReadonlyMap<string, readonly JsonObject[]>

/** Generates seeds, and keeps them: most resources are the same from one round to the next. */
export class SeedBook {
  readonly #known = new Map<string, readonly JsonObject[]>()

  generate(
    { resources, operations }: Inference,
    candidateOf: (resource: string) => Candidate,
    contract: Contract,
  ): Seeds {
    const seeds = new Map<string, readonly JsonObject[]>()
    const byResource = new Map(resources.map(({ name }) => [name, operations.filter(one => one.resource === name)]))
    for (const name of ownersFirst(byResource)) {
      const candidate = candidateOf(name)
      const schema = schemaOf(candidate.schema, contract)
      const own = byResource.get(name) ?? []
      const owners = ownersOf(own, candidateOf, seeds)
      const pages = own.flatMap(one => (one.action === 'list' ? pageOf(one) : highestOf(one)))
      const count = Math.max(1, Math.min(SEEDS, ...pages.map(size => Math.floor(size / 2))))
      const creators = own.filter(one => one.action === 'create').map(({ operation }) => operation)
      const taken = exampleIds(creators, candidate.idField, contract)
      const key = stringifyJson([name, candidate.schema, count, [...owners] as Json])
      const known =
        this.#known.get(key) ?? (schema === undefined ? [] : records(schema, candidate, count, owners, taken))
      this.#known.set(key, known)
      seeds.set(name, known)
    }
    return seeds
  }
}

/** The names of the resources, each after those whose records own its own; a circle is broken somewhere. */
function ownersFirst(byResource: ReadonlyMap<string, Inference['operations']>): ReadonlySet<string> {
  const ordered = new Set<string>()
  const visit = (name: string, above: readonly string[]): void => {
    const own = byResource.get(name)
    if (own === undefined || ordered.has(name) || above.includes(name)) return
    for (const { respond } of own) {
      const owner = (respond.within as WithinConfig | undefined)?.resource
      if (owner !== undefined) visit(owner, [...above, name])
    }
    ordered.add(name)
  }
  for (const name of byResource.keys()) visit(name, [])
  return ordered
}

export const schemaOf = (reference: string, contract: Contract): SchemaUse | undefined => {
  const node = contract.at(reference)
  return contract.schemas.get(reference) ?? (node === undefined ? undefined : contract.use(node))
}

/** How many records a list shows where the request does not say. */
function pageOf({ operation, respond }: Inference['operations'][number]): number[] {
  const parameter = operation.parameters.find(one => one.in === 'query' && one.name === respond.limit)
  return typeof parameter?.default === 'number' ? [parameter.default] : []
}

/** The highest number that a path can name a record by: what is created must stay below it. */
function highestOf({ operation }: Inference['operations'][number]): number[] {
  const last = expressionsOf(operation.path).at(-1)
  const parameter = operation.parameters.find(one => one.in === 'path' && one.name === last)
  const { maximum } = (parameter?.schema.node.value ?? {}) as { readonly maximum?: unknown }
  return typeof maximum === 'number' ? [maximum] : []
}

/** The ids that the owners of a resource's records have, by the field that holds them. */
function ownersOf(
  own: Inference['operations'],
  candidateOf: (resource: string) => Candidate,
  seeds: Seeds,
): ReadonlyMap<string, readonly Json[]> {
  const owners = new Map<string, readonly Json[]>()
  for (const { respond } of own) {
    const within = respond.within as WithinConfig | undefined
    const records = within?.resource === undefined ? undefined : seeds.get(within.resource)
    if (within?.resource === undefined || records === undefined || records.length === 0) continue
    const { idField } = candidateOf(within.resource)
    owners.set(
      within.field ?? within.parameter,
      records.map(record => idIn(idField, record) as Json),
    )
  }
  return owners
}

/** Records with ids of their own; those that the schema refuses are left out. */
function records(
  schema: SchemaUse,
  { idField, assign }: Candidate,
  count: number,
  owners: ReadonlyMap<string, readonly Json[]>,
  taken: ReadonlySet<unknown>,
): JsonObject[] {
  const seen = new Set(taken)
  const out: JsonObject[] = []
  for (let number = 1; number <= count + 3 && out.length < count; number++) {
    const value = valueFor(schema, number)
    if (!isObject(value)) continue
    const owned = [...owners].map(([field, ids]) => [field, ids[(number - 1) % ids.length]])
    const own = idIn(idField, value as JsonObject)
    const id = assign === 'sequence' || typeof own === 'number' ? number : (own ?? `${number}`)
    const record = withId(idField, id as Id, { ...value, ...Object.fromEntries(owned) } as JsonObject)
    if (seen.has(id) || schema.check(record, true) !== undefined) continue
    seen.add(id)
    out.push(record)
  }
  return out
}
