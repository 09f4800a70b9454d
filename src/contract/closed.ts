// Closed objects (`additionalProperties: false`) that are composed with others: each refuses what the others declare, so
// that nothing fits. They are read as closed over the whole composition, which is what their authors mean.

import { isObject } from '../kernel/json.ts'
import { childrenOf } from './discriminator.ts'
import { childOf, type Documents, entriesOf, identityOf, itemsOf, type Node } from './document.ts'

/** One schema's own word on the properties of an object. */
interface Layer {
  readonly node: Node
  readonly names: readonly string[]
  readonly patterns: boolean
  readonly closed: boolean
  /** Which branch of which union it stands in, by the union's place. */
  readonly branches: ReadonlyMap<string, number>
}

export interface Closing {
  /** The `additionalProperties` that refuses a property of another part. */
  readonly place: Node
  /** The property that it refuses. */
  readonly refused: string
  /** Whether the composition is closed whatever branch is taken. */
  readonly always: boolean
}

/** What a composed schema is made of is read up to here: more parts are a mistake, or a hostile document. */
const MOST_LAYERS = 600

/** What is wrong with a composition of closed objects; `undefined` where no part refuses what another one declares. */
export function closingOf(node: Node, documents: Documents, legacy: boolean): Closing | undefined {
  const layers = layersOf(node, documents, legacy)
  const closed = layers.filter(layer => layer.closed && !layer.patterns)
  if (closed.length === 0) return undefined
  for (const layer of closed) {
    const own = new Set(layer.names)
    for (const other of layers) {
      if (other === layer || !meet(layer, other)) continue
      const refused = other.names.find(name => !own.has(name))
      if (refused === undefined) continue
      const always = closed.some(one => one.branches.size === 0) || isEveryBranchClosed(layers, closed)
      return { place: childOf(layer.node, 'additionalProperties'), refused, always }
    }
  }
  return undefined
}

/** Whether a value may be held to both: they are not in different branches of one union. */
function meet(one: Layer, other: Layer): boolean {
  for (const [union, branch] of one.branches) {
    const also = other.branches.get(union)
    if (also !== undefined && also !== branch) return false
  }
  return true
}

/** Whether there is a union of which each branch that says anything is closed. */
function isEveryBranchClosed(layers: readonly Layer[], closed: readonly Layer[]): boolean {
  const unions = new Set(layers.flatMap(({ branches }) => [...branches.keys()]))
  return [...unions].some(union => {
    const of = (some: readonly Layer[]) => new Set(some.flatMap(one => one.branches.get(union) ?? []))
    const all = of(layers)
    return of(closed).size === all.size
  })
}

function layersOf(start: Node, documents: Documents, legacy: boolean): Layer[] {
  const layers: Layer[] = []
  const path = new Set<string>()
  const visit = (node: Node, branches: ReadonlyMap<string, number>): void => {
    const identity = identityOf(node)
    if (path.has(identity) || !isObject(node.value) || layers.length >= MOST_LAYERS) return
    path.add(identity)
    const { $ref, properties, patternProperties, additionalProperties } = node.value
    const target = typeof $ref === 'string' ? documents.follow(childOf(node, '$ref'), $ref) : undefined
    if (target !== undefined) visit(target, branches)
    // Beside a reference OpenAPI 3.0 ignores whatever else is there.
    if (target === undefined || !legacy) {
      if (properties !== undefined || additionalProperties !== undefined) {
        const names = entriesOf(childOf(node, 'properties')).flatMap(([name, { value }]) =>
          value === false ? [] : [name],
        )
        const patterns = patternProperties !== undefined
        layers.push({ node, names, patterns, closed: additionalProperties === false, branches })
      }
      for (const part of itemsOf(childOf(node, 'allOf'))) visit(part, branches)
      for (const keyword of ['oneOf', 'anyOf']) {
        visitUnion(`${identity}/${keyword}`, itemsOf(childOf(node, keyword)), branches)
      }
      if (node.value.oneOf === undefined && node.value.anyOf === undefined) {
        visitUnion(
          `${identity}/children`,
          childrenOf(node, documents).map(child => child.node),
          branches,
        )
      }
    }
    path.delete(identity)
  }
  const visitUnion = (union: string, items: readonly Node[], branches: ReadonlyMap<string, number>): void => {
    // A child that extends its parent takes over all of the parent but the union that it is a branch of.
    const targets = items.map(item => documents.resolve(item) ?? item)
    if (targets.some(target => path.has(identityOf(target)))) return
    for (const [index, item] of items.entries()) visit(item, new Map([...branches, [union, index]]))
  }
  visit(start, new Map())
  return layers
}
