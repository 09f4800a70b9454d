// The place in the console that the URL names, `#/live?world=checkout&status=5xx`, and the gateway behind the page. A view reads
// its state from the place and writes it back, so that every state can be linked and the back button works.

import { computed, signal } from '@preact/signals'
import type {
  ClockState,
  ClockWords,
  DescribedOperation,
  DescribedPlan,
  Measure,
  WeatherFile,
} from '../../http/control/types.ts'
import { call, type LoadedData, pathTo, useReply } from './control-plane.ts'
import { parsePlace, type ViewPlace, writePlace } from './place.ts'

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

const current = signal<ViewPlace>(parsePlace(location.hash))
addEventListener('hashchange', () => {
  current.value = parsePlace(location.hash)
})

/** The id of the view in the URL. */
export const viewId = computed(() => current.value.view)

/** The value of a parameter of the URL; empty if it has none. Reading it in a component subscribes to it. */
export const parameter = (name: string): string => current.value.parameters[name] ?? ''

/** The world that the URL names; empty for all worlds. It is kept when the view changes. */
export const chosenWorld = computed(() => parameter('world'))
/** The world of the views that show one: the chosen one, else the default world. */
export const shownWorld = computed(() => chosenWorld.value || 'default')

/**
 * Changes parameters of the URL; the empty text or `undefined` removes one.
 *
 * @param how `push` makes an entry in the browser's history (a selection), `replace` does not (typing in a filter)
 */
export function setParameters(
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  const url = writePlace({ view: viewId.value, parameters: { ...current.value.parameters, ...changes } })
  if (url === location.hash) return
  history[`${how}State`](null, '', url)
  current.value = parsePlace(url)
}

/** The URL of a view with these parameters and the world that is chosen: for links. */
export const hrefOf = (view: string, parameters: Readonly<Record<string, string>> = {}): string =>
  writePlace({ view, parameters: { world: chosenWorld.value, ...parameters } })

/** The value of a parameter of the URL, and its change, for a control. */
export const inUrl = (name: string) => ({
  value: parameter(name),
  onChange: (value: string): void => setParameters({ [name]: value }),
})

export const runningVersion = signal<Version | undefined>(undefined)
/** The plan without weather. */
export const servedPlan = signal<DescribedPlan | undefined>(undefined)
export const knownConsumers = computed(() => servedPlan.value?.consumers ?? [])
export const servedOperations = computed(() => servedPlan.value?.operations ?? [])
export const knownWorlds = signal<readonly DescribedWorld[]>([])

/** Returns the operation of the plan with this id. */
export const servedOperation = (id: string | null): DescribedOperation | undefined =>
  servedOperations.value.find(({ operation }) => operation === id)

/** Loads the version and the plan, from which views take names. */
export async function refreshPlan(): Promise<void> {
  runningVersion.value = await call<Version>('GET', '/version', { quiet: true })
  servedPlan.value = await call<DescribedPlan>('GET', '/plan', { quiet: true })
}

const REAL_COURSE = { real: true, frozen: false, rate: 1 }

/** The time of this machine when the worlds were loaded. */
let listedAt = 0

export async function refreshWorlds(): Promise<void> {
  const worlds = await call<DescribedWorld[]>('GET', '/worlds', { quiet: true })
  listedAt = Date.now()
  knownWorlds.value = worlds
}

/** The clock of the shown world; `undefined` until the worlds are known. A new world runs by real time. */
export const clock = computed<ShownClock | undefined>(() => {
  if (knownWorlds.value.length === 0) return undefined
  const shown = knownWorlds.value.find(({ name }) => name === shownWorld.value)
  return shown?.clock ?? { now: new Date(listedAt).toISOString(), ...REAL_COURSE }
})

/** Returns the time that the clock of the shown world shows at a real time; both in milliseconds since the epoch. */
export const worldTime = (now: number): number | undefined =>
  clock.value && Date.parse(clock.value.now) + (now - listedAt) * clock.value.rate

const SPEED_WORDS: Readonly<Record<number, string>> = {
  ...{ 0: 'frozen', 1: 'as time goes', 60: 'a minute a second', 3600: 'an hour a second', 86400: 'a day a second' },
}

/** Describes how fast a clock runs: `a day a second`. */
export const speedWords = (rate: number): string => SPEED_WORDS[rate] ?? `${rate} × as fast`

/**
 * Changes the clock of the shown world, which runs on as it does where the change does not say otherwise; without a change it
 * returns to real time.
 */
export async function setClock(change?: ClockWords): Promise<void> {
  const path = pathTo`/worlds/${shownWorld.value}/clock`
  const { real, frozen, rate } = clock.value ?? REAL_COURSE
  const course = real || rate === 1 ? {} : frozen ? { freeze: true } : { rate }
  const keeps = change?.freeze === undefined && change?.rate === undefined
  if (change === undefined) await call('DELETE', path)
  else await call('PUT', path, { body: { ...(keeps && course), ...change } })
  await refreshWorlds()
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
