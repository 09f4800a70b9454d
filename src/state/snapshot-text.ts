// Everything that a log says, as a text of lines: a head, then seeds and worlds, each followed by its collections, each
// followed by its records. Lines are written in slices, so that requests are answered in between. Records follow their line as
// they are stored, each after a tab, which no JSON text contains.

import { stringifyJson } from '../kernel/json.ts'
import type { CollectionState, RowState } from '../world/changes.ts'
import { breathe } from '../world/real-time.ts'
import type { AnswerState, WorldState } from './effects.ts'
import {
  type PortableCounts,
  type PortableHead,
  readAnswer,
  readCounts,
  readHead,
  readKept,
  writeAnswer,
  writeCounts,
  writeHead,
  writeKept,
} from './portable.ts'

/** How many records are written before others are answered: some milliseconds. */
const SLICE = 1000

/** The seeds of a collection, by their digest. */
export interface SeedState {
  readonly collection: string
  readonly digest: string
  readonly state: CollectionState
}

/** Everything at one position of the log. */
export interface LogSnapshot {
  readonly seeds: readonly SeedState[]
  readonly worlds: readonly WorldState[]
  readonly weather: readonly { readonly world: string; readonly order: string; readonly until: number | null }[]
  readonly answers: readonly { readonly world: string; readonly id: string; readonly state: AnswerState }[]
}

/** The form of the text. */
const VERSION = 3

/** Writes a snapshot, whose values must not change meanwhile. */
export async function writeSnapshot({ seeds, worlds, weather, answers }: LogSnapshot): Promise<string> {
  const lines: string[] = []
  const write = (line: Head | SnapshotLine) => void lines.push(stringifyJson(line))
  const writeRows = async (rows: CollectionState['rows']) => {
    for (let from = 0; from < rows.length; from += SLICE) {
      lines.push(writeRowsLine(rows, from, Math.min(from + SLICE, rows.length)))
      await breathe()
    }
  }
  write({
    version: VERSION,
    weather: weather.map(({ world, order, until }) => [world, order, until]),
    answers: answers.map(({ world, id, state }) => [world, id, writeAnswer(state)]),
  } satisfies Head)
  for (const { collection, digest, state } of seeds) {
    write(['seeds', collection, digest, writeCounts(state)])
    await writeRows(state.rows)
  }
  for (const world of worlds) {
    const { kept, collections } = world
    write(['world', writeHead(world)])
    for (let from = 0; from < kept.length; from += SLICE) {
      write(['kept', kept.slice(from, from + SLICE).map(writeKept)])
      await breathe()
    }
    for (const [name, state] of Object.entries(collections)) {
      write(['collection', name, writeCounts(state)])
      await writeRows(state.rows)
    }
  }
  return lines.join('\n')
}

function writeRowsLine(rows: CollectionState['rows'], from: number, end: number): string {
  const numbers: number[] = []
  const parts = ['']
  for (let i = from; i < end; i++) {
    const { text, created, revision } = rows[i] as RowState
    numbers.push(created, revision)
    parts.push(text)
  }
  parts[0] = JSON.stringify(['rows', numbers])
  return parts.join('\t')
}

interface Head {
  readonly version: number
  readonly weather: readonly (readonly [world: string, order: string, until: number | null])[]
  readonly answers: readonly (readonly [world: string, id: string, ReturnType<typeof writeAnswer>])[]
}

type SnapshotLine =
  | readonly ['seeds', collection: string, digest: string, PortableCounts]
  | readonly ['world', PortableHead]
  | readonly ['kept', readonly ReturnType<typeof writeKept>[]]
  | readonly ['collection', name: string, PortableCounts]
  /** The ordinal and the revision of each record, one after the other; their texts follow. */
  | readonly ['rows', readonly number[]]

/** Reads a snapshot; throws for a form that this version does not have. */
export function readSnapshot(text: string): LogSnapshot {
  const [first = '{}', ...lines] = text.split('\n')
  const { version, weather, answers } = JSON.parse(first) as Head
  if (version !== VERSION) throw new Error(`the state has version ${version}, which this program cannot read`)
  const seeds: SeedState[] = []
  const worlds: WorldState[] = []
  let rows: RowState[] = []
  let kept: WorldState['kept'][number][] = []
  let collections: Record<string, CollectionState> = {}
  for (const line of lines) {
    const [json = '', ...texts] = line.split('\t')
    const read = JSON.parse(json) as SnapshotLine
    switch (read[0]) {
      case 'seeds':
        rows = []
        seeds.push({ collection: read[1], digest: read[2], state: readCounts(read[3], rows) })
        break
      case 'world':
        kept = []
        collections = {}
        worlds.push(readHead(read[1], { kept, collections }))
        break
      case 'kept':
        for (const value of read[1]) kept.push(readKept(value))
        break
      case 'collection':
        rows = []
        collections[read[1]] = readCounts(read[2], rows)
        break
      case 'rows':
        readRows(read[1], texts, rows)
        break
      default:
        read satisfies never
    }
  }
  return {
    seeds,
    worlds,
    weather: weather.map(([world, order, until]) => ({ world, order, until })),
    answers: answers.map(([world, id, state]) => ({ world, id, state: readAnswer(state) })),
  }
}

/** @param rows takes the records of the line */
function readRows(numbers: readonly number[], texts: readonly string[], rows: RowState[]): void {
  if (numbers.length !== 2 * texts.length) throw new Error('a line of the snapshot lacks a record')
  for (const [i, text] of texts.entries()) {
    rows.push({
      // A copy: a piece of a text keeps the whole text in memory.
      text: Buffer.from(text).toString(),
      created: numbers[2 * i] as number,
      revision: numbers[2 * i + 1] as number,
    })
  }
}
