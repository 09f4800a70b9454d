// Computes an operation's life-cycle phase and its next change from its dates. Independent of requests.

import { parseDuration } from '../kernel/text/units.ts'
import { parseDate } from '../world/clock.ts'

/** The dates of an operation's life-cycle, in milliseconds since the epoch. */
export interface Lifecycle {
  readonly since: number
  readonly sunset: number | undefined
  readonly afterSunset: AfterSunset
  readonly brownouts: Brownouts | undefined
}

export const AFTER_SUNSET = ['gone', 'not-found', 'serve'] as const
export type AfterSunset = (typeof AFTER_SUNSET)[number]

/** The brown-outs of a deprecated operation before its sunset, in milliseconds. */
export interface Brownouts {
  readonly starts: number
  readonly ends: number
  readonly every: number
  readonly for: number
  readonly growing: boolean
  readonly answer: 503 | 410
}

/** The start, and the end (exclusive). */
interface Rest {
  readonly start: number
  readonly end: number
}

export type Phase = 'active' | 'deprecated' | 'browning out' | 'gone' | 'past its sunset'

export function phaseAt({ since, sunset, afterSunset, brownouts }: Lifecycle, time: number): Phase {
  if (time < since) return 'active'
  if (sunset !== undefined && time >= sunset) return afterSunset === 'serve' ? 'past its sunset' : 'gone'
  return brownouts !== undefined && time >= brownouts.starts ? 'browning out' : 'deprecated'
}

/** Returns the brown-out at a moment. */
export function restAt(brownouts: Brownouts, time: number): Rest | undefined {
  const { starts, ends, every } = brownouts
  if (time < starts || time >= ends) return undefined
  const rest = restOf(brownouts, Math.floor((time - starts) / every))
  return time < rest.end ? rest : undefined
}

/** Returns the brown-outs that end after a moment, in order. */
export function* restsFrom(brownouts: Brownouts, time: number): Iterable<Rest> {
  const { starts, ends, every } = brownouts
  for (let n = Math.max(0, Math.floor((time - starts) / every)); starts + n * every < ends; n++) {
    const rest = restOf(brownouts, n)
    if (rest.end > time) yield rest
  }
}

/** Returns the number of brown-outs that end after a moment, in constant time. */
export function countRests(brownouts: Brownouts, time: number): number {
  const { starts, ends, every } = brownouts
  const all = Math.ceil((ends - starts) / every)
  if (time < starts) return all
  const begun = Math.min(all, Math.floor((time - starts) / every) + 1)
  return all - begun + (restAt(brownouts, time) === undefined ? 0 : 1)
}

/**
 * Returns the n-th brown-out. With growth, each is longer than the previous one by the same factor, from `for` at the start
 * to `every` at the sunset, where no pause is left.
 */
function restOf({ starts, ends, every, for: length, growing }: Brownouts, n: number): Rest {
  const start = starts + n * every
  const grown = growing ? length * (every / length) ** ((n * every) / (ends - starts)) : length
  const whole = Math.round(grown / 1000) * 1000 || grown
  return { start, end: Math.min(ends, start + whole) }
}

/** `30d before sunset`, a date or a timestamp, in milliseconds since the epoch; `undefined` for anything else. */
export function parseStart(text: string, sunset: number): number | undefined {
  const before = /^(.+) before sunset$/.exec(text)?.[1]
  if (before === undefined) return parseDate(text)
  const duration = parseDuration(before)
  return duration === undefined ? undefined : sunset - duration
}
