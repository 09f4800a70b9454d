// Gathers the changes of worlds for a log that no other process appends to: one piece of work runs at a time, and once.

import type { Change, Effect, Group } from './changes.ts'
import type { ChangeRecorder, Counting } from './turns.ts'

export class OwnRecording implements ChangeRecorder {
  #running = false
  // Most work makes one change: a list would cost more than that.
  #first: Change | undefined
  #rest: Change[] = []
  /** Changes outside of work, which precede those of the next work. */
  #aside: Change[] = []
  #urgent = false
  /** The worlds that counted requests. */
  #counting: Counting[] = []

  /** Whether something changed that a reply must wait for. */
  get changed(): boolean {
    return this.#first !== undefined || this.#urgent
  }

  get hasAside(): boolean {
    return this.#aside.length > 0 || this.#counting.length > 0
  }

  record(change: Change): void {
    if (!this.#running) this.#aside.push(change)
    else if (this.#first === undefined) this.#first = change
    else this.#rest.push(change)
  }

  recordAside(change: Change): void {
    this.record(change)
    this.#urgent ||= change.kind === 'made'
  }

  counts(world: Counting): void {
    this.#counting.push(world)
  }

  begin(): void {
    this.#running = true
  }

  end(): void {
    this.#running = false
  }

  /**
   * Hands over what was recorded, to be appended from a position on. The changes of the work are the last group, and the
   * counts are in it, so that a request which changes something is one entry. @param at milliseconds since the epoch
   */
  take(by: string, at: number, position: number): readonly Group[] {
    const groups: Group[] = []
    if (this.#aside.length > 0) {
      groups.push({ position, at, by: '', changes: this.#aside })
      this.#aside = []
    }
    const changes = this.#takeAll()
    if (changes.length > 0) groups.push({ position: position + groups.length, at, by, changes })
    this.#urgent = false
    return groups
  }

  /** The changes of the work, and the counts, in a list of just their size: it is remembered. */
  #takeAll(): readonly Change[] {
    const [first, rest] = [this.#first, this.#rest]
    const counts = this.#takeCounts()
    this.#first = undefined
    if (first === undefined) return counts
    if (rest.length === 0) return counts.length === 1 ? [first, counts[0] as Change] : [first, ...counts]
    this.#rest = []
    return [first, ...rest, ...counts]
  }

  #takeCounts(): readonly Change[] {
    const counting = this.#counting
    if (counting.length === 0) return NONE
    const [only] = counting
    const counts = counting.length === 1 ? (only as Counting).takeCounts() : counting.flatMap(one => one.takeCounts())
    counting.length = 0
    return counts
  }

  /** Undoes the changes of the work, the latest first. Changes without a request stay, to be appended later. */
  reverse(apply: (change: Change, effect: Effect) => void): void {
    const changes = this.#first === undefined ? [] : [this.#first, ...this.#rest]
    for (const change of changes.reverse()) if (change.inverse !== undefined) apply(change, change.inverse)
    this.#first = undefined
    this.#rest = []
  }
}

const NONE: readonly Change[] = []
