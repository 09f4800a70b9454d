// The worlds that there are and the clock of the shown one. The shell asks for the clock every few seconds, which also
// tells whether the control plane still answers.

import { effect, signal } from '@preact/signals'
import { epoch } from './connection.ts'
import { ControlError, call, pathOf } from './control-plane.ts'
import { shownWorld } from './location.ts'

export interface ClockState {
  /** A timestamp. */
  readonly now: string
  readonly real: boolean
  readonly frozen: boolean
  /** Seconds of the world in a real second; 0 where it is frozen. */
  readonly rate: number
}

export interface DescribedWorld {
  readonly name: string
  readonly permanent: boolean
  readonly default: boolean
  readonly host?: string
  readonly clock: ClockState
  readonly records: Readonly<Record<string, number>>
}

export const worlds = signal<readonly DescribedWorld[]>([])

/** The time that the clock of the shown world showed, and when that was by this machine's clock. */
export const clock = signal<{ readonly state: ClockState; readonly at: number } | undefined>(undefined)

/** Milliseconds between two looks at the clock. */
const INTERVAL = 4000

export async function refreshWorlds(): Promise<void> {
  worlds.value = await call<DescribedWorld[]>('GET', '/worlds', { quiet: true })
}

/** Loads the clock of the shown world. A new world runs by real time. */
export async function refreshClock(): Promise<void> {
  const world = shownWorld.value
  const state = await call<ClockState>('GET', pathOf`/worlds/${world}/clock`, { quiet: true }).catch(error => {
    if (!(error instanceof ControlError)) throw error
    return { now: new Date().toISOString(), real: true, frozen: false, rate: 1 }
  })
  if (world === shownWorld.value) clock.value = { state, at: Date.now() }
}

/** Returns the time that the clock of the shown world shows now, in milliseconds since the epoch. */
export function worldTime(now: number): number | undefined {
  if (clock.value === undefined) return undefined
  const { state, at } = clock.value
  return Date.parse(state.now) + (now - at) * state.rate
}

/** Keeps worlds and clock up to date from now on. */
export function followWorlds(): void {
  const ignore = (): void => undefined
  effect(() => {
    // Both are loaded again after a reconnection.
    void epoch.value
    refreshWorlds().catch(ignore)
  })
  effect(() => {
    void epoch.value
    void shownWorld.value
    refreshClock().catch(ignore)
  })
  setInterval(() => {
    if (document.hidden) return
    refreshClock().catch(ignore)
  }, INTERVAL)
}
