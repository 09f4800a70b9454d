// The envelope of a page: a wrapping object, a count in a header, links to its neighbours.

import { isJson, type MediaType, type Operation, responseFor, successStatus } from '../../contract/contract.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import { type Headers, JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import {
  compileTemplate,
  compileText,
  JsonText,
  placeholders,
  type TemplateFields,
  unfilled,
} from '../../kernel/template.ts'
import type { Page } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { schemaBelow } from './branch.ts'
import { completeTemplate } from './complete-template.ts'
import { replaceExpressions } from './expression-holes.ts'
import type { ListConfig } from './list-config.ts'
import { pageField } from './page-words.ts'
import { addressOf, type Links, originOf } from './paging.ts'

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
