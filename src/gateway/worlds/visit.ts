// The visit of a request to a world: its time and its base addresses, as the headers and the path of the request name them.

import type { Exchange, Meeting } from '../../behaviours/exchange.ts'
import { cookieValues } from '../../contract/document/parameters.ts'
import { problems, type Reply, type Request, refuse } from '../../kernel/http.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { Clock } from '../../world/clock.ts'
import { parseMoment } from '../../world/dates.ts'
import { Hits } from '../../world/kept/hits.ts'
import { PathCounts } from '../../world/kept/path-counts.ts'
import { Scenarios } from '../../world/kept/scenarios.ts'
import type { World } from '../../world/world.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../../world/world-name.ts'

/** The destination of a request: the world, its time, and the path without the world's name. */
export interface Visit {
  readonly world: World
  readonly clock: Clock
  /** `undefined` if the path is unchanged. */
  readonly path: string | undefined
  /** Returns a base path with the world's name, so that links stay in the world; `undefined` if they do without. */
  readonly address: ((basePath: string) => string) | undefined
  /** Keeps a new world. Call it when the request has passed authentication. */
  readonly admit: (() => void) | undefined
  /** Set in a world on another contract. */
  readonly plan: Plan | undefined
}

/** Returns the plan of a world: its own, or the one that is served. */
export const planOfWorld = (served: Plan, name: string): Plan => served.others?.get(name) ?? served

/** A world, and the plan that its collections were last adapted to. */
export interface Held {
  readonly world: World
  visit: Visit
  plan: Plan
}

/** Returns the visit of requests that name neither world nor time. @param admit see `Visit.admit` */
export const visitOf = (world: World, admit?: () => void, plan?: Plan): Visit => ({
  world,
  clock: world.clock,
  path: undefined,
  address: undefined,
  admit,
  plan: plan?.world === undefined ? undefined : plan,
})

/** Returns a world that was made for a plan. @param admit see `Visit.admit` */
export const holdWorld = (plan: Plan, world: World, admit?: () => void): Held => ({
  world,
  visit: visitOf(world, admit, plan),
  plan,
})

/** The name of a world in a path: `/~alice/books`. */
interface WorldInPath {
  readonly name: string
  /** The path without the world's name. */
  readonly path: string
  readonly address: (basePath: string) => string
}

/** Finds `/~NAME` at the beginning of a path, or after one of the base paths. */
export function worldInPath(path: string, basePaths: readonly string[]): WorldInPath | undefined {
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

/** Returns the world that a path names, if clients may name one. */
export const worldIn = (path: string, { contract, simulation }: Plan): WorldInPath | undefined =>
  simulation.listen.clientControls ? worldInPath(path, contract.basePaths) : undefined

/** Returns the name of the world in a cookie, for pages and for what a server renders: they cannot add a header to every request. */
export function worldInCookie(field: string | string[] | undefined): string | undefined {
  if (typeof field !== 'string' || !field.includes('understudy-world=')) return undefined
  return cookieValues(field, 'understudy-world')[0]
}

/** Returns the name of the world that a header, a cookie or a path gives, or refuses it. */
export function nameIn(headers: Request['headers'], inPath: WorldInPath | undefined): string | undefined | Reply {
  const named = headers['understudy-world']
  const name = inPath?.name ?? named ?? worldInCookie(headers.cookie)
  if (name === undefined) return undefined
  if (typeof name !== 'string' || !WORLD_NAME.test(name)) {
    return refuse(problems.invalid_request, `the name of a world must have ${WORLD_NAME_RULE}`)
  }
  if (inPath !== undefined && named !== undefined && named !== inPath.name) {
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
export function directedVisit(visit: Visit, inPath: WorldInPath | undefined, moment: number | undefined): Visit {
  const { path, address } = inPath ?? visit
  if (moment === undefined) return { ...visit, path, address }
  const { admit, plan, world: present } = visit
  const isLater = present.lives && moment > present.clock.now()
  const world = isLater ? foresee(present, moment) : present
  return { world, clock: isLater ? world.clock : world.clock.at(moment), path, address, admit, plan }
}

/** Returns the world at a later time, with its records' timed changes. Changes to it do not last. */
function foresee(world: World, moment: number): World {
  const ahead = world.fork()
  ahead.resume(world.ordinals)
  for (const [rule, { count }] of world.kept(Hits)) ahead.keep(Hits, rule).resume(count)
  for (const [key, counts] of world.kept(PathCounts)) ahead.keep(PathCounts, key).continue(counts)
  for (const [key, states] of world.kept(Scenarios)) ahead.keep(Scenarios, key).enter(states.dump())
  ahead.clock.adjust({ now: moment, freeze: true })
  return ahead
}

/** Keeps the new world of a request: at once if the operation needs no authentication. */
export function admitWhenLetIn(admit: () => void, { chain }: PlannedOperation, exchange: Exchange): void {
  if (chain.some(({ name }) => name === 'authenticate')) exchange.admit = admit
  else admit()
}

/** Returns the operation at the path of a refused request, and the place that its links begin with. */
export function findAddressed(
  { method, path, prefix = '' }: Request,
  plan: Plan,
): { readonly planned: PlannedOperation; readonly place: Pick<Meeting, 'basePath' | 'segments'> } | undefined {
  const inPath = worldIn(path, plan)
  const match = plan.find(method, inPath?.path ?? path)
  if (match === undefined) return undefined
  const { target, segments } = match
  // An invalid name may contain any character, and is not repeated in a header.
  const isNamed = inPath !== undefined && WORLD_NAME.test(inPath.name)
  const basePath = isNamed ? inPath.address(target.basePath) : target.basePath
  return { planned: target.planned, place: { basePath: prefix + basePath, segments } }
}
