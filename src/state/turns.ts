// The order in which work changes recorded worlds. Work runs in turns, one piece after the other, in an order that is the
// same for all processes that append to the log. Where there are several processes, what waits runs together, and its changes
// are one append; where another one was faster, they are undone, and the work runs again after those of the other.

import { type Cause, Interrupt } from '../world/changes.ts'
import { afterPromises, breathe, monotonic } from '../world/real-time.ts'
import type { LoggedChange } from './effects.ts'
import type { Append, Engine, News, Position } from './engines/engine.ts'
import { Unavailable } from './errors.ts'
import { type Group, PendingChanges } from './pending-changes.ts'

/** The worlds that the turns change. */
export interface Memory {
  /** Applies entries that others appended, or loads a snapshot. Resolves when requests may be answered. */
  apply(news: News): Promise<void>
  /** Does a change again that was undone. Returns it with its new undoing. */
  redo(change: LoggedChange): LoggedChange
  /** Evicts the sandboxes that are too many. While changes are undone or applied, none is evicted. */
  bound(): void
  /** Takes note of groups that are in the log now, as these texts. @param first the position of the first one */
  appended(groups: readonly Group[], texts: readonly string[], first: number): void
  /** The worlds as they are when this is called, as one text. */
  snapshot(): Promise<string>
}

/** Measures appends and questions, in seconds. */
export interface TurnMeter {
  readonly appends: { observe(seconds: number): void }
  readonly catchUps: { observe(seconds: number): void }
  conflicts: number
}

export interface TurnParts {
  /** Writes the text of an entry. */
  readonly write: (group: Group) => string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly meter: TurnMeter
}

/** How often work runs again, at most, because others are faster. */
const MOST_CONFLICTS = 200

/** Appends changes without a request. */
const FLUSH: Cause = Object.freeze({ text: '' })

interface Waiter {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** The changes of some work, if any, and its reason. */
interface Done {
  readonly cause: Cause
  readonly group: Group | undefined
}

/** Work that waits for its turn, or for its changes to be appended, where other processes append, too. */
interface Piece extends Waiter, Done {
  readonly work: () => Promise<unknown>
  /** The result of the work, or its error if it has failed. */
  outcome: unknown
  hasFailed: boolean
  group: Group | undefined
}

export class Turns {
  readonly pending = new PendingChanges()
  /** The end of the log, as far as the worlds hold it. */
  position: Position
  readonly #engine: Engine
  readonly #memory: Memory
  readonly #write: TurnParts['write']
  readonly #now: () => number
  readonly #meter: TurnMeter
  #pieces: Piece[] = []
  /** Begin the work that waits for its turn, where no other process appends. */
  readonly #line: (() => void)[] = []
  /** Requests that wait until the worlds hold what others appended. */
  #askers: Waiter[] = []
  #busy = false
  #compacting = false
  /** The entries that were appended since the snapshot that is being written. */
  #tail: string[] | undefined

  /** @param position the end of the log, which the memory has caught up with */
  constructor(engine: Engine, memory: Memory, position: Position, { write, now, meter }: TurnParts) {
    this.#engine = engine
    this.#memory = memory
    this.position = position
    this.#write = write
    this.#now = now
    this.#meter = meter
  }

  /** Whether other processes append, too: work may run several times then. */
  get repeats(): boolean {
    return this.#engine.requests !== undefined
  }

  /**
   * Runs some work in its turn, and resolves once its changes are as durable as the engine promises. The work must not wait
   * for the network or the time, because all others wait for it.
   */
  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    if (this.repeats) {
      return new Promise<Result>((resolve, reject) => {
        this.#pieces.push({ work, cause, resolve, reject, outcome: undefined, hasFailed: false, group: undefined })
        this.#start()
      })
    }
    if (this.#busy) return new Promise<void>(begin => this.#line.push(begin)).then(() => this.#runAlone(work, cause))
    return this.#runAlone(work, cause)
  }

  /** Runs work that no other process interferes with. */
  #runAlone<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    this.#busy = true
    this.pending.begin()
    // Not an async function: the state that one keeps while it waits would cost as much as the turn.
    return begun(work).then(
      value => {
        const appending = this.#end(cause)
        return appending === undefined ? value : appending.then(() => value)
      },
      async error => {
        if (error instanceof Interrupt) this.pending.abandon()
        await this.#end(cause)
        throw error
      },
    )
  }

  /** Ends such work, and begins the next. Returns what its reply must wait for, if anything; throws if its changes are refused. */
  #end(cause: Cause): Promise<void> | undefined {
    const group = this.pending.end(cause.text, this.#now)
    try {
      return this.#mustAppend(cause) ? this.#appendAlone({ cause, group }) : undefined
    } finally {
      const next = this.#line.shift()
      if (next === undefined) this.#busy = false
      else next()
    }
  }

  #appendAlone(work: Done): Promise<void> | undefined {
    const { log, at } = this.position
    const groups = this.pending.take(this.#now)
    let texts: string[]
    let appending: Append | Promise<Append>
    try {
      texts = groups.map(this.#write)
      appending = this.#engine.append(this.position, texts)
    } catch (error) {
      this.#redo(this.pending.undo())
      throw error
    }
    // No process appends in between, so the next work need not wait until these changes are durable.
    this.#done([work], groups, texts, { log, at: at + texts.length })
    if (appending instanceof Promise) return this.#measure(appending)
    // A clock takes longer to read than an append that needs no waiting.
    this.#meter.appends.observe(0)
    return undefined
  }

  async #measure(appending: Promise<Append>): Promise<void> {
    const since = monotonic()
    await appending
    this.#meter.appends.observe((monotonic() - since) / 1000)
  }

  /** Resolves when the worlds hold everything that any process appended before this was called. */
  catchUp(): Promise<void> {
    if (!this.repeats) return Promise.resolve()
    return new Promise<void>((resolve, reject) => {
      this.#askers.push({ resolve, reject })
      this.#start()
    })
  }

  /** Appends changes without a request, if there are any, and applies the changes of others. */
  async tick(): Promise<void> {
    await this.catchUp()
    if (this.pending.hasAside) await this.run(async () => {}, FLUSH)
  }

  /** Resolves when no work runs. */
  async settled(): Promise<void> {
    while (this.#busy) await breathe()
  }

  /** Whether there is something to append, after work with this cause. */
  #mustAppend(cause: Cause): boolean {
    return this.pending.changed || (cause === FLUSH && this.pending.hasAside)
  }

  #start(): void {
    if (this.#busy) return
    this.#busy = true
    this.#loop().catch(error => rejectAll([...this.#pieces.splice(0), ...this.#askers.splice(0)], error))
  }

  async #loop(): Promise<void> {
    try {
      while (this.#pieces.length > 0 || this.#askers.length > 0) {
        // Requests that arrive together share an append, and a question.
        await breathe()
        const [first] = this.#askers
        if (this.#pieces.length > 0) await this.#turn(this.#pieces.splice(0))
        // A successful append answers the waiting questions, too; work that changes nothing does not.
        if (first === undefined || first !== this.#askers[0]) continue
        await this.#ask()
        // Requests that were just answered add their work now.
        await new Promise<void>(afterPromises)
        if (this.#pieces.length > 0) await this.#turn(this.#pieces.splice(0))
      }
    } finally {
      this.#busy = false
    }
  }

  /** One question for all waiting requests. */
  async #ask(): Promise<void> {
    const askers = this.#askers.splice(0)
    const began = monotonic()
    try {
      await this.#apply(await this.#engine.since(this.position))
      this.#meter.catchUps.observe((monotonic() - began) / 1000)
      resolveAll(askers)
    } catch (error) {
      rejectAll(askers, error)
    }
  }

  async #turn(pieces: readonly Piece[]): Promise<void> {
    let left = pieces
    try {
      for (let conflicts = 0; left.length > 0; conflicts++) {
        if (conflicts > MOST_CONFLICTS) throw new Unavailable('too many processes change the state at the same time')
        left = await this.#runAll(left)
        if (left.length === 0 || (await this.#append(left))) return
      }
    } catch (error) {
      rejectAll(left, error)
    }
  }

  /** Runs pieces one after the other, and settles those that only read what is in the log; returns those to append for. */
  async #runAll(pieces: readonly Piece[]): Promise<readonly Piece[]> {
    const open: Piece[] = []
    for (const piece of pieces) {
      this.pending.begin()
      // A closure would keep the request alive through two collections of garbage, a quarter of the time of a create.
      try {
        piece.outcome = await piece.work()
        piece.hasFailed = false
      } catch (error) {
        if (error instanceof Interrupt) this.pending.abandon()
        piece.outcome = error
        piece.hasFailed = true
      }
      piece.group = this.pending.end(piece.cause.text, this.#now)
      if (this.#mustAppend(piece.cause)) open.push(piece)
      else settleWork(piece)
    }
    return open
  }

  /** @returns whether the changes are in the log, or refused; if not, they are undone, and the entries in between applied */
  async #append(pieces: readonly Piece[]): Promise<boolean> {
    const groups = this.pending.take(this.#now)
    // Askers of before are answered by an append that succeeds: the log ended where these worlds do.
    const askers = this.#askers.splice(0)
    const since = monotonic()
    try {
      const texts = groups.map(this.#write)
      const result = await this.#engine.append(this.position, texts)
      if ('missed' in result) {
        this.#meter.conflicts += 1
        await this.#apply(result.missed)
        resolveAll(askers)
        return false
      }
      this.#meter.appends.observe((monotonic() - since) / 1000)
      this.#done(pieces, groups, texts, result.appended)
      for (const piece of pieces) settleWork(piece)
      resolveAll(askers)
    } catch (error) {
      this.#redo(this.pending.undo())
      rejectAll([...pieces, ...askers], error)
    }
    return true
  }

  #done(works: readonly Done[], groups: readonly Group[], texts: readonly string[], end: Position): void {
    const first = this.position.at + 1
    this.position = end
    this.pending.clear()
    for (const { cause, group } of works) if (group !== undefined) cause.position = first + groups.indexOf(group)
    this.#tail?.push(...texts)
    this.#memory.appended(groups, texts, first)
    if (this.#compacting || !this.#engine.worthCompacting || this.pending.hasAside) return
    this.compact().catch(() => {})
  }

  /** Applies new entries, then own changes without a request that are not appended yet. */
  async #apply(news: News): Promise<void> {
    if (news.anew === undefined && news.entries.length === 0 && !this.pending.changed) {
      this.position = news.position
      return
    }
    const again = this.pending.undo()
    await this.#memory.apply(news)
    this.position = news.position
    if (news.anew !== undefined && news.anew.snapshot === undefined && news.position.at === 0) {
      // The engine lost its log. The first process to notice gives it the state it has; the others take that over.
      await this.#engine.compact(news.position, await this.#memory.snapshot(), [])
      const begun = await this.#engine.open()
      await this.#memory.apply(begun)
      this.position = begun.position
    }
    this.#redo(again)
  }

  #redo(changes: readonly LoggedChange[]): void {
    for (const change of changes) this.pending.recordAside(this.#memory.redo(change))
    this.#memory.bound()
  }

  /** Has the engine replace the log so far by a snapshot. Requests are answered meanwhile. */
  async compact(): Promise<void> {
    this.#compacting = true
    const at = this.position
    const tail: string[] = []
    this.#tail = tail
    try {
      const snapshot = await this.#memory.snapshot()
      await this.#engine.compact(at, snapshot, tail)
    } finally {
      this.#tail = undefined
      this.#compacting = false
    }
  }
}

/** Work that throws at once rejects like any other. */
function begun<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}

function settleWork({ outcome, hasFailed, resolve, reject }: Piece): void {
  if (hasFailed) reject(outcome)
  else resolve(outcome as never)
}

function resolveAll(askers: readonly Waiter[]): void {
  for (const { resolve } of askers) resolve(undefined as never)
}

function rejectAll(waiting: readonly Waiter[], error: unknown): void {
  for (const { reject } of waiting) reject(error)
}
