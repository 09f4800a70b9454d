// The gateway behind the page: its version and plan, its worlds, the clock of the shown world, and its measurements.

import { computed, signal } from '@preact/signals'
import type {
  ClockState,
  ClockWords,
  DescribedOperation,
  DescribedPlan,
  Measure,
  WeatherFile,
} from '../../http/control/types.ts'
import { ControlError, call, type LoadedData, pathTo, useReply } from './control-plane.ts'
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

export const runningVersion = signal<Version | undefined>(undefined)
/** The plan without weather. */
export const servedPlan = signal<DescribedPlan | undefined>(undefined)
export const knownConsumers = computed(() => servedPlan.value?.consumers ?? [])
export const servedOperations = computed(() => servedPlan.value?.operations ?? [])
export const knownWorlds = signal<readonly DescribedWorld[]>([])
/** The clock of the shown world, and the time of this machine when it was loaded. */
export const clock = signal<{ readonly state: ShownClock; readonly at: number } | undefined>(undefined)

/** Returns the operation of the plan with this id. */
export const servedOperation = (id: string | null): DescribedOperation | undefined =>
  servedOperations.value.find(({ operation }) => operation === id)

/** Loads the version and the plan, from which views take names. */
export async function refreshPlan(): Promise<void> {
  runningVersion.value = await call<Version>('GET', '/version', { quiet: true })
  servedPlan.value = await call<DescribedPlan>('GET', '/plan', { quiet: true })
}

export async function refreshWorlds(): Promise<void> {
  knownWorlds.value = await call<DescribedWorld[]>('GET', '/worlds', { quiet: true })
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

const SPEED_WORDS: Readonly<Record<number, string>> = {
  ...{ 0: 'frozen', 1: 'as time goes', 60: 'a minute a second', 3600: 'an hour a second', 86400: 'a day a second' },
}

/** Describes how fast a clock runs: `a day a second`. */
export const speedWords = (rate: number): string => SPEED_WORDS[rate] ?? `${rate} × as fast`

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
  useReply<MeasuredOperations>('/operations', { query, every: 2500 })
