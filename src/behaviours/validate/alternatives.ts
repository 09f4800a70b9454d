// Bounds the work of comparing a large body with many alternatives: each value of it is compared with each of them.

import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject } from '../../kernel/json.ts'
import { keyOf } from '../../kernel/reached-schema.ts'

/** The maximum of comparisons: some 100 ms. */
const MOST_COMPARISONS = 500_000
/** Fewer alternatives, as those of an optional `null`, are not bounded. */
const FEW = 4
/** Alternatives within alternatives are counted up to this depth. */
const DEEPEST = 20

/**
 * Returns a function that says what is wrong with a body that has too many values for its schema: `has more than 8333 values…`.
 * The alternatives are counted for the first large body.
 */
export function compileWorkBound(
  schema: Pick<SchemaUse, 'key' | 'definitions'>,
): (value: unknown) => string | undefined {
  let alternatives: number | undefined
  return value => {
    alternatives ??= countAlternatives(schema.key, schema.definitions)
    if (alternatives <= FEW) return undefined
    const most = Math.floor(MOST_COMPARISONS / alternatives)
    if (!hasMore(value, most)) return undefined
    return `has more than ${most} values, which is too much to compare with ${alternatives} alternatives`
  }
}

/** Whether a value holds more than `most` values. */
function hasMore(value: unknown, most: number): boolean {
  let count = 0
  const left: unknown[] = [value]
  while (left.length > 0 && count <= most) {
    const one = left.pop()
    if (Array.isArray(one)) for (const item of one) left.push(item)
    else if (isObject(one)) for (const name in one) left.push(one[name])
    count += 1
    // Those in line count as well: a list of a million need not be taken apart.
    if (count + left.length > most) return true
  }
  return count > most
}

/** Returns the number of alternatives of the widest schema that the one under `key` reaches: 1 for none. */
export function countAlternatives(key: string, definitions: Readonly<Record<string, unknown>>): number {
  const widths = new Map<object, number>()
  const seen = new Set<unknown>([definitions[key]])
  let widest = 1
  const width = (schema: unknown, depth: number): number => {
    if (!isObject(schema) || depth > DEEPEST) return 1
    const known = widths.get(schema)
    if (known !== undefined) return known
    // A cycle counts once.
    widths.set(schema, 1)
    const all = (parts: unknown) =>
      Array.isArray(parts) ? parts.reduce((sum, part) => sum + width(part, depth + 1), 0) : 0
    const referred = typeof schema.$ref === 'string' ? width(definitions[keyOf(schema.$ref)], depth + 1) : 1
    const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties).length : 0
    const sum = Math.max(1, referred, all(schema.anyOf), all(schema.oneOf), patterns)
    widths.set(schema, sum)
    return sum
  }
  // A set also iterates over what is added meanwhile.
  for (const schema of seen) {
    widest = Math.max(widest, width(schema, 0))
    if (!isObject(schema)) continue
    if (typeof schema.$ref === 'string') seen.add(definitions[keyOf(schema.$ref)])
    for (const [keyword, part] of Object.entries(schema)) {
      if (keyword === 'enum' || keyword === 'const' || keyword === 'examples' || keyword === 'default') continue
      if (isObject(part)) for (const inner of [part, ...Object.values(part)]) seen.add(inner)
      else if (Array.isArray(part)) for (const inner of part) seen.add(inner)
    }
  }
  return widest
}
