// The changes of worlds that are not in the log yet.

import type { Counting } from '../world/changes.ts'
import type { LoggedChange } from './effects.ts'

/** The changes of one piece of work: one entry of the log. */
export interface Group {
  /** Milliseconds since the epoch, by real time. */
  readonly at: number
  /** The request that made them; empty for changes without a request. */
  readonly by: string
  readonly changes: readonly LoggedChange[]
}

/** Kinds that may be done again after the changes of others: they set a complete value. Counts may, too: they add. */
const REPEATABLE = new Set(['made', 'deleted', 'seen', 'seeds', 'clock', 'reset', 'put', 'weather'])

/** Kinds that belong to no piece of work, whichever runs: they are done once, even if the work runs twice. */
const APART = new Set(['seen', 'seeds'])

/** Gathers the changes of worlds until they are appended: by the piece of work that made them, so that it can run again. */
export class PendingChanges {
  /** Every change since the last append, in order; without counts that were not taken. */
  #all: LoggedChange[] = []
  /** The changes of work and those between, in order. */
  #groups: Group[] = []
  /** How many groups are those of work. */
  #works = 0
  /** Changes of no piece of work: all of them, those of the last group, and those that follow the work that runs. */
  #aside: LoggedChange[] = []
  #between: LoggedChange[] | undefined
  #meanwhile: LoggedChange[] = []
  #current: LoggedChange[] | undefined
  /** How many of `#all`, `#aside` and `#groups` were taken. */
  #taken: readonly [all: number, aside: number, groups: number] = [0, 0, 0]
  #urgent = false
  /** The worlds that counted requests since their counts were taken. */
  #counting: Counting[] = []

  /** Whether something changed since the last append that a reply must wait for. */
  get changed(): boolean {
    return this.#works > 0 || this.#urgent
  }

  /** Whether something changed outside of work. */
  get hasAside(): boolean {
    return this.#aside.length > 0 || this.#counting.length > 0
  }

  record(change: LoggedChange): void {
    if (this.#current === undefined || APART.has(change.effect.kind)) this.#keepAside(change)
    else {
      this.#all.push(change)
      this.#current.push(change)
    }
  }

  /** Records a change of no piece of work, whichever runs. Replies wait until a new sandbox is appended. */
  recordAside(change: LoggedChange): void {
    this.#urgent ||= change.effect.kind === 'made'
    if (this.#current === undefined) this.#keepAside(change)
    else {
      // It may remove what the work that runs has made.
      this.#all.push(change)
      this.#aside.push(change)
      this.#meanwhile.push(change)
    }
  }

  /** Keeps a change in the order of the log: before the work that runs, which is one entry. */
  #keepAside(change: LoggedChange): void {
    this.#all.push(change)
    this.#aside.push(change)
    this.#addBetween(change)
  }

  #addBetween(change: LoggedChange): void {
    if (this.#between === undefined) {
      this.#between = []
      this.#groups.push({ at: Number.NaN, by: '', changes: this.#between })
    }
    this.#between.push(change)
  }

  counts(world: Counting): void {
    this.#counting.push(world)
  }

  begin(): void {
    this.#current = []
  }

  /** Undoes and forgets the changes of the piece of work that runs. */
  abandon(): void {
    const changes = new Set(this.#current)
    for (const change of [...changes].reverse()) change.undo()
    this.#all = this.#all.filter(change => !changes.has(change))
    this.#current = []
  }

  /** Ends a piece of work. Returns its changes; `undefined` if there are none. */
  end(by: string, now: () => number): Group | undefined {
    const changes = this.#current
    this.#current = undefined
    const group = changes === undefined || changes.length === 0 ? undefined : { at: now(), by, changes }
    if (group !== undefined) {
      this.#groups.push(group)
      this.#works += 1
      this.#between = undefined
    }
    if (this.#meanwhile.length > 0) for (const change of this.#meanwhile.splice(0)) this.#addBetween(change)
    return group
  }

  /**
   * Returns everything that was recorded, to be appended; it stays recorded until `clear` or `undo`. Counts are in the last
   * group, so that a request which changes something is one entry.
   */
  take(now: () => number): readonly Group[] {
    let last = this.#groups.at(-1)
    if (last === undefined) {
      last = { at: Number.NaN, by: '', changes: [] }
      this.#groups.push(last)
    }
    this.#takeCounts(last.changes as LoggedChange[])
    this.#between = undefined
    this.#taken = [this.#all.length, this.#aside.length, this.#groups.length]
    return this.#groups.map(group => (Number.isNaN(group.at) ? { ...group, at: now() } : group))
  }

  #takeCounts(into: LoggedChange[]): void {
    for (let world = this.#counting.pop(); world !== undefined; world = this.#counting.pop()) {
      world.takeCounts(change => {
        this.#all.push(change)
        into.push(change)
      })
    }
  }

  /** Forgets what was taken. Changes since then stay recorded. */
  clear(): void {
    const [all, aside, groups] = this.#taken
    this.#all = this.#all.slice(all)
    this.#groups = this.#groups.slice(groups)
    if (this.#aside.length > 0) this.#aside = this.#aside.slice(aside)
    this.#urgent &&= this.#aside.some(({ effect }) => effect.kind === 'made')
    this.#works = 0
  }

  /** Undoes and forgets everything, the latest change first. Returns the changes that belong to no work, to be done again. */
  undo(): readonly LoggedChange[] {
    this.#takeCounts([])
    const changes = this.#all
    const aside = this.#aside.filter(({ effect }) => REPEATABLE.has(effect.kind))
    this.#all = []
    this.#aside = []
    this.#groups = []
    this.#between = undefined
    this.#urgent = false
    this.#works = 0
    for (const change of changes.toReversed()) change.undo()
    return [...aside, ...changes.filter(({ effect }) => effect.kind === 'ordinal')]
  }
}
