// The records of the real API under those of a world: `base: upstream`. Reads them for a request, and keeps what the request
// writes in the world. The responders find an ordinary collection, and nothing is ever written to the real API.

import type { Behaviour, Exchange, RecordsUse, Site, StoredRecords } from '../../behaviours/behaviour.ts'
import { isId, type Resource } from '../../behaviours/resource.ts'
import { compileLocation } from '../../behaviours/respond/reply.ts'
import { withHeaders } from '../../kernel/http.ts'
import { isObject, type JsonObject, memberAt } from '../../kernel/json.ts'
import { Interrupt } from '../../world/changes.ts'
import type { Collection } from '../../world/records/collection.ts'
import type { Entry, Id, Page, Query, Step } from '../../world/records/types.ts'
import { cutPage, idIn, withId } from '../../world/records/values.ts'
import { asEntry, changeIn, changesIn, layOver, markChanged, markDeleted, type OwnChange } from './overlaid-records.ts'
import { readRealApi, UpstreamFault, unusable } from './read-real-api.ts'
import { upstreamBlock } from './settings.ts'
import { compileStagedList } from './staged-list.ts'
import { type Answer, atPath, recordsListed, type StagedReading, stagingOf } from './staged-reading.ts'
import type { UpstreamSettings } from './upstream.ts'
import { type UpstreamRecords, upstreamRecordsOf } from './upstream-records.ts'

/** A resource of the real API, for one operation. */
interface StagedSource {
  readonly resource: Resource
  readonly base: UpstreamRecords
  /** Returns the path of a record; `undefined` where the path of the operation does not say enough. */
  readonly locate: ReturnType<typeof compileLocation>
  /** Lists its records, if the operation does. */
  readonly list: ((exchange: Exchange, query: Query) => Promise<Page>) | undefined
}

/** Lets a responder find the records of the real API, and says whose records a reply shows. */
export const sandbox: Behaviour<never> = {
  name: 'sandbox',
  compile(_, site) {
    const upstream = site.settings(upstreamBlock)
    const { records } = site
    if (records === undefined || upstream === undefined) return undefined
    const sources = sourcesOf(records, site)
    if (sources.size === 0) return undefined
    return next => async exchange => {
      exchange.overlay ??= new StagedRequest(sources, upstream, records.resource)
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
  },
}

/** Returns the resources of the real API. @param records the use that the operation makes of one of them */
function sourcesOf(records: RecordsUse, site: Site): ReadonlyMap<string, StagedSource> {
  const { resources, readers, operation } = site
  const sources = new Map<string, StagedSource>()
  for (const [name, resource] of resources) {
    const base = upstreamRecordsOf(resource)
    if (base === undefined) continue
    const isListed = records.many && records.resource === name
    sources.set(name, {
      resource,
      base,
      locate: compileLocation(readers.get(name) ?? [], operation.path),
      list: isListed ? compileStagedList(records.config, resource, base, site) : undefined,
    })
  }
  return sources
}

class StagedRequest implements StagedReading {
  age = 0
  shows: StagedReading['shows'] = undefined
  isUsed = false
  readonly #replies = new Map<string, Answer | UpstreamFault>()
  readonly #sources: ReadonlyMap<string, StagedSource>
  readonly #settings: UpstreamSettings
  readonly #own: string

  /** @param own the resource of its operation */
  constructor(sources: ReadonlyMap<string, StagedSource>, settings: UpstreamSettings, own: string) {
    this.#sources = sources
    this.#settings = settings
    this.#own = own
  }

  over(name: string, exchange: Exchange): StoredRecords | undefined {
    const source = this.#sources.get(name)
    if (source === undefined) return undefined
    if (name === this.#own) this.isUsed = true
    return new StagedRecords(source, exchange, path => this.ask(path, exchange, source.base))
  }

  async ask(path: string, exchange: Exchange, base: UpstreamRecords): Promise<Answer> {
    if (!this.#replies.has(path)) {
      const read = () => this.#read(path, exchange, base)
      // No turn waits for the network: the request leaves its turn, and comes again.
      if (exchange.world.recorder !== undefined) throw new Interrupt(read)
      await exchange.pause(read())
    }
    const answer = this.#replies.get(path) as Answer | UpstreamFault
    if (answer instanceof UpstreamFault) throw answer
    return answer
  }

  async #read(path: string, exchange: Exchange, base: UpstreamRecords): Promise<void> {
    try {
      const answer = await readRealApi(path, exchange, base, this.#settings)
      this.#replies.set(path, answer)
      this.age = Math.max(this.age, answer.age)
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error
      this.#replies.set(path, error)
    }
  }
}

/** Reads a path of the real API for a request. */
type Ask = (path: string) => Promise<Answer>

/** The collection of a world over the records of the real API, for one request. */
class StagedRecords implements StoredRecords {
  readonly #source: StagedSource
  readonly #own: Collection
  readonly #exchange: Exchange
  readonly #ask: Ask

  constructor(source: StagedSource, exchange: Exchange, ask: Ask) {
    this.#source = source
    this.#own = exchange.world.collection(source.resource.name)
    this.#exchange = exchange
    this.#ask = ask
  }

  async read(id: Id): Promise<Entry | undefined> {
    const change = this.#changeOf(id)
    return change === undefined ? this.#readTheirs(id) : change.entry
  }

  async list(query: Query): Promise<Page> {
    const listed = this.#source.list?.(this.#exchange, query)
    if (listed !== undefined) return listed
    const theirs = await this.#firstPage(query)
    return cutPage(layOver(theirs, changesIn(this.#own), query, { first: true, last: true }).rows, query)
  }

  /** Returns the records of the first page that the real API lists; none where it cannot be asked. */
  async #firstPage({ comparisons, filters }: Query): Promise<readonly Entry[]> {
    const { resource, base } = this.#source
    const { list } = base
    if (
      list === undefined ||
      comparisons !== undefined ||
      !filters.every(({ field }) => list.filters.includes(field))
    ) {
      this.#exchange.warn(`the records of ${resource.name} that only the real API has were not searched`)
      return []
    }
    const pairs = filters.map(({ field, values: [value] }) => `${field}=${encodeURIComponent(String(value))}`)
    const path = list.path + (pairs.length === 0 ? '' : `?${pairs.join('&')}`)
    return recordsListed(await this.#ask(path), path, list.items, list.item, resource)
  }

  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
    step?: Step,
  ): Promise<Entry | 'exists' | Refusal> {
    const { assign, idField } = this.#source.resource
    const given = assign === 'client' ? idIn(idField, fields) : undefined
    const record = markChanged(fields, undefined)
    if (!isId(given)) return this.#own.create(record, refuse, step)
    const refusal = refuse?.(withId(idField, given, record))
    if (refusal !== undefined) return refusal
    if ((await this.read(given)) !== undefined) return 'exists'
    return (await this.put(given, record, step)).entry
  }

  async replace(id: Id, fields: JsonObject, revision?: number, step?: Step): Promise<Entry | 'missing' | 'stale'> {
    const theirs = this.#changeOf(id) === undefined ? await this.#readTheirs(id) : undefined
    // No other request may come in between from here on.
    const change = this.#changeOf(id)
    const old = change === undefined ? theirs : change.entry
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    return this.#store(id, fields, change === undefined ? theirs : change.before, step)
  }

  async put(id: Id, fields: JsonObject, step?: Step): Promise<{ readonly entry: Entry; readonly created: boolean }> {
    const made = await this.replace(id, fields, undefined, step)
    if (typeof made === 'object') return { entry: made, created: false }
    return { entry: await this.#store(id, fields, this.#changeOf(id)?.before, step), created: true }
  }

  async remove(id: Id, revision?: number, step?: Step): Promise<'removed' | 'missing' | 'stale'> {
    // The real API may have got a record of this id since the world made its own.
    const theirs =
      this.#changeOf(id)?.before ??
      (await this.#readTheirs(id).catch(error => {
        // A world deletes its own record without the real API.
        if (this.#changeOf(id) === undefined || !(error instanceof UpstreamFault)) throw error
      }))
    const change = this.#changeOf(id)
    const old = change === undefined ? theirs : change.entry
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    if (theirs === undefined) return this.#own.remove(id, undefined, step)
    await this.#own.put(id, markDeleted(theirs.value), step)
    return 'removed'
  }

  async #store(id: Id, fields: JsonObject, before: Entry | undefined, step?: Step): Promise<Entry> {
    const { entry } = await this.#own.put(id, markChanged(fields, before?.value), step)
    return changeIn(entry).entry as Entry
  }

  /** Returns the change of the world to a record, if there is one. */
  #changeOf(id: Id): OwnChange | undefined {
    const entry = this.#own.find(id)
    return entry && changeIn(entry)
  }

  /** Reads a record of the real API. */
  async #readTheirs(id: Id): Promise<Entry | undefined> {
    const { base, locate } = this.#source
    const { segments } = this.#exchange
    const path = locate?.({ basePath: '', segments }, id)
    if (path === undefined) return undefined
    const { value } = await this.#ask(path)
    if (value === undefined) return undefined
    const record = memberAt(value, base.record)
    if (isObject(record)) return asEntry(id, record as JsonObject)
    throw unusable(path, `without a record${atPath(base.record)}`)
  }
}
