// What stands around a page: a wrapping object, a count in a header, links to its neighbours.

import { isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { parseJson } from '../../kernel/json.ts'
import { type Headers, JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import { compileTemplate, compileText, type Fields, JsonText, placeholders, unfilled } from '../../kernel/template.ts'
import type { Page } from '../../world/collection.ts'
import type { Site } from '../behaviour.ts'
import type { ListConfig } from './list.ts'
import type { Links } from './paging.ts'

interface Context {
  readonly page: Page
  readonly links: Links
}

const FIELDS: Fields<Context> = {
  items: ({ page }) => new JsonText(page.text),
  count: ({ page }) => page.count,
  total: ({ page }) => page.total ?? page.count,
  more: ({ page }) => page.more,
  limit: ({ links }) => links.limit,
  offset: ({ links }) => links.offset,
  number: ({ links }) => links.number,
  pages: ({ page, links }) => (links.limit > 0 ? Math.ceil((page.total ?? page.count) / links.limit) : 0),
  cursor: ({ page }) => (page.more && page.last !== undefined ? String(page.last) : null),
  first: ({ links }) => links.first ?? null,
  prev: ({ links }) => links.prev ?? null,
  next: ({ links }) => links.next ?? null,
  last: ({ links }) => links.last ?? null,
}
/** Fields for which every matching record must be counted. */
const COUNTING = new Set(['total', 'pages', 'last'])

export interface Envelope {
  readonly counts: boolean
  /** `undefined` where a page is sent as it is. */
  readonly wrap: ((status: number, page: Page, links: Links) => Reply) | undefined
}

export function compileEnvelope({ body, headers = {}, links }: ListConfig, site: Site, counts: boolean): Envelope {
  const named = [...placeholders({ body, headers }, 'page')]
  const known = Object.keys(FIELDS).map(name => `page.${name}`)
  for (const { path, part, message, hint } of unfilled({ body, headers }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const counted = counts || named.some(([, name]) => COUNTING.has(name))
  if (body === undefined && links !== true && Object.keys(headers).length === 0) return { counts, wrap: undefined }
  const render = body === undefined ? undefined : compileTemplate(body, 'page', FIELDS)
  const fields = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), compileText(String(value), 'page', FIELDS)] as const,
  )
  if (render !== undefined) checkEnvelope(render, site)
  return {
    counts: counted,
    wrap(status, page, neighbours) {
      const context = { page, links: neighbours }
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

/** An empty page in its wrapping is held to the contract: what is wrong with it is wrong with every page. */
function checkEnvelope(render: (context: Context) => string, site: Site): void {
  const page: Page = { text: '[]', bytes: 2, count: 0, total: 0, more: false }
  const links: Links = { first: '/', prev: '/', next: '/', last: '/', number: 1, limit: 1, offset: 0 }
  const parsed = parseJson(render({ page, links }))
  const documented = responseFor(site.operation, successStatus(site.operation, 200))
  const media = [...(documented?.content ?? [])].find(([type]) => isJson(type))?.[1]
  if ('fault' in parsed) return
  for (const { pointer, message, keyword } of media?.schema?.check(parsed.value, parsed.exact) ?? []) {
    // That it is empty, or that its neighbours are where we say they are, proves nothing.
    if (keyword === 'minItems' || keyword === 'format' || keyword === 'pattern') continue
    site.error('invalid-body', `this page breaks the contract: ${pointer || 'the body'} ${message}`, ['body'])
  }
}
