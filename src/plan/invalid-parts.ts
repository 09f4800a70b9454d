// Finds the invalid parts of a configuration, and removes them.

import { isObject, parsePointer } from '../kernel/json.ts'
import type { Violation } from '../kernel/schema-errors.ts'

/**
 * Returns the part to remove for a violation. Lists are removed whole, because removing an item would renumber the others.
 */
export function culpritOf(value: unknown, { pointer, keyword, params }: Violation): string[] {
  const steps = parsePointer(pointer) ?? []
  const path = keyword === 'required' ? steps.slice(0, -1) : steps
  if (params.propertyName !== undefined) path.push(String(params.propertyName))
  let at = value
  for (const [i, key] of path.entries()) {
    // The items of other lists keep their places only if the list is removed as a whole.
    if (Array.isArray(at) && (path[i - 1] !== 'rules' || i === path.length - 1)) return path.slice(0, i)
    at = (at as Record<string, unknown> | undefined)?.[key]
  }
  return path
}

/** A tree of the keys to remove. A key that leads to another map is kept and searched. */
type RemovalTree = Map<string, RemovalTree | undefined>

/** Returns the tree of the paths of the parts to remove. */
export function treeOf(paths: readonly string[][]): RemovalTree {
  const tree: RemovalTree = new Map()
  for (const path of paths) {
    let at: RemovalTree | undefined = tree
    for (const key of path.slice(0, -1)) {
      if (at.has(key)) at = at.get(key)
      else {
        const next: RemovalTree = new Map()
        at.set(key, next)
        at = next
      }
      if (at === undefined) break
    }
    at?.set(path.at(-1) as string, undefined)
  }
  return tree
}

const NOTHING: RemovalTree = new Map()

/** Returns a copy of a value without the parts in the tree. */
export function without(value: unknown, tree: RemovalTree): unknown {
  if (Array.isArray(value)) return value.map((item, i) => without(item, tree.get(`${i}`) ?? NOTHING))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    if (!tree.has(name)) return [[name, item]]
    const inside = tree.get(name)
    if (inside !== undefined) return [[name, without(item, inside)]]
    // Without its condition a rule would hold for every request.
    return name === 'when' ? [[name, 'false']] : []
  })
  return Object.fromEntries(entries)
}
