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

/** Returns keys, and all that they refer to, each behind those that it refers to. One of each cycle is in front of them. */
export function leavesFirst(
  keys: Iterable<string>,
  edgesOf: (key: string) => readonly ReferenceEdge[],
): ReadonlySet<string> {
  const done = new Set<string>()
  const entered = new Set<string>()
  for (const key of keys) {
    const path: { readonly key: string; readonly left: ReferenceEdge[] }[] = []
    const enter = (one: string) => {
      if (entered.has(one)) return
      entered.add(one)
      path.push({ key: one, left: [...edgesOf(one)] })
    }
    enter(key)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const edge = at.left.pop()
      if (edge !== undefined) enter(edge.to)
      else {
        done.add(at.key)
        path.pop()
      }
    }
  }
  return done
}
