// Effects and states to and from the JSON that logs have of them: lists, whose order is that of 0.3.0.

import type { CollectionChange, CollectionState, Counters, KeptKind, KeptValue, RowChange } from '../world/changes.ts'
import type { Course } from '../world/clock.ts'
import type { DumpedTimer, Id } from '../world/records/types.ts'
import type { AnswerState, Effect, Origin, WorldState } from './effects.ts'

type PortableId = number | string | { readonly big: string }
type PortableCounters = readonly [revision: number, next: PortableId, creations: number]
type PortableTimer = readonly [state: string, entry: number, due: number | null, to: string | null]
type PortableCourse = readonly [shown: number, since: number, rate: number]
type PortableAnswer = readonly [order: string, left: number | null, given: number, toSkip: number, until: number | null]
type PortableKept = readonly [table: string, place: string, key: string, value: unknown]
/** The text of a record is `null` for one that was removed, or 1 where it follows the entry. */
type PortableRow = readonly [
  kind: 'row',
  id: PortableId,
  text: string | null | 1,
  created: number,
  revision: number,
  counters?: PortableCounters,
]

/** A collection without its records. */
export interface PortableCounts {
  readonly whole: boolean
  readonly gone: readonly PortableId[]
  readonly counters: PortableCounters
  readonly timers?: readonly (readonly [id: PortableId, timer: PortableTimer])[]
}

interface PortableCollection extends PortableCounts {
  readonly rows: readonly (readonly [text: string, created: number, revision: number])[]
}

/** A world without what is kept in it. */
export interface PortableHead {
  readonly name: string
  readonly began: number
  readonly origin: Origin
  readonly clock: PortableCourse | null
  readonly ordinals: Readonly<Record<string, number>>
}

interface PortableWorld extends PortableHead {
  readonly kept: readonly PortableKept[]
  readonly collections: Readonly<Record<string, PortableCollection>>
}

type PortableChange =
  | PortableRow
  | readonly ['rows', readonly PortableRow[]]
  | readonly ['timer', PortableId, PortableTimer | null]
  | readonly ['all', PortableCollection]

/** An effect as JSON. */
export type PortableEffect =
  | readonly ['in', collection: string, PortableChange]
  | readonly ['kept', ...PortableKept]
  | readonly ['clock', PortableCourse | null]
  | readonly ['ordinal', operation: string, more: number]
  | readonly ['made' | 'reset', began: number, origin: Origin]
  | readonly ['put', PortableWorld]
  | readonly ['deleted']
  | readonly ['seen']
  | readonly ['weather', order: string | null, until: number | null]
  | readonly ['answer', id: string, PortableAnswer | null]
  | readonly ['config', text: string]
  | readonly ['seeds', digest: string, PortableCollection]
  | readonly ['reseed', collection: string, digest: string]

// --- parts -------------------------------------------------------------------------------------------------------------

const writeId = (id: Id): PortableId => (typeof id === 'bigint' ? { big: `${id}` } : id)
const readId = (id: PortableId): Id => (typeof id === 'object' ? BigInt(id.big) : id)

const writeCounters = ({ revision, next, creations }: Counters): PortableCounters => [
  revision,
  writeId(next),
  creations,
]

const readCounters = ([revision, next, creations]: PortableCounters): Counters => ({
  revision,
  next: readId(next) as number | bigint,
  creations,
})

const writeTimer = ({ state, entry, due, to }: DumpedTimer): PortableTimer => [state, entry, due ?? null, to ?? null]

const readTimer = (id: PortableId, [state, entry, due, to]: PortableTimer): DumpedTimer => ({
  id: readId(id),
  state,
  entry,
  ...(due !== null && { due }),
  ...(to !== null && { to }),
})

const writeCourse = (course: Course | undefined): PortableCourse | null =>
  course === undefined ? null : [course.shown, course.since, course.rate]

const readCourse = (course: PortableCourse | null): Course | undefined =>
  course === null ? undefined : { shown: course[0], since: course[1], rate: course[2] }

export const writeKept = ({ table, place, key, value }: KeptValue): PortableKept => [table, place, key, value]

export const readKept = ([table, place, key, value]: PortableKept): KeptValue => ({
  table: table as KeptKind,
  place,
  key,
  value,
})

export const writeAnswer = ({ order, left, given, toSkip, until }: AnswerState): PortableAnswer => [
  order,
  left,
  given,
  toSkip,
  until,
]

export const readAnswer = ([order, left, given, toSkip, until]: PortableAnswer): AnswerState => ({
  order,
  left,
  given,
  toSkip,
  until,
})

// --- collections and worlds --------------------------------------------------------------------------------------------

export const writeCounts = ({ whole, gone, counters, timers }: CollectionState): PortableCounts => ({
  whole,
  gone: gone.map(writeId),
  counters: writeCounters(counters),
  ...(timers && { timers: timers.map(timer => [writeId(timer.id), writeTimer(timer)] as const) }),
})

/** @param rows the records of the collection */
export const readCounts = (
  { whole, gone, counters, timers }: PortableCounts,
  rows: CollectionState['rows'],
): CollectionState => ({
  whole,
  rows,
  gone: gone.map(readId),
  counters: readCounters(counters),
  timers: timers?.map(([id, timer]) => readTimer(id, timer)),
})

function writeCollection(state: CollectionState): PortableCollection {
  const { whole, ...counts } = writeCounts(state)
  const rows = state.rows.map(({ text, created, revision }) => [text, created, revision] as const)
  return { whole, rows, ...counts }
}

const readCollection = (state: PortableCollection): CollectionState =>
  readCounts(
    state,
    state.rows.map(([text, created, revision]) => ({ text, created, revision })),
  )

export const writeHead = ({ name, began, origin, clock, ordinals }: WorldState): PortableHead => ({
  name,
  began,
  origin,
  clock: writeCourse(clock),
  ordinals,
})

/** @param parts what is kept in the world, and its collections */
export const readHead = (head: PortableHead, parts: Pick<WorldState, 'kept' | 'collections'>): WorldState => ({
  ...head,
  clock: readCourse(head.clock),
  ...parts,
})

const mapValues = <From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

const writeWorld = (state: WorldState): PortableWorld => ({
  ...writeHead(state),
  kept: state.kept.map(writeKept),
  collections: mapValues(state.collections, writeCollection),
})

const readWorld = (state: PortableWorld): WorldState =>
  readHead(state, { kept: state.kept.map(readKept), collections: mapValues(state.collections, readCollection) })

// --- effects -----------------------------------------------------------------------------------------------------------

const writeIdText = (id: Id): string => (typeof id === 'number' ? `${id}` : JSON.stringify(writeId(id)))

/** @param records takes the texts of records, which follow the entry */
function writeRow({ id, text, created, revision, counters }: RowChange, records: string[]): string {
  if (text !== undefined) records.push(text)
  const rest = counters === undefined ? '' : `,${JSON.stringify(writeCounters(counters))}`
  return `["row",${writeIdText(id)},${text === undefined ? null : 1},${created},${revision}${rest}]`
}

/** @param records the texts of records that follow the entry, of which this takes the first */
function readRow([kind, id, text, created, revision, counters]: PortableRow, records: string[]): RowChange {
  return {
    kind,
    id: readId(id),
    text: text === 1 ? nextRecord(records) : (text ?? undefined),
    created,
    revision,
    counters: counters && readCounters(counters),
  }
}

function nextRecord(records: string[]): string {
  const record = records.shift()
  if (record === undefined) throw new Error('an entry of the log lacks the record that it is about')
  // A copy: a piece of a text keeps the whole text in memory.
  return Buffer.from(record).toString()
}

/**
 * Returns the JSON of an effect. Writes of records and counts, which most requests make, are put together as text: lists for
 * `JSON.stringify` made each request 0.8 µs dearer.
 *
 * @param records see `writeRow`
 */
export function writeEffect(effect: Effect, records: string[]): string {
  if (effect.kind === 'ordinal') return `["ordinal",${JSON.stringify(effect.operation)},${effect.more}]`
  if (effect.kind !== 'in') return JSON.stringify(portableOf(effect))
  return `["in",${JSON.stringify(effect.collection)},${writeChange(effect.change, records)}]`
}

function writeChange(change: CollectionChange, records: string[]): string {
  switch (change.kind) {
    case 'row':
      return writeRow(change, records)
    case 'rows':
      return `["rows",[${change.rows.map(row => writeRow(row, records)).join()}]]`
    case 'timer':
      return JSON.stringify(['timer', writeId(change.id), change.timer === undefined ? null : writeTimer(change.timer)])
    case 'all':
      return JSON.stringify(['all', writeCollection(change.state)])
    default:
      return change satisfies never
  }
}

function portableOf(effect: Exclude<Effect, { readonly kind: 'in' | 'ordinal' }>): PortableEffect {
  switch (effect.kind) {
    case 'kept':
      return ['kept', ...writeKept(effect)]
    case 'clock':
      return ['clock', writeCourse(effect.course)]
    case 'made':
    case 'reset':
      return [effect.kind, effect.began, effect.origin]
    case 'put':
      return ['put', writeWorld(effect.state)]
    case 'deleted':
    case 'seen':
      return [effect.kind]
    case 'weather':
      return ['weather', effect.standing.order, effect.standing.until]
    case 'answer':
      return ['answer', effect.id, effect.state && writeAnswer(effect.state)]
    case 'config':
      return ['config', effect.text]
    case 'seeds':
      return ['seeds', effect.digest, writeCollection(effect.state)]
    case 'reseed':
      return ['reseed', effect.collection, effect.digest]
    default:
      return effect satisfies never
  }
}

/** @param records see `readRow` */
export function readEffect(effect: PortableEffect, records: string[]): Effect {
  const [kind] = effect
  switch (kind) {
    case 'in':
      return { kind, collection: effect[1], change: readChange(effect[2], records) }
    case 'kept':
      return { kind, ...readKept([effect[1], effect[2], effect[3], effect[4]]) }
    case 'clock':
      return { kind, course: readCourse(effect[1]) }
    case 'ordinal':
      return { kind, operation: effect[1], more: effect[2] }
    case 'made':
    case 'reset':
      return { kind, began: effect[1], origin: effect[2] }
    case 'put':
      return { kind, state: readWorld(effect[1]) }
    case 'deleted':
    case 'seen':
      return { kind }
    case 'weather':
      return { kind, standing: { order: effect[1], until: effect[2] } }
    case 'answer':
      return { kind, id: effect[1], state: effect[2] && readAnswer(effect[2]) }
    case 'config':
      return { kind, text: effect[1] }
    case 'seeds':
      return { kind, digest: effect[1], state: readCollection(effect[2]) }
    case 'reseed':
      return { kind, collection: effect[1], digest: effect[2] }
    default:
      return kind satisfies never
  }
}

function readChange(change: PortableChange, records: string[]) {
  const [kind] = change
  switch (kind) {
    case 'row':
      return readRow(change, records)
    case 'rows':
      return { kind, rows: change[1].map(row => readRow(row, records)) }
    case 'timer':
      return { kind, id: readId(change[1]), timer: change[2] === null ? undefined : readTimer(change[1], change[2]) }
    case 'all':
      return { kind, state: readCollection(change[1]) }
    default:
      return kind satisfies never
  }
}
