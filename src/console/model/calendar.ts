// The calendar of a world and changes of its clock, as the views Worlds and Time need them.

import type { WorldCalendar } from '../../http/control/types.ts'
import { call, pathOf } from './control-plane.ts'
import { type ClockState, refreshClock, refreshWorlds } from './worlds.ts'

/** Loads the events of a world between two moments, which are timestamps; the control plane has defaults for both. */
export const loadCalendar = (
  world: string,
  query: { readonly from?: string; readonly until?: string; readonly limit?: number },
  options: { readonly signal?: AbortSignal; readonly quiet?: boolean } = {},
): Promise<WorldCalendar> => call<WorldCalendar>('GET', pathOf`/worlds/${world}/calendar`, { ...options, query })

export interface ClockOrder {
  /** A date, a timestamp, or an offset with its sign. */
  readonly now?: string
  readonly freeze?: boolean
  readonly rate?: number
}

/** Changes the clock of a world. `keep` is how it runs, which stays where the order does not say otherwise. */
export async function setClock(world: string, order: ClockOrder, keep?: ClockState): Promise<void> {
  const run = order.freeze === undefined && order.rate === undefined ? courseOf(keep) : {}
  await call('PUT', pathOf`/worlds/${world}/clock`, { body: { ...run, ...order } })
  await Promise.all([refreshClock(), refreshWorlds()])
}

/** Returns the clock of a world to real time. */
export async function restoreClock(world: string): Promise<void> {
  await call('DELETE', pathOf`/worlds/${world}/clock`)
  await Promise.all([refreshClock(), refreshWorlds()])
}

/** The part of an order that lets a clock run as it does. */
function courseOf(state: ClockState | undefined): ClockOrder {
  if (state === undefined || state.real) return {}
  if (state.frozen) return { freeze: true }
  return state.rate === 1 ? {} : { rate: state.rate }
}
