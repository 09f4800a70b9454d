// Tries inferred state in process: for each resource a valid create, read, list, update and delete, as a client sends them.

import { Exchange } from '../behaviours/behaviour.ts'
import { type Nonconformance, nonconformanceOf } from '../contract/conformance.ts'
import type { Operation } from '../contract/contract.ts'
import { expressionsOf } from '../contract/paths.ts'
import type { Json } from '../kernel/json.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import { realClock } from '../world/clock.ts'
import type { Id } from '../world/collection.ts'
import { MemoryCollection } from '../world/memory.ts'
import { World } from '../world/world.ts'
import type { Plan, PlannedOperation } from './compile.ts'
import type { InferredOperation } from './infer.ts'
import { type Given, validRequest } from './probe.ts'

/** Why something that was inferred does not hold. */
export interface Fault {
  readonly operation: InferredOperation
  readonly reason: string
}

/** Tries the operations of one resource, in a world of their own. */
export async function tryResource(
  resource: string,
  operations: readonly InferredOperation[],
  plan: Plan,
  seeded: World,
): Promise<readonly Fault[]> {
  const trial = new Trial(resource, plan, seeded.fork())
  const of = (...actions: InferredOperation['action'][]) =>
    operations.filter(one => actions.includes(one.action) && !one.fixed)
  const creates = of('create')
  const named: { given: Given; id: Id | undefined }[] = []
  for (const create of creates) {
    const made = await trial.create(create)
    if (made !== undefined) named.push(made)
  }
  const first = named[0] ?? trial.firstSeed()
  for (const create of named) await trial.look(of('read', 'list'), create)
  if (creates.length === 0) await trial.look(of('read', 'list'), first)
  for (const one of of('update', 'replace')) await trial.call(one, first)
  for (const one of operations.filter(({ fixed }) => fixed)) await trial.call(one, { given: new Map(), id: undefined })
  for (const [i, one] of of('delete').entries()) {
    const victim = named[i] ?? (i === 0 ? first : undefined)
    if (victim === undefined) continue
    const reply = await trial.call(one, victim)
    if (reply !== undefined) await trial.expectGone(of('read')[0], victim)
  }
  return trial.faults
}

/** The world that trials begin with. */
export const seedTrial = ({ collections, simulation }: Plan): World =>
  new World(
    simulation.seed,
    realClock,
    new Map(
      [...collections].map(([name, { options, resource }]) => [name, new MemoryCollection(options, resource.seeds)]),
    ),
  )

interface Victim {
  readonly given: Given
  readonly id: Id | undefined
}

/** What the contract says nothing better about: an operation that documents no success, a media type beside JSON. */
const isForgiven = (code: Nonconformance['code'], { responses }: Operation): boolean =>
  code === 'undocumented-type' ||
  (code === 'undocumented-status' && ![...responses.keys()].some(status => status.startsWith('2')))

interface Sent {
  readonly planned: PlannedOperation
  readonly request: Request
}

class Trial {
  readonly faults: Fault[] = []
  readonly #resource: string
  readonly #plan: Plan
  readonly #world: World
  readonly #planned: ReadonlyMap<Operation, PlannedOperation>

  constructor(resource: string, plan: Plan, world: World) {
    this.#resource = resource
    this.#plan = plan
    this.#world = world
    this.#planned = new Map(plan.operations.map(one => [one.operation, one]))
  }

  /** The first record that the resource begins with. */
  firstSeed(): Victim {
    const resource = this.#plan.simulation.resources.get(this.#resource)
    const [seed] = resource?.seeds ?? []
    return { given: new Map(), id: resource && (seed?.[resource.idField] as Id | undefined) }
  }

  async create(create: InferredOperation): Promise<Victim | undefined> {
    const sent = this.#request(create, new Map())
    if (sent === undefined) return undefined
    const { reply, exchange } = await this.#send(create, sent)
    if (!this.#holds(create, reply)) return undefined
    const names = expressionsOf(create.operation.path)
    const given = new Map(names.map((name, i) => [name, exchange.segments[i] as Json]))
    const id = exchange.entry?.id
    if (id === undefined) this.#fault(create, 'no record was created')
    return { given, id }
  }

  /** Reads and lists a record: it must be there. */
  async look(operations: readonly InferredOperation[], victim: Victim): Promise<void> {
    for (const one of operations) {
      const reply = await this.call(one, victim)
      if (reply === undefined || victim.id === undefined || !this.#shows(one, victim)) continue
      const text = typeof reply.body === 'string' ? reply.body : ''
      if (!text.includes(JSON.stringify(textOf(victim.id))))
        this.#fault(one, 'does not show the record that was created')
    }
  }

  async expectGone(read: InferredOperation | undefined, victim: Victim): Promise<void> {
    const sent = read && this.#request(read, this.#naming(read, victim), true)
    if (read === undefined || sent === undefined) return
    const { reply } = await this.#send(read, sent)
    if (reply.status < 400) this.#fault(read, 'still shows the record that was deleted')
  }

  /** Sends a valid request about a record; `undefined` where it was not answered as documented. */
  async call(one: InferredOperation, victim: Victim): Promise<Reply | undefined> {
    const sent = this.#request(one, this.#naming(one, victim))
    if (sent === undefined) return undefined
    const { reply } = await this.#send(one, sent)
    return this.#holds(one, reply) ? reply : undefined
  }

  /** Whether a list of all records, or of the same owner's, must show this one. */
  #shows({ action, operation, essential }: InferredOperation, { given }: Victim): boolean {
    if (action !== 'list') return true
    const isNarrowed = operation.parameters.some(({ in: place, required }) => place === 'query' && required)
    return essential && !isNarrowed && expressionsOf(operation.path).every(name => given.has(name))
  }

  /** What the path of an operation is to name: the record, and the owners it was created under. */
  #naming({ operation, action }: InferredOperation, { given, id }: Victim): Given {
    const last = expressionsOf(operation.path).at(-1)
    if (action === 'list' || last === undefined || id === undefined) return given
    return new Map([...given, [last, id as Json]])
  }

  #request(one: InferredOperation, given: Given, quiet = false): Sent | undefined {
    const planned = this.#planned.get(one.operation) as PlannedOperation
    const request = validRequest(planned, this.#plan, given)
    if (typeof request !== 'string') return { planned, request }
    if (!quiet) this.#fault(one, `no valid request was found: ${request}`)
    return undefined
  }

  async #send({ operation }: InferredOperation, { planned, request }: Sent) {
    const found = this.#plan.find(request.method, request.path)
    const base = found?.target.basePath ?? ''
    const exchange = new Exchange(request, this.#world, operation, base, found?.segments ?? [], false)
    const reply = await planned.handle(exchange)
    exchange.release?.()
    return { reply, exchange }
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

const textOf = (id: Id): string | number => (typeof id === 'bigint' ? String(id) : id)
