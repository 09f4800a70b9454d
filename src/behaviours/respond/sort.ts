// Reads the sort order of a request: `name`, `-name`, `+name`, `name:desc`, `name,-id`, `name,desc`, or an `order`
// parameter.

import { suggest } from '../../kernel/diagnostic.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { SortOrder } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { ListConfig, LocateParameter } from './list-config.ts'
import type { Resource } from './resource.ts'

/** The schema of `sort`. */
export const sortSchema = {
  type: ['string', 'object'],
  required: ['parameter'],
  additionalProperties: false,
  properties: {
    parameter: { type: 'string', description: 'The name of the query parameter.' },
    unknownFields: {
      enum: ['ignore', 'refuse'],
      description:
        'What to do with a word that names no field of the records: leave it out and say so in `Understudy-Warning`, or refuse the request. Default: refuse.',
    },
  },
  description: 'With `list`: the query parameter with the fields to sort by: `name`, `-name`, `name:desc`.',
} as const

/** @returns the request's order, `undefined` for the order of ids, or the broken rule */
export function compileSort(
  { sort, order, by }: ListConfig,
  { schema, name }: Resource,
  site: Site,
  locate: LocateParameter,
): ((exchange: Exchange) => readonly SortOrder[] | BrokenRule | undefined) | undefined {
  const fields = [...schema.shape.properties.keys()]
  const standing = compileStanding(by, fields, site)
  if (sort === undefined) {
    if (order !== undefined) site.error('idle-key', '"order" has no effect without "sort"', ['order'], undefined, 'key')
    return standing && (() => standing)
  }
  const { parameter, unknownFields = 'refuse' } = typeof sort === 'string' ? { parameter: sort } : sort
  const at = locate(parameter, typeof sort === 'string' ? ['sort'] : ['sort', 'parameter'])
  const usual = site.operation.parameters[at]?.default
  const orderAt = order === undefined ? -1 : locate(order, ['order'])
  return exchange => {
    const { values } = exchange
    const value = values[at]
    if (value === undefined) return standing
    const reversed = /^desc/i.test(String(values[orderAt] ?? ''))
    const words = [value].flat().flatMap(text => String(text).split(','))
    const orders: SortOrder[] = []
    const unknown: string[] = []
    for (const word of words.map(text => text.trim())) {
      if (word === '') continue
      const parsed = parseOrder(word, fields)
      if (parsed !== undefined) orders.push({ ...parsed, descending: parsed.descending !== reversed })
      else if (/^(?:asc|desc)(?:ending)?$/i.test(word) && orders.length > 0) {
        const last = orders.at(-1) as SortOrder
        orders[orders.length - 1] = { ...last, descending: /^desc/i.test(word) }
      } else if (unknownFields === 'ignore') unknown.push(word)
      else {
        const message = `must name a field of ${name}, not ${JSON.stringify(word)}`
        return { in: 'query', path: parameter, rule: 'sort', message }
      }
    }
    // A request without the parameter has its default, which is no mistake of the client.
    if (unknown.length > 0 && value !== usual) exchange.warn(`${parameter}: no field of ${name}: ${unknown.join(', ')}`)
    return orders.length === 0 ? standing : orders
  }
}

/** The default order; `undefined` is the order of ids, which needs no sorting. */
function compileStanding(
  by: string | undefined,
  fields: readonly string[],
  site: Site,
): readonly SortOrder[] | undefined {
  return by?.split(',').flatMap(word => {
    const order = parseOrder(word.trim(), fields)
    if (order === undefined) {
      site.error(
        'unknown-field',
        `${JSON.stringify(word)} does not name a field to order by`,
        ['by'],
        suggest(word, fields),
      )
    }
    return order ?? []
  })
}

function parseOrder(word: string, fields: readonly string[]): SortOrder | undefined {
  if (fields.includes(word)) return { field: word, descending: false }
  const signed = /^([+-])(.+)$/.exec(word)
  if (signed !== null && fields.includes(signed[2] as string)) {
    return { field: signed[2] as string, descending: signed[1] === '-' }
  }
  const suffixed = /^(.+?)[ :._|](asc|desc)(?:ending)?$/i.exec(word)
  if (suffixed === null || !fields.includes(suffixed[1] as string)) return undefined
  return { field: suffixed[1] as string, descending: /^desc/i.test(suffixed[2] as string) }
}
