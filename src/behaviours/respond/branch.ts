// Finds the branches of a union: the one that a template matches, or all.

import type { Contract } from '../../contract/contract.ts'
import { childOf, itemsOf, type Node } from '../../contract/documents.ts'

const UNIONS = ['oneOf', 'anyOf'] as const

/** Returns the schema if it has these properties, else the first branch of its union that has them, else the schema. */
export function branchWith(node: Node, names: readonly string[], contract: Contract): Node {
  const has = (one: Node) => names.every(name => contract.shapeOf(one).properties.has(name))
  if (names.length === 0 || has(node)) return node
  const target = contract.resolve(node)
  return UNIONS.flatMap(keyword => itemsOf(childOf(target, keyword))).find(has) ?? node
}

/** Returns the schema at some keys of a reply, through unions and lists; `undefined` if there is none. */
export const schemaBelow = (node: Node | undefined, keys: readonly string[], contract: Contract): Node | undefined =>
  keys.reduce<Node | undefined>((at, key) => {
    if (at === undefined) return undefined
    const { items } = contract.shapeOf(at)
    if (items !== undefined && /^\d+$/.test(key)) return items
    return contract.shapeOf(branchWith(at, [key], contract)).properties.get(key)
  }, node)

/** The depth to which unions within unions are followed. */
const DEEPEST = 4

/** Returns the schema and the branches of its unions, and of theirs. */
export function branchesWithin(node: Node, contract: Contract, depth = 0): readonly Node[] {
  const target = contract.resolve(node)
  if (depth === DEEPEST) return [target]
  const branches = UNIONS.flatMap(keyword => itemsOf(childOf(target, keyword)))
  return [target, ...branches.flatMap(branch => branchesWithin(branch, contract, depth + 1))]
}
