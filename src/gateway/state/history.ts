// The last changes of the worlds with their inverses, for rewinding a world.

import { idOf } from '../../world/effects.ts'
import { type Change, type Effect, type Group, merged } from './changes.ts'

/** One entry of the log, as far as it concerns one world. */
export type HistoryEntry = Readonly<Group>

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

  /** Adds a group of the log, whose changes are in the order in which they were made. */
  add(group: HistoryEntry): void {
    const { changes } = group
    const [first] = changes
    if (first === undefined) return
    const { world } = first
    // Most groups are of one world.
    if (changes.length === 1 || changes.every(change => change.world === world)) this.#push(group)
    else for (const own of groupedByWorld(changes).values()) this.#push({ ...group, changes: own })
  }

  #push(entry: HistoryEntry): void {
    const last = this.#entries.at(-1)
    if (last !== undefined && isUntold(entry) && worldOf(last) === worldOf(entry) && isUntold(last)) {
      // A world that is only read still has ever more counts.
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
    return this.#entries.slice(this.#from).filter(entry => worldOf(entry) === world)
  }

  /** Forgets everything: no world can go back beyond this position. */
  clear(position: number): void {
    this.#entries = []
    this.#from = 0
    this.#changes = 0
    this.#reach = position
  }
}

/** Kinds of effects that the history leaves out, because they only count. */
const UNTOLD = new Set<Effect[0]>(['ordinal', 'seen', 'seeds', 'config'])

/** Whether an entry contains only counts. */
export const isUntold = ({ changes }: HistoryEntry): boolean => changes.every(({ kind }) => UNTOLD.has(kind))

const worldOf = ({ changes }: HistoryEntry): string | undefined => changes[0]?.world

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
  return changes.flatMap(({ kind, effect }): readonly DescribedChange[] => {
    if (UNTOLD.has(kind)) return []
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
  answer: 'answer given, used or removed',
  reseed: 'reset to the new seeds',
}
