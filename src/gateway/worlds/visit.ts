// The visit of a request to a world: its time, its base addresses, and parsing of both from the request.

import { draftOf, type Exchange, type Meeting } from '../../behaviours/exchange.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Request } from '../../kernel/request.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../../plan/settings.ts'
import type { Clock } from '../../world/clock.ts'
import { Hits } from '../../world/hits.ts'
import { PathCounts } from '../../world/path-counts.ts'
import type { World } from '../../world/world.ts'
import { parseMoment } from '../../world/world-clock.ts'

/** The destination of a request: the world, its time, and the path without the world's name. */
export interface Visit {
  readonly world: World
  readonly clock: Clock
  /** `undefined` if the path is unchanged. */
  readonly path: string | undefined
  /** Returns a base path with the world's name, so that links stay in the world. */
  address(basePath: string): string
  /** Keeps a new world. Call it when the request has passed authentication. */
  readonly admit?: () => void
}

/** A world, and the plan that its collections were last adapted to. */
export interface Held {
  readonly world: World
  visit: Visit
  plan: Plan
}

/** Returns the visit of requests that name neither world nor time. */
export const visitOf = (world: World, admit?: () => void): Visit => ({
  world,
  clock: world.clock,
  path: undefined,
  address: asItIs,
  ...(admit && { admit }),
})

/** Returns a world that was made for a plan. @param admit see `Visit.admit` */
export const holdWorld = (plan: Plan, world: World, admit?: () => void): Held => ({
  world,
  visit: visitOf(world, admit),
  plan,
})

const asItIs = (basePath: string): string => basePath

/** Returns the name of the world that a header or a path gives, or refuses it. */
export function nameIn(
  named: string | string[] | undefined,
  marked: WorldAddress | undefined,
): string | undefined | Reply {
  const name = marked?.name ?? named
  if (name === undefined) return undefined
  if (typeof name !== 'string' || !WORLD_NAME.test(name)) {
    return refuse(problems.invalid_request, `the name of a world must have ${WORLD_NAME_RULE}`)
  }
  if (marked !== undefined && named !== undefined && named !== marked.name) {
    const detail = `the path and Understudy-World name different worlds; the path names ${name}`
    return refuse(problems.invalid_request, detail)
  }
  return name
}

/** Returns the moment that a header gives, in milliseconds since the epoch, or refuses it. */
export function momentIn(timed: string | string[] | undefined, clock: Clock): number | undefined | Reply {
  if (timed === undefined) return undefined
  const moment = parseMoment(String(timed), clock.now())
  if (moment !== undefined) return moment
  const like = '2030-12-06, 2030-12-06T10:00:00Z, +30d or -12h'
  return refuse(problems.invalid_request, `Understudy-Time must be a date, a timestamp or an offset: ${like}`)
}

/** Returns the visit of a request whose path or headers name the world or the time. */
export function directedVisit(visit: Visit, marked: WorldAddress | undefined, moment: number | undefined): Visit {
  const { world, admit } = visit
  const { path, address } = marked ?? { path: undefined, address: visit.address }
  if (moment !== undefined && world.lives && moment > world.clock.now()) {
    const ahead = foresee(world, moment)
    return { world: ahead, clock: ahead.clock, path, address, ...(admit && { admit }) }
  }
  if (marked === undefined && moment === undefined) return visit
  const clock = moment === undefined ? world.clock : world.clock.at(moment)
  return { world, clock, path, address, ...(admit && { admit }) }
}

/** Keeps the new world of a request: at once if the operation needs no authentication. */
export function admitWhenLetIn(admit: () => void, { chain }: PlannedOperation, exchange: Exchange): void {
  if (chain.some(({ name }) => name === 'authenticate')) draftOf(exchange, 'gateway').admit = admit
  else admit()
}

// The name of a world in a path: `/~alice/books`.

export interface WorldAddress {
  readonly name: string
  /** The path without the world's name. */
  readonly path: string
  readonly address: (basePath: string) => string
}

/** `/~NAME` at the beginning of a path, or after one of the base paths. */
export function findMark(path: string, basePaths: readonly string[]): WorldAddress | undefined {
  const base = path.startsWith('/~')
    ? ''
    : basePaths.find(one => path.startsWith('/~', one.length) && path.startsWith(one))
  if (base === undefined) return undefined
  const from = base.length
  const end = path.indexOf('/', from + 1)
  const mark = end === -1 ? path.slice(from) : path.slice(from, end)
  const rest = base + path.slice(from + mark.length)
  // The name keeps its position before or after the base path.
  const address = base === '' && !basePaths.includes('') ? (one: string) => mark + one : (one: string) => one + mark
  return { name: mark.slice(2), path: rest === '' ? '/' : rest, address }
}

// A world at a later time, for a request that names its own time.

/** Returns the world at a later time, with its records' timed changes. Changes to it do not last. */
export function foresee(world: World, moment: number): World {
  const ahead = world.fork()
  ahead.resume(world.ordinals)
  for (const [rule, { count }] of world.kept(Hits)) ahead.keep(Hits, rule).resume(count)
  for (const [key, counts] of world.kept(PathCounts)) ahead.keep(PathCounts, key).continue(counts)
  ahead.clock.adjust({ now: moment, freeze: true })
  return ahead
}

// The operation that a request addresses: also for one that is refused before its world is known.

/** Finds the operation of a path. `HEAD` is answered like `GET` unless the contract has it (RFC 9110 §9.3.2). */
export const findOperation = (plan: Plan, method: string, path: string) =>
  plan.find(method, path) ?? (method === 'HEAD' ? plan.find('GET', path) : undefined)

/** Returns the world that a path names, if clients may name one. */
export const markIn = (path: string, { contract, simulation }: Plan): WorldAddress | undefined =>
  simulation.listen.clientControls ? findMark(path, contract.basePaths) : undefined

/** Returns the operation at the path of a refused request, and the place that its links begin with. */
export function findAddressed(
  { method, path, prefix = '' }: Request,
  plan: Plan,
): { readonly planned: PlannedOperation; readonly place: Pick<Meeting, 'basePath' | 'segments'> } | undefined {
  const marked = markIn(path, plan)
  const found = findOperation(plan, method, marked?.path ?? path)
  if (found === undefined) return undefined
  const { target, segments } = found
  // An invalid name may contain any character, and is not repeated in a header.
  const isNamed = marked !== undefined && WORLD_NAME.test(marked.name)
  const basePath = isNamed ? marked.address(target.basePath) : target.basePath
  return { planned: target.planned, place: { basePath: prefix + basePath, segments } }
}
