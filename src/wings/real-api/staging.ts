// The records of the real API under those of a world: `base: upstream`. Reads them for a request, and keeps what the request
// writes in the world. The responders find an ordinary collection, and nothing is ever written to the real API.

import type { Behaviour, Exchange, Site, StoredRecords, Wrap } from '../../behaviours/behaviour.ts'
import { asId, type Base, isId, type Resource } from '../../behaviours/resource.ts'
import { compileLocation } from '../../behaviours/respond/reply.ts'
import { type Headers, withHeaders } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, memberAt, pointer } from '../../kernel/json.ts'
import type { Collection } from '../../world/records/collection.ts'
import type { Entry, Id, Page, Query } from '../../world/records/types.ts'
import { cutPage, idIn, withId } from '../../world/records/values.ts'
import { Interrupt } from '../../world/turns.ts'
import { asEntry, changeIn, changesIn, layOver, markChanged, markDeleted, type OwnChange } from './overlaid-records.ts'
import { readRealApi, UpstreamFault, unusable } from './read-real-api.ts'
import { upstreamBlock } from './settings.ts'
import type { UpstreamSettings } from './upstream.ts'

/** A resource of the real API, for one operation. */
interface StagedSource {
  readonly resource: Resource
  readonly base: Base
  /** Returns the path of a record; `undefined` where the path of the operation does not say enough. */
  readonly locate: ReturnType<typeof compileLocation>
}

/** Lets a responder find the records of the real API, and says whose records a reply shows. */
export const sandbox: Behaviour<never> = {
  name: 'sandbox',
  compile: (_, site) => (site.records === undefined ? undefined : compileStaging(site.records.resource, site)),
}

/** @param own the resource of the responder */
function compileStaging(own: string, { resources, readers, operation, settings }: Site): Wrap | undefined {
  const upstream = settings(upstreamBlock)
  const sources = new Map<string, StagedSource>()
  for (const [name, resource] of resources) {
    const { base } = resource
    if (base === undefined) continue
    sources.set(name, { resource, base, locate: compileLocation(readers.get(name) ?? [], operation.path) })
  }
  if (sources.size === 0 || upstream === undefined) return undefined
  return next => async exchange => {
    exchange.staging ??= stageRequest(sources, upstream, own)
    try {
      const reply = await next(exchange)
      const { age, isUsed, shows = exchange.entry?.revision === 0 ? 'upstream' : 'world' } = stagingOf(exchange)
      return withHeaders(reply, {
        ...(isUsed && reply.refusal === undefined ? { 'understudy-sandbox': shows } : {}),
        ...(age < 1 ? {} : { age: `${Math.floor(age)}` }),
      })
    } catch (error) {
      if (error instanceof UpstreamFault) return error.reply
      throw error
    }
  }
}

/** Returns the records of the real API for a request, inside of `sandbox`. */
export const stagingOf = ({ staging }: Exchange): StagedRequest => staging as StagedRequest

/** A reply of the real API as JSON; no value if it has nothing there. */
export interface Answer {
  readonly value: Json | undefined
  readonly headers: Headers
  readonly age: number
}

type StagedRequest = ReturnType<typeof stageRequest>

/**
 * Keeps the replies of the real API that one request has read, so that it sees one state of it.
 *
 * @param own the resource of its operation
 */
function stageRequest(sources: ReadonlyMap<string, StagedSource>, settings: UpstreamSettings, own: string) {
  const replies = new Map<string, Answer | UpstreamFault>()
  const staging = {
    /** The age of the oldest reply that was read, in seconds. */
    age: 0,
    /** Set for a list: `both` if the world has changed records. */
    shows: undefined as 'upstream' | 'both' | undefined,
    /** Whether the responder has used the records of its resource. Another reply may have been chosen. */
    isUsed: false,
    over(name: string, exchange: Exchange): StoredRecords | undefined {
      const source = sources.get(name)
      if (name === own && source !== undefined) staging.isUsed = true
      return source && recordsOver(source, exchange.world.collection(name), exchange, staging.ask)
    },
    async ask(path: string, exchange: Exchange, base: Base): Promise<Answer> {
      const read = async (): Promise<void> => {
        try {
          const answer = await readRealApi(path, exchange, base, settings)
          replies.set(path, answer)
          staging.age = Math.max(staging.age, answer.age)
        } catch (error) {
          if (!(error instanceof UpstreamFault)) throw error
          replies.set(path, error)
        }
      }
      if (!replies.has(path)) {
        // No turn waits for the network: the request leaves its turn, and comes again.
        if (exchange.world.turns !== undefined) throw new Interrupt(read)
        await exchange.pause(read())
      }
      const answer = replies.get(path) as Answer | UpstreamFault
      if (answer instanceof UpstreamFault) throw answer
      return answer
    },
  }
  return staging
}

/** Returns the collection of a world over the records of the real API, for one request. */
function recordsOver(
  source: StagedSource,
  own: Collection,
  exchange: Exchange,
  ask: StagedRequest['ask'],
): StoredRecords {
  return { read, list, create, replace, put, remove }

  async function read(id: Id): Promise<Entry | undefined> {
    const change = changeOf(id)
    return change === undefined ? readTheirs(id) : change.entry
  }

  /** The records that the world has changed, and those of the first page that the real API lists. */
  async function list(query: Query): Promise<Page> {
    const { resource, base } = source
    const { list } = base
    let theirs: Entry[] = []
    if (
      list !== undefined &&
      query.comparisons === undefined &&
      query.filters.every(one => list.filters.includes(one.field))
    ) {
      const asked = query.filters.map(({ field, values: [value] }) => `${field}=${encodeURIComponent(String(value))}`)
      const path = list.path + (asked.length === 0 ? '' : `?${asked.join('&')}`)
      const answer = await ask(path, exchange, base)
      theirs = recordsListed(answer, path, list.items, list.item, resource)
    } else exchange.warn(`the records of ${resource.name} that only the real API has were not searched`)
    return cutPage(layOver(theirs, changesIn(own), query, { first: true, last: true }).rows, query)
  }

  async function create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal> {
    const { assign, idField } = source.resource
    const given = assign === 'client' ? idIn(idField, fields) : undefined
    const record = markChanged(fields, undefined)
    if (!isId(given)) return own.create(record, refuse)
    const refusal = refuse?.(withId(idField, given, record))
    if (refusal !== undefined) return refusal
    if ((await read(given)) !== undefined) return 'exists'
    return (await put(given, record)).entry
  }

  async function replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    const theirs = changeOf(id) === undefined ? await readTheirs(id) : undefined
    // No other request may come in between from here on.
    const change = changeOf(id)
    const old = change === undefined ? theirs : change.entry
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    return store(id, fields, change === undefined ? theirs : change.before)
  }

  async function put(id: Id, fields: JsonObject): Promise<{ readonly entry: Entry; readonly created: boolean }> {
    const made = await replace(id, fields)
    if (typeof made === 'object') return { entry: made, created: false }
    return { entry: await store(id, fields, changeOf(id)?.before), created: true }
  }

  async function remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    // The real API may have got a record of this id since the world made its own.
    const theirs =
      changeOf(id)?.before ??
      (await readTheirs(id).catch(error => {
        // A world deletes its own record without the real API.
        if (changeOf(id) === undefined || !(error instanceof UpstreamFault)) throw error
      }))
    const change = changeOf(id)
    const old = change === undefined ? theirs : change.entry
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    if (theirs === undefined) return own.remove(id)
    await own.put(id, markDeleted(theirs.value))
    return 'removed'
  }

  async function store(id: Id, fields: JsonObject, before: Entry | undefined): Promise<Entry> {
    const { entry } = await own.put(id, markChanged(fields, before?.value))
    return changeIn(entry).entry as Entry
  }

  /** Returns the change of the world to a record, if there is one. */
  function changeOf(id: Id): OwnChange | undefined {
    const entry = own.find(id)
    return entry && changeIn(entry)
  }

  /** Reads a record of the real API. */
  async function readTheirs(id: Id): Promise<Entry | undefined> {
    const { base, locate } = source
    const { segments } = exchange
    const path = locate?.({ basePath: '', segments }, id)
    if (path === undefined) return undefined
    const { value } = await ask(path, exchange, base)
    if (value === undefined) return undefined
    const record = memberAt(value, base.record)
    if (isObject(record)) return asEntry(id, record as JsonObject)
    throw unusable(path, `without a record${atPath(base.record)}`)
  }
}

const atPath = (path: readonly (string | number)[]): string => (path.length === 0 ? '' : ` at ${pointer(path)}`)

/** Returns the records in a list of the real API. @param items the keys of the list, and `item` those of a record in an item */
export function recordsListed(
  { value }: Answer,
  path: string,
  items: readonly string[],
  item: readonly string[],
  { idField, ids }: Resource,
): Entry[] {
  const list = value === undefined ? [] : memberAt(value, items)
  if (!Array.isArray(list)) throw unusable(path, `without a list${atPath(items)}`)
  return list.map((one: Json, i) => {
    const record = memberAt(one, item)
    const id = isObject(record) ? idIn(idField, record as JsonObject) : undefined
    if (isId(id)) return asEntry(asId(id, ids), record as JsonObject)
    throw unusable(path, `with an item without an id${atPath([...items, i, ...item])}`)
  })
}
