// Leaves out and counts surplus unknown keys: a file with 600,000 of them is refused in the time that parsing takes.

import { isObject, put } from './json.ts'

/** Returns the kind of a key: `unknown`, `open` if its value may be anything, or the keys of its value. */
export type KnownKeys = (key: string) => 'unknown' | 'open' | KnownKeys

/** How much of a text is read. */
export interface KeyBounds {
  /** Above this number of keys and values the text is not read. */
  readonly most: number
  /** Further unknown keys of one block are left out and counted. */
  readonly mostUnknown: number
  readonly known: KnownKeys
}

/** Returns a value without the unknown keys beyond the bound, and their number; `undefined` if there are too many values. */
export function valueWithoutSurplus(
  value: unknown,
  { most, mostUnknown, known }: KeyBounds,
): { readonly value: unknown; readonly surplus: number } | undefined {
  if (countUpTo(value, most) > most) return undefined
  let surplus = 0
  const without = (part: unknown, keys: KnownKeys): unknown => {
    if (!isObject(part)) return part
    const members: Record<string, unknown> = {}
    let unknown = 0
    for (const key of Object.keys(part)) {
      const inside = keys(key)
      if (inside === 'unknown' && ++unknown > mostUnknown) surplus += 1
      else put(members, key, typeof inside === 'function' ? without(part[key], inside) : part[key])
    }
    return members
  }
  const left = without(value, known)
  return { value: surplus === 0 ? value : left, surplus }
}

/** Counts the keys and values of a value, and stops above the bound. */
function countUpTo(value: unknown, most: number): number {
  let count = 0
  const places = [value]
  while (places.length > 0 && count <= most) {
    const part = places.pop()
    count += 1
    if (typeof part !== 'object' || part === null) continue
    const keyed = !Array.isArray(part)
    for (const item of keyed ? Object.values(part) : (part as unknown[])) {
      count += keyed ? 1 : 0
      if (typeof item === 'object' && item !== null) places.push(item)
      else count += 1
    }
  }
  return count
}
