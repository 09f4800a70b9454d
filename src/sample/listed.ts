// Looks values up in the list of an `enum`. A list of thousands is looked up in a set: generating a value looks up each of them.

import { scalarsOf } from '../kernel/schema/keywords.ts'
import { isObject, type Json } from '../kernel/value/json.ts'

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
    const texts = list.filter(item => typeof item === 'object').map(canonicalText)
    lookup = { scalars: scalarsOf(list) as ReadonlySet<Json>, texts: new Set(texts) }
    lookups.set(list, lookup)
  }
  return lookup.scalars.has(value) || (typeof value === 'object' && lookup.texts.has(canonicalText(value)))
}

/** A part of a long list, by the other lists that decided it. */
interface Selection {
  readonly by: readonly (readonly Json[])[]
  readonly values: readonly Json[]
}

/** Remembers the last selection of each long list: replies are generated from the same lists again and again. */
function remember(
  selections: WeakMap<readonly Json[], Selection>,
  list: readonly Json[],
  by: Selection['by'],
  isSelected: (value: Json) => boolean,
): readonly Json[] {
  if (list.length < LONG) return list.filter(isSelected)
  const known = selections.get(list)
  if (known?.by.length === by.length && by.every((other, i) => other === known.by[i])) return known.values
  const values = list.filter(isSelected)
  selections.set(list, { by, values })
  return values
}

const intersections = new WeakMap<readonly Json[], Selection>()
const differences = new WeakMap<readonly Json[], Selection>()

/** Returns the values of a list that are in the other one too. */
export const intersectionOf = (list: readonly Json[], other: readonly Json[]): readonly Json[] =>
  remember(intersections, list, [other], value => isListed(other, value))

/** Returns the values of a list that are in none of the others. */
const differenceOf = (list: readonly Json[], others: readonly (readonly Json[])[]): readonly Json[] =>
  others.length === 0
    ? list
    : remember(differences, list, others, value => !others.some(other => isListed(other, value)))

/** As many values of an `enum` are looked at for one that is generated, unless none of them is allowed. */
const MANY = 1000

/** Returns the values that are allowed, of the first part of the list that has any. */
export function firstAllowed(
  choices: readonly Json[],
  excluded: readonly (readonly Json[])[],
  fits: (value: Json) => boolean,
): readonly Json[] {
  const values = differenceOf(choices, excluded)
  for (let from = 0; from < values.length; from += MANY) {
    const allowed = values.slice(from, from + MANY).filter(fits)
    if (allowed.length > 0) return allowed
  }
  return []
}

/** Returns whether two values are equal. The order of members does not count. */
export const same = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && canonicalText(a) === canonicalText(b))

/** Returns the same text for equal values. */
export const canonicalText = (value: Json): string =>
  JSON.stringify(value, (_, item) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  )
