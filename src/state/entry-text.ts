// The text of an entry of the log: a JSON array, and the records of its changes, each after a tab, as they are stored.

import type { RowEffect } from '../world/changes.ts'
import type { Effect, NamedEffect } from './effects.ts'
import type { Group } from './pending-changes.ts'

/** A group as it is read. */
export interface ReadGroup {
  readonly at: number
  readonly by: string
  readonly changes: readonly NamedEffect[]
}

/** Returns the text in one piece: see `recordText`. */
export function writeGroup({ at, by, changes }: Group): string {
  let effects = ''
  let records = ''
  for (const { text, record } of changes) {
    effects += effects === '' ? text : `,${text}`
    if (record !== undefined) records += `\t${record}`
  }
  const entry = `[${at},${JSON.stringify(by)},[${effects}]]${records}`
  if (entry.charCodeAt(0) !== BRACKET) throw new Error('an entry is a list')
  return entry
}

const BRACKET = 91

export function readGroup(entry: string): ReadGroup {
  const [json = '', ...records] = entry.split('\t')
  const [at, by, changes] = JSON.parse(json) as [number, string, NamedEffect[]]
  for (const [i, [world, effect]] of changes.entries()) {
    const filled = fillWorld(effect, records)
    if (filled !== effect) changes[i] = [world, filled]
  }
  return { at, by, changes }
}

/** Returns an effect with the records that follow the entry. */
function fillWorld(effect: Effect, records: string[]): Effect {
  if (effect[0] !== 'in') return effect
  const [, collection, own] = effect
  if (own[0] === 'row') return isApart(own) ? ['in', collection, withRecord(own, records)] : effect
  if (own[0] !== 'rows') return effect
  return ['in', collection, ['rows', own[1].map(row => (isApart(row) ? withRecord(row, records) : row))]]
}

/** Whether the record follows the entry: see `Change.text`. */
const isApart = (row: RowEffect): boolean => (row[2] as unknown) === APART

const APART = 1

function withRecord([kind, id, , ...rest]: RowEffect, records: string[]): RowEffect {
  const record = records.shift()
  if (record === undefined) throw new Error('an entry of the log lacks the record that it is about')
  // A copy: a piece of a text keeps the whole text in memory.
  return [kind, id, Buffer.from(record).toString(), ...rest]
}
