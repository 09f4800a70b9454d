// The work that changes recorded worlds runs in turns, in an order that is the same for all processes. Two kinds: of a log
// that no other process appends to (`own-turns.ts`), and of one that several share (`shared-turns.ts`).

import type { News, Position } from '../../state/engine.ts'
import type { Recorder } from '../../world/effects.ts'
import type { Turns } from '../../world/turns.ts'
import type { Change, Effect, Group } from './changes.ts'

/** The worlds that the turns change. */
export interface Memory {
  /** Applies entries that others appended, or loads a snapshot. Resolves when requests may be answered. */
  apply(news: News): Promise<void>
  /** Applies one effect without recording it. */
  change(change: Change, effect: Effect): void
  /** Takes note of groups that are in the log now. */
  appended(groups: readonly Group[]): void
  /** Everything as it is when this is called, as one text. */
  snapshot(): Promise<string>
}

export interface TurnMeter {
  appended(seconds: number): void
  caughtUp(seconds: number): void
  conflict(): void
}

/** A world that counts requests. */
export type Counting = Parameters<Recorder['counts']>[0]

/** Gathers changes until they are appended to the log. */
export interface ChangeRecorder extends Recorder {
  record(change: Change): void
  /** Records a change of no piece of work, whichever runs. Replies wait until a new sandbox is appended. */
  recordAside(change: Change): void
}

/** The turns of worlds whose changes are in a log. */
export interface LogTurns extends Turns {
  readonly recording: ChangeRecorder
  /** The end of the log, as far as the worlds hold it. */
  readonly position: Position
  /** The number of the state, for work that is begun early: see `Cause`. Unset: it must wait for `catchUp`. */
  readonly asOf: number | undefined
  /** Resolves when the worlds hold everything that any process appended before this was called. */
  catchUp(): Promise<void>
  /** Appends changes without a request, and applies the entries of others. */
  tick(): Promise<void>
  /** Resolves when no work runs. */
  settled(): Promise<void>
  /** Has the engine replace the log so far by a snapshot. */
  compact(): Promise<void>
}
