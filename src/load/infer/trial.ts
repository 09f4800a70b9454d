// Tries inferred state in process: for each resource a valid create, read, list, update and delete, as a client sends them.

import { isUnshown, type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { type Nonconformance, nonconformanceOf, type Operation } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Reply, Request } from '../../kernel/http.ts'
import type { Json, JsonObject } from '../../kernel/value/json.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { Id } from '../../world/records/types.ts'
import { fieldIn, idIn } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import type { TrialRunner } from '../probe/in-process.ts'
import { type GivenParameters, validRequest } from '../probe/probe.ts'
import type { InferredOperation } from './operations.ts'

/** Why something that was inferred does not hold. */
export interface TrialFault {
  readonly operation: InferredOperation
  readonly reason: string
}

/** Tries the operations of one resource in a separate world. */
export async function tryResource(
  resource: string,
  operations: readonly InferredOperation[],
  runner: TrialRunner,
): Promise<readonly TrialFault[]> {
  const trial = new ResourceTrial(resource, runner)
  const of = (...actions: InferredOperation['action'][]) =>
    operations.filter(one => actions.includes(one.action) && !one.fixed)
  const victims: Victim[] = []
  for (const create of of('create')) {
    const made = await trial.create(create, victims)
    if (made !== undefined) victims.push(made)
  }
  for (const made of victims) for (const one of of('read', 'list')) await trial.look(one, made)
  victims.push(trial.firstSeed())
  if (of('create').length === 0) for (const one of of('read', 'list')) await trial.look(one, victims[0] as Victim)
  for (const one of of('update', 'replace')) await trial.callAbout(one, victims)
  for (const one of operations.filter(({ fixed }) => fixed)) await trial.callAbout(one, [NOBODY])
  for (const one of of('delete')) {
    const gone = await trial.callAbout(one, victims)
    if (gone === undefined) continue
    await trial.expectGone(of('read')[0], gone)
    victims.splice(victims.indexOf(gone), 1)
  }
  return trial.faults
}

/** The record that requests are about, and the owners in the path that it was created under. */
interface Victim {
  readonly given: GivenParameters
  readonly id: Id | undefined
  readonly value: JsonObject | undefined
}

const NOBODY: Victim = { given: new Map(), id: undefined, value: undefined }

/** Reasons to accept a reply without a documented success, or with a media type other than JSON. */
const isForgiven = (code: Nonconformance['code'], { responses }: Operation): boolean =>
  code === 'undocumented-type' ||
  (code === 'undocumented-status' && ![...responses.keys()].some(status => status.startsWith('2')))

class ResourceTrial {
  readonly faults: TrialFault[] = []
  readonly #resource: string
  readonly #runner: TrialRunner
  readonly #plan: Plan
  readonly #world: World
  readonly #planned: ReadonlyMap<Operation, PlannedOperation>

  constructor(resource: string, runner: TrialRunner) {
    this.#resource = resource
    this.#runner = runner
    this.#plan = runner.plan
    this.#world = runner.newWorld()
    this.#planned = new Map(this.#plan.operations.map(one => [one.operation, one]))
  }

  /** The first record that the resource begins with. */
  firstSeed(): Victim {
    const resource = this.#plan.simulation.resources.get(this.#resource)
    const [seed] = resource?.seeds ?? []
    return { given: new Map(), id: resource && seed && (idIn(resource.idField, seed) as Id), value: seed }
  }

  async create(create: InferredOperation, others: readonly Victim[]): Promise<Victim | undefined> {
    const sent = this.#request(create, new Map())
    if (sent === undefined) return undefined
    const { reply, exchange } = await this.#runner.send(sent, this.#world)
    if (reply.status === 409 && others.length > 0) {
      // Another create has made the record that this request gives the id of.
      this.#holds(create, (await this.#runner.send(sent, this.#runner.newWorld())).reply)
      return undefined
    }
    if (!this.#holds(create, reply)) return undefined
    const names = expressionsOf(create.operation.path)
    const given = new Map(names.map((name, i) => [name, exchange.segments[i] as Json]))
    const resource = this.#plan.simulation.resources.get(this.#resource)
    const value = exchange.entry?.value
    if (resource === undefined || value === undefined) {
      this.#fault(create, 'no record was created')
      return undefined
    }
    return { given, id: idIn(resource.idField, value) as Id, value }
  }

  /** Reads or lists a record: it must be there. */
  async look(one: InferredOperation, victim: Victim): Promise<void> {
    const given = this.#naming(one, victim)
    const reply = given && (await this.#call(one, given))
    if (reply === undefined || victim.id === undefined || !this.#shows(one, victim)) return
    const text = typeof reply.body === 'string' ? reply.body : ''
    if (!text.includes(JSON.stringify(jsonId(victim.id)))) this.#fault(one, 'does not show the record that was created')
  }

  async expectGone(read: InferredOperation | undefined, victim: Victim): Promise<void> {
    const given = read && this.#naming(read, victim)
    const sent = read && given && this.#request(read, given, true)
    if (read === undefined || sent === undefined) return
    const { reply } = await this.#runner.send(sent, this.#world)
    if (reply.status < 400) this.#fault(read, 'still shows the record that was deleted')
  }

  /** Sends a valid request about the first record that the path can name; returns it where the reply is as documented. */
  async callAbout(one: InferredOperation, victims: readonly Victim[]): Promise<Victim | undefined> {
    for (const victim of victims) {
      const given = this.#naming(one, victim)
      if (given !== undefined) return (await this.#call(one, given)) === undefined ? undefined : victim
    }
    return undefined
  }

  async #call(one: InferredOperation, given: GivenParameters): Promise<Reply | undefined> {
    const sent = this.#request(one, given)
    if (sent === undefined) return undefined
    const { reply } = await this.#runner.send(sent, this.#world)
    return this.#holds(one, reply) ? reply : undefined
  }

  /** Whether a list of all records, or of the same owner's, must show this one. */
  #shows({ action, operation, essential }: InferredOperation, { given }: Victim): boolean {
    if (action !== 'list') return true
    const isNarrowed = operation.parameters.some(({ in: place, required }) => place === 'query' && required)
    return essential && !isNarrowed && expressionsOf(operation.path).every(name => given.has(name))
  }

  /** Returns the path parameters of an operation: the record's id and its owner's; `undefined` without such an owner. */
  #naming(
    { operation, action, respond }: InferredOperation,
    { given, id, value }: Victim,
  ): GivenParameters | undefined {
    const last = expressionsOf(operation.path).at(-1)
    const isAbout = action !== 'list' && last !== undefined && id !== undefined
    const named = new Map(isAbout ? [...given, [last, id as Json] as const] : given)
    const unnamed = withinsOf(respond.within as WithinConfig | undefined).filter(one => !given.has(one.parameter))
    if (unnamed.length === 0 || id === undefined) return named
    for (const { parameter, field = parameter } of unnamed) {
      const owner = value && fieldIn(field, value)
      if (typeof owner === 'string' || typeof owner === 'number') named.set(parameter, owner)
      else if (action !== 'list' && !isUnshown(field)) return undefined
    }
    return named
  }

  #request(one: InferredOperation, given: GivenParameters, quiet = false): Request | undefined {
    const planned = this.#planned.get(one.operation) as PlannedOperation
    const request = validRequest(planned, this.#plan, given)
    if (typeof request !== 'string') return request
    if (!quiet) this.#fault(one, `no valid request was found: ${request}`)
    return undefined
  }

  #holds(one: InferredOperation, reply: Reply): boolean {
    const { status, refusal, body } = reply
    const fault = nonconformanceOf(one.operation, reply)
    if (status >= 300) {
      const detail = refusal?.detail ?? (typeof body === 'string' ? body : '')
      this.#fault(one, `a valid request was answered ${status}: ${detail}`.slice(0, 300))
    } else if (fault !== undefined && !isForgiven(fault.code, one.operation)) this.#fault(one, fault.message)
    else return true
    return false
  }

  #fault(operation: InferredOperation, reason: string): void {
    this.faults.push({ operation, reason })
  }
}

const jsonId = (id: Id): string | number => (typeof id === 'bigint' ? String(id) : id)
