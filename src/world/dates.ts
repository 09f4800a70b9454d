// Dates and times as texts, and back.

import { parseSpan } from '../kernel/units.ts'

export const DAY = 86_400_000

/** An ISO 8601 date (`2030-12-05`: its first moment, UTC) or timestamp in milliseconds; `undefined` if it is neither. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?([Zz]|[+-]\d\d:\d\d))?$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day] = match.map(Number)
  // `Date.parse` takes 30 February for 2 March.
  if (new Date(Date.UTC(year!, month! - 1, day!)).getUTCDate() !== day) return undefined
  const time = Date.parse(text.toUpperCase())
  return Number.isNaN(time) ? undefined : time
}

/** A time as OpenSSL writes it: `Dec  5 00:00:00 2030 GMT`. */
export const parseTime = (text: string): number => Date.parse(text)

/** `Thu, 05 Dec 2030 00:00:00 GMT`: an IMF-fixdate (RFC 9110 §5.6.7). */
export const httpDate = (time: number): string => new Date(time).toUTCString()

/** `2030-12-05T00:00:00.000Z`. */
export const timestamp = (time: number): string => new Date(time).toISOString()

/** `2030-12-05`, or with the time of day where it is not midnight. */
export const isoDate = (time: number): string => {
  const text = new Date(time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}

/** A moment as the expression language has it. */
export type Moment = Date

export const momentOf = (time: number): Moment => new Date(time)

/** Milliseconds since the epoch; `undefined` for a text that is not a time. NaN for a time out of range. */
export const timeOf = (value: unknown): number | undefined => (value instanceof Date ? value.getTime() : undefined)

/** The first and the last moment whose year has four digits: dates in headers and ISO dates have no room for more. */
export const EARLIEST = -62_167_219_200_000
export const LATEST = 253_402_300_799_999

/** `30d`, `+30d` or `-12h` in milliseconds; `undefined` for anything else. */
export function parseShift(text: string): number | undefined {
  const negative = text.startsWith('-')
  const duration = parseSpan(negative || text.startsWith('+') ? text.slice(1) : text)
  return duration === undefined ? undefined : negative ? -duration : duration
}

/** A date, a timestamp, or an offset with its sign from `now`; `undefined` if it is none, or past the year 9999. */
export function parseMoment(text: string, now: number): number | undefined {
  const offset = /^[+-]/.test(text) ? parseShift(text) : undefined
  const moment = offset === undefined ? parseDate(text) : now + offset
  return moment === undefined || moment < EARLIEST || moment > LATEST ? undefined : moment
}
