// The changes of an entry in words, for people.

import type { Effect } from './effects.ts'
import type { HistoryEntry } from './history.ts'

/** Whether a kind of effect is described: others only count. */
export const isTold = (kind: string): boolean => kind === 'in' || kind in WORDS

/** A change in words. */
export interface DescribedChange {
  readonly change: string
  readonly collection?: string
  readonly id?: string | number | bigint
}

/** Describes the changes of an entry that somebody would look for. */
export function describeChanges({ effects }: HistoryEntry): readonly DescribedChange[] {
  return effects.flatMap((effect): readonly DescribedChange[] => {
    const { kind } = effect
    if (kind !== 'in') return kind in WORDS ? [{ change: WORDS[kind] as string }] : []
    const { collection, change } = effect
    if (change.kind === 'all') return [{ change: 'loaded', collection }]
    // A timer follows from the record that it belongs to.
    if (change.kind === 'timer') return []
    const rows = change.kind === 'row' ? [change] : change.rows
    return rows.map(({ id, text }) => ({ change: text === undefined ? 'removed' : 'written', collection, id }))
  })
}

const WORDS: Partial<Readonly<Record<Effect['kind'], string>>> = {
  kept: 'counted',
  clock: 'clock set',
  made: 'begun',
  reset: 'reset',
  put: 'replaced',
  deleted: 'deleted',
  weather: 'weather set',
  answer: 'answer given, used or removed',
  reseed: 'reset to the new seeds',
}
