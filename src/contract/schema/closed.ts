// Closed objects (`additionalProperties: false`) inside a composition: each refuses the properties of the others, so that no
// value is valid. They are read as closed over the whole composition, which is what authors mean.

import { isObject } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { COMPOSITIONS, type Schema } from '../../kernel/schema/schema.ts'
import { childOf, type Documents, identityOf, itemsOf, membersOf, type Node } from '../documents.ts'
import { childrenOf } from './discriminator.ts'
import { layersOf } from './shape.ts'

/** The property keywords of one schema in the composition. */
interface PropertyLayer {
  readonly node: Node
  readonly names: readonly string[]
  readonly patterns: boolean
  readonly closed: boolean
  /** The branch that it belongs to, by the union's place. */
  readonly branches: ReadonlyMap<string, number>
}

export interface Closing {
  /** The `additionalProperties` that refuses a property of another part. */
  readonly place: Node
  /** The property that it refuses. */
  readonly refused: string
  /** Whether the composition is closed in every branch. */
  readonly always: boolean
}

/** The maximum number of parts of a composition: more are a mistake, or a hostile document. */
const MOST_LAYERS = 600
/** The maximum number of parts within one another. */
const DEEPEST = 64

/** Returns the conflicts in a composition of closed objects; `undefined` if no part refuses a property of another. */
export const conflictIn = (node: Node, documents: Documents): Closing | undefined =>
  mayClose(node, documents) ? closingAmong(propertyLayersOf(node, documents)) : undefined

/** Schemas whose parts are all open, by document set: most are, and reading their layers is dear. */
const openSchemas = new WeakMap<Documents, WeakSet<object>>()

/** Whether a schema or a part of it is a closed object. */
function mayClose(start: Node, documents: Documents): boolean {
  const open = getOrMake(openSchemas, documents, () => new WeakSet<object>())
  const visited = new Set<object>()
  const seen = {
    has: (value: object) => open.has(value) || visited.has(value),
    add: (value: object) => void visited.add(value),
  }
  const pending = [start]
  for (const node of pending) {
    for (const layer of layersOf([node], documents, COMPOSITIONS, seen)) {
      if (layer.value.additionalProperties === false) return true
      pending.push(...childrenOf(layer, documents).map(child => child.node))
    }
  }
  // No schema that was reached is closed, so each of them is open, too.
  for (const value of visited) open.add(value)
  return false
}

/**
 * For each branch of a union that is closed over its whole composition, returns the properties that it still refuses because
 * only other branches declare them.
 */
export function refusedByBranches(
  node: Node,
  union: 'oneOf' | 'anyOf',
  documents: Documents,
): readonly (readonly string[])[] {
  const id = unionId(identityOf(node), union)
  const layers = propertyLayersOf(node, documents)
  const among = (some: readonly PropertyLayer[]) => new Set(some.flatMap(({ names }) => names))
  const common = among(layers.filter(({ branches }) => !branches.has(id)))
  return itemsOf(childOf(node, union)).map((_, index) => {
    const own = layers.filter(({ branches }) => branches.get(id) === index)
    if (!own.some(({ closed }) => closed)) return []
    const known = among(own)
    const others = among(layers.filter(({ branches }) => branches.has(id) && branches.get(id) !== index))
    return [...others].filter(name => !known.has(name) && !common.has(name))
  })
}

const unionId = (identity: string, keyword: string): string => `${identity}/${keyword}`

function closingAmong(layers: readonly PropertyLayer[]): Closing | undefined {
  const closed = layers.filter(layer => layer.closed && !layer.patterns)
  const all = new Set(layers.flatMap(({ names }) => names))
  for (const layer of closed) {
    const own = new Set(layer.names)
    if (own.size === all.size) continue
    const others = layers.filter(other => other !== layer && meet(layer, other))
    const refused = others.flatMap(({ names }) => names).find(name => !own.has(name))
    if (refused === undefined) continue
    const always = closed.some(one => one.branches.size === 0) || isEveryBranchClosed(layers, closed)
    return { place: childOf(layer.node, 'additionalProperties'), refused, always }
  }
  return undefined
}

/** A part as its neighbours see it: if its own parts refuse each other, it is closed over all of them. */
function settled(node: Node, layers: readonly PropertyLayer[]): readonly PropertyLayer[] {
  const closing = closingAmong(layers)
  if (closing === undefined) return layers
  if (!closing.always) return layers.map(layer => ({ ...layer, closed: false }))
  const names = [...new Set(layers.flatMap(layer => layer.names))]
  const patterns = layers.some(layer => layer.patterns)
  return [{ node: layers.find(layer => layer.closed)?.node ?? node, names, patterns, closed: true, branches: NONE }]
}

const NONE: ReadonlyMap<string, number> = new Map()

/** Returns whether both may apply to one value: they are not in different branches of one union. */
const meet = (one: PropertyLayer, other: PropertyLayer): boolean =>
  [...one.branches].every(([union, branch]) => (other.branches.get(union) ?? branch) === branch)

/** Returns whether every branch with keywords of some union is closed. */
function isEveryBranchClosed(layers: readonly PropertyLayer[], closed: readonly PropertyLayer[]): boolean {
  const unions = new Set(layers.flatMap(({ branches }) => [...branches.keys()]))
  const countIn = (union: string, some: readonly PropertyLayer[]) =>
    new Set(some.flatMap(one => one.branches.get(union) ?? [])).size
  return [...unions].some(union => countIn(union, closed) === countIn(union, layers))
}

function propertyLayersOf(start: Node, documents: Documents): readonly PropertyLayer[] {
  const path = new Set<string>()
  let count = 0
  const visit = (node: Node): readonly PropertyLayer[] => {
    const identity = identityOf(node)
    if (path.has(identity) || path.size > DEEPEST || !isObject(node.value) || count++ > MOST_LAYERS) return []
    path.add(identity)
    const layers = gather(node, identity, node.value)
    path.delete(identity)
    return layers
  }
  const gather = (node: Node, identity: string, value: Readonly<Record<string, unknown>>): readonly PropertyLayer[] => {
    const { $ref, properties, additionalProperties, oneOf, anyOf } = value
    const target = typeof $ref === 'string' ? documents.follow(childOf(node, '$ref'), $ref) : undefined
    // OpenAPI 3.0 ignores keywords beside a reference.
    if (target !== undefined && documents.legacy) return visit(target)
    const layers: PropertyLayer[] = []
    if (properties !== undefined || additionalProperties !== undefined) {
      const declared = membersOf(childOf(node, 'properties')).filter(([, one]) => one.value !== false)
      const names = declared.map(([name]) => name)
      const patterns = value.patternProperties !== undefined
      layers.push({ node, names, patterns, closed: additionalProperties === false, branches: NONE })
    }
    for (const part of [...(target === undefined ? [] : [target]), ...itemsOf(childOf(node, 'allOf'))]) {
      layers.push(...settled(part, visit(part)))
    }
    for (const keyword of ['oneOf', 'anyOf']) {
      layers.push(...branchLayers(unionId(identity, keyword), itemsOf(childOf(node, keyword))))
    }
    if (oneOf !== undefined || anyOf !== undefined) return layers
    const children = childrenOf(node, documents).map(child => child.node)
    return [...layers, ...branchLayers(unionId(identity, 'children'), children)]
  }
  const branchLayers = (union: string, items: readonly Node[]): PropertyLayer[] => {
    // A child that extends its parent inherits all of it except the union that the child is a branch of.
    const targets = items.map(item => documents.resolve(item) ?? item)
    if (targets.some(target => path.has(identityOf(target)))) return []
    return items.flatMap((item, index) =>
      settled(item, visit(item)).map(layer => ({ ...layer, branches: new Map([...layer.branches, [union, index]]) })),
    )
  }
  return visit(start)
}

/** Returns the schema for values without these properties. */
export const withoutNames = (schema: Schema, names: readonly string[]): Schema =>
  names.length === 0
    ? schema
    : { allOf: [schema, { properties: Object.fromEntries(names.map(name => [name, false])) }] }
