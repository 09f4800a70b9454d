// Generates numbers: within their bounds, multiples of `multipleOf`, in a range that suits the property's name.

import type { Chance } from './chance.ts'
import type { Facets } from './facets.ts'
import { fitsNumber } from './fits.ts'

const INT32 = 2 ** 31
/** Formats of times in seconds since 1970. */
const EPOCHS: ReadonlySet<string> = new Set(['unix-time', 'unixtime', 'unix-timestamp', 'timestamp', 'epoch'])

/** Returns a number that is valid for the facets; `undefined` if none was found. */
export function writeNumber(
  facets: Facets,
  whole: boolean,
  name: string | undefined,
  chance: Chance,
): number | undefined {
  const { multiples, formats, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = facets
  const integral = whole || formats.some(format => /^u?int/.test(format))
  const step = multiples.reduce(leastCommonMultiple, integral && !multiples.every(Number.isInteger) ? 1 : 0)
  const grid = step > 0 ? step : integral ? 1 : 0
  let low = Math.max(minimum, exclusiveMinimum)
  let high = Math.min(maximum, exclusiveMaximum)
  if (formats.includes('int32')) {
    low = Math.max(low, -INT32)
    high = Math.min(high, INT32 - 1)
  }
  if (low > high) return undefined
  const words = formats.some(format => EPOCHS.has(format)) ? 'timestamp' : (name ?? '').toLowerCase()
  const [, least = 1, most = 100] = RANGES.find(([pattern]) => pattern.test(words)) ?? []
  /** The part of the usual range within the bounds, or a range near a bound if there is none. */
  const near = (reach: number): readonly [number, number] => {
    if (most >= low && least <= high) return [Math.max(least, low), Math.min(most, high)]
    return least > high ? [Math.max(low, high - reach), high] : [low, Math.min(high, low + reach)]
  }
  const onGrid = (attempt: number): number => {
    const [from, to] = attempt > 12 ? [low, Math.min(high, low + grid * 1000)] : near(grid * 100)
    let first = Math.ceil(from / grid)
    let last = Math.floor(to / grid)
    // If no multiple lies within the usual range, use the next one above it.
    if (first > last) [first, last] = [Math.ceil(low / grid), Math.floor(high / grid)]
    if (!Number.isFinite(first)) first = Math.min(last, 0) - 10
    if (!Number.isFinite(last)) last = first + 10
    const index = attempt > 20 ? first : chance.between(first, Math.min(last, first + 1000))
    return tidy(index * grid, grid)
  }
  const anywhere = (attempt: number): number => {
    const [from, to] = near(100)
    const value = from + chance.next() * (to - from)
    // Two decimals are readable; a narrower range needs more.
    return attempt < 12 ? Number(value.toFixed(2 + Math.floor(attempt / 2))) : value
  }
  const holds = (value: number): boolean =>
    (!whole || Number.isInteger(value)) && facets.schemas.every(schema => fitsNumber(schema, value))
  for (let i = 0; i < 24; i++) {
    const value = grid > 0 ? onGrid(i) : anywhere(i)
    if (holds(value)) return value === 0 ? 0 : value
  }
  // The bounds, and the values next to them.
  const ends = [low, high, 0, (low + high) / 2, Math.ceil(low), Math.floor(high), low + grid, high - grid]
  return ends.find(value => Number.isFinite(value) && holds(value))
}

/** The usual range for a property whose name matches; the first one counts. */
const RANGES: readonly (readonly [RegExp, number, number])[] = [
  [/year/, 2018, 2025],
  [/age$|month|day|hour/, 1, 12],
  [/lat(itude)?$/, -60, 60],
  [/(lon|lng)(gitude)?$/, -120, 120],
  [/price|amount|cost|total|balance/, 5, 500],
  [/percent|ratio|rate|score/, 1, 100],
  [/created|updated|timestamp|_at$/, 1_640_000_000, 1_740_000_000],
  [/status$/, 200, 200],
  [/page$/, 1, 3],
]

/** Removes the rounding error of doubles: 0.1 * 3 is 0.30000000000000004 and becomes 0.3. */
function tidy(value: number, grid: number): number {
  const [, exponent] = /e-(\d+)$/.exec(`${grid}`) ?? []
  const decimals = Math.min(20, exponent === undefined ? decimalsOf(grid) : Number(exponent) + 4)
  return decimals === 0 ? value : Number(value.toFixed(decimals))
}

const decimalsOf = (step: number): number => `${step}`.split('.')[1]?.length ?? 0

/** Returns the least common multiple of two steps; 0 means none. Decimals are scaled to integers first. */
function leastCommonMultiple(a: number, b: number): number {
  if (a === 0 || b === 0) return a || b
  const scale = 10 ** Math.max(decimalsOf(a), decimalsOf(b))
  const [x, y] = [Math.round(a * scale), Math.round(b * scale)]
  let [m, n] = [x, y]
  while (n !== 0) [m, n] = [n, m % n]
  return ((x / m) * y) / scale
}
