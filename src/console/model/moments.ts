// Moments as people read and write them. Every time in the console is UTC, as the headers of the API have it.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
const YEAR = 365.25 * DAY

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** `5 Dec 2030`. @param at milliseconds since the epoch */
export function dayOf(at: number): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** `5 Dec 2030, 09:30`; midnight is left out. @param at milliseconds since the epoch */
export function momentOf(at: number): string {
  const date = new Date(at)
  if (at % DAY === 0) return dayOf(at)
  const seconds = date.getUTCSeconds()
  const time = `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`
  return `${dayOf(at)}, ${time}${seconds === 0 ? '' : `:${twoDigits(seconds)}`}`
}

const UNITS = [
  ['year', YEAR],
  ['month', YEAR / 12],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const

/** How far a moment is from another one: `in 4 years`, `3 days ago`, `now`. @param distance milliseconds */
export function distanceOf(distance: number): string {
  const size = Math.abs(distance)
  // "18 months" says more than "1 year", so a unit is used from two of it on; a single second is the last one.
  const [name, unit] = UNITS.find(([, one]) => size >= 2 * one) ?? (['second', SECOND] as const)
  const count = Math.round(size / unit)
  if (count === 0) return 'now'
  const words = `${count} ${name}${count === 1 ? '' : 's'}`
  return distance > 0 ? `in ${words}` : `${words} ago`
}

/** A duration in its largest unit: `2 hours`, `1 day`. @param duration milliseconds */
export function durationOf(duration: number): string {
  const [name, unit] = UNITS.slice(2).find(([, one]) => duration >= one) ?? (['second', SECOND] as const)
  const count = Number((duration / unit).toFixed(1))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/**
 * Parses the input for the clock: a date with or without a time, or an offset with its sign.
 *
 * @returns the text for the control plane; undefined if it is neither
 */
export function momentIn(text: string): string | undefined {
  const given = text.trim()
  if (/^[+-]\s*\d+(?:\.\d+)?\s*(?:ms|s|m|h|d|w)$/.test(given)) return given.replaceAll(/\s+/g, '')
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T\s]+(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:\d\d)?)?$/i.exec(given) ?? []
  if (date === undefined) return undefined
  const whole = `${date}T${time.length === 5 ? `${time}:00` : time}${zone.toUpperCase()}`
  const at = Date.parse(whole)
  // `2030-02-31` is read as 3 March by some engines: a date that is not formatted to the same text is refused.
  const exists = !Number.isNaN(at) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
  return exists ? new Date(at).toISOString() : undefined
}
