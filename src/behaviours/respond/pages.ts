// The pages of a list: which one a request asks for, by offset, page number or cursor; the links to its neighbours; and its
// envelope, a wrapping object or a count in a header.

import { headersOf, responseFor, successStatus } from '../../contract/contract.ts'
import { decodeQuery, type Parameter } from '../../contract/document/parameters.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import { type Fill, JsonText, mentions, type TemplateContext, textOfFilled } from '../../expression/template.ts'
import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, JSON_HEADERS, type Reply } from '../../kernel/http.ts'
import { isObject, type Json, parseJson } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import type { Page, Query } from '../../world/records/types.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, type Resource } from '../resource.ts'
import type { PageConfig, RespondConfig } from './config.ts'
import { addressOf, requestOrigin } from './reply.ts'
import { completeTemplate, pathOfPlaceholder, schemaBelow, successSchema } from './shape.ts'
import { mayBeNumber } from './values.ts'

/** Returns the index of a query parameter in `operation.parameters`; -1 after reporting that there is none. */
export type LocateParameter = (name: string | undefined, path: Path) => number

type Window = Pick<Query, 'limit' | 'offset' | 'after'>

/** The addresses of a page's neighbours: paths with a query, or absent. */
interface Links {
  readonly first?: string | undefined
  readonly prev?: string | undefined
  readonly next?: string | undefined
  readonly last?: string | undefined
  /** The number of this page in the client's counting. */
  readonly number: number
  readonly limit: number
  readonly offset: number
  /** The offset of the first record in the client's counting: 0, or 1. */
  readonly origin: number
}

/** The broken rule of a cursor that names no record. */
export const lostCursor = (name: string): BrokenRule => ({
  in: 'query',
  path: name,
  rule: 'cursor',
  message: 'must be the id of a record',
})

/** The default page size for page numbers if neither the request, the configuration nor the contract has one. */
const PAGE_SIZE = 20

/** The pages of one list: which one a request asks for, and where its neighbours are. */
export class Paging {
  /** Whether a page needs the number of all records, for its link to the last one. */
  readonly counts: boolean
  /** Whether a list can be read from any record on. */
  readonly isPositional: boolean
  readonly hasCursor: boolean
  readonly #config: RespondConfig
  readonly #resource: Resource
  readonly #pageName: string | undefined
  /** The default size of a numbered page. */
  readonly #size: number
  /** The indices of the parameters; -1 without one. */
  readonly #limitAt: number
  readonly #offsetAt: number
  readonly #cursorAt: number
  readonly #pageAt: number
  /** The number of the first page. */
  readonly #base: 0 | 1
  /** The offset of the first record. */
  readonly #origin: 0 | 1
  /** The largest page that the contract allows. */
  readonly #highest: number

  constructor(config: RespondConfig, resource: Resource, parameters: readonly Parameter[], locate: LocateParameter) {
    const { parameter, size = PAGE_SIZE } = pageOfConfig(config)
    this.#config = config
    this.#resource = resource
    this.#pageName = parameter
    this.#size = size
    this.#limitAt = locate(config.limit, ['limit'])
    this.#offsetAt = locate(config.offset, ['offset'])
    this.#cursorAt = locate(config.cursor, ['cursor'])
    this.#pageAt = locate(parameter, typeof config.page === 'string' ? ['page'] : ['page', 'parameter'])
    // If 0 is a valid page number, pages count from 0.
    this.#base = beginsAt(0, parameters[this.#pageAt]) ? 0 : 1
    // If the lowest offset is 1, it is the number of a record, such as `startIndex` in SCIM (RFC 7644, section 3.4.2.4).
    this.#origin = beginsAt(1, parameters[this.#offsetAt]) ? 1 : 0
    const bounds = parameters[this.#limitAt]?.schema.node.value
    this.#highest = isObject(bounds) && typeof bounds.maximum === 'number' ? bounds.maximum : Number.POSITIVE_INFINITY
    this.hasCursor = this.#cursorAt !== -1
    this.isPositional = this.#offsetAt !== -1 || this.#pageAt !== -1
    this.counts = config.links === true && !this.hasCursor
  }

  /** Returns the requested page, or the rule that the request breaks. */
  window({ values }: Exchange): Window | BrokenRule {
    const isPaged = this.#isPaged(values)
    const unlimited = isPaged ? this.#size : Number.POSITIVE_INFINITY
    // Some contracts say "all" by a limit of -1.
    const isAll = Number(values[this.#limitAt] ?? 0) < 0
    const limit = isAll ? unlimited : numberAt(values, this.#limitAt, unlimited)
    const cursor = values[this.#cursorAt]
    if (this.hasCursor && cursor !== undefined && cursor !== '') {
      const { ids, source } = this.#resource
      const after = asId(String(cursor), ids)
      // The cursors of another server are its own.
      const isOther = source === undefined && ids === 'integer' && typeof after === 'string'
      return isOther ? lostCursor(this.#config.cursor as string) : { limit, after }
    }
    const skipped = Math.max(0, numberAt(values, this.#offsetAt, this.#origin) - this.#origin)
    const offset = isPaged ? (this.#pageOf(values) - this.#base) * limit : skipped
    return offset === 0 ? { limit } : { limit, offset }
  }

  /**
   * Returns the query for a part of the same list, and the number of records that it asks for at most; infinity without a
   * parameter for it. Parts of numbered pages begin at multiples of `limit`.
   */
  part({ request }: Exchange, from: number, wanted: number, limit: number): Part {
    const most = this.#pageAt === -1 ? wanted : limit
    const isBounded = this.#limitAt !== -1 && Number.isFinite(most)
    const size = isBounded ? Math.min(most, this.#highest) : Number.POSITIVE_INFINITY
    return {
      size,
      query: queryWith(request.query, [
        [this.#config.limit, Number.isFinite(size) ? size : undefined],
        [this.#config.offset, from === 0 ? undefined : from + this.#origin],
        [this.#pageName, this.#pageAt === -1 ? undefined : this.#base + Math.floor(from / limit)],
      ]),
    }
  }

  /** Whether the size of a numbered page is the usual one, because neither the request nor the configuration nor the contract says it. */
  isUnsized({ values }: Exchange): boolean {
    const isGiven = pageOfConfig(this.#config).size !== undefined || values[this.#limitAt] !== undefined
    return this.#isPaged(values) && !isGiven
  }

  /** Returns the query for a page of the same list. @param index of the first page 0 */
  numbered({ request }: Exchange, index: number): string {
    return queryWith(request.query, [[this.#pageName, this.#base + index]])
  }

  /** Returns the size of the largest part that may be asked for. */
  step(limit: number): number {
    return this.#pageAt === -1 ? this.#highest : Math.min(limit, this.#highest)
  }

  /** Returns the addresses of the neighbours of a page. */
  links(exchange: Exchange, page: Page, window: Window): Links {
    const { values } = exchange
    const { total, more, last, limit = window.limit } = page
    const { after } = window
    const offset =
      window.offset === undefined ? 0 : limit === window.limit ? window.offset : (window.offset / window.limit) * limit
    const link = (name: string | undefined, value: string | number | undefined) =>
      name === undefined ? undefined : addressWith(exchange, name, value)
    const shown = Number.isFinite(limit) ? limit : (total ?? 0)
    const position = { number: this.#pageOf(values), limit: shown, offset, origin: this.#origin }
    if (this.hasCursor) {
      const { cursor } = this.#config
      return {
        ...position,
        first: after === undefined ? undefined : link(cursor, undefined),
        next: more && last !== undefined ? link(cursor, String(last)) : undefined,
      }
    }
    const isPaged = this.#isPaged(values)
    const name = isPaged ? this.#pageName : this.#config.offset
    if (name === undefined || !Number.isFinite(limit) || limit === 0) return position
    const to = (skip: number) => link(name, isPaged ? this.#base + Math.floor(skip / limit) : skip + this.#origin)
    const final = total === undefined || total === 0 ? 0 : Math.floor((total - 1) / limit) * limit
    return {
      ...position,
      first: to(0),
      prev: offset > 0 ? to(Math.max(0, offset - limit)) : undefined,
      next: more ? to(offset + limit) : undefined,
      last: total === undefined ? undefined : to(final),
    }
  }

  /** Whether a request asks for a numbered page. */
  #isPaged(values: readonly unknown[]): boolean {
    return this.#pageAt !== -1 && (this.#offsetAt === -1 || values[this.#pageAt] !== undefined)
  }

  #pageOf(values: readonly unknown[]): number {
    return Math.max(this.#base, numberAt(values, this.#pageAt, this.#base))
  }
}

/** Returns the number of a parameter, at least 0. */
function numberAt(values: readonly unknown[], index: number, fallback: number): number {
  const value = index === -1 ? undefined : (values[index] as number | bigint | undefined)
  return value === undefined ? fallback : Math.max(0, Number(value))
}

const pageOfConfig = ({ page }: RespondConfig): Partial<PageConfig> =>
  typeof page === 'string' ? { parameter: page } : (page ?? {})

/** Whether a number is the lowest of a parameter, or its default. */
function beginsAt(lowest: number, parameter: Parameter | undefined): boolean {
  const schema = parameter?.schema.node.value
  return parameter?.default === lowest || (isObject(schema) && schema.minimum === lowest)
}

/** Returns the request's address with one query parameter changed or removed. */
const addressWith = (exchange: Exchange, name: string, value: string | number | undefined): string =>
  addressOf(exchange, queryWith(exchange.request.query, [[name, value]]))

/** Returns a query with some parameters changed, or removed. */
function queryWith(
  query: string,
  changes: readonly (readonly [name: string | undefined, value: string | number | undefined])[],
): string {
  const nameOf = (pair: string) => decodeQuery(pair.split('=', 1)[0] as string)
  const names = new Set(changes.map(([name]) => name))
  const kept = query.split('&').filter(pair => pair !== '' && !names.has(nameOf(pair)))
  for (const [name, value] of changes) {
    if (name !== undefined && value !== undefined) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return kept.join('&')
}

/** A part of a list, to be asked for. */
interface Part {
  readonly query: string
  readonly size: number
}

/** A link in its forms: `page.#nextOrSelfWhole`. */
const LINK = /^page\.#(first|prev|next|last|self|path)(OrEmpty|OrSelf)?(Whole)?$/
/** Placeholders that need the number of all matching records. */
const COUNTING = /^page\.(?:total|pages|pagesOrOne|#?last\w*)$/

interface InPage extends TemplateContext {
  readonly page: Page
  readonly links: Links
  readonly exchange: Exchange
}

const RELATIONS = ['first', 'prev', 'next', 'last'] as const

const pagesOf = ({ page, links }: InPage): number =>
  links.limit > 0 ? Math.ceil((page.total ?? page.count) / links.limit) : 0

/** The placeholders that an author may write, and with `#` those that complete a template: see `pageField`. */
const FIELDS: ReadonlyMap<string, Fill<InPage>> = new Map<string, Fill<InPage>>([
  ['page.items', ({ page }) => new JsonText(page.text)],
  ['page.count', ({ page }) => page.count],
  ['page.total', ({ page }) => page.total ?? page.count],
  ['page.more', ({ page }) => page.more],
  ['page.limit', ({ links }) => links.limit],
  ['page.offset', ({ links }) => links.offset + links.origin],
  ['page.number', ({ links }) => links.number],
  ['page.pagesOrOne', one => Math.max(1, pagesOf(one))],
  ['page.pages', pagesOf],
  ['page.cursor', ({ page }) => (page.more && page.last !== undefined ? String(page.last) : null)],
  ...[...RELATIONS, 'self'].map(name => [`page.${name}`, linkField(`page.#${name}`) as Fill<InPage>] as const),
  ['page.url', linkField('page.#selfWhole') as Fill<InPage>],
  ['page.nextNumber', ({ page, links }) => (page.more ? links.number + 1 : null)],
  ['page.prevNumber', ({ links }) => (links.offset > 0 ? links.number - 1 : null)],
  ['page.#more', ({ page }) => page.more],
  ['page.#before', ({ links }) => links.offset > 0],
  ['page.#isFirst', ({ links }) => links.offset === 0],
  ['page.#isLast', ({ page }) => !page.more],
  ['page.#isEmpty', ({ page }) => page.count === 0],
  ['page.#cursorOrEmpty', ({ page }) => (page.more && page.last !== undefined ? String(page.last) : '')],
])

/** Returns a link in one of its forms: of a page without this neighbour it is null, empty or the page's own. */
function linkField(name: string): Fill<InPage> | undefined {
  const [, link, otherwise, isWhole] = LINK.exec(name) ?? []
  if (link === undefined) return undefined
  return ({ links, exchange }) => {
    const named =
      link === 'self' || link === 'path'
        ? addressOf(exchange, link === 'path' ? '' : undefined)
        : links[link as (typeof RELATIONS)[number]]
    const path = named ?? (otherwise === 'OrSelf' ? addressOf(exchange) : undefined)
    if (path === undefined) return otherwise === 'OrEmpty' ? '' : null
    return isWhole === undefined ? path : requestOrigin(exchange) + path
  }
}

const PLACEHOLDERS = {
  known: [...FIELDS.keys()].filter(name => !name.includes('#')),
  field: (name: string) => FIELDS.get(name) ?? linkField(name),
  failing: 'null',
} as const

/** Compiles the envelope of each page; `wrap` is unset for pages without one. */
export function compileEnvelope(
  { body: written, headers: given = {}, links }: RespondConfig,
  site: Site,
  counts: boolean,
) {
  const { expressions, error } = site
  const body = written === undefined ? undefined : completed(written, site)
  const whole = body === undefined ? undefined : expressions.template<InPage>(body, ['body'], error, PLACEHOLDERS)
  const fields = Object.entries(given).map(([name, value]) => {
    const path = ['headers', name]
    const template = expressions.template<InPage>(String(value), path, error, PLACEHOLDERS)
    return [name.toLowerCase(), template] as const
  })
  const documented = documentedFields(Object.keys(given), site)
  const counted =
    counts ||
    mentions({ body, given }, name => COUNTING.test(name)) ||
    documented.some(({ placeholder }) => COUNTING.test(placeholder))
  if (whole === undefined && links !== true && fields.length + documented.length === 0) return { counts }
  if (whole !== undefined) checkEnvelope(page => whole.write(page), site)
  return {
    /** Whether it needs the number of all matching records. */
    counts: counted,
    wrap(status: number, page: Page, neighbours: Links, exchange: Exchange): Reply {
      const context = { page, links: neighbours, exchange, scope: expressions.scope(exchange) }
      const headers: Record<string, string> = { ...JSON_HEADERS }
      for (const [name, one] of fields) headers[name] = textOfFilled(one.fill(context))
      for (const { name, fill } of documented) {
        const value = fill(context)
        // Without a neighbour there is nothing to say.
        if (value !== null && value !== '') headers[name] = String(value)
      }
      if (links === true) {
        const shown = RELATIONS.filter(rel => neighbours[rel] !== undefined)
        if (shown.length > 0) headers.link = shown.map(rel => `<${neighbours[rel]}>; rel="${rel}"`).join(', ')
      }
      return whole === undefined
        ? { status, headers, body: page.text, bytes: page.bytes }
        : { status, headers, body: whole.write(context) }
    },
  }
}

/** The documented headers of a page that have a usual name, but for those that are configured: `X-Total-Count`, `X-Next-Page`. */
function documentedFields(configured: readonly string[], { operation, contract }: Site) {
  const response = responseFor(operation, successStatus(operation, 200))
  const headers = response === undefined ? [] : headersOf(response)
  const given = new Set(configured.map(name => name.toLowerCase()))
  const siblings = headers.map(({ name }) => wordOf(name))
  return headers.flatMap(({ name: written, schema }) => {
    const name = written.toLowerCase()
    if (schema === undefined || given.has(name)) return []
    const field = describeField(wordOf(name), contract.use(schema.node))
    const path = `${operation.basePaths[0] ?? ''}${operation.path}`
    // A number may be documented as a text: that of the next page, but not its address.
    const isNumber =
      field.types.includes('string') && field.format === undefined && !/^(?:next|prev)$/i.test(field.name)
    const number: Field = { ...field, types: ['integer', 'null'], allows: value => field.allows(String(value)) }
    const placeholder = (isNumber ? pageField(number, siblings, path) : undefined) ?? pageField(field, siblings, path)
    const fill = placeholder && (FIELDS.get(placeholder) ?? linkField(placeholder))
    return placeholder && fill ? [{ name, placeholder, fill }] : []
  })
}

/** Returns the name of a header without the words that other names around a page do not have. */
const wordOf = (header: string): string => header.replace(/^x-/i, '').replace(/^(?:pagination|paging)-/i, '')

/** Adds the contract's required properties to the template. */
export function completed(body: Json, { operation, contract }: Site): Json {
  const node = successSchema(operation, 200)?.node
  // If the contract has the items elsewhere, the template is a mistake that other properties cannot correct.
  if (node === undefined || schemaBelow(node, pathOfPlaceholder(body, 'page.items'), contract) === undefined)
    return body
  const path = `${operation.basePaths[0] ?? ''}${operation.path}`
  return completeTemplate(body, node, contract, (field, siblings) => pageField(field, siblings, path))
}

/** Validates an empty page in its envelope: its mistakes are those of every page. */
function checkEnvelope(write: (page: InPage) => string, { operation, error }: Site): void {
  const page: Page = { text: '[]', bytes: 2, count: 0, total: 0, more: false }
  const links: Links = { first: '/', prev: '/', next: '/', last: '/', number: 1, limit: 1, offset: 0, origin: 0 }
  const exchange = { operation, basePath: '', segments: [], request: { query: '', headers: {} } } as unknown as Exchange
  const parsed = parseJson(write({ page, links, exchange }))
  if ('fault' in parsed) return
  const faults = successSchema(operation, 200)?.check(parsed.value, parsed.exact)
  for (const { pointer, message, keyword } of faults ?? []) {
    // Mistakes about the emptiness or the sample links are ignored.
    if (keyword === 'minItems' || keyword === 'format' || keyword === 'pattern') continue
    error('invalid-body', `this page breaks the contract: ${pointer || 'the body'} ${message}`, ['body'])
  }
}

/** Returns the placeholder for a property around a page as an author writes it: see `pageField`. */
export function pagePlaceholder(...about: Parameters<typeof pageField>): string | undefined {
  const name = pageField(...about)
    ?.replace('#selfWhole', 'url')
    .replace('#', '')
  return name !== undefined && FIELDS.has(name) ? name : undefined
}

/** Common names of the properties around a page, by their meaning. */
const NUMBERS: Readonly<Record<string, RegExp>> = {
  total:
    /^(?:total|total(?:count|items|results|elements|records|size)|(?:items?|records?|result)(?:total|count)|found)$/,
  count: /^(?:count|numberofelements|length|returned|(?:page|current)count)$/,
  pages: /^(?:pages|totalpages|pagestotal|(?:num|numberof)pages|pages?count|lastpage)$/,
  number: /^(?:page|currentpage|pagenumber|pageno|number|pageindex)$/,
  limit: /^(?:limit|perpage|pagesize|size|pagelimit|maxresults|maxitems|take|top)$/,
  offset: /^(?:offset|skip|start|startindex|from)$/,
  nextNumber: /^next(?:page)?(?:number)?$/,
  prevNumber: /^prev(?:ious)?(?:page)?(?:number)?$/,
}
const SWITCHES: Readonly<Record<string, RegExp>> = {
  more: /^(?:hasmore|more|hasnext|hasnextpage|moreavailable|istruncated|truncated)$/,
  before: /^(?:hasprev|hasprevious|hasprevpage|haspreviouspage)$/,
  isFirst: /^(?:first|isfirst|firstpage|isfirstpage)$/,
  isLast: /^(?:last|islast|lastpage|islastpage)$/,
  isEmpty: /^(?:empty|isempty)$/,
}
const TEXTS: Readonly<Record<string, RegExp>> = {
  cursor: /^(?:nextcursor|cursor|nextpagetoken|nexttoken|nextpagecursor|continuationtoken|endcursor|nextmarker)$/,
  next: /^(?:next|nextpage|nexturl|nextlink|nexturi|nextpageur[il]|nexthref)$/,
  prev: /^(?:prev|previous|prevpage|previouspage|prevurl|previousurl|previouslink|prevlink|previouspageur[il])$/,
  first: /^(?:first|firsturl|firstlink|firstpageur[il])$/,
  last: /^(?:last|lasturl|lastlink|lastpageur[il])$/,
  self: /^(?:self|selflink|selfurl|selfuri)$/,
  path: /^(?:url|uri|href)$/,
}

/** Whether a property has a common name of one of these meanings. */
export const isPageField = (name = '', ...meanings: readonly ('total' | 'count' | 'next' | 'cursor')[]): boolean =>
  meanings.some(meaning => (NUMBERS[meaning] ?? TEXTS[meaning])?.test(plainName(name)))

/** Returns the target with `rel=next` in a field `Link` (RFC 8288). */
export function nextLink(link = ''): string | undefined {
  const links = [...link.matchAll(/<([^<>]*)>\s*;([^,]*)/g)]
  return links.find(([, , parameters = '']) => /\brel="?next\b/i.test(parameters))?.[1]
}

/** Names beside which a `count` is that of all pages. */
const PAGED = /^(?:next|previous|prev|nextpage|hasmore|results)$/

/**
 * Returns the placeholder for a property around a page; `undefined` if its name or type is ambiguous. The type must match the
 * name: a `page` that is an object is not a page number.
 *
 * @param path the list's path, to find out whether the schema accepts paths or whole URLs
 */
function pageField(field: Field, siblings: readonly string[], path: string): string | undefined {
  const word = plainName(field.name)
  const of = (words: Readonly<Record<string, RegExp>>) =>
    Object.entries(words).find(([, names]) => names.test(word))?.[0]
  if (field.types.length === 7) return undefined
  if (mayBeNumber(field)) {
    const others = siblings.map(plainName)
    // `articlesCount` beside `articles`
    const isCount = others.some(one => word === `${one}count` || word === `total${one}`)
    const known = of(NUMBERS) ?? (isCount ? 'total' : undefined)
    const all = known === 'count' && others.some(one => PAGED.test(one)) && !others.some(one => /^total/.test(one))
    if (known === 'pages' && !field.allows(0)) return 'page.pagesOrOne'
    // At either end there is no neighbour: only what may be null can say so.
    if (/Number$/.test(known ?? '') && !field.types.includes('null')) return undefined
    return known && `page.${all ? 'total' : known}`
  }
  if (field.types.includes('boolean')) {
    const known = of(SWITCHES)
    return known && `page.#${known}`
  }
  const known = field.types.includes('string') ? of(TEXTS) : undefined
  if (known === undefined) return undefined
  // Without a next page, a text that cannot be null is empty; a link that cannot be empty is that of the page itself.
  const end = field.types.includes('null') ? '' : field.allows('') ? 'OrEmpty' : 'OrSelf'
  if (known === 'cursor') return end === 'OrSelf' ? undefined : end === '' ? 'page.cursor' : 'page.#cursorOrEmpty'
  const form = field.allows(path) ? '' : field.allows(`http://127.0.0.1${path}`) ? 'Whole' : undefined
  if (form === undefined) return undefined
  return known === 'self' || known === 'path' ? `page.#${known}${form}` : `page.#${known}${end}${form}`
}
