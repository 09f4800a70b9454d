// Reads the requested page of a list, by offset, page number or cursor, and finds its neighbours.

import { isJson, type MediaType, type Operation, responseFor, successStatus } from '../../contract/contract.ts'
import { decodeQuery, type Parameter } from '../../contract/document/parameters.ts'
import type { Field } from '../../contract/schema/field.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { parseInteger, parseJson } from '../../kernel/parse-json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import { type Headers, JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import {
  compileTemplate,
  compileText,
  JsonText,
  placeholders,
  type TemplateFields,
  unfilled,
} from '../../kernel/template.ts'
import type { Id, Page, Query } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import { completeTemplate } from './complete-template.ts'
import type { ListConfig, LocateParameter, PagingConfig } from './config.ts'
import { replaceExpressions } from './expression-holes.ts'
import { schemaBelow } from './shape.ts'

export type Window = Pick<Query, 'limit' | 'offset' | 'after'>

/** The addresses of a page's neighbours: paths with a query, or absent. */
export interface Links {
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

export interface Paging {
  /** Whether `last` needs the number of all records. */
  readonly counts: boolean
  /** Returns the page, or the rule that the request breaks. */
  window(exchange: Exchange): Window | BrokenRule
  links(exchange: Exchange, page: Page, window: Window): Links
}

/** The broken rule of a cursor that names no record. */
export const lostCursor = (name: string): BrokenRule => ({
  in: 'query',
  path: name,
  rule: 'cursor',
  message: 'must be the id of a record',
})

/** The default page size for page numbers if neither the request nor the contract has one. */
const PAGE_SIZE = 20

export function compilePaging(
  config: PagingConfig,
  { ids }: Resource,
  parameters: readonly Parameter[],
  locate: LocateParameter,
): Paging {
  const at = (key: 'limit' | 'offset' | 'page' | 'cursor'): number =>
    config[key] === undefined ? -1 : locate(config[key], [key])
  const [limitAt, offsetAt, pageAt, cursorAt] = [at('limit'), at('offset'), at('page'), at('cursor')]
  const unlimited = pageAt === -1 ? Number.POSITIVE_INFINITY : PAGE_SIZE
  // If 0 is a valid page number, pages count from 0.
  const base = lowest(parameters[pageAt])
  const origin = originOfOffset(parameters[offsetAt])
  const numberAt = (values: readonly unknown[], index: number, fallback: number): number => {
    const value = index === -1 ? undefined : (values[index] as number | bigint | undefined)
    return value === undefined ? fallback : Math.max(0, Number(value))
  }
  // Some contracts say "all" by a limit of -1.
  const sizeOf = (values: readonly unknown[]) =>
    Number(values[limitAt] ?? 0) < 0 ? unlimited : numberAt(values, limitAt, unlimited)
  const pageOf = (values: readonly unknown[]) => Math.max(base, numberAt(values, pageAt, base))
  return {
    counts: config.links === true && cursorAt === -1,
    window({ values }) {
      const limit = sizeOf(values)
      if (cursorAt !== -1 && values[cursorAt] !== undefined && values[cursorAt] !== '') {
        const after = readId(values[cursorAt], ids)
        return after === undefined ? lostCursor(config.cursor as string) : { limit, after }
      }
      const offset =
        pageAt === -1 ? Math.max(0, numberAt(values, offsetAt, origin) - origin) : (pageOf(values) - base) * limit
      return offset === 0 ? { limit } : { limit, offset }
    },
    links(exchange, { total, more, last }, { limit, offset = 0, after }) {
      const { values } = exchange
      const link = (name: string | undefined, value: string | number | undefined) =>
        name === undefined ? undefined : withQuery(exchange, name, value)
      const shown = Number.isFinite(limit) ? limit : (total ?? 0)
      const position = { number: pageOf(values), limit: shown, offset, origin }
      if (cursorAt !== -1) {
        return {
          ...position,
          first: after === undefined ? undefined : link(config.cursor, undefined),
          next: more && last !== undefined ? link(config.cursor, String(last)) : undefined,
        }
      }
      const paged = pageAt !== -1
      const name = paged ? config.page : config.offset
      const to = (skip: number) => link(name, paged ? base + Math.floor(skip / limit) : skip + origin)
      const final = total === undefined || total === 0 ? 0 : Math.floor((total - 1) / limit) * limit
      if (name === undefined || !Number.isFinite(limit) || limit === 0) return position
      return {
        ...position,
        first: to(0),
        prev: offset > 0 ? to(Math.max(0, offset - limit)) : undefined,
        next: more ? to(offset + limit) : undefined,
        last: total === undefined ? undefined : to(final),
      }
    },
  }
}

function lowest(page: Parameter | undefined): number {
  const schema = page?.schema.node.value
  return page?.default === 0 || (isObject(schema) && schema.minimum === 0) ? 0 : 1
}

/** If the lowest offset is 1, it is the number of a record, such as `startIndex` in SCIM (RFC 7644, section 3.4.2.4). */
function originOfOffset(offset: Parameter | undefined): number {
  const schema = offset?.schema.node.value
  return offset?.default === 1 || (isObject(schema) && schema.minimum === 1) ? 1 : 0
}

function readId(value: unknown, ids: Resource['ids']): Id | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return ids === 'text' ? String(value) : parseInteger(String(value))
}

/** Returns the request's path with its query or another one. */
export function addressOf({ request, basePath, operation, segments }: Exchange, query = request.query): string {
  let expression = 0
  const path = operation.path.replace(/\{[^{}]*\}/g, () => encodeURIComponent(segments[expression++] ?? ''))
  return `${basePath}${path}${query === '' ? '' : `?${query}`}`
}

export const originOf = ({ request }: Exchange): string => `http://${request.headers.host ?? 'localhost'}`

/** Returns the request's address with one query parameter changed or removed. */
function withQuery(exchange: Exchange, name: string, value: string | number | undefined) {
  const { request } = exchange
  const nameOf = (pair: string) => decodeQuery(pair.split('=', 1)[0] as string)
  const kept = request.query.split('&').filter(pair => pair !== '' && nameOf(pair) !== name)
  if (value !== undefined) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return addressOf(exchange, kept.join('&'))
}

// The envelope of a page: a wrapping object, a count in a header, links to its neighbours.

interface EnvelopeContext {
  readonly page: Page
  readonly links: Links
  readonly exchange: Exchange
}

const FIELDS: TemplateFields<EnvelopeContext> = {
  items: ({ page }) => new JsonText(page.text),
  count: ({ page }) => page.count,
  total: ({ page }) => page.total ?? page.count,
  more: ({ page }) => page.more,
  limit: ({ links }) => links.limit,
  offset: ({ links }) => links.offset + links.origin,
  number: ({ links }) => links.number,
  pagesOrOne: ({ page, links }) =>
    Math.max(1, links.limit > 0 ? Math.ceil((page.total ?? page.count) / links.limit) : 1),
  pages: ({ page, links }) => (links.limit > 0 ? Math.ceil((page.total ?? page.count) / links.limit) : 0),
  cursor: ({ page }) => (page.more && page.last !== undefined ? String(page.last) : null),
  first: ({ links }) => links.first ?? null,
  prev: ({ links }) => links.prev ?? null,
  next: ({ links }) => links.next ?? null,
  last: ({ links }) => links.last ?? null,
  nextNumber: ({ page, links }) => (page.more ? links.number + 1 : null),
  prevNumber: ({ links }) => (links.offset > 0 ? links.number - 1 : null),
  self: ({ exchange }) => addressOf(exchange),
}

/** Further placeholders in a completed template. */
const COMPLETING: TemplateFields<EnvelopeContext> = {
  ...FIELDS,
  path: ({ exchange }) => addressOf(exchange, ''),
  before: ({ links }) => links.offset > 0,
  isFirst: ({ links }) => links.offset === 0,
  isLast: ({ page }) => !page.more,
  isEmpty: ({ page }) => page.count === 0,
  cursorOrEmpty: context => FIELDS.cursor?.(context) ?? '',
  ...Object.fromEntries(
    (['first', 'prev', 'next', 'last', 'self', 'path'] as const).flatMap(name => {
      const link = ({ links, exchange }: EnvelopeContext): string | undefined =>
        name === 'self' || name === 'path' ? addressOf(exchange, name === 'path' ? '' : undefined) : links[name]
      const whole = (context: EnvelopeContext) => {
        const path = link(context)
        return path === undefined ? undefined : originOf(context.exchange) + path
      }
      return [
        [`${name}Whole`, (context: EnvelopeContext) => whole(context) ?? null],
        [`${name}OrEmpty`, (context: EnvelopeContext) => link(context) ?? ''],
        [`${name}OrEmptyWhole`, (context: EnvelopeContext) => whole(context) ?? ''],
        [`${name}OrSelf`, (context: EnvelopeContext) => link(context) ?? addressOf(context.exchange)],
        [
          `${name}OrSelfWhole`,
          (context: EnvelopeContext) => originOf(context.exchange) + (link(context) ?? addressOf(context.exchange)),
        ],
      ] as const
    }),
  ),
}

/** Placeholders that need the number of all matching records. */
const COUNTING = new Set(['total', 'pages', 'pagesOrOne', 'last'])

export interface Envelope {
  readonly counts: boolean
  /** Returns `undefined` for pages without an envelope. */
  readonly wrap: ((status: number, page: Page, links: Links, exchange: Exchange) => Reply) | undefined
}

export function compileEnvelope(
  { body: configured, headers: given = {}, links }: ListConfig,
  site: Site,
  counts: boolean,
): Envelope {
  const inBody = replaceExpressions<EnvelopeContext>(configured ?? null, 'page', ['body'], site)
  const inHeaders = replaceExpressions<EnvelopeContext>(given, 'page', ['headers'], site)
  const written = configured === undefined ? undefined : inBody.template
  const headers = inHeaders.template as Readonly<Record<string, string | number>>
  const known = [...Object.keys(FIELDS), ...Object.keys(inBody.fields), ...Object.keys(inHeaders.fields)].map(
    name => `page.${name}`,
  )
  for (const { path, part, message, hint } of unfilled({ body: written, headers }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const body = written === undefined ? undefined : completed(written, site)
  const named = [...placeholders({ body, headers }, 'page')]
  const counted = counts || named.some(([, name]) => COUNTING.has(name))
  if (body === undefined && links !== true && Object.keys(headers).length === 0) return { counts, wrap: undefined }
  const render = body === undefined ? undefined : compileTemplate(body, 'page', { ...COMPLETING, ...inBody.fields })
  const fields = Object.entries(headers).map(
    ([name, value]) =>
      [name.toLowerCase(), compileText(String(value), 'page', { ...FIELDS, ...inHeaders.fields })] as const,
  )
  if (render !== undefined) checkEnvelope(render, site)
  return {
    counts: counted,
    wrap(status, page, neighbours, exchange) {
      const context = { page, links: neighbours, exchange }
      const made = Object.fromEntries(fields.map(([name, fill]) => [name, fill(context)]))
      const link = links === true ? linkField(neighbours) : undefined
      const all: Headers = { ...JSON_HEADERS, ...made, ...(link === undefined ? {} : { link }) }
      if (render === undefined) return { status, headers: all, body: page.text, bytes: page.bytes }
      return { status, headers: all, body: render(context) }
    },
  }
}

const RELATIONS = ['first', 'prev', 'next', 'last'] as const

function linkField(links: Links): string | undefined {
  const parts = RELATIONS.flatMap(rel => (links[rel] === undefined ? [] : [`<${links[rel]}>; rel="${rel}"`]))
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** Adds the contract's required properties to the template. */
function completed(body: Json, { operation, contract }: Site): Json {
  const node = mediaOf(operation)?.schema?.node
  if (node === undefined) return body
  // If the contract has the items elsewhere, the template is a mistake that other properties cannot correct.
  const items = [...placeholders(body, 'page')].find(([, name]) => name === 'items')?.[0] ?? []
  if (schemaBelow(node, items.map(String), contract) === undefined) return body
  const path = `${operation.basePaths[0] ?? ''}${operation.path}`
  return completeTemplate(body, node, contract, (field, siblings) => pageField(field, siblings, path))
}

const mediaOf = (operation: Operation): MediaType | undefined =>
  [...(responseFor(operation, successStatus(operation, 200))?.content ?? [])].find(([type]) => isJson(type))?.[1]

/** Validates an empty page in its envelope: its mistakes are those of every page. */
function checkEnvelope(render: (context: EnvelopeContext) => string, site: Site): void {
  const page: Page = { text: '[]', bytes: 2, count: 0, total: 0, more: false }
  const links: Links = { first: '/', prev: '/', next: '/', last: '/', number: 1, limit: 1, offset: 0, origin: 0 }
  const { operation } = site
  const exchange = { operation, basePath: '', segments: [], request: { query: '', headers: {} } } as unknown as Exchange
  const parsed = parseJson(render({ page, links, exchange }))
  if ('fault' in parsed) return
  for (const { pointer, message, keyword } of mediaOf(operation)?.schema?.check(parsed.value, parsed.exact) ?? []) {
    // Mistakes about the emptiness or the sample links are ignored.
    if (keyword === 'minItems' || keyword === 'format' || keyword === 'pattern') continue
    site.error('invalid-body', `this page breaks the contract: ${pointer || 'the body'} ${message}`, ['body'])
  }
}

// Common names of the properties around a page, by their meaning. The type must match too: a `page` that is an object is
// not a page number.

const NUMBERS: readonly (readonly [string, RegExp])[] = [
  [
    'total',
    /^(?:total|total(?:count|items|results|elements|records|size)|(?:items?|records?|result)(?:total|count)|found)$/,
  ],
  ['count', /^(?:count|numberofelements|length|returned|(?:page|current)count)$/],
  ['pages', /^(?:pages|totalpages|pagestotal|(?:num|numberof)pages|pages?count|lastpage)$/],
  ['number', /^(?:page|currentpage|pagenumber|pageno|number|pageindex)$/],
  ['limit', /^(?:limit|perpage|pagesize|size|pagelimit|maxresults|maxitems|take|top)$/],
  ['offset', /^(?:offset|skip|start|startindex|from)$/],
]
const SWITCHES: readonly (readonly [string, RegExp])[] = [
  ['more', /^(?:hasmore|more|hasnext|hasnextpage|moreavailable|istruncated|truncated)$/],
  ['before', /^(?:hasprev|hasprevious|hasprevpage|haspreviouspage)$/],
  ['isFirst', /^(?:first|isfirst|firstpage|isfirstpage)$/],
  ['isLast', /^(?:last|islast|lastpage|islastpage)$/],
  ['isEmpty', /^(?:empty|isempty)$/],
]
const TEXTS: readonly (readonly [string, RegExp])[] = [
  ['cursor', /^(?:nextcursor|cursor|nextpagetoken|nexttoken|nextpagecursor|continuationtoken|endcursor|nextmarker)$/],
  ['next', /^(?:next|nextpage|nexturl|nextlink|nexturi|nextpageur[il]|nexthref)$/],
  ['prev', /^(?:prev|previous|prevpage|previouspage|prevurl|previousurl|previouslink|prevlink|previouspageur[il])$/],
  ['first', /^(?:first|firsturl|firstlink|firstpageur[il])$/],
  ['last', /^(?:last|lasturl|lastlink|lastpageur[il])$/],
  ['self', /^(?:self|selflink|selfurl|selfuri)$/],
  ['path', /^(?:url|uri|href)$/],
]

/** Names beside which a `count` is that of all pages. */
const PAGED = /^(?:next|previous|prev|nextpage|hasmore|results)$/

/**
 * Returns the placeholder for a property around a page; `undefined` if its name or type is ambiguous.
 * @param path the list's path, to find out whether the schema accepts paths or whole URLs
 */
export function pageField(field: Field, siblings: readonly string[], path: string): string | undefined {
  const word = plainName(field.name)
  const of = (words: readonly (readonly [string, RegExp])[]) => words.find(([, names]) => names.test(word))?.[0]
  if (field.types.length === 7) return undefined
  if (field.types.includes('integer') || field.types.includes('number')) {
    const known = of(NUMBERS)
    const others = siblings.map(plainName)
    const all = known === 'count' && others.some(one => PAGED.test(one)) && !others.some(one => /^total/.test(one))
    if (known === 'pages' && !field.allows(0)) return 'page.pagesOrOne'
    return known && `page.${all ? 'total' : known}`
  }
  if (field.types.includes('boolean')) {
    const known = of(SWITCHES)
    return known && `page.${known}`
  }
  const known = field.types.includes('string') ? of(TEXTS) : undefined
  if (known === undefined) return undefined
  // Without a next page, a text that cannot be null is empty; a link that cannot be empty is that of the page itself.
  const end = field.types.includes('null') ? '' : field.allows('') ? 'OrEmpty' : 'OrSelf'
  if (known === 'cursor') return end === 'OrSelf' ? undefined : `page.cursor${end}`
  const form = field.allows(path) ? '' : field.allows(`http://127.0.0.1${path}`) ? 'Whole' : undefined
  if (form === undefined) return undefined
  return known === 'self' || known === 'path' ? `page.${known}${form}` : `page.${known}${end}${form}`
}
