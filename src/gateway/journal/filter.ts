// Filters of the journal's requests: the criteria that they are compiled to, the requests that meet them, and whether these
// are as many as they should be.

import { bareText } from '../../contract/media-types.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, parseJson, parsePointer } from '../../kernel/json.ts'
import { compileGlob } from '../../kernel/names.ts'
import { isTraceId } from '../../kernel/trace.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Plan } from '../../plan/plan.ts'
import type { JournalSettings } from '../../plan/settings.ts'
import { parseMoment, timestamp } from '../../world/dates.ts'
import { Refused } from '../refused.ts'
import { comesAfter, type JournalView } from './all-requests.ts'
import { describeEntry, type RecordedRequest } from './entry.ts'
import type { JournalEntry } from './journal.ts'

/** A filter of requests; all its members must match. The items of a list are separated by commas. */
export interface RequestFilter {
  /** A list; empty for requests that meant none. */
  readonly operation?: string
  /** A list; empty for unknown consumers. */
  readonly consumer?: string
  /** A list. */
  readonly world?: string
  /** A list. */
  readonly method?: string
  /** A path, base path included; `*` matches any text. */
  readonly path?: string
  /** A list of statuses or classes: `404`, `5xx`. */
  readonly status?: string | number
  /** A list of problem codes; empty for requests without. */
  readonly refusal?: string
  /** A list of kinds; empty for requests without. */
  readonly fault?: string
  /** A list of the ids of traces (`traceparent`); empty for requests without. */
  readonly trace?: string
  /** Text that a note contains. */
  readonly note?: string
  /** The minimum duration: `250ms`. */
  readonly slowerThan?: string
  /** From this real time on: a date, a timestamp, or an offset such as `-5m`. */
  readonly since?: string
  /** Up to this real time. */
  readonly until?: string
  /** Only requests after this id. */
  readonly after?: number
  /** Kept request headers: `header.x-request-id=42`. `*` matches any text, the empty text a missing value. */
  readonly header?: Readonly<Record<string, string>>
  /** Fields of the request body: `body./name=Rex`, matched like headers. Values other than texts are JSON. */
  readonly body?: Readonly<Record<string, Json>>
}

/** Reads a value of a request, as text. */
type Find = (entry: JournalEntry) => string

export interface Criterion {
  readonly key: string
  readonly wanted: string
  holds(entry: JournalEntry): boolean
  /** The actual value. */
  readonly found: Find
}

export interface FilterFault {
  readonly fault: string
}

/** The names of the members of a filter. */
export const FILTER_MEMBERS: readonly string[] = Object.keys({
  operation: true,
  consumer: true,
  world: true,
  method: true,
  path: true,
  status: true,
  refusal: true,
  fault: true,
  trace: true,
  note: true,
  slowerThan: true,
  since: true,
  until: true,
  after: true,
  header: true,
  body: true,
} satisfies Record<keyof RequestFilter, true>)

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** The members that are lists of values, with the value of a request. */
const LISTS = {
  operation: ({ operation }) => operation,
  consumer: ({ consumer }) => consumer ?? '',
  world: ({ world }) => world,
  method: ({ method }) => method,
  refusal: ({ refusal }) => refusal?.problem.code ?? '',
  fault: ({ fault }) => fault ?? '',
} as const satisfies Partial<Record<keyof RequestFilter, Find>>

/**
 * @param now by the real clock
 * @param journal has the request that `after` names
 */
export function compileFilter(
  filter: RequestFilter,
  now: number,
  journal?: JournalView,
): readonly Criterion[] | FilterFault {
  const { trace, path, status, note, slowerThan, since, until, after, header = {}, body = {} } = filter
  const compiled = [
    ...(Object.keys(LISTS) as (keyof typeof LISTS)[]).map(key => listCriterion(key, filter[key])),
    trace === undefined ? undefined : traceCriterion(trace),
    path === undefined ? undefined : pathCriterion(path),
    status === undefined ? undefined : statusCriterion(String(status)),
    note === undefined ? undefined : noteCriterion(note),
    slowerThan === undefined ? undefined : durationCriterion(slowerThan),
    since === undefined ? undefined : timeCriterion('since', since, now),
    until === undefined ? undefined : timeCriterion('until', until, now),
    ...Object.entries(header).map(([name, value]) => headerCriterion(name, value)),
    ...Object.entries(body).map(([place, value]) => bodyCriterion(place, value)),
    after === undefined ? undefined : afterCriterion(after, journal),
  ]
  const criteria: Criterion[] = []
  for (const result of compiled) {
    if (result === undefined) continue
    if ('fault' in result) return result
    criteria.push(result)
  }
  return criteria
}

function listCriterion(key: keyof typeof LISTS, wanted: string | undefined): Criterion | undefined {
  if (wanted === undefined) return undefined
  const found: Find = LISTS[key]
  const values = new Set((key === 'method' ? wanted.toUpperCase() : wanted).split(','))
  return { key, wanted, found, holds: entry => values.has(found(entry)) }
}

function traceCriterion(wanted: string): Criterion | FilterFault {
  const items = wanted.split(',')
  const wrong = items.find(item => item !== '' && !isTraceId(item))
  if (wrong !== undefined) return { fault: `"${wrong}" is not the id of a trace; write its 32 hexadecimal digits` }
  const found: Find = ({ trace = '' }) => trace
  return { key: 'trace', wanted, found, holds: entry => items.includes(found(entry)) }
}

function pathCriterion(path: string): Criterion {
  const fits = compileGlob(path)
  const found: Find = ({ mask, path: sent }) => mask.path(sent)
  return { key: 'path', wanted: path, found, holds: entry => fits(found(entry)) }
}

function statusCriterion(wanted: string): Criterion | FilterFault {
  const items = wanted.toLowerCase().split(',')
  const wrong = items.find(item => !/^(?:0|[1-9]\d\d|[1-9]xx)$/.test(item))
  if (wrong !== undefined) return { fault: `"${wrong}" is not a status; write 404 or 4xx` }
  return {
    key: 'status',
    wanted,
    found: ({ status }) => `${status}`,
    holds: ({ status }) => items.includes(`${status}`) || items.includes(`${Math.floor(status / 100)}xx`),
  }
}

function noteCriterion(note: string): Criterion {
  const found: Find = ({ notes, mask }) => mask.text(notes.join('; '))
  return { key: 'note', wanted: note, found, holds: entry => found(entry).includes(note) }
}

function durationCriterion(wanted: string): Criterion | FilterFault {
  const least = parseDuration(wanted)
  if (least === undefined) return { fault: `slowerThan must be a duration such as 250ms, not "${wanted}"` }
  const found: Find = ({ milliseconds }) => `${Math.round(milliseconds)}ms`
  return { key: 'slowerThan', wanted, found, holds: ({ milliseconds }) => milliseconds >= least }
}

function timeCriterion(key: 'since' | 'until', text: string, now: number): Criterion | FilterFault {
  const moment = parseMoment(text, now)
  if (moment === undefined) {
    return { fault: `${key} must be a date, a timestamp or an offset such as -5m, not "${text}"` }
  }
  const holds: Criterion['holds'] = key === 'since' ? ({ at }) => at >= moment : ({ at }) => at <= moment
  return { key, wanted: timestamp(moment), found: ({ at }) => timestamp(at), holds }
}

function headerCriterion(name: string, value: string): Criterion | FilterFault {
  if (!TOKEN.test(name)) return { fault: `"${name}" is not the name of a header; write header.x-request-id=42` }
  const lower = name.toLowerCase()
  return contentCriterion(`header.${name}`, value, ({ headers = {}, mask }) =>
    Object.hasOwn(headers, lower) ? mask.header(lower, headers[lower] as string) : '',
  )
}

function bodyCriterion(place: string, value: Json): Criterion | FilterFault {
  const steps = parsePointer(place)
  if (steps === undefined) {
    return { fault: `"${place}" is not a JSON Pointer; write body./${place.replace(/^\.+/, '')}=VALUE` }
  }
  return contentCriterion(place === '' ? 'body' : `body.${place}`, bareText(value), ({ requestBody }) => {
    if (requestBody === undefined || steps.length === 0) return requestBody?.text ?? ''
    if (requestBody.cut) return `(only the first ${requestBody.text.length} characters are kept)`
    const read = parseJson(requestBody.text)
    const field = 'fault' in read ? undefined : steps.reduce<unknown>(stepInto, read.value)
    return field === undefined ? '' : bareText(field as Json)
  })
}

/** `*` matches any value that is present; an absent one has the empty text. */
function contentCriterion(key: string, wanted: string, found: Find): Criterion {
  const fits = compileGlob(wanted)
  const holds = (entry: JournalEntry) => {
    const text = found(entry)
    return wanted === '' ? text === '' : text !== '' && fits(text)
  }
  return { key, wanted, found, holds }
}

const afterCriterion = (after: number, journal: JournalView | undefined): Criterion => ({
  key: 'after',
  wanted: `${after}`,
  found: ({ id }) => `${id}`,
  holds: comesAfter(after, journal),
})

const stepInto = (at: unknown, key: string): unknown =>
  (Array.isArray(at) && /^\d+$/.test(key)) || isObject(at)
    ? Object.hasOwn(at as object, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
    : undefined

// --- names that no request can have ------------------------------------------------------------------------------------

/**
 * Finds a misspelt operation or consumer, or a header or body that is not kept. Otherwise `verify?operation=typo&max=0`
 * would always pass.
 */
export function findUnknown(filter: RequestFilter, plan: Plan, journal: JournalView): string | undefined {
  const { operation, consumer } = filter
  const { consumerNames } = plan.simulation
  const operations = plan.operations.map(one => one.operation.id)
  const unknown = (
    kind: string,
    wanted: string | undefined,
    known: readonly string[],
    past: (entry: JournalEntry) => string,
  ) => {
    const items = wanted?.split(',').filter(item => item !== '' && !known.includes(item)) ?? []
    if (items.length === 0) return undefined
    const seen = new Set([...journal.each()].map(past))
    const missing = items.find(item => !seen.has(item))
    if (missing === undefined) return undefined
    const hint = suggest(missing, known)
    return `there is no ${kind} "${missing}"${hint === undefined ? '' : `; ${hint}`}`
  }
  return (
    unknown('operation', operation, operations, entry => entry.operation) ??
    (consumerNames.length === 0
      ? undefined
      : unknown('consumer', consumer, consumerNames, entry => entry.consumer ?? '')) ??
    findUnkept(filter, plan.simulation.journal)
  )
}

/** Reads a filter for the served plan; throws `Refused` for an invalid one. @param now by the real clock */
export function readFilter(filter: RequestFilter, plan: Plan, now: number, view: JournalView): readonly Criterion[] {
  const unknown = findUnknown(filter, plan, view)
  if (unknown !== undefined) throw new Refused('invalid_request', unknown)
  const criteria = compileFilter(filter, now, view)
  if ('fault' in criteria) throw new Refused('invalid_request', criteria.fault)
  return criteria
}

/**
 * Returns why the journal cannot answer: it does not keep the header, or bodies. Otherwise the answer would always be no.
 */
function findUnkept(
  { header = {}, body = {} }: RequestFilter,
  { headers, bodies }: JournalSettings,
): string | undefined {
  const kept = (name: string) => headers === 'all' || headers.includes(name.toLowerCase())
  const missing = Object.keys(header).find(name => TOKEN.test(name) && !kept(name))
  if (missing !== undefined) {
    return `the journal does not keep the header ${missing}; configure journal: { headers: [${missing.toLowerCase()}] }`
  }
  if (Object.keys(body).length === 0 || bodies > 0) return undefined
  return 'the journal does not keep bodies; configure journal: { bodies: 4kB }'
}

// --- the requests that meet criteria -----------------------------------------------------------------------------------

export const matches = (criteria: readonly Criterion[], entry: JournalEntry): boolean =>
  criteria.every(criterion => criterion.holds(entry))

/** Returns the last matching requests, up to this many, in the order of their replies, and how many match in all. */
export function selectPage(
  journal: JournalView,
  criteria: readonly Criterion[],
  limit: number,
): { readonly requests: RecordedRequest[]; readonly total: number } {
  const found = [...journal.each()].filter(entry => matches(criteria, entry))
  const total = found.length
  return { requests: found.slice(Math.max(0, total - limit)).map(describeEntry), total }
}

/** Returns the last matching requests: see `selectPage`. */
export const selectRequests = (
  journal: JournalView,
  criteria: readonly Criterion[],
  limit: number,
): RecordedRequest[] => selectPage(journal, criteria, limit).requests

export interface Times {
  /** Default: 1, or 0 if there is a `max`. */
  readonly min?: number
  /** Default: any number. */
  readonly max?: number
}

export interface Verdict {
  /** Whether as many matched as should have; not if that is unknown. */
  readonly ok: boolean
  /** Why that is unknown, if it is. */
  readonly unknown?: string
  readonly matched: number
  readonly min: number
  readonly max?: number
  /** The number of requests that the journal has dropped; these are not counted. */
  readonly evicted: number
  /** If too few matched: the closest requests, and their differences. */
  readonly nearest: readonly NearMiss[]
  /** If too many matched: the last of them. */
  readonly requests: readonly RecordedRequest[]
}

export interface NearMiss {
  readonly differs: readonly { readonly key: string; readonly wanted: string; readonly found: string }[]
  readonly request: RecordedRequest
}

const SHOWN = 5

/** Whether between `min` and `max` requests matched. Throws `Refused` if `min` is more than `max`. */
export function verifyRequests(journal: JournalView, criteria: readonly Criterion[], { min, max }: Times): Verdict {
  if (min !== undefined && max !== undefined && min > max) {
    throw new Refused('invalid_request', `min (${min}) must not be more than max (${max})`)
  }
  const least = min ?? (max === undefined ? 1 : 0)
  const { requests, total: matched } = selectPage(journal, criteria, SHOWN)
  const tooMany = max !== undefined && matched > max
  const dropped = droppedFrom(journal, criteria)
  const isUnknown = !tooMany && (matched < least ? matched + dropped >= least : matched + dropped > (max ?? Infinity))
  const unknown = `${dropped} requests that the journal has dropped may have matched; keep more with journal.requests, or ask with after`
  return {
    ok: matched >= least && !tooMany && !isUnknown,
    ...(isUnknown && { unknown }),
    matched,
    min: least,
    ...(max === undefined ? {} : { max }),
    evicted: journal.evicted,
    nearest: matched < least ? nearestMisses(journal, criteria) : [],
    requests: tooMany ? requests : [],
  }
}

/**
 * Returns how many requests the journal has dropped that may match: those of the worlds that are asked about, and none where the
 * oldest that it has is too old.
 */
function droppedFrom(journal: JournalView, criteria: readonly Criterion[]): number {
  const [oldest] = journal.each()
  const isTooOld = ({ key, holds }: Criterion) => TIMES.has(key) && oldest !== undefined && !holds(oldest)
  if (criteria.some(isTooOld)) return 0
  const worlds = criteria.find(({ key }) => key === 'world')?.wanted.split(',')
  if (worlds === undefined) return journal.evicted
  return [...new Set(worlds)].reduce((sum, world) => sum + journal.evictedFrom(world), 0)
}

const TIMES = new Set(['after', 'since'])

/**
 * Returns the requests with the fewest differences, latest first. One that matches no member of the filter is not a near
 * miss.
 */
function nearestMisses(journal: JournalView, criteria: readonly Criterion[]): NearMiss[] {
  const misses: NearMiss[][] = []
  const most = Math.max(1, criteria.length - 1)
  for (const entry of journal.each()) {
    const failed = criteria.filter(criterion => !criterion.holds(entry))
    if (failed.length === 0 || failed.length > most) continue
    misses[failed.length] ??= []
    const alike = misses[failed.length] as NearMiss[]
    const differs = failed.map(({ key, wanted, found }) => ({ key, wanted, found: found(entry) }))
    alike.unshift({ differs, request: describeEntry(entry) })
    if (alike.length > SHOWN) alike.pop()
  }
  return misses.flat().slice(0, SHOWN)
}
