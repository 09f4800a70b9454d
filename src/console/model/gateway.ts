// The gateway behind the page: its version and plan, its worlds, the clock of the shown world, and its measurements.

import { signal } from '@preact/signals'
import type {
  ClockState,
  ClockWords,
  DescribedPlan,
  Measure,
  WeatherFile,
  WorldCalendar,
} from '../../http/control/types.ts'
import { ControlError, call, pathTo } from './control-plane.ts'
import { type LoadedData, useLoaded } from './loaded.ts'
import { shownWorld } from './location.ts'

export interface ShownClock extends Omit<ClockState, 'now'> {
  /** A timestamp. */
  readonly now: string
}

interface Version {
  /** The address of the API: `http://127.0.0.1:4010`. */
  readonly api: string
  /** A command that the API answers with success; absent if it needs a secret key. */
  readonly firstCall?: string
  readonly workers?: number | null
}

export interface DescribedWorld {
  readonly name: string
  readonly permanent: boolean
  readonly default: boolean
  readonly host?: string
  readonly clock: ShownClock
  readonly records: Readonly<Record<string, number>>
}

export const version = signal<Version | undefined>(undefined)
/** The plan without weather. */
export const servedPlan = signal<DescribedPlan | undefined>(undefined)
export const worlds = signal<readonly DescribedWorld[]>([])
/** The clock of the shown world, and the time of this machine when it was loaded. */
export const clock = signal<{ readonly state: ShownClock; readonly at: number } | undefined>(undefined)

/** Loads the version and the plan, from which views take names. */
export async function refreshPlan(): Promise<void> {
  version.value = await call<Version>('GET', '/version', { quiet: true })
  servedPlan.value = await call<DescribedPlan>('GET', '/plan', { quiet: true })
}

export async function refreshWorlds(): Promise<void> {
  worlds.value = await call<DescribedWorld[]>('GET', '/worlds', { quiet: true })
}

/** Loads the clock of the shown world. A new world runs by real time. */
export async function refreshClock(): Promise<void> {
  const world = shownWorld.value
  const state = await call<ShownClock>('GET', pathTo`/worlds/${world}/clock`, { quiet: true }).catch(error => {
    if (!(error instanceof ControlError)) throw error
    return { now: new Date().toISOString(), real: true, frozen: false, rate: 1 }
  })
  if (world === shownWorld.value) clock.value = { state, at: Date.now() }
}

/** Returns the time that the clock of the shown world shows at a real time; both in milliseconds since the epoch. */
export function worldTime(now: number): number | undefined {
  if (clock.value === undefined) return undefined
  const { state, at } = clock.value
  return Date.parse(state.now) + (now - at) * state.rate
}

/** Changes the clock of a world, which runs on as it does where the change does not say otherwise. */
export async function setClock(world: string, change: ClockWords): Promise<void> {
  const { real = true, frozen = false, rate = 1 } = world === shownWorld.value ? (clock.value?.state ?? {}) : {}
  const course = real || rate === 1 ? {} : frozen ? { freeze: true } : { rate }
  const keeps = change.freeze === undefined && change.rate === undefined
  await call('PUT', pathTo`/worlds/${world}/clock`, { body: { ...(keeps ? course : {}), ...change } })
  await Promise.all([refreshClock(), refreshWorlds()])
}

/** Returns the clock of a world to real time. */
export async function restoreClock(world: string): Promise<void> {
  await call('DELETE', pathTo`/worlds/${world}/clock`)
  await Promise.all([refreshClock(), refreshWorlds()])
}

/** Loads the events of a world between two moments; the control plane has defaults for both. */
export const loadCalendar = (
  world: string,
  query: { readonly from?: string; readonly until?: string; readonly limit?: number },
  signal: AbortSignal,
): Promise<WorldCalendar> =>
  call<WorldCalendar>('GET', pathTo`/worlds/${world}/calendar`, { query, signal, quiet: true })

export interface MeasuredOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly phase: string
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  /** Latency, faults and limits in force. */
  readonly settings?: NonNullable<WeatherFile['defaults']>
  readonly measured: Measure
}

export interface MeasuredOperations {
  /** The end of the last step of each series: a timestamp. */
  readonly at: string
  /** Seconds of each step. */
  readonly step: number
  readonly operations: readonly MeasuredOperation[]
  readonly all: Measure
}

/** Follows the measurements. @param query chooses the requests, and the minutes that are measured */
export const useMeasured = (query: Readonly<Record<string, string | number>>): LoadedData<MeasuredOperations> =>
  useLoaded(
    JSON.stringify(query),
    signal => call<MeasuredOperations>('GET', '/operations', { query, signal, quiet: true }),
    2500,
  )
