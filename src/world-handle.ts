// A world, as a test steers it: by method calls, without HTTP.

import { createRecord, patchRecord, putRecord, type Records, recordsOf, removeRecord } from './gateway/edit-records.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { RecordedRequest } from './gateway/journal/entry.ts'
import {
  type Criterion,
  FILTER_MEMBERS,
  type RequestFilter,
  readFilter,
  selectRequests,
  type Times,
  type Verdict,
  verifyRequests,
} from './gateway/journal/filter.ts'
import { changeClock, giveAnswer, setWeather, weatherSlotOf } from './gateway/orders.ts'
import { Refused, refusedSnapshot, refusedWorld, withHint } from './gateway/refused.ts'
import { putSnapshot } from './gateway/restore.ts'
import { type RewindTarget, type Rewound, rewindWorld } from './gateway/rewind.ts'
import { enterScenarios } from './gateway/scenarios.ts'
import { isObject, type Json, type JsonObject, parseJson, stringifyJson } from './kernel/json.ts'
import { attempted } from './kernel/memo.ts'
import { Schemas } from './kernel/schema/schema.ts'
import { EARLIEST, LATEST, parseMoment } from './world/dates.ts'
import { indexKeyOf } from './world/records/values.ts'
import { type Snapshot, takeSnapshot } from './world/snapshot.ts'
import type { World } from './world/world.ts'

/** The query for the requests of one world. */
export type WorldFilter = Omit<RequestFilter, 'world'>

/** An answer to the next requests: a rule, as `POST /answers` takes it. */
export interface WorldAnswer {
  /** An operationId, or a method and a path: `POST /books`. Absent: every operation. */
  readonly operation?: string
  /** The reply: `{ status: 503 }`. */
  readonly respond?: Readonly<Record<string, unknown>>
  /** How many requests it answers; `null`: without end. Default: 1. */
  readonly times?: number | null
  /** The other keys of an answer: `when`, `consumer`, `skip`, `for`, `latency`, `fault` … */
  readonly [key: string]: unknown
}

/** The records of a collection; awaited, all of them by id. */
export interface WorldRecords extends Promise<readonly JsonObject[]> {
  /**
   * Creates or replaces the record with its id; a record without an id gets a new one. Returns it as it is stored. Rejects,
   * and stores nothing, if it breaks its schema.
   */
  put(record: object): Promise<JsonObject>
  /** Changes fields of a record, by JSON Merge Patch: `null` removes a field. Returns the changed record. */
  patch(id: string | number | bigint, fields: object): Promise<JsonObject>
  /** Deletes a record. */
  remove(id: string | number | bigint): Promise<void>
}

export interface WorldHandle {
  readonly name: string
  /** The address of the API in this world: `http://127.0.0.1:49152/~alice/v1`. */
  readonly baseUrl: string
  /** Resets it to the seeds and to real time, and removes its requests. Creates the world again if it was deleted. */
  reset(): void
  /**
   * Sets the clock, which runs on from there.
   *
   * @param to a date (`2030-12-06`), a timestamp, an offset from its time (`+30d`), a `Date`, or milliseconds
   */
  travel(to: string | number | { getTime(): number }): void
  /** Stops the clock where it is, or at a moment. */
  freeze(at?: string | number | { getTime(): number }): void
  /** Sets how many seconds pass in a real second: `60`. Default: 1. */
  rate(seconds: number): void
  /** Returns to real time. */
  returnToRealTime(): void
  /**
   * Sets the weather (a chaos profile: latency, faults, limits, rules) of this world only.
   *
   * @param order a name in the configuration, or blocks as under `weather` there; `null` clears it
   */
  weather(order: string | Readonly<Record<string, unknown>> | null): void
  /** Sets the answer to the next requests in this world. A reset removes it. */
  answer(order: WorldAnswer): void
  /** Sets the state of a scenario, as `enter` of a rule does. */
  scenario(name: string, state: string): void
  /** The records of a collection: all of them when awaited, with methods that change single ones. */
  records(collection: string): WorldRecords
  /** Returns all state of the world as one document for `restore`, here or in another world. */
  snapshot(): Promise<Snapshot>
  /** Replaces the world by a snapshot. Rejects, and changes nothing, if any of it breaks the contract. */
  restore(snapshot: Snapshot): Promise<void>
  /**
   * Restores an earlier state. Rejects if the history is not kept (`state: { history: true }`) or does not reach back so far.
   *
   * @param to a position in the history; a date, timestamp or offset such as `-5m`, by the real clock; or
   *   `{ request: 17 }`: before the request with this id
   */
  rewind(to: RewindTarget): Promise<Rewound>
  /** Returns the journal's entries of this world, in the order in which they were answered. */
  requests(filter?: WorldFilter): readonly RecordedRequest[]
  /**
   * Whether as many requests as should have matched did; with the nearest misses where too few did.
   *
   * @param times the exact number, or two bounds. Default: at least one.
   */
  verify(filter: WorldFilter, times?: number | Times): Verdict
}

/**
 * Steers a world; makes it if there is none of that name yet. Every method throws an `Error`, with the sentence of the control
 * plane and nothing half done, for what makes no sense: a world that was deleted, a moment that is none.
 *
 * @param origin where the API listens
 */
export function steerWorld(gateway: Gateway, name: string, origin: string): WorldHandle {
  const { worlds } = gateway
  const made = worlds.get(name) ?? worlds.create(name)
  if (typeof made === 'string') throw refusedWorld(made, name, worlds)
  return new SteeredWorld(gateway, name, origin)
}

class SteeredWorld implements WorldHandle {
  readonly name: string
  readonly #gateway: Gateway
  readonly #origin: string

  constructor(gateway: Gateway, name: string, origin: string) {
    this.name = name
    this.#gateway = gateway
    this.#origin = origin
  }

  get baseUrl(): string {
    const { worlds, plan } = this.#gateway
    const basePath = plan.contract.basePaths[0] ?? ''
    if (worlds.default.name === this.name) return this.#origin + basePath
    if (plan.simulation.listen.clientControls) return `${this.#origin}/~${this.name}${basePath}`
    throw new Error('listen.clientControls is false: no client can name a world')
  }

  reset(): void {
    const { worlds } = this.#gateway
    const made = worlds.get(this.name) ?? worlds.create(this.name)
    if (typeof made === 'string') throw refusedWorld(made, this.name, worlds)
    this.#gateway.reset(this.name)
  }

  travel(to: string | number | { getTime(): number }): void {
    const { clock } = this.#world()
    clock.adjust({ now: momentOf(to, clock.now()) })
  }

  freeze(at?: string | number | { getTime(): number }): void {
    const { clock } = this.#world()
    clock.adjust({ now: at === undefined ? undefined : momentOf(at, clock.now()), freeze: true })
  }

  rate(seconds: number): void {
    changeClock(this.#world().clock, { rate: typeof seconds === 'number' ? seconds : Number.NaN })
  }

  returnToRealTime(): void {
    this.#world().clock.restore()
  }

  weather(order: string | Readonly<Record<string, unknown>> | null): void {
    const world = this.#world()
    if (order === null) {
      weatherSlotOf(this.#gateway, world).clear()
      return
    }
    const blocks = objectOf(typeof order === 'string' ? { name: order } : order, 'the weather')
    setWeather(this.#gateway, world, stringifyJson(blocks))
  }

  answer(order: WorldAnswer): void {
    giveAnswer(this.#gateway, this.#world(), stringifyJson(objectOf(order, 'the answer')))
  }

  scenario(name: string, state: string): void {
    enterScenarios(this.#gateway.worlds, this.#world(), { [name]: state })
  }

  records(collection: string): WorldRecords {
    return new SteeredRecords(this.#gateway, () => recordsOf(this.#gateway.worlds, this.#world(), collection))
  }

  async snapshot(): Promise<Snapshot> {
    const snapshot = await this.#gateway.change(() => takeSnapshot(this.#world()), 'GET /worlds/{name}/snapshot')
    return copyOf(snapshot) as unknown as Snapshot
  }

  async restore(snapshot: Snapshot): Promise<void> {
    const { value, exact } = asJson(snapshot)
    const { snapshotSchema } = await import('./http/control/worlds.ts')
    const faults = new Schemas().compile(snapshotSchema)(value, exact)
    if (faults !== undefined) throw refusedSnapshot(faults.map(fault => `${fault.pointer} ${fault.message}`.trim()))
    await this.#gateway.change(() => {
      this.#world()
      return putSnapshot(this.#gateway.worlds, this.name, value as unknown as Snapshot)
    }, 'PUT /worlds/{name}/snapshot')
  }

  rewind(to: RewindTarget): Promise<Rewound> {
    return rewindWorld(this.#gateway, this.name, to)
  }

  requests(filter: WorldFilter = {}): readonly RecordedRequest[] {
    return selectRequests(this.#gateway.journal, this.#criteria(filter), Number.POSITIVE_INFINITY)
  }

  verify(filter: WorldFilter, times: number | Times = {}): Verdict {
    return verifyRequests(this.#gateway.journal, this.#criteria(filter), boundsOf(times))
  }

  #criteria(filter: WorldFilter): readonly Criterion[] {
    // Deleting a world removes its requests: of none it would be true that they were not sent.
    this.#world()
    const { plan, clock, journal } = this.#gateway
    const members = FILTER_MEMBERS.filter(member => member !== 'world')
    const unknown = unknownMember(filter, members)
    if (unknown !== undefined) throw invalid(withHint(`unknown filter "${unknown}"`, unknown, members))
    return readFilter({ ...filter, world: this.name }, plan, clock.now(), journal)
  }

  /** Looked up each time: a reset puts another world in its place, and a sandbox may have been deleted. */
  #world(): World {
    const { worlds } = this.#gateway
    const world = worlds.get(this.name)
    if (world === undefined) throw refusedWorld('unknown', this.name, worlds)
    return world
  }
}

/** Reads the records only when it is awaited: a change needs none of them. */
class SteeredRecords implements WorldRecords {
  readonly [Symbol.toStringTag] = 'WorldRecords'
  readonly #gateway: Gateway
  readonly #find: () => Records

  /** @param find throws `Refused` where there is no such collection */
  constructor(gateway: Gateway, find: () => Records) {
    this.#gateway = gateway
    this.#find = find
  }

  async #list(): Promise<readonly JsonObject[]> {
    return copyOf((await this.#find().collection.dump()).records) as readonly JsonObject[]
  }

  // biome-ignore lint/suspicious/noThenProperty: `await world.records('books')` lists the records
  readonly then: WorldRecords['then'] = (fulfilled, rejected) => this.#list().then(fulfilled, rejected)
  readonly catch: WorldRecords['catch'] = rejected => this.#list().catch(rejected)
  readonly finally: WorldRecords['finally'] = settled => this.#list().finally(settled)

  put(record: object): Promise<JsonObject> {
    return this.#change('PUT', async records => {
      const sent = objectOf(record, 'the record')
      const { idField, within } = records.resource
      const id = indexKeyOf(sent, idField, within)
      const entry =
        id === undefined ? await createRecord(records, sent) : (await putRecord(records, `${id}`, sent)).entry
      return copyOf(entry.value) as JsonObject
    })
  }

  patch(id: string | number | bigint, fields: object): Promise<JsonObject> {
    return this.#change('PUT', async records => {
      return copyOf((await patchRecord(records, `${id}`, objectOf(fields, 'the fields'))).value) as JsonObject
    })
  }

  remove(id: string | number | bigint): Promise<void> {
    return this.#change('DELETE', records => removeRecord(records, `${id}`))
  }

  #change<Result>(method: string, work: (records: Records) => Promise<Result>): Promise<Result> {
    const text = `${method} /worlds/{name}/collections/{collection}/{id}`
    return this.#gateway.change(async () => work(this.#find()), text)
  }
}

/** Returns a copy of a value as JSON has it, whose numbers keep their digits; `null` for a value that is not JSON. */
function asJson(value: unknown): { readonly value: Json; readonly exact: boolean } {
  const parsed = parseJson(attempted(() => stringifyJson(value)) ?? 'null', true)
  if ('fault' in parsed) throw invalid(`the value ${parsed.fault}`)
  return parsed
}

const copyOf = (value: unknown): Json => asJson(value).value

/** Returns a copy of an object; throws for another value, and for one that is not JSON: an object that contains itself. */
function objectOf(value: object, name: string): JsonObject {
  const copy = copyOf(value)
  if (!isObject(copy)) throw invalid(`${name} must be an object of JSON`)
  return copy as JsonObject
}

const invalid = (message: string): Refused => new Refused('invalid_request', message)

/** Returns the first member of an object that is not among the known ones. */
function unknownMember(value: object, known: readonly string[]): string | undefined {
  if (!isObject(value)) throw invalid(`write an object with some of ${known.join(', ')}`)
  return Object.keys(value).find(name => !known.includes(name))
}

function boundsOf(times: number | Times): Times {
  const bounds = typeof times === 'number' ? { min: times, max: times } : times
  const unknown = unknownMember(bounds, BOUNDS)
  if (unknown !== undefined) throw invalid(withHint(`unknown bound "${unknown}"`, unknown, BOUNDS))
  const { min = 0, max = 0 } = bounds
  if ([min, max].every(bound => Number.isSafeInteger(bound) && bound >= 0)) return bounds
  throw invalid('the number of requests must be a whole number: 0 or more')
}

const BOUNDS = ['min', 'max']

/** @param now the time of the clock */
function momentOf(moment: string | number | { getTime(): number }, now: number): number {
  const given = typeof moment === 'object' ? moment.getTime() : moment
  const time = typeof given === 'number' ? given : parseMoment(given, now)
  if (time !== undefined && time >= EARLIEST && time <= LATEST) return time
  throw new Error(`"${moment}" is not a date, timestamp or offset; try 2030-12-06, 2030-12-06T10:00:00Z or +30d`)
}
