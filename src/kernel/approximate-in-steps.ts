// Replaces the exact numbers of a large value by doubles, a part at a time.

import { approximate, Decimal, type Json, put } from './json.ts'
import type { Steps } from './steps.ts'

/** How many levels of a value are walked in steps, and how many items of a list at once. */
const [LEVELS, ITEMS] = [4, 1000]

/** As `approximate`, in steps: long lists near the top are walked a part at a time. */
export function* approximateInSteps(value: Json, level = 0): Steps<Json> {
  if (level === LEVELS || typeof value !== 'object' || value === null || value instanceof Decimal)
    return approximate(value)
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (let from = 0; from < value.length; from += ITEMS) {
      for (const item of value.slice(from, from + ITEMS)) items.push(approximate(item))
      yield
    }
    return items
  }
  const members: Record<string, Json> = {}
  for (const [name, item] of Object.entries(value)) put(members, name, yield* approximateInSteps(item, level + 1))
  return members
}
