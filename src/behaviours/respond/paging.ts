// Reads the requested page of a list, by offset, page number or cursor, and finds its neighbours.

import { decodeQuery, type Parameter } from '../../contract/document/parameters.ts'
import { isObject, parseInteger } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { Id, Page, Query } from '../../world/collection.ts'
import type { Exchange } from '../behaviour.ts'
import type { LocateParameter, PagingConfig } from './list-config.ts'
import type { Resource } from './resource.ts'

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
