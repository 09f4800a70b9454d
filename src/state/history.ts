// The last entries of the log, for looking at and for rewinding a world: a copy of all worlds now and then, and the entries
// after it. Copies share what has not been written since.

import { heapLimit } from '../world/budget.ts'
import type { Effect, NamedEffect } from './effects.ts'
import { readGroup, writeGroup } from './entry-text.ts'

/** The number of entries after which a copy is made, and how many copies there are. */
const [ENTRIES, COPIES] = [5000, 3]
/** At least this many of the last entries are remembered. */
export const MOST_ENTRIES = ENTRIES * (COPIES - 1)
/** The share of the heap that entries and the records that they replaced may take, in characters. */
const SHARE = 0.1

/** An entry of the log. */
export interface LoggedEntry {
  readonly position: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
  /** The characters that the history keeps because of it. */
  readonly size: number
  /** Whether it has more than counts. */
  readonly told: boolean
}

/** One entry of the log, as far as it concerns one world. */
export interface HistoryEntry {
  readonly position: number
  readonly at: number
  readonly by: string
  readonly effects: readonly Effect[]
}

/** A copy of the worlds, and the entries after it. */
interface Chapter<Copy> {
  readonly position: number
  /** A time when that was the latest position. Infinite: none is known. */
  at: number
  readonly copy: Copy
  readonly entries: LoggedEntry[]
  /** The sizes of the entries. */
  size: number
}

/** The entries of a world up to a position, the oldest first. */
function historyOf(
  { entries }: Chapter<unknown>,
  world: string,
  last = Number.POSITIVE_INFINITY,
): readonly HistoryEntry[] {
  const name = JSON.stringify(world)
  return entries.flatMap(({ position, text }) => {
    if (position > last || !text.includes(name)) return []
    const { at, by, changes } = readGroup(text)
    const effects = changes.filter(change => change.world === world).map(({ effect }) => effect)
    return effects.length === 0 ? [] : [{ position, at, by, effects }]
  })
}

export class History<Copy> {
  readonly #copy: () => Copy
  readonly #room: number
  #chapters: Chapter<Copy>[] = []
  /** The characters of all chapters. */
  #size = 0

  /**
   * @param copy copies the worlds as they are
   * @param room how many characters may be kept
   */
  constructor(copy: () => Copy, room = Math.floor(SHARE * heapLimit())) {
    this.#copy = copy
    this.#room = room
  }

  /** Forgets everything: no world can go back beyond this position. @param at when it was the latest one, if that is known */
  begin(position: number, at = Number.POSITIVE_INFINITY): void {
    this.#chapters = []
    this.#open(position, at)
  }

  #open(position: number, at: number): void {
    this.#chapters.push({ position, at, copy: this.#copy(), entries: [], size: 0 })
    if (this.#chapters.length > COPIES) this.#chapters.shift()
    this.#size = this.#chapters.reduce((all, { size }) => all + size, 0)
  }

  /** The position that no world can go back beyond. */
  get reach(): number {
    return this.#chapters[0]?.position ?? 0
  }

  /** The earliest time whose position is known, in milliseconds since the epoch; infinite if there is none. */
  get since(): number {
    const [first] = this.#chapters
    return Math.min(first?.at ?? Number.POSITIVE_INFINITY, first?.entries[0]?.at ?? Number.POSITIVE_INFINITY)
  }

  /** Takes note of a time when the log ends where this history does. */
  cover(time: number): void {
    const last = this.#chapters.at(-1)
    if (last?.entries.length === 0) last.at = Math.min(last.at, time)
  }

  add(entry: LoggedEntry): void {
    const chapter = this.#chapters.at(-1)
    if (chapter === undefined) return
    const before = chapter.size
    const last = chapter.entries.at(-1)
    let added = entry
    // A world that is only read has ever more counts.
    if (last !== undefined && !last.told && !entry.told) {
      const text = mergeCounts(last.text, entry.text)
      added = { ...entry, text, size: text.length }
      chapter.entries.pop()
      chapter.size -= last.size
    }
    chapter.entries.push(added)
    chapter.size += added.size
    this.#size += chapter.size - before
  }

  /**
   * Makes a copy if enough entries were added, and drops what is too much. To be called where the worlds are as they were
   * after the last entry. @param exact whether they are just so; they may have further counts
   */
  settle(exact: boolean): void {
    const chapter = this.#chapters.at(-1)
    const last = chapter?.entries.at(-1)
    if (chapter === undefined || last === undefined) return
    if (chapter.entries.length >= (exact ? ENTRIES : 2 * ENTRIES) || this.#size > this.#room) {
      this.#open(last.position, last.at)
    }
    while (this.#size > this.#room && this.#chapters.length > 1) this.#size -= this.#chapters.shift()?.size ?? 0
  }

  /** The entries of a world, the oldest first. */
  of(world: string): readonly HistoryEntry[] {
    return this.#chapters.flatMap(chapter => historyOf(chapter, world))
  }

  /** The last copy up to a position, and the entries of a world from there to it; `undefined` for one that is out of reach. */
  before(
    world: string,
    position: number,
  ): { readonly copy: Copy; readonly entries: readonly HistoryEntry[] } | undefined {
    const chapter = this.#chapters.findLast(({ position: begins }) => begins <= position)
    return chapter && { copy: chapter.copy, entries: historyOf(chapter, world, position) }
  }
}

/** Adds up the numbers of requests in two entries that have only counts. */
function mergeCounts(first: string, second: string): string {
  const { at, by, changes } = readGroup(second)
  const sums = new Map<string, number>()
  for (const { world, effect } of [...readGroup(first).changes, ...changes]) {
    if (effect.kind !== 'ordinal') continue
    const key = JSON.stringify([world, effect.operation])
    sums.set(key, (sums.get(key) ?? 0) + effect.more)
  }
  const merged = [...sums].map(([key, more]): NamedEffect => {
    const [world, operation] = JSON.parse(key) as [string, string]
    return { world, effect: { kind: 'ordinal', operation, more } }
  })
  return writeGroup({ at, by, changes: merged })
}
