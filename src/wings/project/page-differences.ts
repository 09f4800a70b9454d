// Compares a page of a list with its request: its size, its order, and the link to the next page.

import { isPageField, nextLink } from '../../behaviours/respond/pages.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Headers } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
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
  /** The header that it is about, as the contract writes its name. */
  readonly header?: string | undefined
  readonly contract: string
  readonly upstream: string
}

/** Returns the only list in a body: the body itself, or one of its fields. */
export function listIn(value: Json | undefined): ListIn | undefined {
  if (Array.isArray(value)) return { items: value, steps: [] }
  if (!isObject(value)) return undefined
  const [only, second] = Object.entries(value).filter(([, item]) => Array.isArray(item))
  return only && !second ? { items: only[1] as readonly Json[], steps: [only[0]] } : undefined
}

/** Returns the decoded values of a query by the role of their parameters. */
function rolesIn({ parameters }: Operation, query: string): Readonly<Record<string, string>> {
  const roles: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const isKnown = parameters.some(one => one.in === 'query' && one.name === name)
    const role = isKnown && value !== '' ? roleOf(name) : undefined
    if (role !== undefined) roles[role] = value
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
  const limit = Number(roles.limit ?? Number.NaN)
  if (limit > 0 && items.length > limit) {
    const upstream = `${items.length} items`
    yield { kind: 'page-too-large', steps, contract: `at most ${limit} items`, upstream }
  }
  const { name, isDescending = false } = orderIn(roles.sort, roles.order) ?? {}
  if (name !== undefined && !isSorted(items, name, isDescending)) {
    const contract = `sorted by ${name}${isDescending ? ', descending' : ''}`
    yield { kind: 'wrong-order', steps, contract, upstream: 'another order' }
  }
  const isFirst = (roles.offset ?? roles.page ?? roles.cursor) === undefined
  const next = nextIn(operation, headers, value)
  if (next === undefined) return
  const { to, ...place } = next
  const about = { kind: 'wrong-next-link', contract: 'the next page', ...place }
  const total = totalIn(headers, value)
  if (to === undefined) {
    const isDue = isFirst && items.length >= limit && total !== undefined && total > items.length
    if (isDue) yield { ...about, upstream: `none, after ${items.length} of ${total}` }
  } else if (leadsTo(to, request, roles)) yield { ...about, upstream: 'the same page' }
}

/** Reads `name`, `-name`, `name:desc`, `name desc`; `undefined` for orders by several fields. */
function orderIn(text = '', order = '') {
  const [, sign, name, direction] = /^([+ -]?)([\w.]+)(?:[ :](asc|desc)\w*)?$/i.exec(text) ?? []
  return name === undefined ? undefined : { name, isDescending: sign === '-' || /^desc/i.test(direction ?? order) }
}

/** Whether items are sorted by a field. Texts may be sorted by their code units or as a language sorts them. */
function isSorted(items: readonly Json[], name: string, isDescending: boolean): boolean {
  const values = items.map(item => (isObject(item) ? item[name] : undefined))
  const kinds = new Set(values.map(value => (typeof value === 'bigint' ? 'number' : typeof value)))
  if (kinds.size !== 1 || !(kinds.has('number') || kinds.has('string'))) return true
  const follows = (a: unknown, b: unknown) =>
    (a as string) <= (b as string) || (typeof a === 'string' && a.localeCompare(b as string) <= 0)
  return values.every(
    (value, i) => i === 0 || (isDescending ? follows(value, values[i - 1]) : follows(values[i - 1], value)),
  )
}

/** Finds the documented link to the next page: in the header `Link`, or in a field such as `next`. */
export function nextIn({ responses }: Operation, headers: Headers, value: Json) {
  const documented = [...responses.values()].flatMap(one => one.headers).find(({ name }) => /^link$/i.test(name))
  if (documented !== undefined) return { to: nextLink(headers.link), header: documented.name, steps: [] }
  const own = bodyFields(value)
  const inner = own.flatMap(([outer, one]) =>
    bodyFields(one).map(([name, item]) => [`${outer}/${name}`, item] as const),
  )
  const [name, to] = [...own, ...inner].find(([one]) => isNext(one.split('/').at(-1))) ?? []
  if (name === undefined || isObject(to)) return undefined
  return { to: to === null || to === '' ? undefined : String(to), steps: name.split('/') }
}

const isNext = (name = '') => /^next/i.test(name) && isPageField(name, 'next', 'cursor')
const bodyFields = (value: unknown) => (isObject(value) ? Object.entries(value) : [])

function totalIn(headers: Headers, value: Json): number | undefined {
  const counted = headers['x-total-count'] ?? headers['total-count']
  if (counted !== undefined && /^\d+$/.test(counted)) return Number(counted)
  const [, total] =
    bodyFields(value).find(([name, one]) => typeof one === 'number' && isPageField(name, 'total', 'count')) ?? []
  return total as number | undefined
}

/** Whether a link, or a cursor, leads to the page itself. */
function leadsTo(to: string, { path, query }: AskedRequest, { cursor }: Readonly<Record<string, string>>): boolean {
  if (to === cursor) return true
  const base = 'http://localhost'
  if (!/[/?]/.test(to) || !URL.canParse(to, base)) return false
  const [link, own] = [new URL(to, base + path), new URL(`${path}?${query}`, base)]
  for (const { searchParams } of [link, own]) searchParams.sort()
  return link.search === own.search && link.pathname.endsWith(own.pathname)
}
