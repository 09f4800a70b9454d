// What the parameters of a list and the properties around it usually mean, by their names and types.

import type { Contract, Operation } from '../contract/contract.ts'
import type { Node } from '../contract/document.ts'
import type { Shape } from '../contract/shape.ts'
import type { Json } from '../kernel/json.ts'

/** How a reply holds the records: bare, or under a path of keys within an object. */
export interface Listed {
  readonly items: Node
  readonly wrapping: Node | undefined
  readonly key: readonly string[]
}

/** A name as all its spellings have it. */
export const normal = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** What query parameters are usually called, by what they do. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  limit: [
    'limit',
    'perpage',
    'pagesize',
    'size',
    'count',
    'maxresults',
    'maxitems',
    'top',
    'first',
    'take',
    'pagelimit',
  ],
  offset: ['offset', 'skip', 'start', 'startindex', 'pageoffset'],
  page: ['page', 'pagenumber', 'pageno', 'pageindex', 'currentpage'],
  cursor: [
    'cursor',
    'after',
    'startingafter',
    'pagetoken',
    'nexttoken',
    'continuationtoken',
    'nextpagetoken',
    'marker',
  ],
  sort: ['sort', 'sortby', 'orderby', 'sortfield'],
  order: ['order', 'direction', 'sortorder', 'sortdirection', 'sortdir'],
  search: ['q', 'query', 'search', 'searchterm', 'filter'],
}

/** The keys of `respond` that the query parameters of a list suggest. */
export function listKeys({ parameters }: Operation, { properties }: Shape, contract: Contract): Record<string, Json> {
  const out: Record<string, Json> = {}
  const query = parameters.filter(one => one.in === 'query')
  const filter: string[] = []
  for (const { name, schema } of query) {
    const field = properties.get(name)
    if (field !== undefined && !contract.shapeOf(field).types.some(type => type === 'array' || type === 'object')) {
      filter.push(name)
      continue
    }
    const role = Object.keys(ROLES).find(key => ROLES[key]?.includes(normal(name)))
    const { types } = schema.shape
    const numeric = role === 'limit' || role === 'offset' || role === 'page'
    if (role === undefined || out[role] !== undefined || (numeric && !types.includes('integer'))) continue
    out[role] = name
  }
  if (out.order !== undefined && out.sort === undefined) delete out.order
  const starts = ['page', 'offset', 'cursor'].filter(key => out[key] !== undefined)
  for (const key of starts.slice(1)) delete out[key]
  return { ...(filter.length > 0 ? { filter } : {}), ...out, ...(starts.length > 0 ? { links: true } : {}) }
}

/** What the other properties of a wrapping usually say of a page. */
const PAGE_WORDS: Readonly<Record<string, readonly string[]>> = {
  total: ['total', 'totalcount', 'totalitems', 'totalresults', 'totalelements', 'totalrecords'],
  count: ['count', 'numberofelements', 'size'],
  pages: ['pages', 'totalpages', 'pagecount', 'lastpage'],
  number: ['page', 'currentpage', 'pagenumber', 'number'],
  limit: ['limit', 'perpage', 'pagesize'],
  offset: ['offset', 'skip', 'start'],
  more: ['hasmore', 'more', 'hasnext', 'hasnextpage'],
  cursor: ['nextcursor', 'cursor', 'nextpagetoken', 'nexttoken', 'endcursor'],
  next: ['next', 'nextpage', 'nexturl', 'nextlink'],
  prev: ['prev', 'previous', 'prevpage', 'previouspage', 'prevurl'],
}
const NUMBERS = new Set(['total', 'count', 'pages', 'number', 'limit', 'offset'])

/** The wrapping of a list: `node` is its schema, `key` where the records stand in it. */
export function wrapping({ wrapping: node, key }: Listed, contract: Contract): Readonly<Record<string, Json>> {
  return node === undefined ? {} : { body: template(node, key[0] as string, contract) }
}

function template(node: Node, itemsKey: string | undefined, contract: Contract): Json {
  const { properties, required } = contract.shapeOf(node)
  const out: Record<string, Json> = {}
  for (const [name, child] of properties) {
    if (name === itemsKey) out[name] = '${page.items}'
    else {
      const shape = contract.shapeOf(child)
      const word = Object.keys(PAGE_WORDS).find(one => PAGE_WORDS[one]?.includes(normal(name)))
      const fits =
        word !== undefined &&
        (NUMBERS.has(word)
          ? shape.types.some(type => type === 'integer' || type === 'number')
          : word === 'more'
            ? shape.types.includes('boolean')
            : // At either end there is no neighbour: only what may be null can say so.
              shape.types.includes('null'))
      if (fits) out[name] = `\${page.${word}}`
      else if (shape.properties.size > 0 && !shape.properties.has(name)) {
        const inner = template(child, undefined, contract)
        if (Object.keys(inner as object).length > 0 || required.has(name)) out[name] = inner
      } else if (shape.default !== undefined && required.has(name)) out[name] = shape.default
    }
  }
  return out
}
