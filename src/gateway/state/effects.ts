// The effects in a log of worlds, and the text of an entry: a JSON array, and the records of its changes, each after a tab, as
// they are stored.

import { stringifyJson } from '../../kernel/json.ts'
import type { CollectionState, Group, PortableCourse, RowEffect, WorldEffect } from '../../world/changes.ts'
import { breathe } from '../../world/clock.ts'
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

// Everything that a log says, as a text of lines: a head, then seeds and worlds, each followed by its collections, each
// followed by its records. Lines are written in slices, so that requests are answered in between. Records follow their line as
// they are stored, each after a tab, which no JSON text contains.

/** How many records are written before others are answered: some milliseconds. */
const SLICE = 1000

/** Everything at one position of the log. */
export interface LogSnapshot {
  readonly seeds: readonly (readonly [collection: string, digest: string, CollectionState])[]
  readonly worlds: readonly WorldState[]
  readonly weather: readonly (readonly [world: string, order: string, until: number | null])[]
  readonly answers: readonly (readonly [world: string, id: string, AnswerState])[]
}

/** The form of the text. */
const VERSION = 3

/** Writes a snapshot, whose values must not change meanwhile. */
export async function writeSnapshot({ seeds, worlds, weather, answers }: LogSnapshot): Promise<string> {
  const lines: string[] = []
  const write = (line: unknown) => void lines.push(stringifyJson(line))
  const writeRows = async (rows: CollectionState['rows']) => {
    for (let from = 0; from < rows.length; from += SLICE) {
      lines.push(writeRowsLine(rows, from, Math.min(from + SLICE, rows.length)))
      await breathe()
    }
  }
  write({ version: VERSION, weather, answers })
  for (const [name, digest, { rows, ...state }] of seeds) {
    write(['seeds', name, digest, state])
    await writeRows(rows)
  }
  for (const { collections, kept, ...world } of worlds) {
    write(['world', world])
    for (let from = 0; from < kept.length; from += SLICE) {
      write(['kept', kept.slice(from, from + SLICE)])
      await breathe()
    }
    for (const [name, { rows, ...state }] of Object.entries(collections)) {
      write(['collection', name, state])
      await writeRows(rows)
    }
  }
  return lines.join('\n')
}

function writeRowsLine(rows: CollectionState['rows'], from: number, end: number): string {
  const numbers: number[] = []
  const parts = ['']
  for (let i = from; i < end; i++) {
    const [text, created, revision] = rows[i] as CollectionState['rows'][number]
    numbers.push(created, revision)
    parts.push(text)
  }
  parts[0] = JSON.stringify(['rows', numbers])
  return parts.join('\t')
}

type StateLine = Omit<CollectionState, 'rows'>
type SnapshotLine =
  | readonly ['seeds', collection: string, digest: string, StateLine]
  | readonly ['world', Omit<WorldState, 'kept' | 'collections'>]
  | readonly ['kept', WorldState['kept']]
  | readonly ['collection', name: string, StateLine]
  /** The ordinal and the revision of each record, one after the other; their texts follow. */
  | readonly ['rows', readonly number[]]

/** Reads a snapshot; throws for a form that this version does not have. */
export function readSnapshot(text: string): LogSnapshot {
  const [head = '{}', ...lines] = text.split('\n')
  const { version, weather, answers } = JSON.parse(head) as LogSnapshot & { readonly version: number }
  if (version !== VERSION) throw new Error(`the state has version ${version}, which this program cannot read`)
  const seeds: (readonly [string, string, CollectionState])[] = []
  const worlds: WorldState[] = []
  let rows: CollectionState['rows'][number][] = []
  let kept: WorldState['kept'][number][] = []
  let collections: Record<string, CollectionState> = {}
  for (const line of lines) {
    const [json = '', ...texts] = line.split('\t')
    const read = JSON.parse(json) as SnapshotLine
    switch (read[0]) {
      case 'seeds':
        rows = []
        seeds.push([read[1], read[2], { ...read[3], rows }])
        break
      case 'world':
        kept = []
        collections = {}
        worlds.push({ ...read[1], kept, collections })
        break
      case 'kept':
        for (const one of read[1]) kept.push(one)
        break
      case 'collection':
        rows = []
        collections[read[1]] = { ...read[2], rows }
        break
      case 'rows':
        if (read[1].length !== 2 * texts.length) throw new Error('a line of the snapshot lacks a record')
        for (const [i, text] of texts.entries()) {
          // A copy: a piece of a text keeps the whole text in memory.
          rows.push([Buffer.from(text).toString(), read[1][2 * i] as number, read[1][2 * i + 1] as number])
        }
        break
      default:
        read satisfies never
    }
  }
  return { seeds, worlds, weather, answers }
}
