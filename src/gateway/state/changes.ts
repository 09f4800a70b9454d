// Changes as the log holds them, and a recorder that gathers the changes of a turn with what reverses them.

import type { CollectionState, PortableCourse, WorldEffect } from '../../world/effects.ts'
import type { World } from '../../world/world.ts'

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

/** A change of which worlds there are, or of what is over them. */
export type WorldsEffect =
  /** A sandbox was named first; one that is there already stays as it is. */
  | readonly ['made', began: number, origin: Readonly<Record<string, string>>]
  /** A world began anew from these seeds. */
  | readonly ['reset', began: number, origin: Readonly<Record<string, string>>]
  /** A world was put in the place that its name has. `world`, in this process only, is the very one. */
  | readonly ['put', state: () => WorldState, world?: World]
  | readonly ['deleted']
  /** A request reached a sandbox of this process: it does not idle. */
  | readonly ['seen']
  /** The weather over one world, or over all where the name is empty; `null` clears it. */
  | readonly ['weather', order: string | null, until: number | null]
  /** A configuration was put in the place of the file. */
  | readonly ['config', text: string]
  /** The seeds of a collection, which others refer to by their digest. The name of the world is the collection's. */
  | readonly ['seeds', digest: string, CollectionState]
  /** A collection of a world begins anew from seeds of that digest. */
  | readonly ['reseed', collection: string, digest: string]

export type Effect = WorldEffect | WorldsEffect

export interface Change {
  /** The name of the world; empty where no world is meant. */
  readonly world: string
  readonly effect: Effect
  /** Unset where there is nothing to reverse. */
  readonly inverse: Effect | undefined
}

/** The changes of one piece of work: one entry of the log. */
export interface Group {
  /** Milliseconds since the epoch, by real time. */
  readonly at: number
  /** The request that made them; empty for changes that nobody asked for. */
  readonly by: string
  readonly changes: readonly Change[]
}

/** Kinds that may be done again after the changes of others: they add, or say all there is to say. */
const REPEATABLE = new Set(['ordinal', 'made', 'deleted', 'seen', 'seeds', 'clock', 'reset', 'put', 'weather'])

/** Kinds that belong to no piece of work, whichever runs: they are done once, even if that runs twice. */
const APART = new Set(['ordinal', 'seen', 'seeds'])

export class Recording {
  /** Every change since the last append, in order. */
  #all: Change[] = []
  #groups: Group[] = []
  /** Changes of no piece of work. */
  #aside: Change[] = []
  #current: Change[] | undefined
  #urgent = false

  /** Whether something changed since the last append that a reply must wait for. */
  get changed(): boolean {
    return this.#groups.length > 0 || this.#urgent
  }

  get hasAside(): boolean {
    return this.#aside.length > 0
  }

  record(change: Change): void {
    this.#all.push(change)
    if (this.#current === undefined || APART.has(change.effect[0])) this.#aside.push(change)
    else this.#current.push(change)
  }

  /** Records a change of no piece of work, whichever runs. Replies wait until a new sandbox is appended. */
  recordAside(change: Change): void {
    this.#all.push(change)
    this.#aside.push(change)
    this.#urgent ||= change.effect[0] === 'made'
  }

  begin(): void {
    this.#current = []
  }

  /** Ends a piece of work; returns its group, `undefined` where it changed nothing. */
  end(by: string, at: number): Group | undefined {
    const changes = this.#current ?? []
    this.#current = undefined
    if (changes.length === 0) return undefined
    const group = { at, by, changes }
    this.#groups.push(group)
    return group
  }

  /** Hands over everything that was recorded, to be appended. */
  take(at: number): readonly Group[] {
    const groups =
      this.#aside.length === 0 ? this.#groups : [{ at, by: '', changes: merged(this.#aside) }, ...this.#groups]
    this.#all = []
    this.#groups = []
    this.#aside = []
    this.#urgent = false
    return groups
  }

  /** Takes back groups whose append failed, so that they can be reversed. */
  giveBack(groups: readonly Group[]): void {
    this.#all = [...groups.flatMap(({ changes }) => changes), ...this.#all]
    for (const group of groups) if (group.by === '') this.#aside = [...group.changes, ...this.#aside]
  }

  /** Forgets everything, the latest change first; returns those to be done again. */
  reverse(apply: (change: Change, effect: Effect) => void): readonly Change[] {
    const aside = this.#aside.filter(({ effect }) => REPEATABLE.has(effect[0]))
    for (const change of this.#all.reverse()) if (change.inverse !== undefined) apply(change, change.inverse)
    this.#all = []
    this.#groups = []
    this.#aside = []
    this.#urgent = false
    return aside
  }
}

/** Adds up ordinals: most changes that nobody asked for are these. */
export function merged(changes: readonly Change[]): readonly Change[] {
  const sums = new Map<string, { world: string; operation: string; more: number }>()
  const others: Change[] = []
  for (const change of changes) {
    const { world, effect } = change
    if (effect[0] !== 'ordinal') {
      others.push(change)
      continue
    }
    const [, operation, more] = effect
    const key = `${world} ${operation}`
    const sum = sums.get(key) ?? { world, operation, more: 0 }
    sum.more += more
    sums.set(key, sum)
  }
  const ordinals = [...sums.values()].map(
    ({ world, operation, more }): Change => ({
      world,
      effect: ['ordinal', operation, more],
      inverse: ['ordinal', operation, -more],
    }),
  )
  return [...others, ...ordinals]
}

/** A group as an entry of the log. */
export const writeGroup = ({ at, by, changes }: Group): string =>
  JSON.stringify([at, by, changes.map(({ world, effect }) => [world, written(effect)])])

function written(effect: Effect): readonly unknown[] {
  if (effect[0] === 'put') return ['put', effect[1]()]
  if (effect[0] === 'in' && effect[2][0] === 'all') return ['in', effect[1], ['all', effect[2][1]()]]
  return effect
}

/** A group as it is read: each change is the name of its world and the effect. */
export interface ReadGroup {
  readonly at: number
  readonly by: string
  readonly changes: readonly (readonly [world: string, effect: Effect])[]
}

export function readGroup(entry: string): ReadGroup {
  const [at, by, changes] = JSON.parse(entry) as [number, string, (readonly [string, Effect])[]]
  for (const [i, [world, effect]] of changes.entries()) {
    const revived = revive(effect)
    if (revived !== effect) changes[i] = [world, revived]
  }
  return { at, by, changes }
}

/** States are functions in memory, so that nothing is copied before somebody needs it. */
function revive(effect: Effect): Effect {
  if (effect[0] === 'put') {
    const state = effect[1] as unknown as WorldState
    return ['put', () => state]
  }
  if (effect[0] === 'in' && effect[2][0] === 'all') {
    const state = effect[2][1] as unknown as CollectionState
    return ['in', effect[1], ['all', () => state]]
  }
  return effect
}
