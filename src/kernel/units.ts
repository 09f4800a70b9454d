// Human units as the configuration writes them: `250ms`, `5m`, `1MB`.

/** A timestamp of RFC 3339. Like `Fraction` a name for the schemas of replies, which are made of types. */
export type DateTime = string
/** A number that need not be an integer. */
export type Fraction = number

const DURATIONS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SIZES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20 }

const parse = (text: string, units: Readonly<Record<string, number>>): number | undefined => {
  const match = /^(\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(text)
  const factor = match === null || !Object.hasOwn(units, match[2] as string) ? undefined : units[match[2] as string]
  return factor === undefined ? undefined : Number(match?.[1]) * factor
}

/** The longest duration of a setting, as it is written: a hundred years. A date that is later by it still has four digits. */
export const LONGEST_DURATION = '36500d'
const LONGEST = parse(LONGEST_DURATION, DURATIONS) as number

/**
 * `250ms`, `1.5s`, `5m`, `2h`, `30d` in milliseconds; `undefined` for anything else, and for more than `LONGEST_DURATION`.
 */
export function parseDuration(text: string): number | undefined {
  const duration = parseSpan(text)
  return duration === undefined || duration > LONGEST ? undefined : duration
}

/** As `parseDuration`, without a maximum: the caller checks it. */
export const parseSpan = (text: string): number | undefined => parse(text, DURATIONS)

/** `512B`, `64kB`, `1MB`, `2GB`, `1MiB` in bytes; `undefined` for anything else. */
export const parseSize = (text: string): number | undefined => {
  const bytes = parse(text, SIZES)
  return bytes === undefined ? undefined : Math.floor(bytes)
}

/** The units of a rate are those of durations, also in the spellings of other tools. */
const RATE = /^([1-9]\d*)\/(\d*)(s|m|h|d|sec|second|min|minute|hour|day)$/

/**
 * Parses `10/s`, `100/m`, `100/min` or `1000/15m` into a count and a window in milliseconds; `undefined` for anything else,
 * for a count of 0, and for a window of more than `LONGEST_DURATION`.
 */
export function parseRate(text: string): { count: number; window: number } | undefined {
  const [, count, multiple, unit = ''] = RATE.exec(text) ?? []
  const window = Number(multiple || 1) * (DURATIONS[unit.charAt(0)] ?? 0)
  return window === 0 || window > LONGEST ? undefined : { count: Number(count), window }
}

/** Parses `64B/s` or `10kB/s` into bytes per second; `undefined` for anything else and for 0. */
export const parseByteRate = (text: string): number | undefined =>
  text.endsWith('/s') ? parseSize(text.slice(0, -2)) || undefined : undefined
