// Everything that a log says, as a text of lines: a head, then seeds and worlds, each followed by its collections, each
// followed by its records. Lines are written in slices, so that requests are answered in between. Records follow their line as
// they are stored, each after a tab, which no JSON text contains.

import { stringifyJson } from '../kernel/json.ts'
import type { CollectionState } from '../world/changes.ts'
import { breathe } from '../world/real-time.ts'
import type { AnswerState, WorldState } from './effects.ts'

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
