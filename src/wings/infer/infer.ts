// Makes sense of a contract that has no gateway.yaml: which paths are collections, which their items, what a parameter is for. A
// guess with its reasons, for an author to read and correct. It is held to the checks of a written configuration, and tried in
// process: a resource that does not hold is left out whole, with the reason.

import { resolve } from 'node:path'
import type { Contract } from '../../contract/contract.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { readResources } from '../../load/seed/seed.ts'
import { compilePlan } from '../../plan/compile.ts'
import { BlockSettings, type House } from '../../plan/house.ts'
import type { Plan } from '../../plan/plan.ts'
import { simulationOf } from '../../plan/settings.ts'
import { checksOf } from '../../plan/simulation.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import { createRunner } from '../probe/runner.ts'
import type { SchemaCandidate } from './candidates.ts'
import type { Inference, InferredOperation } from './operations.ts'
import { ContractReading } from './reading.ts'
import { referenceTo } from './reference.ts'
import { INFERRED_FILE, settingsOf } from './text.ts'
import { ResourceTrial } from './trial.ts'

export interface InferredGateway {
  /** The text of the gateway.yaml. */
  describe(): string
  readonly plan: Plan
  /** Inferred settings that did not work, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

interface InferenceSurroundings {
  /** The document, or the document and those over it: absolute paths. */
  readonly file: string | readonly string[]
  /** The folder of the gateway.yaml, which names the contract relative to it. */
  readonly home: string
  readonly house: House
  /** Reports the number of tried resources. */
  readonly progress?: ((done: number, total: number) => void) | undefined
  /** Settings beside the inferred ones: those of the command line. */
  readonly given?: Partial<SimulationFile>
}

export async function inferGateway(contract: Contract, surroundings: InferenceSurroundings): Promise<InferredGateway> {
  return contract.walking(() => new GatewayTrial(contract, surroundings).run())
}

/** How far the trial of a resource has come. */
interface Progress {
  /** The index of the candidate that is tried. */
  candidate: number
  /** Whether it is tried without defaults and fields that the server fills in. */
  plain: boolean
  verdict: 'open' | 'holds' | 'left out'
  /** Why the first candidate did not hold, and the operation that showed it. */
  firstFailure?: { readonly reason: string; readonly by: InferredOperation | undefined } | undefined
}

/** A plan of an inference, and the reasons of what does not hold by owner. */
interface CompiledInference {
  readonly plan: Plan
  readonly blamed: ReadonlyMap<string, string>
  describe(): string
}

/** How many resources are tried in one plan: each trial has a world with all of its collections. */
const MOST_TRIED = 250

/** Returns the kind and the name of an owner `resource NAME` or `fields NAME`; nothing for an operation id. */
const blockOf = (owner: string): readonly string[] => /^(resource|fields) (.*)$/s.exec(owner)?.slice(1) ?? []

/** An inferred configuration names no file but the contract. */
const NO_OTHER_FILES = { note: () => {}, readContract: () => undefined }

/** Tries the resources of an inference until each holds or is left out. */
class GatewayTrial {
  readonly #contract: Contract
  readonly #surroundings: InferenceSurroundings
  readonly #reading: ContractReading
  readonly #trials: ReadonlyMap<string, Progress>
  readonly #without = new Map<string, string>()
  #inference: Inference

  constructor(contract: Contract, surroundings: InferenceSurroundings) {
    this.#contract = contract
    this.#surroundings = surroundings
    this.#reading = new ContractReading(contract)
    this.#inference = this.#reading.infer(new Map(), new Set())
    const open = (): Progress => ({ candidate: 0, plain: false, verdict: 'open' })
    this.#trials = new Map(this.#inference.resources.map(({ name }) => [name, open()]))
  }

  async run(): Promise<InferredGateway> {
    // Each round settles a resource, takes its next candidate or leaves something out, so there is a last round.
    while (this.#open().length > 0) await this.#round()
    for (;;) {
      const { plan, describe, blamed } = this.#compile(this.#inference, this.#contract)
      if (blamed.size === 0) return { describe, plan, without: this.#without }
      // A resource was tried beside another one that has changed since.
      const before = this.#without.size
      for (const [owner, reason] of blamed) for (const name of this.#resourcesOf(owner)) this.#leaveOut(name, reason)
      const [message] = blamed.values()
      if (this.#without.size === before) throw new Error(`an inferred configuration is malformed: ${message}`)
      this.#infer()
    }
  }

  /** Compiles and tries some undecided resources. */
  async #round(): Promise<void> {
    const { operations: all, resources } = this.#inference
    const names = new Set(this.#open().slice(0, MOST_TRIED))
    const operations = all.filter(({ operation, resource }) => names.has(resource) && !this.#without.has(operation.id))
    const owners = operations.flatMap(inferred => inferred.owners.map(({ resource }) => resource))
    const needed = new Set<string | undefined>([...names, ...owners])
    const contract = { ...this.#contract, operations: operations.map(({ operation }) => operation) }
    const some = { resources: resources.filter(({ name }) => needed.has(name)), operations }
    const { plan, blamed } = this.#compile(some, contract)
    // The rest of the plan is tried without the resources that the checks refuse.
    const refused = new Set([...blamed.keys()].flatMap(owner => this.#resourcesOf(owner)))
    for (const [owner, reason] of blamed) this.#blame(owner, reason)
    const runner = createRunner(plan)
    let isChanged = blamed.size > 0
    for (const name of [...names].filter(resource => !refused.has(resource))) {
      const trial = new ResourceTrial(
        name,
        operations.filter(({ resource }) => resource === name),
        runner,
      )
      const faults = await trial.run()
      if (faults.length === 0) this.#trial(name).verdict = 'holds'
      isChanged ||= faults.length > 0
      const essential = faults.find(({ operation }) => operation.essential)
      if (essential !== undefined) this.#fail(name, essential.reason, essential.operation)
      for (const { operation, reason } of faults)
        if (!operation.essential) this.#without.set(operation.operation.id, reason)
      this.#surroundings.progress?.(this.#trials.size - this.#open().length, this.#trials.size)
    }
    if (isChanged) this.#infer()
  }

  #compile(inference: Inference, contract: Contract): CompiledInference {
    const { file, home, house, given = {} } = this.#surroundings
    const files = [file].flat().map(path => referenceTo(home, path))
    const firstIds = new Map<string, Id>()
    const report = new Diagnostics()
    const write = () => {
      const source = settingsOf({
        inference,
        contract,
        reference: files.length > 1 ? files : (files[0] as string),
        firstIdOf: name => firstIds.get(name) ?? 1,
        candidateOf: name => this.#candidateOf(name),
        without: this.#without,
      })
      const inferred = checksOf(house).simulation(source, report)
      if (inferred === undefined) throw new Error('an inferred configuration is malformed')
      const settings = { ...given, ...inferred }
      return { settings, contract: this.#contract, source, file: resolve(home, 'x'), home, report }
    }
    const { resources } = readResources({ ...write(), house })
    for (const [name, { idField, seeds }] of resources)
      if (seeds[0] !== undefined) firstIds.set(name, idIn(idField, seeds[0]) as Id)
    // Operations whose path names no record have the id of the first one, which is generated.
    const reading = write()
    const { settings, source } = reading
    const blocks = new BlockSettings(house, settings, { ...reading, ...NO_OTHER_FILES, isFitted: false })
    const plan = compilePlan(simulationOf(settings, source, resources, { house, blocks }), contract, report)
    const blamed = new Map<string, string>()
    const [undecided] = this.#open()
    for (const { severity, place, message } of report.list) {
      const named = place.file === INFERRED_FILE ? place.text : ''
      const owner = named || (undecided === undefined ? undefined : `resource ${undecided}`)
      if (severity === 'error' && owner !== undefined && !blamed.has(owner)) blamed.set(owner, message)
    }
    return { plan, describe: () => source.text, blamed }
  }

  #infer(): void {
    const choices = new Map([...this.#trials].map(([name, { candidate }]) => [name, candidate]))
    const leftOut = [...this.#trials].flatMap(([name, { verdict }]) => (verdict === 'left out' ? [name] : []))
    this.#inference = this.#reading.infer(choices, new Set(leftOut))
  }

  #open(): string[] {
    return [...this.#trials].flatMap(([name, { verdict }]) => (verdict === 'open' ? [name] : []))
  }

  #trial(name: string): Progress {
    return this.#trials.get(name) as Progress
  }

  #candidatesOf(resource: string): readonly SchemaCandidate[] {
    return this.#inference.resources.find(({ name }) => name === resource)?.candidates ?? []
  }

  #candidateOf(name: string): SchemaCandidate {
    const { candidate: index, plain } = this.#trial(name)
    const candidate = this.#candidatesOf(name)[index] as SchemaCandidate
    return plain ? { ...candidate, filled: [], defaults: {} } : candidate
  }

  /** Returns the resource that a mistake belongs to: its own, that of its defaults, or that of its operation. */
  #resourcesOf(owner: string): string[] {
    const [, name] = blockOf(owner)
    if (name !== undefined) return [name]
    return this.#inference.operations.filter(({ operation }) => operation.id === owner).map(({ resource }) => resource)
  }

  /** Leaves out an operation or defaults; an operation without which its resource is of no use takes the resource with it. */
  #blame(owner: string, reason: string): void {
    const [kind, name = ''] = blockOf(owner)
    const inferred = this.#inference.operations.find(({ operation }) => operation.id === owner)
    if (kind === 'fields') this.#trial(name).plain = true
    else if (kind !== undefined) this.#fail(name, reason)
    else if (inferred?.essential) this.#fail(inferred.resource, reason, inferred)
    else this.#without.set(owner, reason)
  }

  /** Takes the next step with a resource that does not hold: see the order of the branches. */
  #fail(name: string, reason: string, by?: InferredOperation): void {
    const trial = this.#trial(name)
    // The fields that the server fills in may exclude each other, as in branches of a union.
    if (!trial.plain && this.#candidateOf(name).filled.length > 0) {
      trial.plain = true
      return
    }
    trial.firstFailure ??= { reason, by }
    const first = trial.firstFailure
    if (trial.candidate + 1 < this.#candidatesOf(name).length) trial.candidate += 1
    else if (first.reason.includes('must match exactly one alternative')) {
      // Every record fits several alternatives: the first candidate is kept all the same.
      Object.assign(trial, { candidate: 0, plain: false, verdict: 'holds' } satisfies Progress)
    } else if (first.by !== undefined && this.#isDispensable(first.by)) {
      // None of the candidates holds with that operation, so the first one is kept without it.
      this.#without.set(first.by.operation.id, first.reason)
      Object.assign(trial, { candidate: 0, plain: false, verdict: 'open', firstFailure: undefined } satisfies Progress)
    } else this.#leaveOut(name, first.by === undefined ? first.reason : `${first.by.operation.id}: ${first.reason}`)
  }

  #leaveOut(name: string, reason: string): void {
    this.#without.set(`resource ${name}`, reason)
    this.#trial(name).verdict = 'left out'
  }

  /** Whether a resource is of use without an operation. */
  #isDispensable(inferred: InferredOperation): boolean {
    if (inferred.action === 'create' || inferred.action === 'read') return false
    return this.#inference.operations.some(
      other => other !== inferred && other.resource === inferred.resource && !this.#without.has(other.operation.id),
    )
  }
}
