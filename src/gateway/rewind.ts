// Restores an earlier state of a world from its history.

import { isObject } from '../kernel/json.ts'
import type { State } from '../state/state.ts'
import { parseMoment, timestamp } from '../world/dates.ts'
import type { Gateway } from './gateway.ts'
import { type JournalEntry, LOST } from './journal/journal.ts'
import { Refused, refusedWorld } from './refused.ts'

/** How far to rewind: to a position, to a time by the real clock, or to before a request. */
export type RewindTarget = number | string | { readonly request: number }

export interface Rewound {
  readonly position: number
  /** How many changes were reversed. */
  readonly reversed: number
}

export const REWIND = 'POST /worlds/{name}/rewind'

/** Rewinds a world, in its turn with all other changes. @param into the name of a new world that gets the earlier state */
export async function rewindWorld(gateway: Gateway, name: string, to: RewindTarget, into?: string): Promise<Rewound> {
  // Another process may have answered it: no turn waits for that.
  const request = namesRequest(to) ? (await gateway.requests.read()).find(to.request) : undefined
  return gateway.change(() => rewind(gateway, name, { to, into }, request), REWIND)
}

const namesRequest = (to: RewindTarget): to is { readonly request: number } => isObject(to) && 'request' in to

interface Target {
  readonly to: RewindTarget
  readonly into: string | undefined
}

function rewind(gateway: Gateway, name: string, { to, into }: Target, request: JournalEntry | undefined): Rewound {
  const { state, worlds, clock } = gateway
  if (worlds.get(name) === undefined) throw refusedWorld('unknown', name, worlds)
  const fault = into === undefined ? undefined : worlds.refuses(into)
  if (fault !== undefined) throw refusedWorld(fault, into as string, worlds)
  if (state === undefined) throw unrecorded()
  const position = positionOf(to, name, state, clock.now(), request)
  const reversed = state.rewind(name, position, into)
  if (reversed !== undefined) return { position, reversed }
  throw outOfReach(`the history begins at position ${state.history.reach}, after ${position}`)
}

export const unrecorded = (): Refused =>
  new Refused('not_recorded', 'the changes of worlds are recorded with state: { history: true }, a file or Redis')

const outOfReach = (detail: string): Refused => new Refused('out_of_reach', detail)

const absent = (detail: string): Refused => new Refused('not_found', detail)

/** Returns the position to rewind to. */
function positionOf(
  to: RewindTarget,
  world: string,
  { history, position: end }: State,
  now: number,
  request: JournalEntry | undefined,
): number {
  if (typeof to === 'number' && Number.isSafeInteger(to) && to >= 0) {
    if (to <= end) return to
    throw outOfReach(`the history ends at position ${end}, before ${to}`)
  }
  if (!namesRequest(to)) {
    const time = typeof to === 'string' ? parseMoment(to, now) : undefined
    if (time !== undefined) return lastBefore(history, world, time, `"${to}"`)
    throw new Refused(
      'invalid_request',
      '"to" must be a position, {"request": 17}, or a date, timestamp or offset such as -5m',
    )
  }
  if (request === undefined) throw absent(`the journal has no request ${to.request}`)
  if (request.world !== world) throw absent(`the request ${to.request} was in another world: ${request.world}`)
  if (request.position === LOST) throw outOfReach(`the log was lost after request ${to.request}, and has begun anew`)
  // A request that changed nothing: rewind to its arrival.
  return request.position === undefined
    ? lastBefore(history, world, request.at - request.milliseconds, `request ${to.request}`)
    : request.position - 1
}

/** Returns the position of a world at a time. @param named the time as a refusal names it */
function lastBefore(history: State['history'], world: string, time: number, named: string): number {
  const last = history
    .of(world)
    .filter(({ at }) => at <= time)
    .at(-1)
  if (last !== undefined) return last.position
  const { since, reach } = history
  if (time >= since) return reach
  throw outOfReach(`the history begins at ${timestamp(since)}, after ${named}`)
}
