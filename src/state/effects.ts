// The effects in a log of worlds: those of the worlds themselves, and those of the weather and the answers over them.

import type { Change, CollectionState, KeptValue, WorldEffect } from '../world/changes.ts'
import type { Course } from '../world/clock.ts'

/** Names the seeds of each collection: see `SeedStore`. */
export type Origin = Readonly<Record<string, string>>

/** A world as a value. */
export interface WorldState {
  readonly name: string
  readonly began: number
  readonly origin: Origin
  readonly clock: Course | undefined
  readonly ordinals: Readonly<Record<string, number>>
  readonly kept: readonly KeptValue[]
  readonly collections: Readonly<Record<string, CollectionState>>
}

/** The order of the current weather and its end; both `null` if there is none. */
export interface StandingOrder {
  readonly order: string | null
  readonly until: number | null
}

export const NO_ORDER: StandingOrder = { order: null, until: null }

/** An answer on demand: the order as text, and its counts. */
export interface AnswerState {
  readonly order: string
  readonly left: number | null
  readonly given: number
  readonly toSkip: number
  readonly until: number | null
}

/** A change of the set of worlds, or of weather and answers over them. */
export type WorldsEffect =
  /** A sandbox was named first; one that is there already stays as it is. */
  | { readonly kind: 'made'; readonly began: number; readonly origin: Origin }
  /** A world was reset to these seeds. */
  | { readonly kind: 'reset'; readonly began: number; readonly origin: Origin }
  /** A world was put in the place that its name has. */
  | { readonly kind: 'put'; readonly state: WorldState }
  | { readonly kind: 'deleted' }
  /** A request reached a sandbox of this process: it does not idle. */
  | { readonly kind: 'seen' }
  /** The weather over one world, or over all where the name is empty. */
  | { readonly kind: 'weather'; readonly standing: StandingOrder }
  /** An answer was given to a world, or to all where the name is empty; it was taken or skipped; or it is gone (`null`). */
  | { readonly kind: 'answer'; readonly id: string; readonly state: AnswerState | null }
  /** A configuration was put in the place of the file. */
  | { readonly kind: 'config'; readonly text: string }
  /** The seeds of a collection, which others refer to by their digest. The name of the world is the collection's. */
  | { readonly kind: 'seeds'; readonly digest: string; readonly state: CollectionState }
  /** A collection of a world was reset to the seeds of that digest. */
  | { readonly kind: 'reseed'; readonly collection: string; readonly digest: string }

export type Effect = WorldEffect | WorldsEffect

/** An effect and the name of its world. */
export interface NamedEffect {
  readonly world: string
  readonly effect: Effect
}

/** A change for the log. */
export interface LoggedChange extends Change<Effect> {
  /** Does the change again after it was undone, in place of its effect. Returns it with its new undoing. */
  again?(): LoggedChange
}
