// Tries inferred state in process: for each resource a valid create, read, list, update and delete, as a client sends them.
// No check of the configuration says whether a request succeeds: without the trial 46 % of the valid creates that were inferred
// for 100 public documents were refused. There is no limit of time, so that every machine serves a document alike.

import type { Resource } from '../../behaviours/resource.ts'
import { isUnshown } from '../../behaviours/respond/config.ts'
import type { Operation } from '../../contract/contract.ts'
import { type Mistake, nonconformanceOf } from '../../contract/judge.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Reply, Request } from '../../kernel/http.ts'
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import { fieldIn, idIn } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import { type GivenParameters, validRequest } from '../probe/probe.ts'
import type { TrialRunner } from '../probe/runner.ts'
import type { InferredOperation } from './operations.ts'

/** Why something that was inferred does not hold. */
export interface TrialFault {
  readonly operation: InferredOperation
  readonly reason: string
}

/** The record that requests are about, the world that has it, and the owners in the path that it was created under. */
interface Victim {
  readonly world: World
  readonly given: GivenParameters
  readonly id: Id | undefined
  readonly value: JsonObject | undefined
  /** The operation that created it; unset for a seed. */
  readonly by?: InferredOperation
}

/** Tries the operations of one resource in separate worlds: two creates may give a record the same id. */
export class ResourceTrial {
  readonly #operations: readonly InferredOperation[]
  readonly #runner: TrialRunner
  readonly #resource: Resource | undefined
  readonly #faults: TrialFault[] = []

  constructor(name: string, operations: readonly InferredOperation[], runner: TrialRunner) {
    this.#operations = operations
    this.#runner = runner
    this.#resource = runner.plan.simulation.resources.get(name)
  }

  async run(): Promise<readonly TrialFault[]> {
    const victims: Victim[] = []
    const creates = this.#that('create')
    for (const create of creates) {
      const made = await this.#create(create)
      if (made !== undefined) victims.push(made)
    }
    const lookups = this.#that('read', 'list')
    for (const made of victims) for (const lookup of lookups) await this.#look(lookup, made)
    const seed = this.#seed()
    victims.push(seed)
    if (creates.length === 0) for (const lookup of lookups) await this.#look(lookup, seed)
    for (const change of this.#that('update', 'replace')) await this.#callAbout(change, victims)
    const nobody: Victim = { ...seed, id: undefined, value: undefined }
    for (const fixed of this.#operations.filter(inferred => inferred.fixed)) await this.#callAbout(fixed, [nobody])
    for (const removal of this.#that('delete')) {
      const gone = await this.#callAbout(removal, victims)
      if (gone !== undefined) victims.splice(victims.indexOf(gone), 1)
    }
    return this.#faults
  }

  #that(...actions: InferredOperation['action'][]): InferredOperation[] {
    return this.#operations.filter(({ action, fixed }) => actions.includes(action) && !fixed)
  }

  /** Returns the first record that the resource begins with. */
  #seed(): Victim {
    const [value] = this.#resource?.seeds ?? []
    const id = this.#resource && value && (idIn(this.#resource.idField, value) as Id)
    return { world: this.#runner.newWorld(), given: new Map(), id, value }
  }

  async #create(inferred: InferredOperation): Promise<Victim | undefined> {
    const sent = this.#requestFor(inferred, new Map())
    if (sent === undefined) return undefined
    const world = this.#runner.newWorld()
    const { reply, exchange } = await this.#runner.send(sent, world)
    // The id of the request may be that of a seed.
    if (reply.status === 409 || !this.#holds(inferred, reply)) return undefined
    const names = expressionsOf(inferred.operation.path)
    const given = new Map(names.map((parameter, i) => [parameter, exchange.segments[i] as Json]))
    const value = exchange.entry?.value
    if (this.#resource === undefined || value === undefined) return undefined
    return { world, given, id: idIn(this.#resource.idField, value) as Id, value, by: inferred }
  }

  /** Reads or lists a record: it must be there. */
  async #look(inferred: InferredOperation, victim: Victim): Promise<void> {
    const given = parametersFor(inferred, victim)
    const reply = given && (await this.#call(inferred, given, victim))
    if (reply === undefined || victim.id === undefined || !mustShow(inferred, victim)) return
    const text = typeof reply.body === 'string' ? reply.body : ''
    if (!text.includes(stringifyJson(victim.id))) this.#blame(inferred, 'does not show the record that was created')
  }

  /** Sends a valid request about the first record that the path can name; returns it where the reply is as documented. */
  async #callAbout(inferred: InferredOperation, victims: readonly Victim[]): Promise<Victim | undefined> {
    for (const victim of victims) {
      const given = victim.id === undefined && !inferred.fixed ? undefined : parametersFor(inferred, victim)
      if (given !== undefined) return (await this.#call(inferred, given, victim)) && victim
    }
    return undefined
  }

  async #call(inferred: InferredOperation, given: GivenParameters, { world }: Victim): Promise<Reply | undefined> {
    const sent = this.#requestFor(inferred, given)
    if (sent === undefined) return undefined
    const { reply } = await this.#runner.send(sent, world)
    return this.#holds(inferred, reply) ? reply : undefined
  }

  /** Returns a valid request; `undefined` if none was found: clients may know one. */
  #requestFor({ operation }: InferredOperation, given: GivenParameters): Request | undefined {
    const { plan } = this.#runner
    const planned = plan.operations.find(other => other.operation === operation)
    const request = planned && validRequest(planned, plan, given)
    return typeof request === 'string' ? undefined : request
  }

  #holds(inferred: InferredOperation, reply: Reply): boolean {
    const { status, refusal, body } = reply
    const fault = nonconformanceOf(inferred.operation, reply)
    if (status >= 300) {
      const detail = refusal?.detail ?? (typeof body === 'string' ? body : '')
      this.#blame(inferred, `a valid request was answered ${status}: ${detail}`.slice(0, 300))
    } else if (fault !== undefined && !isForgiven(fault, inferred.operation)) this.#blame(inferred, fault.message)
    else return true
    return false
  }

  #blame(operation: InferredOperation, reason: string): void {
    this.#faults.push({ operation, reason })
  }
}

/** Whether to accept a reply where only errors are documented, with a media type other than JSON, or with a wrong header. */
const isForgiven = ({ code }: Mistake, operation: Operation): boolean =>
  code === 'undocumented-type' ||
  code.endsWith('-header') ||
  (code === 'undocumented-status' && ![...operation.responses.keys()].some(status => /^[23]/.test(status)))

/** Whether a list of all records, or of the same owner's, must show this one. */
function mustShow({ action, operation, essential }: InferredOperation, { given }: Victim): boolean {
  if (action !== 'list') return true
  const isNarrowed = operation.parameters.some(({ in: place, required }) => place === 'query' && required)
  return essential && !isNarrowed && expressionsOf(operation.path).every(name => given.has(name))
}

/** Returns the path parameters of an operation: the record's id and its owner's; `undefined` without such an owner. */
function parametersFor(inferred: InferredOperation, { given, id, value, by }: Victim): GivenParameters | undefined {
  const isList = inferred.action === 'list'
  const last = expressionsOf(inferred.operation.path).at(-1)
  if (id === undefined) return given
  const named = new Map(isList || last === undefined ? given : [...given, [last, id as Json] as const])
  const others = inferred.owners.filter(({ parameter }) => !given.has(parameter))
  for (const { parameter, field, resource } of others) {
    // The owners in another path may be of another kind: a user, not an organisation.
    const isOther = resource !== undefined && by !== undefined && !by.owners.some(owner => owner.resource === resource)
    if (isOther && isUnshown(field) && given.size > 0) return undefined
    // An owner that a request named, and no path, need not exist.
    const owner = by !== undefined && resource !== undefined ? undefined : value && fieldIn(field, value)
    if (typeof owner === 'string' || typeof owner === 'number') named.set(parameter, owner)
    else if (!isList && !isUnshown(field)) return undefined
  }
  return named
}
