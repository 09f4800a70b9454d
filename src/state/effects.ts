// The effects in a log of worlds: those of the worlds themselves, and those of the weather and the answers over them.

import type { CollectionState, PortableCourse, WorldEffect } from '../world/changes.ts'

/** A world as a value. */
export interface WorldState {
  readonly name: string
  readonly began: number
  /** Names the seeds of each collection: see `SeedStore`. */
  readonly origin: Readonly<Record<string, string>>
  readonly clock: PortableCourse | null
  readonly ordinals: Readonly<Record<string, number>>
  readonly kept: readonly (readonly [kind: string, place: string, key: string, value: unknown])[]
  readonly collections: Readonly<Record<string, CollectionState>>
}

/** A change of the set of worlds, or of weather and answers over them. */
export type WorldsEffect =
  /** A sandbox was named first; one that is there already stays as it is. */
  | readonly ['made', began: number, origin: Readonly<Record<string, string>>]
  /** A world was reset to these seeds. */
  | readonly ['reset', began: number, origin: Readonly<Record<string, string>>]
  /** A world was put in the place that its name has. */
  | readonly ['put', WorldState]
  | readonly ['deleted']
  /** A request reached a sandbox of this process: it does not idle. */
  | readonly ['seen']
  /** The weather over one world, or over all where the name is empty; `null` clears it. */
  | readonly ['weather', order: string | null, until: number | null]
  /** An answer was given to a world, or to all where the name is empty; it was taken or skipped; or it is gone (`null`). */
  | readonly ['answer', id: string, AnswerState | null]
  /** A configuration was put in the place of the file. */
  | readonly ['config', text: string]
  /** The seeds of a collection, which others refer to by their digest. The name of the world is the collection's. */
  | readonly ['seeds', digest: string, CollectionState]
  /** A collection of a world was reset to the seeds of that digest. */
  | readonly ['reseed', collection: string, digest: string]

export type Effect = WorldEffect | WorldsEffect

/** An effect and the name of its world. */
export type NamedEffect = readonly [world: string, effect: Effect]

/** An answer on demand: the order as text, and its counts. */
export type AnswerState = readonly [
  order: string,
  left: number | null,
  given: number,
  toSkip: number,
  until: number | null,
]

/** The order of the current weather and its end; both `null` if there is none. */
export type StandingOrder = readonly [order: string | null, until: number | null]
