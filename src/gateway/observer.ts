// An observer sees each exchange once its reply is made: metrics, journal and log, and those of wings. Types only.

import type { Environment } from '../kernel/file/source.ts'
import type { Request } from '../kernel/http.ts'
import type { Plan } from '../plan/plan.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { Finished } from './finished.ts'
import type { Journal } from './journal/journal.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { WeatherStation } from './weather.ts'
import type { Worlds } from './worlds/worlds.ts'

/** Must not wait and must not throw: it counts, or it enqueues. */
export type Observe = (done: Finished) => void

/** The gateway, as an observer knows it. */
export interface Host {
  readonly clock: Clock
  readonly log: Log
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly metrics: Metrics
  readonly journal: Journal
  /** The environment of the process; unset where nothing may leave the process. */
  readonly environment: Environment | undefined
  /** Reports an internal error outside of API requests. */
  fail(error: unknown): void
  /** The other processes that serve; none where this is the only one. */
  peers(observer: string): Peers
}

/** The same observer in the other processes of the program. */
export interface Peers {
  /** Returns what `Shared.read` returns there. */
  read(about?: unknown): Promise<readonly unknown[]>
  reset(): void
}

/** How several processes (`--workers`) show the state of an observer as one. All values are JSON. */
export interface Shared<State> {
  /** @param about what the other process wants to know */
  read(state: State, about?: unknown): unknown
  reset?(state: State): void
}

export interface Observer<State = unknown> {
  readonly name: string
  /** Makes its state, once for a gateway; it outlives reloads. */
  open(host: Host): State
  /**
   * Is called for each plan before it is served: for that of the configuration, and then for those of worlds on another contract,
   * which have `plan.world`.
   *
   * @returns `undefined` if the plan does not need it: no request pays for it then
   */
  compile(plan: Plan, state: State): Observe | undefined
  /** Returns a function that tells whether bodies of requests are kept for it now; `undefined` if none ever is with this plan. */
  listens?(plan: Plan, state: State): (() => boolean) | undefined
  /** Resolves when everything is done that is due by the clock of a world, which was set. */
  settle?(state: State, world: World): Promise<void>
  /**
   * Returns a function that examines each request before it is dispatched, for work that must wait, such as the check of a
   * signature; `undefined` if the plan does not need it. It must not reject.
   */
  prepare?(plan: Plan, state: State): ((request: Request) => Promise<Request>) | undefined
  /** Is called when the gateway takes no more requests: ends the replies that would hold it up. */
  stop?(state: State): void
  /** Is called when the gateway is closed. */
  close?(state: State): Promise<void> | void
  readonly shared?: Shared<State>
}

/** The part of a wing that runs in a gateway. */
export interface ObservingWing {
  readonly name: string
  readonly observers?: readonly Observer[]
}

/** Without other processes. */
export const NO_PEERS: Peers = { read: async () => [], reset: () => {} }
