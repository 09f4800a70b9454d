// A gateway.yaml for a contract that has none: inferred, held to the checks of a written one, and tried in process. A
// resource that does not hold is left out whole, with the reason.

import { relative, resolve } from 'node:path'
import { type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import type { Contract } from '../../contract/contract.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { compilePlan } from '../../plan/compile.ts'
import type { Plan } from '../../plan/plan.ts'
import { simulationOf } from '../../plan/settings.ts'
import { checkSimulation } from '../../plan/simulation.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'
import { TrialRunner } from '../probe/in-process.ts'
import { readResources } from '../seed/seed.ts'
import { NOTHING_SET, type SchemaCandidate } from './candidates.ts'
import { type Infer, type Inference, readInference } from './infer.ts'
import type { InferredOperation } from './operations.ts'
import { SeedBook } from './seeds.ts'
import { settingsOf } from './text.ts'
import { tryResource } from './trial.ts'

export interface InferredGateway {
  /** The text of the gateway.yaml. */
  describe(): string
  readonly plan: Plan
  /** Inferred settings that did not work, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

/** Reports the number of tried resources. */
export type TrialProgress = (done: number, total: number) => void

/**
 * @param file the contract's file, absolute
 * @param home the folder of the gateway.yaml
 * @param given settings beside the inferred ones: those of the command line
 */
export async function inferGateway(
  contract: Contract,
  file: string,
  home: string,
  progress: TrialProgress = () => {},
  given: Partial<SimulationFile> = {},
): Promise<InferredGateway> {
  return contract.walking(async () => {
    const attempt = new Attempt(contract, file, home, given)
    // Each round settles a resource, takes its next candidate or leaves something out, so there is a last one.
    while (attempt.open.size > 0) await attempt.round(progress)
    return attempt.finish()
  })
}

const SELECTING: readonly string[] = ['filter', 'search', 'sort', 'order']

/** A list without filters and sorting. */
const withoutSelecting = (one: InferredOperation): InferredOperation => ({
  ...one,
  respond: Object.fromEntries(Object.entries(one.respond).filter(([key]) => !SELECTING.includes(key))),
})

/** A plan of an inference, and the reasons of what does not hold by owner. */
interface Compiled {
  readonly plan: Plan
  readonly describe: () => string
  readonly blamed: ReadonlyMap<string, string>
}

class Attempt {
  /** The resources that have not been found to hold, nor been left out. */
  readonly open = new Set<string>()
  readonly #contract: Contract
  readonly #reference: string
  readonly #home: string
  readonly #given: Partial<SimulationFile>
  readonly #choices = new Map<string, number>()
  readonly #without = new Map<string, string>()
  /** Why the first candidate of a resource did not hold. */
  readonly #reasons = new Map<string, string>()
  /** Resources without fields that the server sets, and lists without filters and sorting. */
  readonly #bare = new Set<string>()
  readonly #plain = new Set<string>()
  readonly #read: Infer
  readonly #seeds = new SeedBook()
  #inference: Inference

  constructor(contract: Contract, file: string, home: string, given: Partial<SimulationFile>) {
    this.#contract = contract
    this.#home = home
    this.#given = given
    this.#reference = `./${relative(home, file)}`.replace(/^\.\/\.\.\//, '../')
    this.#read = readInference(contract)
    this.#inference = this.#read()
    for (const { name } of this.#inference.resources) this.open.add(name)
  }

  /** Compiles and tries undecided resources. */
  async round(progress: TrialProgress): Promise<void> {
    const operations = this.#inference.operations.filter(
      ({ operation, resource }) => this.open.has(resource) && !this.#without.has(operation.id),
    )
    const owners = operations.flatMap(({ respond }) =>
      withinsOf(respond.within as WithinConfig | undefined).flatMap(one => one.resource ?? []),
    )
    const needed = new Set([...this.open, ...owners])
    const resources = this.#inference.resources.filter(({ name }) => needed.has(name))
    const contract = { ...this.#contract, operations: operations.map(({ operation }) => operation) }
    const { plan, blamed } = this.#compile({ resources, operations }, contract)
    // The rest of the plan is tried without the resources that the checks refuse.
    const refused = new Set([...blamed.keys()].flatMap(owner => this.#resourceOf(owner, operations)))
    this.#blame(blamed)
    const runner = new TrialRunner(plan)
    const total = this.#inference.resources.length
    for (const name of [...this.open].filter(one => !refused.has(one))) {
      const own = operations.filter(({ resource }) => resource === name)
      const faults = await tryResource(name, own, runner)
      const reasons = new Map(
        faults
          .filter(({ operation }) => !this.#simplify(operation))
          .map(({ operation: { operation, essential }, reason }) =>
            essential ? [`resource ${name}`, `${operation.id}: ${reason}`] : [operation.id, reason],
          ),
      )
      if (faults.length === 0) this.open.delete(name)
      else this.#blame(reasons)
      progress(total - this.open.size, total)
    }
    this.#infer()
  }

  async finish(): Promise<InferredGateway> {
    for (;;) {
      const { plan, describe, blamed } = this.#compile(this.#inference, this.#contract)
      if (blamed.size === 0) return { describe, plan, without: this.#without }
      // A resource was tried beside another one that has changed since.
      const before = this.#without.size
      for (const [owner, reason] of blamed) {
        for (const name of this.#resourceOf(owner, this.#inference.operations)) {
          this.#without.set(`resource ${name}`, reason)
        }
      }
      const [message] = blamed.values()
      if (this.#without.size === before) throw new Error(`an inferred configuration is malformed: ${message}`)
      this.#infer()
    }
  }

  /** The resource that a mistake belongs to: its own, that of its defaults, or that of its operation. */
  #resourceOf(owner: string, operations: readonly InferredOperation[]): string[] {
    const name = /^(?:resource|defaults|set) (.*)$/s.exec(owner)?.[1]
    if (name !== undefined) return [name]
    return operations.filter(one => one.operation.id === owner).map(({ resource }) => resource)
  }

  /** Takes the selecting and sorting away from a list that does not hold; `false` where it has none. */
  #simplify({ action, operation: { id }, respond }: InferredOperation): boolean {
    if (action !== 'list' || !SELECTING.some(key => respond[key] !== undefined)) return false
    this.#plain.add(id)
    return true
  }

  #infer(): void {
    const left = [...this.#without.keys()].filter(key => key.startsWith('resource ')).map(key => key.slice(9))
    const { resources, operations } = this.#read(this.#choices, new Set(left))
    this.#inference = {
      resources,
      operations: operations.map(one => (this.#plain.has(one.operation.id) ? withoutSelecting(one) : one)),
    }
  }

  /** Takes the next candidate of each resource that is to blame, or leaves it out; leaves out operations and defaults. */
  #blame(reasons: ReadonlyMap<string, string>): void {
    for (const [owner, reason] of reasons) {
      const [, kind, name = ''] = /^(resource|defaults|set) (.*)$/s.exec(owner) ?? []
      if (kind === 'defaults' || kind === 'set') this.#bare.add(name)
      else if (kind === undefined) this.#disown(owner, reason)
      else this.#fail(name, reason)
    }
  }

  /** An operation that the checks refuse takes its resource with it, unless the resource is of use without it. */
  #disown(id: string, reason: string): void {
    const one = this.#inference.operations.find(({ operation }) => operation.id === id)
    if (one?.essential) this.#fail(one.resource, `${id}: ${reason}`)
    else this.#without.set(id, reason)
  }

  #fail(name: string, reason: string): void {
    const resource = this.#inference.resources.find(one => one.name === name)
    const next = (this.#choices.get(name) ?? 0) + 1
    if (!this.#reasons.has(name)) this.#reasons.set(name, reason)
    if (resource !== undefined && next < resource.candidates.length) this.#choices.set(name, next)
    else {
      this.#without.set(`resource ${name}`, this.#reasons.get(name) as string)
      this.open.delete(name)
    }
  }

  #candidateOf(name: string): SchemaCandidate {
    const resource = this.#inference.resources.find(one => one.name === name)
    const candidate = resource?.candidates[this.#choices.get(name) ?? 0] as SchemaCandidate
    return this.#bare.has(name) ? { ...candidate, server: NOTHING_SET } : candidate
  }

  #compile(inference: Inference, contract: Contract): Compiled {
    const candidateOf = (name: string) => this.#candidateOf(name)
    const kept = inference.resources.filter(({ name }) => !this.#without.has(`resource ${name}`))
    const seeds = this.#seeds.generate({ ...inference, resources: kept }, candidateOf, this.#contract)
    const reference = this.#reference
    const without = this.#without
    const { source, ownerOf } = settingsOf({ inference, contract, reference, seeds, candidateOf, without })
    const report = new Diagnostics()
    const inferred = checkSimulation(source, report)
    if (inferred === undefined) throw new Error('an inferred configuration is malformed')
    const settings = { ...this.#given, ...inferred }
    const home = this.#home
    const { resources } = readResources(settings, this.#contract, source, resolve(home, 'x'), home, report)
    const plan = compilePlan(simulationOf(settings, source, resources), contract, report)
    const faults = report.list.filter(({ severity }) => severity === 'error')
    const blamed = new Map<string, string>()
    for (const { place, message } of faults) {
      const owner = ownerOf(place) ?? [...this.open].map(name => `resource ${name}`)[0]
      if (owner !== undefined && !blamed.has(owner)) blamed.set(owner, message)
    }
    return { plan, describe: () => source.text, blamed }
  }
}
