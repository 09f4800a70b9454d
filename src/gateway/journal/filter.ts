// Queries of the journal: selects requests, and verifies their number.

import { suggest } from '../../kernel/diagnostic.ts'
import { compileGlob } from '../../kernel/glob.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Plan } from '../../plan/plan.ts'
import { timestamp } from '../../world/clock.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { type ContentFilter, compileContent, findUnkept } from './content.ts'
import { describeEntry, type RecordedRequest } from './entry.ts'
import type { JournalEntry } from './kept-request.ts'
import { comesAfter, type JournalView } from './portable.ts'

/** A filter of requests; all its members must match. The items of a list are separated by commas. */
export interface RequestFilter extends ContentFilter {
  /** A list of operations; the empty text is for requests that meant none. */
  readonly operation?: string
  /** A list of consumers; the empty text matches requests of unknown callers. */
  readonly consumer?: string
  /** A list of worlds. */
  readonly world?: string
  /** A list of methods. */
  readonly method?: string
  /** A path, including the base path; `*` matches any text. */
  readonly path?: string
  /** A list of statuses, or of classes of them: `404`, `5xx`. */
  readonly status?: string | number
  /** A list of codes of problems; the empty text is for requests that were not refused. */
  readonly refusal?: string
  /** A list of kinds of faults; the empty text is for requests that none struck. */
  readonly fault?: string
  /** A text in a note. */
  readonly note?: string
  /** Took at least as long: `250ms`. */
  readonly slowerThan?: string
  /** By the real clock, from then on: a date, a timestamp, or an offset such as `-5m`. */
  readonly since?: string
  /** By the real clock, up to then. */
  readonly until?: string
  /** Only requests after the one with this id. */
  readonly after?: number
}

export interface Criterion {
  readonly key: string
  readonly wanted: string
  holds(entry: JournalEntry): boolean
  /** The actual value. */
  found(entry: JournalEntry): string
}

export interface FilterFault {
  readonly fault: string
}

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

/**
 * @param now by the real clock
 * @param journal has the request that `after` names
 */
export function compileFilter(
  filter: RequestFilter,
  now: number,
  journal?: JournalView,
): readonly Criterion[] | FilterFault {
  const criteria: Criterion[] = []
  const among = (key: keyof RequestFilter, found: (entry: JournalEntry) => string, fold = (text: string) => text) => {
    const wanted = filter[key]
    if (wanted === undefined) return
    const values = new Set(String(wanted).split(',').map(fold))
    criteria.push({ key, wanted: String(wanted), found, holds: entry => values.has(found(entry)) })
  }
  among('operation', ({ operation }) => operation)
  among('consumer', ({ consumer }) => consumer ?? '')
  among('world', ({ world }) => world)
  among(
    'method',
    ({ method }) => method,
    text => text.toUpperCase(),
  )
  among('refusal', ({ refusal }) => refusal?.problem.code ?? '')
  among('fault', ({ fault }) => fault ?? '')
  const { path, status, note, slowerThan, since, until, after } = filter
  if (path !== undefined) {
    const fits = compileGlob(path)
    const found = ({ mask, path: sent }: JournalEntry) => mask.path(sent)
    criteria.push({ key: 'path', wanted: path, found, holds: entry => fits(found(entry)) })
  }
  if (status !== undefined) {
    const wanted = String(status)
    const items = wanted.toLowerCase().split(',')
    const wrong = items.find(item => !/^(?:0|[1-9]\d\d|[1-9]xx)$/.test(item))
    if (wrong !== undefined) return { fault: `"${wrong}" is not a status; write 404 or 4xx` }
    const holds = (entry: JournalEntry) =>
      items.includes(`${entry.status}`) || items.includes(`${Math.floor(entry.status / 100)}xx`)
    criteria.push({ key: 'status', wanted, holds, found: entry => `${entry.status}` })
  }
  if (note !== undefined) {
    const found = ({ notes, mask }: JournalEntry) => mask.text(notes.join('; '))
    criteria.push({ key: 'note', wanted: note, found, holds: entry => found(entry).includes(note) })
  }
  if (slowerThan !== undefined) {
    const least = parseDuration(slowerThan)
    if (least === undefined) return { fault: `slowerThan must be a duration such as 250ms, not "${slowerThan}"` }
    const found = (entry: JournalEntry) => `${Math.round(entry.milliseconds)}ms`
    criteria.push({ key: 'slowerThan', wanted: slowerThan, found, holds: entry => entry.milliseconds >= least })
  }
  for (const [key, text] of [
    ['since', since],
    ['until', until],
  ] as const) {
    if (text === undefined) continue
    const moment = parseMoment(text, now)
    if (moment === undefined) {
      return { fault: `${key} must be a date, a timestamp or an offset such as -5m, not "${text}"` }
    }
    const holds = key === 'since' ? ({ at }: JournalEntry) => at >= moment : ({ at }: JournalEntry) => at <= moment
    criteria.push({ key, wanted: timestamp(moment), holds, found: ({ at }) => timestamp(at) })
  }
  const content = compileContent(filter)
  if (typeof content === 'string') return { fault: content }
  criteria.push(...content)
  if (after !== undefined) {
    criteria.push({ key: 'after', wanted: `${after}`, holds: comesAfter(after, journal), found: ({ id }) => `${id}` })
  }
  return criteria
}

export const matches = (criteria: readonly Criterion[], entry: JournalEntry): boolean =>
  criteria.every(criterion => criterion.holds(entry))

/** Returns the last matching requests, up to this many, in the order of their replies. */
export function selectRequests(journal: JournalView, criteria: readonly Criterion[], limit: number): RecordedRequest[] {
  return selectPage(journal, criteria, limit).requests
}

export interface RequestPage {
  readonly requests: RecordedRequest[]
  /** How many match. */
  readonly total: number
}

/** As `selectRequests`, and says how many there are in all. */
export function selectPage(journal: JournalView, criteria: readonly Criterion[], limit: number): RequestPage {
  // Only the requests that are shown are worded. Ids count the requests of each process, so that places are counted here.
  let total = 0
  for (const entry of journal.each()) if (matches(criteria, entry)) total += 1
  const requests: RecordedRequest[] = []
  let place = 0
  for (const entry of journal.each()) {
    if (!matches(criteria, entry)) continue
    place += 1
    if (place > total - limit) requests.push(describeEntry(entry))
  }
  return { requests, total }
}

export interface Times {
  /** Default: 1, or 0 if there is a `max`. */
  readonly min?: number
  /** Default: any number. */
  readonly max?: number
}

export interface Verdict {
  /** Whether as many matched as should have. */
  readonly ok: boolean
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

/** Whether between `min` and `max` requests matched. */
export function verifyRequests(journal: JournalView, criteria: readonly Criterion[], { min, max }: Times): Verdict {
  const least = min ?? (max === undefined ? 1 : 0)
  let matched = 0
  for (const entry of journal.each()) if (matches(criteria, entry)) matched += 1
  const tooMany = max !== undefined && matched > max
  return {
    ok: matched >= least && !tooMany,
    matched,
    min: least,
    ...(max === undefined ? {} : { max }),
    evicted: journal.evicted,
    nearest: matched < least ? nearestMisses(journal, criteria) : [],
    requests: tooMany ? selectRequests(journal, criteria, SHOWN) : [],
  }
}

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
