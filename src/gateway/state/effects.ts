// The effects in a log of worlds, and the text of an entry: a JSON array, and the records of its changes, each after a tab, as
// they are stored.

import type { CollectionState, PortableCourse, RowEffect, WorldEffect } from '../../world/changes.ts'
import type { Group } from '../../world/recording.ts'
import type { AnswerState } from '../answers.ts'

/** A world as a value. */
export interface WorldState {
  readonly name: string
  readonly began: number
  /** Names the seeds of each collection: see `SeedStore`. */
  readonly origin: Readonly<Record<string, string>>
  readonly clock: PortableCourse | null
  readonly ordinals: Readonly<Record<string, number>>
  readonly kept: readonly (readonly [kind: string, place: string, key: string, value: unknown])[]
  readonly collections: Readonly<Record<string, CollectionState>>
}

/** A change of the set of worlds, or of weather and answers over them. */
export type WorldsEffect =
  /** A sandbox was named first; one that is there already stays as it is. */
  | readonly ['made', began: number, origin: Readonly<Record<string, string>>]
  /** A world was reset to these seeds. */
  | readonly ['reset', began: number, origin: Readonly<Record<string, string>>]
  /** A world was put in the place that its name has. */
  | readonly ['put', WorldState]
  | readonly ['deleted']
  /** A request reached a sandbox of this process: it does not idle. */
  | readonly ['seen']
  /** The weather over one world, or over all where the name is empty; `null` clears it. */
  | readonly ['weather', order: string | null, until: number | null]
  /** An answer was given to a world, or to all where the name is empty; it was taken or skipped; or it is gone (`null`). */
  | readonly ['answer', id: string, AnswerState | null]
  /** A configuration was put in the place of the file. */
  | readonly ['config', text: string]
  /** The seeds of a collection, which others refer to by their digest. The name of the world is the collection's. */
  | readonly ['seeds', digest: string, CollectionState]
  /** A collection of a world was reset to the seeds of that digest. */
  | readonly ['reseed', collection: string, digest: string]

export type Effect = WorldEffect | WorldsEffect

/** An effect and the name of its world. */
export type NamedEffect = readonly [world: string, effect: Effect]

/** A group as it is read. */
export interface ReadGroup {
  readonly at: number
  readonly by: string
  readonly changes: readonly NamedEffect[]
}

export function writeGroup({ at, by, changes }: Group): string {
  let text = ''
  let records = ''
  for (const change of changes) {
    text += text === '' ? change.text : `,${change.text}`
    if (change.record !== undefined) records += `\t${change.record}`
  }
  return `[${at},${JSON.stringify(by)},[${text}]]${records}`
}

/** Reads each entry when it is needed. */
export function* readGroups(entries: Iterable<string>): Generator<ReadGroup> {
  for (const entry of entries) yield readGroup(entry)
}

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
