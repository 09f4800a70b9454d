// A gateway.yaml for a contract that has none: inferred, then held to the same checks as one that somebody wrote. What does
// not pass them is left out, with the reason beside it.

import { relative, resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import type { SchemaUse } from '../contract/dialect.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import { isObject } from '../kernel/json.ts'
import { parseSource } from '../kernel/source.ts'
import { compilePlan, type Plan } from './compile.ts'
import { type InferredResource, inferSimulation } from './infer.ts'
import { describeInference } from './infer-text.ts'
import { readResources } from './seed.ts'
import { simulationOf } from './settings.ts'
import { checkSimulation } from './simulation.ts'

/** Makes a value of a schema; `undefined` where it cannot. */
export type Sampler = (schema: SchemaUse, seed: number) => Json | undefined

export interface InferredGateway {
  readonly text: string
  readonly plan: Plan
}

const noSample: Sampler = () => undefined

const SEEDS = 10
/** Each round leaves something out; a contract that needs more is not worth guessing at. */
const ROUNDS = 20

/**
 * @param file the contract's file, absolute
 * @param home where the gateway.yaml would stand
 */
export function inferGateway(
  contract: Contract,
  file: string,
  home: string,
  sample: Sampler = noSample,
): InferredGateway {
  const inference = inferSimulation(contract)
  const reference = `./${relative(home, file)}`.replace(/^\.\/\.\.\//, '../')
  const seeds = new Map(inference.resources.map(one => [one.name, seedsOf(one, contract, sample)] as const))
  const without = new Map<string, string>()
  for (let round = 0; ; round++) {
    const seedsIn = ({ name }: InferredResource) => seeds.get(name) ?? []
    const { text, owners } = describeInference(inference, contract, reference, seedsIn, without)
    const report = new Diagnostics()
    const source = parseSource('inferred gateway.yaml', text, report)
    const settings = source && checkSimulation(source, report)
    if (source === undefined || settings === undefined) throw new Error('an inferred configuration is malformed')
    const { resources } = readResources(settings.resources ?? {}, contract, source, resolve(home, 'x'), home, report)
    const plan = compilePlan(simulationOf(settings, source, resources), contract, report)
    const faults = report.list.filter(({ severity }) => severity === 'error')
    if (faults.length === 0) return { text, plan }
    for (const { place, message } of faults) {
      const owner = owners.get(place.line)
      if (owner !== undefined) without.set(owner, message)
    }
    if (round === ROUNDS) throw new Error('an inferred configuration does not hold')
  }
}

/** Records generated from the schema, with ids of their own; those that the schema then refuses are left out. */
function seedsOf({ schema, idField, assign }: InferredResource, contract: Contract, sample: Sampler): Json[] {
  const use = contract.schemas.get(schema)
  if (use === undefined) return []
  const seen = new Set<unknown>()
  return Array.from({ length: SEEDS }, (_, index) => index + 1).flatMap(number => {
    const value = sample(use, number)
    if (!isObject(value)) return []
    const record = { ...value, [idField]: assign === 'sequence' ? number : (value[idField] ?? `${number}`) } as Json
    const id = (record as Record<string, unknown>)[idField]
    if (seen.has(id) || use.check(record, true) !== undefined) return []
    seen.add(id)
    return [record]
  })
}
