// A world, as a test steers it: by method calls, without HTTP.

import type { Gateway } from './gateway/gateway.ts'
import type { RecordedRequest } from './gateway/journal/entry.ts'
import {
  type Criterion,
  compileFilter,
  findUnknown,
  type RequestFilter,
  selectRequests,
  type Times,
  type Verdict,
  verifyRequests,
} from './gateway/journal/filter.ts'
import { Diagnostics } from './kernel/diagnostic.ts'
import { parseSource } from './kernel/file/read-source.ts'
import { type JsonObject, stringifyJson } from './kernel/json.ts'
import { formatReport } from './kernel/report.ts'
import { EARLIEST, LATEST, parseMoment } from './world/dates.ts'
import type { World } from './world/world.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from './world/world-name.ts'

/** The query for the requests of one world. */
export type WorldFilter = Omit<RequestFilter, 'world'>

export interface WorldHandle {
  readonly name: string
  /** The address of the API in this world: `http://127.0.0.1:49152/~alice/v1`. */
  readonly baseUrl: string
  /** Resets it to the seeds and to real time, and removes its requests. */
  reset(): void
  /**
   * Sets the clock, which runs on from there.
   *
   * @param to a date (`2030-12-06`), a timestamp, an offset from its time (`+30d`), a `Date`, or milliseconds
   */
  travel(to: string | number | { getTime(): number }): void
  /** Stops the clock where it is, or at a moment. */
  freeze(at?: string | number | { getTime(): number }): void
  /** Returns to real time. */
  returnToRealTime(): void
  /**
   * Sets the weather (a chaos profile: latency, faults, limits, rules) of this world only.
   *
   * @param order a name in the configuration, or blocks as under `weather` there; `null` clears it
   */
  weather(order: string | Readonly<Record<string, unknown>> | null): void
  /** All records of a collection, by id. */
  records(collection: string): Promise<readonly JsonObject[]>
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
 * Steers a world; makes it if there is none of that name yet. Every method throws an `Error` for what makes no sense: an
 * operation that does not exist, a moment that is none.
 *
 * @param origin where the API listens
 */
export function steerWorld(gateway: Gateway, name: string, origin: string): WorldHandle {
  const { worlds, journal, clock } = gateway
  // Looked up each time: a reset puts another world in its place, and a sandbox may have been evicted.
  const world = (): World => {
    const found = worlds.get(name) ?? worlds.create(name)
    if (typeof found !== 'string') return found
    if (!WORLD_NAME.test(name))
      throw new Error(`"${name}" cannot be the name of a world; it must have ${WORLD_NAME_RULE}`)
    if (found === 'bad-name') throw new Error('the name of a world must not be a credential')
    throw new Error(`there is no world "${name}"`)
  }
  const momentOf = (moment: string | number | { getTime(): number }): number => {
    const given = typeof moment === 'object' ? moment.getTime() : moment
    const time = typeof given === 'number' ? given : parseMoment(given, world().clock.now())
    if (time !== undefined && time >= EARLIEST && time <= LATEST) return time
    throw new Error(`"${moment}" is not a date, timestamp or offset; try 2030-12-06, 2030-12-06T10:00:00Z or +30d`)
  }
  const criteriaOf = (filter: WorldFilter): readonly Criterion[] => {
    const fault = findUnknown(filter, gateway.plan, journal)
    if (fault !== undefined) throw new Error(fault)
    const criteria = compileFilter({ ...filter, world: name }, clock.now())
    if ('fault' in criteria) throw new Error(criteria.fault)
    return criteria
  }
  world()
  const basePath = gateway.plan.contract.basePaths[0] ?? ''
  return {
    name,
    get baseUrl() {
      const isDefault = worlds.default.name === name
      if (isDefault) return origin + basePath
      if (gateway.plan.simulation.listen.clientControls) return `${origin}/~${name}${basePath}`
      throw new Error('listen.clientControls is false: no client can name a world')
    },
    reset() {
      world()
      gateway.reset(name)
    },
    travel: to => world().clock.adjust({ now: momentOf(to) }),
    freeze: at => world().clock.adjust(at === undefined ? { freeze: true } : { now: momentOf(at), freeze: true }),
    weather(order) {
      const slot = gateway.weather.of(world(), gateway.plan)
      if (order === null) return slot.clear()
      const report = new Diagnostics()
      const text = stringifyJson((typeof order === 'string' ? { name: order } : order) as JsonObject)
      const source = parseSource('weather', text, report)
      if (source === undefined || slot.make(gateway.plan, source, report) === undefined) {
        throw new Error(formatReport(report))
      }
    },
    returnToRealTime: () => world().clock.restore(),
    async records(collection) {
      const { collections } = world()
      const found = collections.get(collection)
      if (found !== undefined) return (await found.dump()).records
      throw new Error(
        `there is no collection "${collection}"; there is ${[...collections.keys()].join(', ') || 'none'}`,
      )
    },
    requests: (filter = {}) => selectRequests(journal, criteriaOf(filter), Number.POSITIVE_INFINITY),
    verify: (filter, times = {}) =>
      verifyRequests(journal, criteriaOf(filter), typeof times === 'number' ? { min: times, max: times } : times),
  }
}
