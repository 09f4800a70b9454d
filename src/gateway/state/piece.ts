// Work that waits for its turn, and questions that wait for the end of the log.

import { type Cause, Outdated } from '../../world/turns.ts'
import type { Group } from './changes.ts'
import type { SharedRecording } from './shared-recording.ts'

export interface Piece {
  readonly work: () => Promise<unknown>
  readonly cause: Cause
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

type TurnOutcome = { readonly value: unknown } | { readonly error: unknown }

/** Work whose reply must wait for the append, with its changes, if it made any. */
export type OpenPiece = readonly [Piece, TurnOutcome, Group | undefined]

/**
 * Runs pieces of work one after the other, and settles those that read only state which is in the log; returns the others.
 *
 * @param state the number of the state: work that was begun with another one is refused
 */
export async function runAll(
  pieces: readonly Piece[],
  recording: SharedRecording,
  now: () => number,
  state: number,
): Promise<readonly OpenPiece[]> {
  const open: OpenPiece[] = []
  for (const piece of pieces) {
    const { asOf = state } = piece.cause
    if (asOf !== state) {
      piece.reject(new Outdated())
      continue
    }
    recording.begin()
    let outcome: TurnOutcome
    try {
      outcome = { value: await piece.work() }
    } catch (error) {
      outcome = { error }
    }
    const group = recording.end(piece.cause.text, now)
    if (recording.changed) open.push([piece, outcome, group])
    else settle(piece, outcome)
  }
  return open
}

export function settle({ resolve, reject }: Piece, outcome: TurnOutcome): void {
  if ('error' in outcome) reject(outcome.error)
  else resolve(outcome.value as never)
}

/** A request that waits until the worlds hold what others appended. */
export interface Asker {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function answerAll(askers: readonly Asker[]): void {
  for (const { resolve } of askers) resolve()
}

export function refuseAll(waiting: readonly Pick<Asker, 'reject'>[], error: unknown): void {
  for (const { reject } of waiting) reject(error)
}
