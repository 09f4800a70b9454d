// The visit of a request to a world: its time, its base addresses, and parsing of both from the request.

import { draftOf, type Exchange } from '../behaviours/exchange.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../plan/worlds.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import { parseMoment } from '../world/world-clock.ts'
import { foresee } from './foresee.ts'
import type { WorldAddress } from './world-mark.ts'

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
