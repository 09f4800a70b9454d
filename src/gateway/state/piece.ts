// Work that waits for its turn, and questions that wait for the end of the log.

import type { Cause } from '../../world/turns.ts'

export interface Piece {
  readonly work: () => Promise<unknown>
  readonly cause: Cause
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export type TurnOutcome = { readonly value: unknown } | { readonly error: unknown }

/** Whether it may change something, by its method. */
export const mayChange = ({ cause: { text } }: Piece): boolean => !text.startsWith('GET ') && !text.startsWith('HEAD ')

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
