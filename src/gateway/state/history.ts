// The last changes of the worlds with what reverses them, so that a world can go back.

import { idOf } from '../../world/effects.ts'
import { type Change, type Effect, merged } from './changes.ts'

/** One entry of the log, as far as it concerns one world. */
export interface HistoryEntry {
  /** Its place in the log. */
  readonly position: number
  /** Milliseconds since the epoch, by real time. */
  readonly at: number
  /** The request that made it; empty for changes that nobody asked for. */
  readonly by: string
  readonly world: string
  readonly changes: readonly Change[]
  /** Whether there is nothing in it but counts. */
  readonly untold: boolean
}

/** How many entries are remembered, and how many changes in them. */
export const MOST_ENTRIES = 10_000
const MOST_CHANGES = 100_000

export class History {
  #entries: HistoryEntry[] = []
  /** The index of the first entry: those before it are dropped now and then. */
  #from = 0
  #changes = 0
  /** The position that no world can go back beyond. */
  #reach = 0

  get reach(): number {
    return this.#reach
  }

  /** @param changes in the order in which they were made */
  add(position: number, at: number, by: string, changes: readonly Change[]): void {
    const [first] = changes
    if (first === undefined) return
    // Most entries are of one world.
    const one = changes.every(({ world }) => world === first.world)
    const grouped = one ? [[first.world, changes] as const] : [...groupedByWorld(changes)]
    for (const [world, own] of grouped) {
      this.#push({ position, at, by, world, changes: own, untold: own.every(({ effect }) => UNTOLD.has(effect[0])) })
    }
  }

  #push(entry: HistoryEntry): void {
    const last = this.#entries.at(-1)
    if (entry.untold && last?.untold === true && last.world === entry.world) {
      // Counts go on and on where a world is only read.
      this.#entries[this.#entries.length - 1] = { ...entry, changes: merged([...last.changes, ...entry.changes]) }
      return
    }
    this.#entries.push(entry)
    this.#changes += entry.changes.length
    while (this.#entries.length - this.#from > MOST_ENTRIES || this.#changes > MOST_CHANGES) {
      const { changes, position } = this.#entries[this.#from] as HistoryEntry
      this.#changes -= changes.length
      this.#reach = position
      this.#from += 1
    }
    if (this.#from > MOST_ENTRIES) {
      this.#entries = this.#entries.slice(this.#from)
      this.#from = 0
    }
  }

  /** The entries of a world, the oldest first. */
  of(world: string): readonly HistoryEntry[] {
    return this.#entries.slice(this.#from).filter(entry => entry.world === world)
  }

  /** Forgets everything: no world can go back beyond this position. */
  clear(position: number): void {
    this.#entries = []
    this.#from = 0
    this.#changes = 0
    this.#reach = position
  }
}

/** Kinds of effects that nobody would look for: they only count. */
const UNTOLD = new Set<Effect[0]>(['ordinal', 'seen', 'seeds', 'config'])

function groupedByWorld(changes: readonly Change[]): Map<string, Change[]> {
  const grouped = new Map<string, Change[]>()
  for (const change of changes) {
    const own = grouped.get(change.world)
    if (own === undefined) grouped.set(change.world, [change])
    else own.push(change)
  }
  return grouped
}

/** A change in words. */
export interface DescribedChange {
  readonly change: string
  readonly collection?: string
  readonly id?: string | number | bigint
}

/** Describes the changes of an entry that somebody would look for. */
export function describeChanges({ changes }: HistoryEntry): readonly DescribedChange[] {
  return changes.flatMap(({ effect }): readonly DescribedChange[] => {
    if (UNTOLD.has(effect[0])) return []
    if (effect[0] !== 'in') return [{ change: WORDS[effect[0]] ?? effect[0] }]
    const [, collection, own] = effect
    if (own[0] === 'all') return [{ change: 'loaded', collection }]
    // A timer follows from the record that it belongs to.
    if (own[0] === 'timer') return []
    return [{ change: own[2] === null ? 'removed' : 'written', collection, id: idOf(own[1]) }]
  })
}

const WORDS: Readonly<Record<string, string>> = {
  kept: 'counted',
  clock: 'clock set',
  made: 'begun',
  reset: 'reset',
  put: 'replaced',
  deleted: 'deleted',
  weather: 'weather set',
  reseed: 'begun from new seeds',
}
