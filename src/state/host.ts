// The gateway as far as its state is kept: its worlds, and the weather and answers over them.

import type { World } from '../world/world.ts'
import type { AnswerState, StandingOrder } from './effects.ts'
import type { SharedRequests } from './engines/engine.ts'
import type { LogSnapshot } from './snapshot-text.ts'
import type { TurnMeter } from './turns.ts'

/** Is notified of every world that is added, replaced or removed. */
export interface WorldsKeeper {
  /** @param before the world that had the place */
  placed(world: World, before: World | undefined): void
  /** A sandbox that a request named first is there now. */
  admitted(world: World): void
  removed(world: World): void
  /** A sandbox was removed to make room, or because it idled. */
  evicted(world: World): void
  /** The state that everything begins with is another; returns the names of its seeds, by collection. */
  seeded(seeded: World): Readonly<Record<string, string>>
}

/** The worlds of a gateway. */
export interface KeptWorlds {
  readonly default: World
  /** Notifies a keeper of later changes. */
  keepBy(keeper: WorldsKeeper): void
  /** The permanent worlds, then the sandboxes, most recently used first. */
  list(): readonly World[]
  get(name: string): World | undefined
  /** Like `get`, but does not count as use. */
  peek(name: string): World | undefined
  isPermanent(name: string): boolean
  /** Returns a new world with the seeds, which begins now and is not reachable yet. */
  blank(name: string): World
  /** Makes a world reachable under its name. */
  put(world: World): void
  /** Makes a world reachable as a log has it, and evicts none for it: see `bound`. */
  restore(world: World): void
  /** Removes a sandbox without notifying the keeper, so that `restore` can put it back. */
  withdraw(world: World): void
  /** Evicts the sandboxes that are too many after `restore`. */
  bound(): void
  delete(name: string): unknown
}

/** The weather over each world and over all: `undefined`, in a listener an empty name. */
export interface KeptWeather {
  keepBy(listener: (world: string, standing: StandingOrder, before: StandingOrder) => void): void
  /** Returns the order that was in force before. */
  restore(world: World | undefined, order: StandingOrder): StandingOrder
  dump(worlds: readonly World[]): LogSnapshot['weather']
}

/** The answers on demand for each world and for all: `undefined`, in a listener an empty name. */
export interface KeptAnswers {
  keepBy(listener: (world: string, id: string, after: AnswerState | null, before: AnswerState | null) => void): void
  restore(world: World | undefined, id: string, state: AnswerState | null): void
  dump(worlds: readonly World[]): LogSnapshot['answers']
}

/** A log, as the requests beside it need it. */
export interface SharedPlace {
  /** The name of its life: see `Position`. */
  name(): string
  /** Resolves when this process has read it to its end. */
  catchUp(): Promise<void>
}

/** A collection whose records do not fit the configuration: how many, and the first with its first mistake. */
export interface Misfits {
  readonly collection: string
  readonly count: number
  readonly first: string
}

export interface StateHost {
  readonly log: Report
  readonly meter: TurnMeter
  readonly worlds: KeptWorlds
  readonly weather: KeptWeather
  readonly answers: KeptAnswers
  /** The time without a request after which a sandbox may be evicted, in milliseconds. */
  readonly idle: number
  /** Forgets the requests of a world that another process reset or deleted. */
  forgetRequests(world: string): void
  /** Shares the requests with other processes from now on. */
  shareRequests(shared: SharedRequests, log: SharedPlace): void
  /** Serves a configuration that another process was given. */
  configure(text: string): Promise<void>
  /** Names the seeds of a collection in a message. */
  seedsOf(collection: string): string
  /** Finds the records of a world that do not fit the configuration. */
  misfitsIn(world: World): Promise<readonly Misfits[]>
}

/** The log of the program. */
export interface Report {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
