// Looks values up in the list of an `enum`. A list of thousands is looked up in a set: generating a value looks up each of them.

import { isObject, type Json } from '../kernel/json.ts'

/** Shorter lists are searched from the beginning. */
const LONG = 32

/** The values of a long list: those that compare by identity, and the texts of the others. */
interface ListedValues {
  readonly scalars: ReadonlySet<Json>
  readonly texts: ReadonlySet<string>
}

/** Lists belong to schemas, which never change. */
const lookups = new WeakMap<readonly Json[], ListedValues>()

/** Returns whether a list has a value equal to this one. The list must not change afterwards. */
export function isListed(list: readonly Json[], value: Json): boolean {
  if (list.length < LONG) return list.some(item => same(item, value))
  let lookup = lookups.get(list)
  if (lookup === undefined) {
    const texts = list.filter(item => typeof item === 'object').map(canonical)
    lookup = { scalars: new Set(list), texts: new Set(texts) }
    lookups.set(list, lookup)
  }
  return lookup.scalars.has(value) || (typeof value === 'object' && lookup.texts.has(canonical(value)))
}

/** As many values of an `enum` are looked at for one that is generated, unless none of them is allowed. */
const MANY = 1000

/** Returns the values that are allowed, of the first part of the list that has any. */
export function firstAllowed(
  choices: readonly Json[],
  excluded: ReadonlySet<Json>,
  fits: (value: Json) => boolean,
): readonly Json[] {
  for (let from = 0; from < choices.length; from += MANY) {
    const allowed = choices.slice(from, from + MANY).filter(value => !excluded.has(value) && fits(value))
    if (allowed.length > 0) return allowed
  }
  return []
}

/** Returns whether two values are equal, whatever the order of their members. */
export const same = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && canonical(a) === canonical(b))

/** Returns the same text for equal values. */
export const canonical = (value: Json): string =>
  JSON.stringify(value, (_, item) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  )
