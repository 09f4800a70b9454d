// Everything that a log says, as a text of lines: a head, then seeds and worlds, each followed by its collections, each
// followed by its records. Lines are written in slices, so that requests are answered in between. Records follow their line as
// they are stored, each after a tab, which no JSON text contains.

import { stringifyJson } from '../../kernel/value/json.ts'
import type { CollectionState, KeptKind } from '../../world/changes.ts'
import { breathe } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import type { AnswerState } from '../answers.ts'
import type { WorldState } from './effects.ts'
import type { SeedStore } from './seed-store.ts'

/** The state of a world: its records as they differ from the seeds that it began with. */
export function stateOfWorld(world: World, seeds: SeedStore): WorldState {
  return {
    name: world.name,
    began: world.began,
    origin: world.origin,
    clock: world.clock.course,
    ordinals: Object.fromEntries(world.ordinals),
    kept: [...world.lasting()],
    collections: Object.fromEntries(
      [...world.collections].map(([name, collection]) => [
        name,
        collection.state(seeds.base(name, world.origin[name])),
      ]),
    ),
  }
}

/** Fills a new world with a state. Skips collections that the configuration does not have. */
export function restoreState(world: World, state: WorldState, seeds: SeedStore): World {
  world.began = state.began
  world.origin = state.origin
  world.apply(['clock', state.clock])
  world.resume(Object.entries(state.ordinals))
  for (const [kind, place, key, value] of state.kept) world.apply(['kept', kind as KeptKind, place, key, value])
  for (const [name, collection] of Object.entries(state.collections)) {
    if (!world.collections.has(name)) continue
    const base = collection.whole ? undefined : seeds.base(name, state.origin[name])
    if (base !== undefined) world.replace(name, base.fork())
    world.collection(name).apply(['all', collection])
  }
  return world.begin(state.began)
}

/** How many records are written before others are answered: some milliseconds. */
const SLICE = 1000

/** Everything at one position of the log. */
export interface LogSnapshot {
  readonly seeds: readonly (readonly [collection: string, digest: string, CollectionState])[]
  readonly worlds: readonly WorldState[]
  readonly weather: readonly (readonly [world: string, order: string, until: number | null])[]
  readonly answers: readonly (readonly [world: string, id: string, AnswerState])[]
}

/** The form of the text. In form 2 the records of a line were quoted in it. */
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
  | readonly ['rows', readonly number[] | CollectionState['rows']]

/** Reads a snapshot; throws for a form that this version does not have. */
export function readSnapshot(text: string): LogSnapshot {
  const [head = '{}', ...lines] = text.split('\n')
  const { version, weather, answers } = JSON.parse(head) as LogSnapshot & { readonly version: number }
  if (version !== VERSION && version !== 2)
    throw new Error(`the state has version ${version}, which this program cannot read`)
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
        for (const row of snapshotRows(read[1], texts)) rows.push(row)
        break
      default:
        read satisfies never
    }
  }
  return { seeds, worlds, weather, answers }
}

/** @param written the ordinal and the revision of each record, one after the other; in form 2 with their texts */
function snapshotRows(
  written: readonly number[] | CollectionState['rows'],
  texts: readonly string[],
): CollectionState['rows'] {
  if (typeof written[0] !== 'number') return written as CollectionState['rows']
  const numbers = written as readonly number[]
  if (numbers.length !== 2 * texts.length) throw new Error('a line of the snapshot lacks a record')
  // A copy: a piece of a text keeps the whole text in memory.
  return texts.map((text, i) => [Buffer.from(text).toString(), numbers[2 * i] as number, numbers[2 * i + 1] as number])
}
