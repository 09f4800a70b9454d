// Takes a world back by the inverses of its changes: only what differs from the present is changed, so that a world which is
// often taken back to the same place does not record more each time.

import type { Collection } from '../../world/collection.ts'
import type { RowEffect } from '../../world/effects.ts'
import type { World } from '../../world/world.ts'
import type { Effect } from './changes.ts'
import type { HistoryEntry } from './history.ts'
import { NetInverse, withCounters } from './net-inverse.ts'
import type { Subjects } from './subjects.ts'

/**
 * Reverses entries of the history of a world.
 *
 * @param entries the oldest first
 * @param apply is called with every effect to be applied and recorded
 */
export function reverse(
  subjects: Subjects,
  name: string,
  entries: readonly HistoryEntry[],
  apply: (effect: Effect) => void,
): void {
  const net = new NetInverse(subjects.worlds.isPermanent(name))
  for (const { changes } of entries) {
    for (const { inverse } of changes) if (inverse !== undefined) net.add(inverse)
  }
  for (const effect of net.effects()) {
    if (effect[0] === 'put') for (const one of putBack(subjects, effect)) apply(one)
    else {
      const needed = narrow(subjects.worlds.peek(name), effect)
      if (needed !== undefined) apply(needed)
    }
  }
}

/** Puts a copy of a former world: the history still needs that one as it was. Its weather and answers come back, too. */
function* putBack(
  { weather, answers }: Subjects,
  [, read, before]: Extract<Effect, readonly ['put', ...unknown[]]>,
): Iterable<Effect> {
  const state = read()
  yield ['put', () => state]
  if (before === undefined) return
  for (const [world, order, until] of weather.dump([before])) if (world === before.name) yield ['weather', order, until]
  for (const [world, id, answer] of answers.dump([before])) if (world === before.name) yield ['answer', id, answer]
}

/** Leaves out the records that are as they shall be; `undefined` if nothing is left. */
function narrow(world: World | undefined, effect: Effect): Effect | undefined {
  if (effect[0] !== 'in' || effect[2][0] !== 'rows') return effect
  const collection = world?.collections.get(effect[1])
  const rows = effect[2][1]
  const needed = collection === undefined ? rows : differing(rows, collection)
  const [only] = needed
  return only && ['in', effect[1], needed.length === 1 ? only : ['rows', needed]]
}

/**
 * Returns those that differ from the records of a collection, in an order in which no two records have the same ordinal at the
 * same time. The last one has the counters.
 */
function differing(rows: readonly RowEffect[], collection: Collection): readonly RowEffect[] {
  const counters = rows.at(-1)?.[5]
  const removed: RowEffect[] = []
  const written: RowEffect[] = []
  for (const [kind, id, text, created, revision] of rows) {
    const [, , nowText, nowCreated, nowRevision] = collection.rowAt(id)
    if (text === nowText && created === nowCreated && revision === nowRevision) continue
    if (nowText !== null && (text === null || created !== nowCreated)) removed.push([kind, id, null, 0, 0])
    if (text !== null) written.push([kind, id, text, created, revision])
  }
  const needed = [...removed, ...written]
  // The counters need a record to go with, also if no record differs.
  const last = needed.pop() ?? rows.find(([, , text]) => text === null) ?? rows[0]
  return last === undefined ? [] : [...needed, withCounters(last, counters)]
}

/** Whether an effect has changed nothing. @param inverse what applying it has returned */
export function isIdle(effect: Effect, inverse: Effect | undefined): boolean {
  if (inverse === undefined || effect[0] === 'put') return false
  if (effect[0] === 'in' && effect[2][0] === 'all') return false
  return JSON.stringify(effect) === JSON.stringify(inverse)
}
