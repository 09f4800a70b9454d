// The turns of a log that no other process appends to. They need no query and have no conflict, and work runs at once if no
// other work is running. A request that changes nothing has almost no cost.

import { type ExclusiveEngine, type Position, Unavailable } from '../../state/engine.ts'
import { monotonic } from '../../world/clock.ts'
import type { Cause } from '../../world/turns.ts'
import { GroupText } from './entry-text.ts'
import { OwnRecording } from './own-recording.ts'
import type { LogTurns, Memory, TurnMeter } from './turns.ts'

export class OwnTurns implements LogTurns {
  readonly recording = new OwnRecording()
  readonly repeats = false
  readonly asOf = undefined
  readonly #engine: ExclusiveEngine
  readonly #memory: Memory
  readonly #now: () => number
  readonly #meter: TurnMeter
  #position: Position
  #busy = false
  /** Waiting work: each function is called at its turn. */
  readonly #line: (() => void)[] = []
  #down: string | undefined
  #compacting = false
  /** The entries that were appended since the snapshot that is being written. */
  #since: string[] | undefined

  /**
   * @param position the end of the log, which the memory has caught up with
   * @param now milliseconds since the epoch
   */
  constructor(engine: ExclusiveEngine, memory: Memory, position: Position, now: () => number, meter: TurnMeter) {
    this.#engine = engine
    this.#memory = memory
    this.#position = position
    this.#now = now
    this.#meter = meter
    engine.onAvailability(reason => {
      this.#down = reason
    })
  }

  get position(): Position {
    return this.#position
  }

  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    if (this.#busy) return this.#wait().then(() => this.#runNow(work, cause))
    this.#busy = true
    return this.#runNow(work, cause)
  }

  #wait(): Promise<void> {
    return new Promise(resolve => void this.#line.push(resolve))
  }

  // Not an async function: the state that one keeps while it waits would cost as much as the turn.
  #runNow<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    this.recording.begin()
    return begun(work).then(
      value => {
        const durable = this.#end(cause)
        return durable === undefined ? value : durable.then(() => value)
      },
      async error => {
        await this.#end(cause)
        throw error
      },
    )
  }

  /** Ends a piece of work, and begins the next; returns what its reply must wait for. */
  #end(cause: Cause): Promise<unknown> | undefined {
    this.recording.end()
    try {
      return this.recording.changed ? this.#append(cause) : undefined
    } finally {
      const next = this.#line.shift()
      if (next === undefined) this.#busy = false
      else next()
    }
  }

  /**
   * Appends the recorded changes. Returns a promise to wait for, if any. If the engine is unavailable, undoes the changes
   * and throws.
   */
  #append(cause: Cause): Promise<unknown> | undefined {
    if (this.#down !== undefined) {
      this.recording.reverse((change, effect) => this.#memory.change(change, effect))
      throw new Unavailable(this.#down)
    }
    const { log, at } = this.#position
    const groups = this.recording.take(cause.text, this.#now(), at + 1)
    const texts = groups.map(group => new GroupText(group))
    this.#since?.push(...texts.map(String))
    const appending = this.#engine.append(this.#position, texts)
    this.#position = { log, at: at + groups.length }
    cause.position = this.#position.at
    this.#memory.appended(groups)
    if (this.#engine.worthCompacting) this.#compact()
    if (appending instanceof Promise) return this.#measure(appending)
    // Nothing to wait for: a clock would take longer to read than the append.
    this.#meter.appended(0)
    return undefined
  }

  async #measure(appending: Promise<unknown>): Promise<void> {
    const began = monotonic()
    await appending
    this.#meter.appended((monotonic() - began) / 1000)
  }

  async catchUp(): Promise<void> {}

  async tick(): Promise<void> {
    if (!this.recording.hasAside || this.#down !== undefined) return
    await this.run(async () => {
      if (this.recording.hasAside && this.#down === undefined) await this.#append({ text: '' })
    }, NOBODY)
  }

  async settled(): Promise<void> {
    await this.run(async () => {}, NOBODY)
  }

  #compact(): void {
    if (!this.#compacting) this.compact().catch(() => {})
  }

  async compact(): Promise<void> {
    this.#compacting = true
    const at = this.#position
    const since: string[] = []
    this.#since = since
    try {
      const snapshot = await this.#memory.snapshot()
      this.#since = undefined
      await this.#engine.compact(at, snapshot, since)
    } finally {
      this.#since = undefined
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

/** Work that changes nothing. */
const NOBODY: Cause = Object.freeze({ text: '' })
