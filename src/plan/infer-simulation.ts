// A gateway.yaml for a contract that has none: inferred, then held to the same checks as one that somebody wrote. What does
// not pass them is left out, with the reason beside it.

import { relative, resolve } from 'node:path'
import type { WithinConfig } from '../behaviours/respond/within.ts'
import { valueFor } from '../contract/answer/sampling.ts'
import type { Contract } from '../contract/contract.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import { parseSource } from '../kernel/read-source.ts'
import { compilePlan, type Plan } from './compile.ts'
import { exampleIds } from './example-ids.ts'
import { type Inference, type InferredResource, inferSimulation } from './infer.ts'
import { describeInference } from './infer-text.ts'
import { readResources } from './seed.ts'
import { simulationOf } from './settings.ts'
import { checkSimulation } from './simulation.ts'

export interface InferredGateway {
  readonly text: string
  readonly plan: Plan
}

const SEEDS = 10

/**
 * @param file the contract's file, absolute
 * @param home where the gateway.yaml would stand
 */
export function inferGateway(contract: Contract, file: string, home: string): InferredGateway {
  const inference = inferSimulation(contract)
  const reference = `./${relative(home, file)}`.replace(/^\.\/\.\.\//, '../')
  const seeds = new Map<string, readonly JsonObject[]>()
  for (const resource of inference.resources) {
    seeds.set(
      resource.name,
      seedsOf(resource, contract, ownersOf(resource, inference, seeds), takenIn(resource, inference, contract)),
    )
  }
  const without = new Map<string, string>()
  // Each round leaves something out, so there is a last one.
  for (;;) {
    const seedsIn = ({ name }: InferredResource) => seeds.get(name) ?? []
    const { text, owners } = describeInference(inference, contract, reference, seedsIn, without)
    const report = new Diagnostics()
    const source = parseSource('inferred gateway.yaml', text, report)
    const settings = source && checkSimulation(source, report)
    if (source === undefined || settings === undefined) throw new Error('an inferred configuration is malformed')
    const { resources } = readResources(settings, contract, source, resolve(home, 'x'), home, report)
    const plan = compilePlan(simulationOf(settings, source, resources), contract, report)
    const faults = report.list.filter(({ severity }) => severity === 'error')
    if (faults.length === 0) return { text, plan }
    const blamed = faults.flatMap(({ place, message }) => {
      const owner = owners.get(place.line)
      return owner === undefined || without.has(owner) ? [] : [[owner, message] as const]
    })
    // Where nothing can be blamed, it is what was inferred as a whole that does not hold.
    const all = inference.resources.map(
      ({ name }) => [`resource ${name}`, 'what was inferred does not hold together'] as const,
    )
    const left = blamed.length > 0 ? blamed : all.filter(([owner]) => !without.has(owner))
    if (left.length === 0) throw new Error(faults[0]?.message)
    for (const [owner, reason] of left) without.set(owner, reason)
  }
}

/** The ids that the owners of a resource's records have, by the field that holds them. */
function ownersOf(
  { name }: InferredResource,
  { operations, resources }: Inference,
  seeds: ReadonlyMap<string, readonly JsonObject[]>,
): ReadonlyMap<string, readonly Json[]> {
  const owners = new Map<string, readonly Json[]>()
  for (const { respond } of operations) {
    const within = respond.list === name ? (respond.within as WithinConfig | undefined) : undefined
    const idField = resources.find(one => one.name === within?.resource)?.idField
    const records = within?.resource === undefined ? undefined : seeds.get(within.resource)
    if (within === undefined || idField === undefined || records === undefined || records.length === 0) continue
    owners.set(
      within.field ?? within.parameter,
      records.map(record => record[idField] as Json),
    )
  }
  return owners
}

/** The ids that the contract's own example requests create. */
const takenIn = ({ name, idField }: InferredResource, { operations }: Inference, contract: Contract) =>
  exampleIds(
    operations.filter(({ respond }) => respond.create === name).map(({ operation }) => operation),
    idField,
    contract,
  )

/** Records generated from the schema, with ids of their own; those that the schema then refuses are left out. */
function seedsOf(
  { schema, idField, assign }: InferredResource,
  contract: Contract,
  owners: ReadonlyMap<string, readonly Json[]>,
  taken: ReadonlySet<unknown>,
): JsonObject[] {
  const use = contract.schemas.get(schema)
  if (use === undefined) return []
  const seen = new Set<unknown>(assign === 'client' ? taken : [])
  return Array.from({ length: SEEDS }, (_, index) => index + 1).flatMap(number => {
    const value = valueFor(use, number)
    if (!isObject(value)) return []
    const owned = [...owners].map(([field, ids]) => [field, ids[(number - 1) % ids.length]])
    const id = assign === 'sequence' ? number : ((value[idField] ?? `${number}`) as Json)
    const record = { [idField]: id, ...value, ...Object.fromEntries(owned), [idField]: id } as JsonObject
    if (seen.has(id) || use.check(record, true) !== undefined) return []
    seen.add(id)
    return [record]
  })
}
