// The last changes of the worlds with their inverses, for rewinding a world.

import { idOf } from '../../world/effects.ts'
import { heapLimit } from '../../world/heap.ts'
import { type Change, type Effect, type Group, lengthOf, merged } from './changes.ts'

/** One entry of the log, as far as it concerns one world. */
export type HistoryEntry = Readonly<Group>

/** How many entries are remembered, and how many changes in them. */
export const MOST_ENTRIES = 10_000
const MOST_CHANGES = 100_000
/** The share of the heap that the texts of their records may take, in characters. */
const SHARE = 0.1

/** A place for an entry, which is used again for a later one, because long-lived garbage is expensive to collect. */
class Remembered implements Group {
  position = 0
  at = 0
  by = ''
  changes: Change[] = []
  /** The characters of the records that only this entry may keep. */
  length = 0

  hold({ position, at, by, changes }: HistoryEntry): void {
    this.position = position
    this.at = at
    // If the text is equal, keep the existing string.
    if (this.by !== by) this.by = by
    const own = this.changes
    this.length = 0
    for (let i = 0; i < changes.length; i++) {
      const change = changes[i] as Change
      this.length += lengthOf(change)
      own[i] = change.keptIn === undefined ? change : change.keptIn(own[i])
    }
    if (own.length > changes.length) own.length = changes.length
  }

  /** Keeps no more than the objects that another entry needs. @param whole whether it keeps none of them */
  drop(whole: boolean): void {
    if (whole || this.changes.length > USUAL) this.changes = []
  }
}

/** Most entries have no more changes: a record, another that is evicted for it, and a count. */
const USUAL = 4

export class History {
  /** A ring: the entry with number n is at n modulo its size. */
  #ring: Remembered[] = []
  /** The number of the first entry, and that of the next one. */
  #first = 0
  #next = 0
  /** How many changes all entries have, and characters. */
  #changes = 0
  #length = 0
  readonly #room: number
  /** The position that no world can go back beyond. */
  #reach = 0
  /** A time when that was the latest position, in milliseconds since the epoch. Infinite: none is known. */
  #reachedAt = Number.POSITIVE_INFINITY

  /** @param room how many characters the texts of all records may have */
  constructor(room = Math.floor(SHARE * heapLimit())) {
    this.#room = room
  }

  get reach(): number {
    return this.#reach
  }

  /** The earliest time whose position is known, in milliseconds since the epoch; infinite if there is none. */
  get since(): number {
    if (this.#next === this.#first) return this.#reachedAt
    return Math.min(this.#reachedAt, (this.#ring[this.#first % MOST_ENTRIES] as Remembered).at)
  }

  /** Takes note of a time when the log ends where this history does. */
  cover(time: number): void {
    if (this.#next === this.#first) this.#reachedAt = Math.min(this.#reachedAt, time)
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
    if (UNTOLD.has(entry.changes[0]?.kind as Effect[0]) && isUntold(entry) && this.#mergeWithLast(entry)) return
    if (this.#next - this.#first === MOST_ENTRIES) this.#dropFirst(false)
    const index = this.#next % MOST_ENTRIES
    const place = this.#ring[index] ?? new Remembered()
    this.#ring[index] = place
    place.hold(entry)
    this.#next += 1
    this.#changes += place.changes.length
    this.#length += place.length
    while (this.#changes > MOST_CHANGES) this.#dropFirst(false)
    while (this.#length > this.#room) this.#dropFirst(true)
  }

  /** A world that is only read still has ever more counts. */
  #mergeWithLast(entry: HistoryEntry): boolean {
    if (this.#next === this.#first) return false
    const last = this.#ring[(this.#next - 1) % MOST_ENTRIES] as Remembered
    if (worldOf(last) !== worldOf(entry) || !isUntold(last)) return false
    const changes = merged([...last.changes, ...entry.changes])
    this.#changes += changes.length - last.changes.length
    last.hold({ ...entry, changes })
    return true
  }

  #dropFirst(whole: boolean): void {
    const place = this.#ring[this.#first % MOST_ENTRIES] as Remembered
    this.#changes -= place.changes.length
    this.#length -= place.length
    this.#reach = place.position
    this.#reachedAt = place.at
    this.#first += 1
    place.drop(whole)
  }

  /** The entries of a world, the oldest first. Do not retain one: it is used again for a later entry. */
  of(world: string): readonly HistoryEntry[] {
    const entries: HistoryEntry[] = []
    for (let n = this.#first; n < this.#next; n++) {
      const entry = this.#ring[n % MOST_ENTRIES] as Remembered
      if (worldOf(entry) === world) entries.push(entry)
    }
    return entries
  }

  /** Forgets everything: no world can go back beyond this position. @param at when it was the latest one, if that is known */
  clear(position: number, at = Number.POSITIVE_INFINITY): void {
    this.#ring = []
    this.#first = 0
    this.#next = 0
    this.#changes = 0
    this.#length = 0
    this.#reach = position
    this.#reachedAt = at
  }
}

/** Kinds of effects that the history leaves out, because they only count. */
const UNTOLD_KINDS = ['ordinal', 'seen', 'seeds', 'config'] as const
const UNTOLD = new Set<Effect[0]>(UNTOLD_KINDS)

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
  return changes.flatMap(({ effect }): readonly DescribedChange[] => {
    const [kind] = effect
    if (UNTOLD.has(kind)) return []
    if (effect[0] !== 'in') return [{ change: WORDS[kind as keyof typeof WORDS] }]
    const [, collection, own] = effect
    if (own[0] === 'all') return [{ change: 'loaded', collection }]
    // A timer follows from the record that it belongs to.
    if (own[0] === 'timer') return []
    const rows = own[0] === 'row' ? [own] : own[1]
    return rows.map(([, id, text]) => ({ change: text === null ? 'removed' : 'written', collection, id: idOf(id) }))
  })
}

const WORDS = {
  kept: 'counted',
  clock: 'clock set',
  made: 'begun',
  reset: 'reset',
  put: 'replaced',
  deleted: 'deleted',
  weather: 'weather set',
  answer: 'answer given, used or removed',
  reseed: 'reset to the new seeds',
} satisfies Readonly<Record<Exclude<Effect[0], 'in' | (typeof UNTOLD_KINDS)[number]>, string>>
