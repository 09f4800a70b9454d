// Tries inferred state in process: for each resource a valid create, read, list, update and delete, as a client sends them.

import { isUnshown, type WithinConfig } from '../../behaviours/respond/config.ts'
import { type Nonconformance, nonconformanceOf, type Operation } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Reply, Request } from '../../kernel/http.ts'
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { documentsSuccess, type GivenParameters, type TrialRunner, validRequest } from '../../load/probe/probe.ts'
import type { Id } from '../../world/records/types.ts'
import { fieldIn, idIn } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import { type InferredOperation, withinsIn } from './operations.ts'

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
export async function tryResource(
  name: string,
  operations: readonly InferredOperation[],
  runner: TrialRunner,
): Promise<readonly TrialFault[]> {
  const { plan } = runner
  const nobody: Victim = { world: runner.newWorld(), given: new Map(), id: undefined, value: undefined }
  const resource = plan.simulation.resources.get(name)
  const faults: TrialFault[] = []
  const blame = (operation: InferredOperation, reason: string) => void faults.push({ operation, reason })

  /** A valid request; `undefined` if none was found: clients may know one. */
  const requestFor = (one: InferredOperation, given: GivenParameters): Request | undefined => {
    const planned = plan.operations.find(({ operation }) => operation === one.operation)
    const request = planned && validRequest(planned, plan, given)
    return typeof request === 'string' ? undefined : request
  }
  const holds = (one: InferredOperation, reply: Reply): boolean => {
    const { status, refusal, body } = reply
    const fault = nonconformanceOf(one.operation, reply)
    if (status >= 300) {
      const detail = refusal?.detail ?? (typeof body === 'string' ? body : '')
      blame(one, `a valid request was answered ${status}: ${detail}`.slice(0, 300))
    } else if (fault !== undefined && !isForgiven(fault, one.operation)) blame(one, fault.message)
    else return true
    return false
  }
  const call = async (
    one: InferredOperation,
    given: GivenParameters,
    { world }: Victim,
  ): Promise<Reply | undefined> => {
    const sent = requestFor(one, given)
    if (sent === undefined) return undefined
    const { reply } = await runner.send(sent, world)
    return holds(one, reply) ? reply : undefined
  }
  const create = async (one: InferredOperation): Promise<Victim | undefined> => {
    const sent = requestFor(one, new Map())
    if (sent === undefined) return undefined
    const world = runner.newWorld()
    const { reply, exchange } = await runner.send(sent, world)
    // The id of the request may be that of a seed.
    if (reply.status === 409 || !holds(one, reply)) return undefined
    const names = expressionsOf(one.operation.path)
    const given = new Map(names.map((parameter, i) => [parameter, exchange.segments[i] as Json]))
    const value = exchange.entry?.value
    return resource && value && { world, given, id: idIn(resource.idField, value) as Id, value, by: one }
  }
  /** Reads or lists a record: it must be there. */
  const look = async (one: InferredOperation, victim: Victim): Promise<void> => {
    // Nothing can be read where nothing is marked yet.
    const isUnmarked = victim.id === undefined && operations.some(({ respond }) => respond.from !== undefined)
    const given = isUnmarked ? undefined : parametersFor(one, victim)
    const reply = given && (await call(one, given, victim))
    if (reply === undefined || victim.id === undefined || !mustShow(one, victim)) return
    const text = typeof reply.body === 'string' ? reply.body : ''
    if (!text.includes(stringifyJson(victim.id))) blame(one, 'does not show the record that was created')
  }
  /** Sends a valid request about the first record that the path can name; returns it where the reply is as documented. */
  const callAbout = async (one: InferredOperation, victims: readonly Victim[]): Promise<Victim | undefined> => {
    for (const victim of victims) {
      const given = victim.id === undefined && !one.fixed ? undefined : parametersFor(one, victim)
      if (given !== undefined) return (await call(one, given, victim)) && victim
    }
    return undefined
  }

  const of = (...actions: InferredOperation['action'][]) =>
    operations.filter(one => actions.includes(one.action) && !one.fixed)
  const victims: Victim[] = []
  for (const one of of('create')) {
    const made = await create(one)
    if (made !== undefined) victims.push(made)
  }
  for (const made of victims) for (const one of of('read', 'list')) await look(one, made)
  // The first record that the resource begins with.
  const [value] = resource?.seeds ?? []
  const seed: Victim = { ...nobody, id: resource && value && (idIn(resource.idField, value) as Id), value }
  victims.push(seed)
  if (of('create').length === 0) for (const one of of('read', 'list')) await look(one, seed)
  for (const one of of('update', 'replace')) await callAbout(one, victims)
  for (const one of operations.filter(({ fixed }) => fixed)) await callAbout(one, [nobody])
  for (const one of of('delete')) {
    const gone = await callAbout(one, victims)
    if (gone !== undefined) victims.splice(victims.indexOf(gone), 1)
  }
  return faults
}

/** Reasons to accept a reply without a documented success, or with a media type other than JSON. */
const isForgiven = ({ code }: Nonconformance, operation: Operation): boolean =>
  code === 'undocumented-type' || (code === 'undocumented-status' && !documentsSuccess(operation))

/** Whether a list of all records, or of the same owner's, must show this one. */
function mustShow({ action, operation, essential }: InferredOperation, { given }: Victim): boolean {
  if (action !== 'list') return true
  const isNarrowed = operation.parameters.some(({ in: place, required }) => place === 'query' && required)
  return essential && !isNarrowed && expressionsOf(operation.path).every(name => given.has(name))
}

/** Returns the path parameters of an operation: the record's id and its owner's; `undefined` without such an owner. */
function parametersFor(one: InferredOperation, { given, id, value, by }: Victim): GivenParameters | undefined {
  const isList = one.action === 'list'
  const last = expressionsOf(one.operation.path).at(-1)
  if (id === undefined) return given
  const named = new Map(isList || last === undefined ? given : [...given, [last, id as Json] as const])
  // The owners in another path may be of another kind: a user, not an organisation.
  const isKnown = (name: string) => by === undefined || withinsIn(by).some(({ resource }) => resource === name)
  const isOther = ({ field = '', resource }: WithinConfig) =>
    resource !== undefined && isUnshown(field) && given.size > 0 && !isKnown(resource)
  if (withinsIn(one).some(isOther)) return undefined
  for (const { parameter, field, resource } of withinsIn(one).filter(({ parameter }) => !given.has(parameter))) {
    // An owner that a request named, and no path, need not exist.
    const owner = by !== undefined && resource !== undefined ? undefined : value && fieldIn(field, value)
    if (typeof owner === 'string' || typeof owner === 'number') named.set(parameter, owner)
    else if (!isList && !isUnshown(field)) return undefined
  }
  return named
}
