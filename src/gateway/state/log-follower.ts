// Keeps the worlds at the end of a log that other processes append to as well, and has the log replaced by a snapshot.

import type { Engine, News, Position } from '../../state/engine.ts'
import type { Change } from './changes.ts'
import type { SharedRecording } from './shared-recording.ts'
import type { Memory } from './turns.ts'

export class LogFollower {
  /** The end of the log, as far as the worlds hold it. */
  position: Position
  /** Numbers the states of the worlds: another one begins with each change of another process. */
  state = 0
  readonly #engine: Engine
  readonly #memory: Memory
  readonly #recording: SharedRecording
  #compacting = false

  /** @param position the end of the log, which the memory has caught up with */
  constructor(engine: Engine, memory: Memory, recording: SharedRecording, position: Position) {
    this.#engine = engine
    this.#memory = memory
    this.#recording = recording
    this.position = position
  }

  /** Applies new entries, then reapplies own changes without a request that are not appended yet. */
  async apply(news: News): Promise<void> {
    if (news.anew === undefined && news.entries.length === 0) {
      this.position = news.position
      return
    }
    this.state += 1
    const again = this.#undo()
    await this.#memory.apply(news)
    this.position = news.position
    if (news.anew !== undefined && news.anew.snapshot === undefined && news.position.at === 0) {
      // The engine lost its log. The first process to notice gives it the state it has; the others take that over.
      await this.#engine.compact(news.position, await this.#memory.snapshot())
      const begun = await this.#engine.open()
      await this.#memory.apply(begun)
      this.position = begun.position
    }
    this.#redo(again)
  }

  /** Undoes the changes of requests that could not be appended; own changes without a request stay. */
  undoRequests(): void {
    this.state += 1
    this.#redo(this.#undo())
  }

  /** Undoes all changes that are not appended. Returns those without a request. */
  #undo(): readonly Change[] {
    return this.#recording.reverse((change, effect) => this.#memory.change(change, effect))
  }

  #redo(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#memory.change(change, change.effect)
      this.#recording.recordAside(change)
    }
  }

  /** Compacts the log if that is worth its time now. */
  compactIfWorthwhile(): void {
    const { hasAside, changed } = this.#recording
    if (this.#compacting || !this.#engine.worthCompacting || hasAside || changed) return
    this.compact().catch(() => {})
  }

  /** Has the engine replace the log so far by a snapshot. */
  async compact(): Promise<void> {
    this.#compacting = true
    try {
      const at = this.position
      await this.#engine.compact(at, await this.#memory.snapshot())
    } finally {
      this.#compacting = false
    }
  }
}
