// Generates numbers: within their bounds, multiples of `multipleOf`, in a range that suits the property's name.

import type { Chance } from './chance.ts'
import type { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'

const INT32 = 2 ** 31
/** Formats of times in seconds since 1970. */
const EPOCHS: ReadonlySet<string> = new Set(['unix-time', 'unixtime', 'unix-timestamp', 'timestamp', 'epoch'])

/** Returns a number that is valid for the facets; `undefined` if none was found. */
export function writeNumber(
  facets: Facets,
  whole: boolean,
  name: string | undefined,
  chance: Chance,
  fitting: Fitting,
): number | undefined {
  const { multiples, formats } = facets
  const topic = formats.some(format => EPOCHS.has(format)) ? 'timestamp' : name
  const integral = whole || formats.some(format => /^u?int/.test(format))
  const step = multiples.reduce(leastCommonMultiple, integral && !multiples.every(Number.isInteger) ? 1 : 0)
  const grid = step > 0 ? step : integral ? 1 : 0
  let low = Math.max(facets.minimum, facets.above)
  let high = Math.min(facets.maximum, facets.below)
  if (formats.includes('int32')) {
    low = Math.max(low, -INT32)
    high = Math.min(high, INT32 - 1)
  }
  const holds = (value: number): boolean =>
    value >= facets.minimum &&
    value <= facets.maximum &&
    value > facets.above &&
    value < facets.below &&
    (!whole || Number.isInteger(value)) &&
    facets.schemas.every(({ multipleOf, format }) => fitting.fits({ multipleOf, format }, value))
  if (low > high) return undefined
  for (let i = 0; i < 24; i++) {
    const value = grid > 0 ? onGrid(low, high, grid, i, topic, chance) : between(low, high, i, topic, chance)
    if (holds(value)) return value === 0 ? 0 : value
  }
  // The bounds, and the values next to them.
  const ends = [low, high, 0, (low + high) / 2, Math.ceil(low), Math.floor(high), low + grid, high - grid]
  return ends.find(value => Number.isFinite(value) && holds(value))
}

/** Returns the usual range for a property of this name. */
function usual(name: string | undefined): readonly [number, number] {
  const words = (name ?? '').toLowerCase()
  if (/year/.test(words)) return [2018, 2025]
  if (/age$|month|day|hour/.test(words)) return [1, 12]
  if (/lat(itude)?$/.test(words)) return [-60, 60]
  if (/(lon|lng)(gitude)?$/.test(words)) return [-120, 120]
  if (/price|amount|cost|total|balance/.test(words)) return [5, 500]
  if (/percent|ratio|rate|score/.test(words)) return [1, 100]
  if (/created|updated|timestamp|_at$/.test(words)) return [1_640_000_000, 1_740_000_000]
  if (/status$/.test(words)) return [200, 200]
  if (/page$/.test(words)) return [1, 3]
  return [1, 100]
}

/** Returns the part of the usual range within the bounds, or a range near a bound if there is none. */
function window(low: number, high: number, name: string | undefined, reach: number): readonly [number, number] {
  const [from, to] = usual(name)
  if (to >= low && from <= high) return [Math.max(from, low), Math.min(to, high)]
  return from > high ? [Math.max(low, high - reach), high] : [low, Math.min(high, low + reach)]
}

function onGrid(
  low: number,
  high: number,
  grid: number,
  attempt: number,
  name: string | undefined,
  chance: Chance,
): number {
  const [from, to] = attempt > 12 ? [low, Math.min(high, low + grid * 1000)] : window(low, high, name, grid * 100)
  let first = Math.ceil(from / grid)
  let last = Math.floor(to / grid)
  // If no multiple lies within the usual range, use the next one above it.
  if (first > last) [first, last] = [Math.ceil(low / grid), Math.floor(high / grid)]
  if (!Number.isFinite(first)) first = Math.min(last, 0) - 10
  if (!Number.isFinite(last)) last = first + 10
  const index = attempt > 20 ? first : chance.between(first, Math.min(last, first + 1000))
  return tidy(index * grid, grid)
}

function between(low: number, high: number, attempt: number, name: string | undefined, chance: Chance): number {
  const [from, to] = window(low, high, name, 100)
  const value = from + chance.next() * (to - from)
  // Two decimals are readable; a narrower range needs more.
  return attempt < 12 ? Number(value.toFixed(2 + Math.floor(attempt / 2))) : value
}

/** Removes the rounding error of doubles: 0.1 * 3 is 0.30000000000000004 and becomes 0.3. */
function tidy(value: number, grid: number): number {
  const decimals = Math.min(
    20,
    /e-(\d+)$/.exec(`${grid}`) ? Number(/e-(\d+)$/.exec(`${grid}`)?.[1]) + 4 : (`${grid}`.split('.')[1]?.length ?? 0),
  )
  return decimals === 0 ? value : Number(value.toFixed(decimals))
}

/** Returns the least common multiple of two steps; 0 means none. Decimals are scaled to integers first. */
function leastCommonMultiple(a: number, b: number): number {
  if (a === 0 || b === 0) return a || b
  const scale = 10 ** Math.max(...[a, b].map(step => `${step}`.split('.')[1]?.length ?? 0))
  const [x, y] = [Math.round(a * scale), Math.round(b * scale)]
  let [m, n] = [x, y]
  while (n !== 0) [m, n] = [n, m % n]
  return ((x / m) * y) / scale
}
