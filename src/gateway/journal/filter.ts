// Filters of the journal's requests: their keys, and the criteria that they are compiled to.

import { compileGlob } from '../../kernel/text/names.ts'
import { parseDuration } from '../../kernel/text/units.ts'
import { timestamp } from '../../world/clock.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { comesAfter, type JournalView } from './all-requests.ts'
import { type ContentFilter, compileContent } from './content.ts'
import type { JournalEntry } from './kept-request.ts'

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
