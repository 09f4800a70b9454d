// The size of a schema with its references, which determines the cost of compiling it. Depends on keys and references only.

import type { ReferenceEdge } from './translation-context.ts'

/** Returns the number of objects and lists in a schema. */
export const countParts = (schema: unknown): number =>
  typeof schema === 'object' && schema !== null
    ? Object.values(schema).reduce<number>((sum, part) => sum + countParts(part), 1)
    : 0

/** Returns the keys of a schema and of all that it refers to. */
export function keysWithin(key: string, edgesOf: (key: string) => readonly ReferenceEdge[]): ReadonlySet<string> {
  const found = new Set([key])
  for (const one of found) for (const { to } of edgesOf(one)) found.add(to)
  return found
}
