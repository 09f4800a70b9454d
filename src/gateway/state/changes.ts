// The changes in a log.

import type { CollectionState, PortableCourse, WorldEffect } from '../../world/effects.ts'
import type { World } from '../../world/world.ts'
import type { AnswerState } from '../answers.ts'

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
  /** A world was put in the place that its name has. `world`, in this process only, is the very one. */
  | readonly ['put', state: () => WorldState, world?: World]
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

export interface Change {
  /** The name of the world; empty where no world is meant. */
  readonly world: string
  /** The first item of the effect. */
  readonly kind: Effect[0]
  readonly effect: Effect
  /** Unset if there is nothing to reverse. */
  readonly inverse: Effect | undefined
  /** See `WorldChange.text`. */
  readonly text?: string
  /** See `WorldChange.record`. */
  readonly record?: string | undefined
  /** See `WorldChange.length`. */
  readonly length?: number
  /** See `WorldChange.keptIn`. */
  keptIn?(into: unknown): Change
}

/** The changes of one piece of work: one entry of the log. */
export interface Group {
  /** Its place in the log; 0 until it has one. */
  position: number
  /** Milliseconds since the epoch, by real time. */
  readonly at: number
  /** The request that made them; empty for changes without a request. */
  readonly by: string
  readonly changes: readonly Change[]
}

/** A change with its effect. */
export const changeOf = (world: string, effect: Effect, inverse: Effect | undefined): Change => ({
  world,
  kind: effect[0],
  effect,
  inverse,
})

/** The characters of the records that a change would keep in memory. */
export function lengthOf(change: Change): number {
  if (change.length !== undefined) return change.length
  return change.kind === 'in' ? textsOf(change.effect) + textsOf(change.inverse) : 0
}

function textsOf(effect: Effect | undefined): number {
  if (effect?.[0] !== 'in') return 0
  const [, , own] = effect
  if (own[0] === 'row') return own[2]?.length ?? 0
  return own[0] === 'rows' ? own[1].reduce((sum, [, , text]) => sum + (text?.length ?? 0), 0) : 0
}

/** Adds up ordinals, which are most of the changes without a request. */
export function merged(changes: readonly Change[]): readonly Change[] {
  const sums = new Map<string, { world: string; operation: string; more: number }>()
  const others: Change[] = []
  for (const change of changes) {
    if (change.kind !== 'ordinal') {
      others.push(change)
      continue
    }
    const { world, effect } = change
    const [, operation, more] = effect as Extract<Effect, readonly ['ordinal', ...unknown[]]>
    const key = `${world} ${operation}`
    const sum = sums.get(key) ?? { world, operation, more: 0 }
    sum.more += more
    sums.set(key, sum)
  }
  const ordinals = [...sums.values()].map(({ world, operation, more }) =>
    changeOf(world, ['ordinal', operation, more], ['ordinal', operation, -more]),
  )
  return [...others, ...ordinals]
}
