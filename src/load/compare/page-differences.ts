// Compares a page of a list with its request: its size, its order, and the link to the next page.

import type { Operation } from '../../contract/contract.ts'
import { decodeQuery } from '../../contract/document/parameters.ts'
import type { Headers } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import { roleOf } from '../infer/list.ts'

/** A request as far as replies depend on it. */
export interface AskedRequest {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
}

/** A list in a body, and the steps to it. */
export interface ListIn {
  readonly items: readonly Json[]
  readonly steps: readonly string[]
}

interface PageDifference {
  readonly kind: string
  /** The place in the body; ignored for a header. */
  readonly steps: readonly string[]
  /** `header link`, or empty. */
  readonly where: string
  /** The header's name as the contract writes it. */
  readonly header?: string
  readonly contract: string
  readonly upstream: string
}

/** Returns the only list in a body: the body itself, or one of its fields, or of a field of a field. */
export function listIn(value: Json): ListIn | undefined {
  if (Array.isArray(value)) return { items: value, steps: [] }
  if (!isObject(value)) return undefined
  const lists = Object.entries(value as JsonObject).flatMap(([name, item]) => {
    const inner = Array.isArray(item) ? { items: item as readonly Json[], steps: [] } : undefined
    return inner === undefined ? [] : [{ ...inner, steps: [name] }]
  })
  return lists.length === 1 ? lists[0] : undefined
}

/** Returns the decoded values of a query by the role of their parameters. */
export function rolesIn({ parameters }: Operation, query: string): Readonly<Record<string, string>> {
  const roles: Record<string, string> = {}
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = pair.split('=', 2).map(part => decodeQuery(part) ?? part)
    const isKnown = parameters.some(one => one.in === 'query' && one.name === name)
    const role = isKnown ? roleOf(name) : undefined
    if (role !== undefined && value !== '') roles[role] = value
  }
  return roles
}

export function* pageDifferences(
  operation: Operation,
  request: AskedRequest,
  headers: Headers,
  value: Json,
): Generator<PageDifference> {
  const list = listIn(value)
  if (list === undefined || request.method !== 'GET') return
  const { items, steps } = list
  const roles = rolesIn(operation, request.query)
  const limit = roles.limit === undefined ? Number.NaN : Number(roles.limit)
  if (limit > 0 && items.length > limit) {
    const upstream = `${items.length} items`
    yield { kind: 'page-too-large', steps, where: '', contract: `at most ${limit} items`, upstream }
  }
  const field = roles.sort === undefined ? undefined : orderIn(roles.sort, roles.order)
  if (field !== undefined && !isSorted(items, field)) {
    const contract = `sorted by ${field.name}${field.isDescending ? ', descending' : ''}`
    yield { kind: 'wrong-order', steps, where: '', contract, upstream: 'another order' }
  }
  const isFirst = roles.offset === undefined && roles.page === undefined && roles.cursor === undefined
  const next = nextIn(operation, headers, value)
  if (next === undefined) return
  const { where, header } = next
  const about = { kind: 'wrong-next-link', steps: next.steps, where, ...(header === undefined ? {} : { header }) }
  const total = totalIn(headers, value)
  if (next.to === undefined) {
    const isDue = isFirst && items.length >= limit && total !== undefined && total > items.length
    if (isDue) yield { ...about, contract: 'the next page', upstream: `none, after ${items.length} of ${total}` }
  } else if (leadsTo(next.to, request, roles)) yield { ...about, contract: 'the next page', upstream: 'the same page' }
}

interface Order {
  readonly name: string
  readonly isDescending: boolean
}

/** Reads `name`, `-name`, `name:desc`, `name desc`; `undefined` for orders by several fields. */
function orderIn(text: string, order = ''): Order | undefined {
  const [, sign, name, direction] = /^([+ -]?)([\w.]+)(?:[ :](asc|desc)\w*)?$/i.exec(text) ?? []
  if (name === undefined) return undefined
  return { name, isDescending: sign === '-' || /^desc/i.test(direction ?? order) }
}

/** Whether items are sorted by a field. Texts may be sorted by their code units or as a language sorts them. */
function isSorted(items: readonly Json[], { name, isDescending }: Order): boolean {
  const values = items.map(item => (isObject(item) ? (item as JsonObject)[name] : undefined))
  const isNumeric = values.every(value => typeof value === 'number' || typeof value === 'bigint')
  if (!isNumeric && !values.every(value => typeof value === 'string')) return true
  type Compare = (a: string, b: string) => number
  const ways: Compare[] = [(a, b) => (a < b ? -1 : a > b ? 1 : 0), (a, b) => a.localeCompare(b)]
  const sign = isDescending ? -1 : 1
  const follows = (compare: Compare) =>
    values.every((value, i) => {
      if (i === 0) return true
      const before = values[i - 1]
      const sorted = isNumeric ? Number(before) - Number(value) : compare(String(before), String(value))
      return sign * sorted <= 0
    })
  return ways.some(follows)
}

const NEXT = new Set([
  'next',
  'nextpage',
  'nexturl',
  'nextlink',
  'nextcursor',
  'nextpagetoken',
  'nexttoken',
  'nexthref',
])

/** Finds the documented link to the next page: in the header `Link`, or in a field such as `next`. */
function nextIn({ responses }: Operation, headers: Headers, value: Json) {
  const documented = [...responses.values()].flatMap(one => one.headers).find(({ name }) => /^link$/i.test(name))
  if (documented !== undefined) {
    const to = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(headers.link ?? '')?.[1]
    return { to, where: 'header link', header: documented.name, steps: [] }
  }
  if (!isObject(value)) return undefined
  const own = Object.entries(value as JsonObject)
  const inner = own.flatMap(([outer, one]) =>
    isObject(one) ? Object.entries(one as JsonObject).map(([name, item]) => [[outer, name], item] as const) : [],
  )
  const fields = [...own.map(([name, item]) => [[name], item] as const), ...inner]
  const field = fields.find(([steps]) => NEXT.has(plainName(steps.at(-1) as string)))
  if (field === undefined) return undefined
  const [steps, to] = field
  return { to: typeof to === 'string' && to !== '' ? to : undefined, where: '', header: undefined, steps }
}

const TOTALS = new Set(['total', 'totalcount', 'count', 'totalitems', 'totalelements', 'totalresults'])

function totalIn(headers: Headers, value: Json): number | undefined {
  const counted = headers['x-total-count'] ?? headers['total-count']
  if (counted !== undefined && /^\d+$/.test(counted)) return Number(counted)
  const own = isObject(value) ? Object.entries(value as JsonObject) : []
  const [, total] = own.find(([name, item]) => TOTALS.has(plainName(name)) && typeof item === 'number') ?? []
  return total as number | undefined
}

/** Whether a link, or a cursor, leads to the page itself. */
function leadsTo(to: string, { path, query }: AskedRequest, { cursor }: Readonly<Record<string, string>>): boolean {
  if (to === cursor) return true
  const base = 'http://localhost'
  if (!/[/?]/.test(to) || !URL.canParse(to, base)) return false
  const link = new URL(to, base + path)
  const own = new URL(`${path}?${query}`, base)
  link.searchParams.sort()
  own.searchParams.sort()
  return link.searchParams.toString() === own.searchParams.toString() && link.pathname.endsWith(own.pathname)
}
