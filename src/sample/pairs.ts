// Pairs of properties whose values are in an order: a start is before its end, and a minimum below its maximum.

import type { Json, JsonObject } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import type { Fitting } from './fits.ts'
import { objectOf } from './schema-parts.ts'
import { spacedName } from './strings.ts'

/** Words of names, each before those that are later or higher. */
const PAIRS: readonly (readonly [low: string, high: string])[] = [
  'start: end finish stop',
  'starts: ends',
  'started: ended finished completed',
  'begin: end',
  'begins: ends',
  'from: to until',
  'since: until',
  'after: before',
  'not before: not after',
  'departure: arrival',
  'departs: arrives',
  'departed: arrived',
  'check in: check out',
  'checkin: checkout',
  'pickup: dropoff',
  'shipped: delivered',
  'issued: due paid expires',
  'ordered: shipped delivered',
  'effective: expiration',
  'open: close',
  'opens: closes',
  'opened: closed',
  'min: max',
  'minimum: maximum',
  'lower: upper',
  'low: high',
  'created: updated modified changed completed finished closed archived deleted expires expired',
].flatMap(line => {
  const [low = '', high = ''] = line.split(': ')
  return (low.includes(' ') ? [high] : high.split(' ')).map(one => [low, one] as const)
})

/** The names of properties, in words, by their spelling; and for each, those that are not to be below it. */
const known = new Map<string, { readonly words: string; readonly higher: readonly string[] }>()

function readName(name: string) {
  if (known.size > 5000) known.clear()
  return getOrMake(known, name, () => {
    const words = ` ${spacedName(name)} `
    const higher = PAIRS.flatMap(([low, high]) =>
      words.includes(` ${low} `) ? words.replace(` ${low} `, ` ${high} `) : [],
    )
    return { words, higher }
  })
}

type OrderedPair = readonly [low: string, high: string]

/** Returns the pairs among names: the lower one first. */
export function pairsIn(names: readonly string[]): OrderedPair[] {
  const byWords = new Map(names.map(name => [readName(name).words, name]))
  return names.flatMap(low =>
    readName(low).higher.flatMap((words): OrderedPair[] => {
      const high = byWords.get(words)
      return high === undefined ? [] : [[low, high]]
    }),
  )
}

const MOST_ROUNDS = 3

/**
 * Puts the values of pairs in their order: two are exchanged, or the higher one follows a lower one that stays.
 *
 * @param change gives a property another value, unless its own stays
 */
export function orderPairs(
  pairs: readonly OrderedPair[],
  read: (name: string) => Json | undefined,
  change: (name: string, value: Json) => void,
): void {
  // A value that was exchanged may be the lower one of a pair before.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let isChanged = false
    for (const [low, high] of pairs) {
      const [below, above] = [read(low), read(high)]
      if (below === undefined || above === undefined || !areReversed(below, above)) continue
      change(low, above)
      change(high, read(low) === below ? (soonAfter(below, above) ?? below) : below)
      isChanged = true
    }
    if (!isChanged) return
  }
}

/**
 * Returns an object whose values are in their order, as far as their schemas allow. An example of the contract stays.
 *
 * @param schemas those of each property
 */
export function orderProperties(
  made: Map<string, Json>,
  schemas: ReadonlyMap<string, readonly unknown[]>,
  fitting: Fitting,
): JsonObject {
  const change = (name: string, value: Json): void => {
    const own = schemas.get(name) ?? []
    if (!own.some(schema => isShown(schema, made.get(name))) && fitting.fitsAll(own, value)) made.set(name, value)
  }
  const pairs = pairsIn([...made.keys()])
  orderPairs(pairs, name => made.get(name), change)
  for (const [high, low] of latestBelow(pairs, made)) {
    const near = soonAfter(made.get(low), made.get(high))
    if (near !== undefined) change(high, near)
  }
  // It defines properties and never assigns them, so that `__proto__` becomes an ordinary property.
  return Object.fromEntries(made)
}

/** Returns the higher name of each pair with the latest of those below it, the earliest first: a time near it is after all of them. */
function latestBelow(pairs: readonly OrderedPair[], made: ReadonlyMap<string, Json>): readonly OrderedPair[] {
  const latest = new Map<string, string>()
  for (const [low, high] of pairs) {
    const other = latest.get(high)
    if (other === undefined || areReversed(made.get(low) as Json, made.get(other) as Json)) latest.set(high, low)
  }
  const isEarlier = (a: string, b: string) => areReversed(made.get(b) as Json, made.get(a) as Json)
  return [...latest].sort(([a], [b]) => (isEarlier(a, b) ? -1 : isEarlier(b, a) ? 1 : 0))
}

const isShown = (schema: unknown, value: unknown): boolean =>
  ['example', 'examples', 'default'].some(key => [objectOf(schema)[key]].flat().includes(value))

const MOMENT = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/

/** Returns a time later on the same day, or a date later in the same month: of a journey, years would not be believed. */
function soonAfter(low: Json | undefined, high: Json | undefined): string | undefined {
  if (typeof low !== 'string' || typeof high !== 'string' || !MOMENT.test(low) || !MOMENT.test(high)) return undefined
  const [from, to] = [withFraction(low), withFraction(high)]
  if (from.length !== to.length) return undefined
  const isDate = low.length === 10
  const at = isDate ? 8 : 11
  const [own, other] = [from.slice(at), to.slice(at)]
  // Each month has these days.
  const [latest, last] = isDate ? ['28', '28'] : [`23:59:59${from.slice(19)}`, '24']
  const end = [other, latest].find(one => one > own && one <= last)
  const near = end === undefined ? undefined : from.slice(0, at) + end
  return to === high ? near : near?.replace('.000Z', 'Z')
}

/** Returns a time of whole seconds as one with milliseconds, to compare it with others. */
const withFraction = (text: string): string => text.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000Z')

/** Returns whether two values of one kind, numbers or times, are in the wrong order. */
function areReversed(low: Json, high: Json): boolean {
  if (typeof low === 'number' && typeof high === 'number') return low > high
  if (typeof low !== 'string' || typeof high !== 'string') return false
  if (!isTime(low) || !isTime(high)) return false
  const [from, to] = [withFraction(low), withFraction(high)]
  return from.length === to.length && from > to
}

/** A date, a time, or both, as RFC 3339 writes them: in one time zone they are in the order of their texts. */
const isTime = (text: string): boolean => /^(?:\d{4}-\d\d-\d\d|\d\d:\d\d)[T ]?[\d:.]*Z?$/.test(text)
