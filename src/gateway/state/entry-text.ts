// The text of an entry of the log: a JSON array, and the records of its changes, each after a tab, as they are stored.

import type { CollectionState, RowEffect } from '../../world/effects.ts'
import type { Change, Effect, Group, WorldState } from './changes.ts'

/** The text of a group. It is made when it is asked for, unless a change could read otherwise by then. */
export class GroupText {
  readonly #group: Group
  readonly #text: string | undefined

  constructor(group: Group) {
    this.#group = group
    // A change that has no text itself may refer to what changes.
    if (!group.changes.every(change => 'text' in change)) this.#text = writeGroup(group)
  }

  toString(): string {
    return this.#text ?? writeGroup(this.#group)
  }
}

export function writeGroup({ at, by, changes }: Group): string {
  let text = ''
  let records = ''
  for (const change of changes) {
    text += text === '' ? (change.text ?? writeChange(change)) : `,${change.text ?? writeChange(change)}`
    if (change.record !== undefined) records += `\t${change.record}`
  }
  return `[${at},${JSON.stringify(by)},[${text}]]${records}`
}

const writeChange = ({ world, effect }: Change): string => JSON.stringify([world, written(effect)])

function written(effect: Effect): readonly unknown[] {
  if (effect[0] === 'put') return ['put', effect[1]()]
  if (effect[0] === 'in' && effect[2][0] === 'all') return ['in', effect[1], ['all', effect[2][1]()]]
  return effect
}

/** A group as it is read: each change is the name of its world and the effect. */
export interface ReadGroup {
  readonly at: number
  readonly by: string
  readonly changes: readonly (readonly [world: string, effect: Effect])[]
}

/** Reads each entry when it is its turn. */
export function* readGroups(entries: Iterable<string>): Generator<ReadGroup> {
  for (const entry of entries) yield readGroup(entry)
}

function readGroup(entry: string): ReadGroup {
  const [json = '', ...records] = entry.split('\t')
  const [at, by, changes] = JSON.parse(json) as [number, string, (readonly [string, Effect])[]]
  for (const [i, [world, effect]] of changes.entries()) {
    const revived = revive(effect, records)
    if (revived !== effect) changes[i] = [world, revived]
  }
  return { at, by, changes }
}

/** States are functions in memory, so that they are copied only if needed. Takes the records that follow the entry. */
function revive(effect: Effect, records: string[]): Effect {
  if (effect[0] === 'put') {
    const state = effect[1] as unknown as WorldState
    return ['put', () => state]
  }
  if (effect[0] !== 'in') return effect
  const [, collection, own] = effect
  switch (own[0]) {
    case 'all': {
      const state = own[1] as unknown as CollectionState
      return ['in', collection, ['all', () => state]]
    }
    case 'row':
      return isApart(own) ? ['in', collection, withRecord(own, records)] : effect
    case 'rows':
      return ['in', collection, ['rows', own[1].map(row => (isApart(row) ? withRecord(row, records) : row))]]
    case 'timer':
      return effect
    default:
      return own satisfies never
  }
}

/** Whether the record follows the entry: see `WorldChange.text`. */
const isApart = (row: RowEffect): boolean => (row[2] as unknown) === APART

const APART = 1

function withRecord([kind, id, , ...rest]: RowEffect, records: string[]): RowEffect {
  const record = records.shift()
  if (record === undefined) throw new Error('an entry of the log lacks the record that it is about')
  // A copy: a piece of a text keeps the whole text in memory.
  return [kind, id, Buffer.from(record).toString(), ...rest]
}
