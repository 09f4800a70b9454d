// The properties and types that a schema has for a value, through references and compositions, and the removal of the
// properties that belong to the other side of an exchange.

import { isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { COMPOSITIONS } from '../../kernel/schema/schema.ts'
import { childOf, type Documents, isReference, itemsOf, membersOf, type Node } from '../documents.ts'

/** Compositions within one another that are followed: no document has as many, and values are not checked against more. */
const DEEPEST = 64

/**
 * Returns schemas and all that apply to the same value, through references and the compositions, each once: inner ones
 * before those that contain them.
 *
 * @param seen the values that are left out; those of the layers are added
 */
export function layersOf(
  starts: readonly Node[],
  documents: Pick<Documents, 'resolve'>,
  compositions: readonly (typeof COMPOSITIONS)[number][] = COMPOSITIONS,
  seen: { has(value: object): boolean; add(value: object): void } = new Set<object>(),
): SchemaNode[] {
  const layers: SchemaNode[] = []
  const visit = (node: Node | undefined, depth: number): void => {
    if (node === undefined || !isObject(node.value) || seen.has(node.value) || depth > DEEPEST) return
    seen.add(node.value)
    if (isReference(node)) visit(documents.resolve(node), depth + 1)
    for (const keyword of compositions) for (const part of itemsOf(childOf(node, keyword))) visit(part, depth + 1)
    layers.push(node as SchemaNode)
  }
  for (const start of starts) visit(start, 0)
  return layers
}

export type SchemaNode = Node & { readonly value: Readonly<Record<string, unknown>> }

export interface Shape {
  readonly types: readonly string[]
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<string>
  /** Whether the schema covers further properties: `additionalProperties` or `patternProperties`. */
  readonly open: boolean
  readonly format: string | undefined
  readonly default: Json | undefined
  readonly items: Node | undefined
  /** The schema of every further property. */
  readonly additional: Node | undefined
}

/** Returns what a schema says about a value, through references and `allOf`. */
export function shapeOf(start: Node, documents: Documents): Shape {
  const properties = new Map<string, Node>()
  const required = new Set<string>()
  let types: string[] = []
  let open = false
  let format: string | undefined
  let fallback: Json | undefined
  let items: Node | undefined
  let additional: Node | undefined
  for (const node of layersOf([start], documents, ['allOf'])) {
    const { value } = node
    for (const [name, schema] of membersOf(childOf(node, 'properties'))) properties.set(name, schema)
    if (Array.isArray(value.required)) for (const name of value.required) required.add(String(name))
    if (value.type !== undefined) types = [value.type].flat().map(String)
    if (isObject(value.additionalProperties)) additional = childOf(node, 'additionalProperties')
    // A union may have any property, so none is unknown.
    open ||= value.oneOf !== undefined || value.anyOf !== undefined || value.patternProperties !== undefined
    open ||= value.additionalProperties === true || isObject(value.additionalProperties)
    if (typeof value.format === 'string') format = value.format
    if (value.default !== undefined) fallback = value.default as Json
    if (isObject(value.items)) items = childOf(node, 'items')
  }
  return { types, properties, required, open, format, default: fallback, items, additional }
}

/** Returns the types of a value, unions included, for converting text to a value. */
export function typesOf(starts: readonly Node[], documents: Documents): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { value } of layersOf(starts, documents)) {
    const { type, nullable, properties, items, enum: values } = value
    if (type !== undefined) for (const one of [type].flat()) found.add(String(one))
    else if (properties !== undefined) found.add('object')
    else if (items !== undefined) found.add('array')
    if (nullable === true) found.add('null')
    for (const one of [...(Array.isArray(values) ? values : []), value.const]) {
      if (type === undefined && one !== undefined) found.add(one === null ? 'null' : typeof one)
    }
  }
  return found
}

/** The mark of a property that only replies or only requests have. */
export type SideMark = 'readOnly' | 'writeOnly'

/** Returns whether a property is marked, itself or through a reference. */
export const isMarked = (node: Node, mark: SideMark, documents: Documents): boolean =>
  layersOf([node], documents, ['allOf']).some(({ value }) => value[mark] === true)

/** A property is removed, or pruned by its own schema; others are kept. */
type PrunedPart = Node | 'removed' | undefined

/** The parts of a schema that may contain marked properties. */
interface PrunedParts {
  readonly properties: ReadonlyMap<string, PrunedPart>
  readonly items: Node | undefined
  readonly additional: Node | undefined
}

/** Removes the properties of the other side from values: `readOnly` ones from a request, `writeOnly` ones from a reply. */
export class Pruning {
  readonly #documents: Documents
  readonly #mark: SideMark
  readonly #parts = new WeakMap<Node, PrunedParts>()

  constructor(documents: Documents, mark: SideMark) {
    this.#documents = documents
    this.#mark = mark
  }

  /** Returns the value itself if it has none of the properties. */
  prune(value: Json, node: Node): Json {
    if (!Array.isArray(value) && !isObject(value)) return value
    const { properties, items, additional } = this.#partsOf(node)
    if (Array.isArray(value)) {
      if (items === undefined) return value
      const list = value.map(item => this.prune(item as Json, items))
      return list.some((item, i) => item !== value[i]) ? list : value
    }
    let changed = false
    const kept: Record<string, Json> = {}
    for (const [name, item] of Object.entries(value as JsonObject)) {
      const part = properties.has(name) ? properties.get(name) : additional
      const pruned = part === undefined ? item : part === 'removed' ? undefined : this.prune(item, part)
      changed ||= pruned !== item
      if (pruned !== undefined) put(kept, name, pruned)
    }
    return changed ? kept : value
  }

  #partsOf(node: Node): PrunedParts {
    return getOrMake(this.#parts, node, () => {
      const { properties, items, additional } = shapeOf(node, this.#documents)
      const partOf = (one: Node): PrunedPart =>
        isMarked(one, this.#mark, this.#documents) ? 'removed' : isObject(one.value) ? one : undefined
      const parts = new Map([...properties].map(([name, one]) => [name, partOf(one)]))
      const inBranches = new Map<string, PrunedPart[]>()
      for (const layer of layersOf([node], this.#documents)) {
        for (const [name, one] of membersOf(childOf(layer, 'properties')))
          getOrMake(inBranches, name, (): PrunedPart[] => []).push(partOf(one))
      }
      // A property of unions is kept whole where the branches differ about it.
      for (const [name, [first, ...others]] of inBranches)
        if (!properties.has(name)) parts.set(name, others.every(part => part === first) ? first : undefined)
      return { properties: parts, items, additional }
    })
  }
}
