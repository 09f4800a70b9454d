// Lists the records of the real API with the changes of a world laid over them. Reads as many of its pages as the page of the
// request needs, and reads their envelope as the responder writes its own.

import type { Exchange, Site } from '../../behaviours/behaviour.ts'
import type { Resource } from '../../behaviours/resource.ts'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import { completed, nextLink, Paging } from '../../behaviours/respond/pages.ts'
import { addressOf } from '../../behaviours/respond/reply.ts'
import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import { decodeQuery, type Parameter } from '../../contract/document/parameters.ts'
import { placeholdersIn } from '../../expression/template.ts'
import type { Path } from '../../kernel/file/source.ts'
import { lowerNames } from '../../kernel/http.ts'
import { type Json, memberAt } from '../../kernel/json.ts'
import type { Entry, Page, Query } from '../../world/records/types.ts'
import { cutPage, pageOf } from '../../world/records/values.ts'
import { sentQuery } from './forward.ts'
import { changesIn, layOver, type OwnChange } from './overlaid-records.ts'
import { upstreamBlock } from './settings.ts'
import { type Answer, recordsListed, stagingOf } from './staged-reading.ts'
import type { UpstreamSettings } from './upstream.ts'
import type { UpstreamRecords } from './upstream-records.ts'

/** The parts of a page of the real API besides its records. */
interface Around {
  /** The number of records on all pages. */
  readonly total?: number | undefined
  /** The size of a page. */
  readonly limit?: number | undefined
  /** Whether there is a next page. */
  readonly more?: boolean | undefined
  /** The cursor of the next page. */
  readonly cursor?: string | undefined
}

interface ReadPart extends Around {
  readonly entries: readonly Entry[]
}

/** The most requests to the real API for one page. */
const MOST = 20

/** Compiles the list of the operation of a site, in place of that of the collection. */
export function compileStagedList(
  config: RespondConfig,
  resource: Resource,
  base: UpstreamRecords,
  site: Site,
): (exchange: Exchange, query: Query) => Promise<Page> {
  const list = new StagedList(config, resource, base, site)
  return (exchange, asked) => list.page(exchange, asked)
}

class StagedList {
  readonly #resource: Resource
  readonly #base: UpstreamRecords
  readonly #paging: Paging
  readonly #around: ReturnType<typeof compileAround>
  readonly #upstream: UpstreamSettings | undefined
  readonly #items: ReturnType<typeof pathOfPlaceholder>
  readonly #item: ReturnType<typeof recordPath>
  /** Whether the reply has more than the records. */
  readonly #isWrapped: boolean
  /** One record more shows whether there are more, where the reply must say so and the real API does not. */
  readonly #peeks: number

  constructor(config: RespondConfig, resource: Resource, base: UpstreamRecords, site: Site) {
    this.#resource = resource
    this.#base = base
    this.#paging = pagingOf(config, resource, site)
    this.#around = compileAround(config, site)
    this.#upstream = site.settings(upstreamBlock)
    this.#items = pathOfPlaceholder(config.body, 'page.items')
    this.#item = recordPath(config.item)
    this.#isWrapped = (config.body ?? config.headers ?? config.links) !== undefined
    this.#peeks = this.#isWrapped && !this.#around.tells ? 1 : 0
  }

  async page(exchange: Exchange, asked: Query): Promise<Page> {
    const changes = changesIn(exchange.world.collection(this.#resource.name))
    const isClean = changes.length === 0
    stagingOf(exchange).shows = isClean ? 'upstream' : 'both'
    // The page of the real API is the page, unless the reply must say more than the real API does.
    const isPage = isClean && (this.#peeks === 0 || this.#paging.isUnsized(exchange))
    if (this.#paging.hasCursor || isPage) return this.#overPage(exchange, asked, changes)
    const query = await this.#sized(exchange, asked)
    const { limit, offset = 0 } = query
    // Records that are gone from the pages before move others up, so the list is read from its beginning.
    const from = isClean ? offset : 0
    const wanted = (size: number) => (isClean ? size + this.#peeks : offset + size + changes.length + 1)
    const isDeep = Number.isFinite(limit) && wanted(limit) > MOST * this.#paging.step(limit)
    if (isDeep) return this.#overPage(exchange, query, changes)
    const { entries, total, ended, size } = await this.#gather(exchange, from, limit, wanted)
    const { rows, more, doubt } = layOver(entries, changes, query, { first: true, last: ended })
    if (doubt !== undefined) exchange.warn(doubt)
    const page = cutPage(rows, { ...query, limit: size, offset: offset - from, count: false })
    const all = ended && !(isClean && total !== undefined) ? from + rows.length : total && total + more
    const known = this.#paging.isUnsized(exchange) ? { limit } : {}
    return { ...page, ...known, more: page.more || !ended, ...(all === undefined ? {} : { total: all }) }
  }

  async #read(exchange: Exchange, query: string): Promise<ReadPart> {
    const { request, operation, segments } = exchange
    const sent = this.#upstream === undefined ? query : sentQuery(query, this.#upstream)
    const path = addressOf({ request, operation, segments, basePath: '' }, sent)
    const answer = await stagingOf(exchange).ask(path, exchange, this.#base)
    return {
      ...this.#around.read(answer),
      entries: recordsListed(answer, path, this.#items, this.#item, this.#resource),
    }
  }

  /** Lays the changes over the page that the real API returns for the same request. */
  async #overPage(exchange: Exchange, query: Query, changes: readonly OwnChange[]): Promise<Page> {
    const { after, offset: asked = 0 } = query
    const part = await this.#read(exchange, exchange.request.query)
    const { entries, total: told, more, cursor } = part
    const isUnsized = this.#paging.isUnsized(exchange)
    const index = asked / query.limit
    const limit = isUnsized ? await this.#sizeOf(part, exchange, query.limit) : query.limit
    const offset = isUnsized ? index * limit : asked
    const end = offset + entries.length
    const isLast = !(more ?? (told === undefined || after !== undefined ? entries.length >= limit : end < told))
    const isCounted = isLast && after === undefined && changes.length === 0 && !isUnsized
    const total = told ?? (isCounted ? end : undefined)
    const laid = layOver(entries, changes, query, { first: after === undefined && offset === 0, last: isLast })
    if (changes.length > 0) {
      exchange.warn('the changes of this world are laid over the page of the real API, so its size may differ')
    }
    const page = pageOf(laid.rows, Number.POSITIVE_INFINITY, total === undefined ? undefined : total + laid.more)
    return { ...page, ...(isUnsized ? { limit } : {}), more: !isLast, last: cursor ?? entries.at(-1)?.id }
  }

  /** Reads the list from a record on, until there are `wanted(limit)` or no more. */
  async #gather(exchange: Exchange, from: number, limit: number, wanted: (limit: number) => number) {
    const entries: Entry[] = []
    let [size, total, ended] = [limit, undefined as number | undefined, false]
    for (let asked = 0; asked < MOST; asked++) {
      const at = from + entries.length
      const part = this.#paging.part(exchange, at, wanted(size) - entries.length, size)
      const got = await this.#read(exchange, part.query)
      const { length } = got.entries
      for (const entry of got.entries) entries.push(entry)
      total = got.total ?? total
      ended = length === 0 || !(got.more ?? (total === undefined ? length >= part.size : at + length < total))
      // Without a limit, the page that the real API chooses is the page.
      if (size === Number.POSITIVE_INFINITY && !ended) size = length
      if (ended || entries.length >= wanted(size) || !this.#paging.isPositional) break
    }
    return { entries, total, ended, size }
  }

  /** Returns the size of the pages of the real API. @param usual the size where all records are on the first page */
  async #sizeOfFirst(exchange: Exchange, usual: number): Promise<number> {
    const { entries, limit, total, more } = await this.#read(exchange, this.#paging.numbered(exchange, 0))
    const { length } = entries
    if (limit !== undefined) return limit
    const hasNext = async () => (await this.#read(exchange, this.#paging.numbered(exchange, 1))).entries.length > 0
    return (more ?? (total === undefined ? await hasNext() : length < total)) ? length : Math.max(usual, length)
  }

  /** Returns the size of the pages of the real API, one of which was read. */
  async #sizeOf({ entries, limit, more }: ReadPart, exchange: Exchange, usual: number): Promise<number> {
    if (limit !== undefined || more === true) return limit ?? entries.length
    // Nothing but the records is shown of a page without an envelope.
    return this.#isWrapped ? this.#sizeOfFirst(exchange, usual) : usual
  }

  /** Returns the query of a numbered page in the size that the real API chooses, if nothing says one. */
  async #sized(exchange: Exchange, query: Query): Promise<Query> {
    if (!this.#paging.isUnsized(exchange)) return query
    const { limit, offset = 0 } = query
    const size = await this.#sizeOfFirst(exchange, limit)
    return { ...query, limit: size, offset: (offset / limit) * size }
  }
}

/** Compiles the paging as the responder does, which reports what is wrong with it. */
function pagingOf(config: RespondConfig, resource: Resource, { operation: { parameters } }: Site) {
  const isNamed = (name: string | undefined) => (parameter: Parameter) =>
    parameter.in === 'query' && parameter.name === name
  return new Paging(config, resource, parameters, name => parameters.findIndex(isNamed(name)))
}

/** Compiles the reading of what is around the items of a page: where the responder would write it. */
function compileAround({ body, headers = {}, links, cursor }: RespondConfig, site: Site) {
  const fields = lowerNames(headers)
  const whole: Json = { headers: fields, value: body === undefined ? null : completed(body, site) }
  const places = [...placeholdersIn(whole)]
  const find = (names: RegExp) =>
    places.find(([path, name]) => names.test(name) && memberAt(whole, path) === `\${${name}}`)?.[0]
  const [total, more, next, limit] = [
    /^page\.total$/,
    /^page\.#?more$/,
    /^page\.#?(?:next|cursor)(?!.*OrSelf)/,
    /^page\.limit$/,
  ].map(find)
  const numberIn = (answer: Answer, path: Path | undefined) => {
    const number = path === undefined ? Number.NaN : Number(memberAt(answer, path) ?? Number.NaN)
    return Number.isNaN(number) ? undefined : number
  }
  const parameter = new RegExp(`[?&]${cursor}=([^&#]*)`)
  return {
    /** Whether a reply says whether there is a next page. */
    tells: links === true || (total ?? more ?? next) !== undefined,
    read(answer: Answer): Around {
      const { link } = answer.headers
      const linked = links && link ? (nextLink(link) ?? '') : undefined
      const neighbour = next === undefined ? linked : (memberAt(answer, next) ?? '')
      const [, text] = parameter.exec(String(neighbour)) ?? []
      const size = numberIn(answer, limit)
      return {
        total: numberIn(answer, total),
        limit: size === undefined || !(size > 0) ? undefined : size,
        more:
          more === undefined
            ? neighbour === undefined
              ? undefined
              : neighbour !== ''
            : memberAt(answer, more) === true,
        cursor: text === undefined ? String(neighbour ?? '') || undefined : decodeQuery(text),
      }
    },
  }
}
