// Removes the properties of the other side from a value: `readOnly` ones from a request, `writeOnly` ones from a reply.

import { isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import type { Documents, Node } from '../documents.ts'
import { isMarked, type Shape } from './shape.ts'

type Mark = 'readOnly' | 'writeOnly'

/** An object with fewer properties is looked through by its schema: the value may have a hundred thousand. */
const FEW = 50

/** A property is removed, kept as it is, or pruned by its own schema. */
type Part = Node | 'removed' | 'kept'

/** The parts of a schema that matter here. */
interface Parts {
  readonly properties: ReadonlyMap<string, Part>
  /** The names, if only they need to be looked at. */
  readonly names: readonly string[] | undefined
  readonly items: Node | undefined
  readonly additional: Node | undefined
}

export class Pruning {
  readonly #documents: Documents
  readonly #shapeOf: (node: Node) => Shape
  readonly #parts = { readOnly: new WeakMap<Node, Parts>(), writeOnly: new WeakMap<Node, Parts>() }

  constructor(documents: Documents, shapeOf: (node: Node) => Shape) {
    this.#documents = documents
    this.#shapeOf = shapeOf
  }

  /** Returns the value itself if it has none of the properties. */
  prune(value: Json, node: Node, mark: Mark): Json {
    if (Array.isArray(value)) return this.#pruneList(value, node, mark)
    if (!isObject(value)) return value
    const object = value as JsonObject
    const { properties, names, additional } = this.#partsOf(node, mark)
    let changes: Map<string, Json | undefined> | undefined
    for (const name of names ?? Object.keys(object)) {
      if (names !== undefined && !Object.hasOwn(object, name)) continue
      const schema = properties.get(name) ?? additional
      if (schema === undefined || schema === 'kept') continue
      const item = object[name] as Json
      const pruned = schema === 'removed' ? undefined : this.prune(item, schema, mark)
      if (pruned === item) continue
      changes ??= new Map()
      changes.set(name, pruned)
    }
    if (changes === undefined) return value
    const kept: Record<string, Json> = {}
    for (const name of Object.keys(object)) {
      const item = changes.has(name) ? changes.get(name) : object[name]
      if (item !== undefined) put(kept, name, item)
    }
    return kept
  }

  #pruneList(value: readonly Json[], node: Node, mark: Mark): Json {
    const { items } = this.#partsOf(node, mark)
    if (items === undefined) return value
    let list: Json[] | undefined
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json
      const pruned = this.prune(item, items, mark)
      if (pruned === item) continue
      list ??= value.slice()
      list[i] = pruned
    }
    return list ?? value
  }

  #partsOf(node: Node, mark: Mark): Parts {
    let parts = this.#parts[mark].get(node)
    if (parts === undefined) {
      const { properties, items, additional } = this.#shapeOf(node)
      const partOf = (one: Node): Part =>
        isMarked(one, mark, this.#documents) ? 'removed' : isObject(one.value) ? one : 'kept'
      const own = new Map([...properties].map(([name, one]) => [name, partOf(one)]))
      const further = additional !== undefined && isObject(additional.value) ? additional : undefined
      const looked = [...own].filter(([, part]) => part !== 'kept').map(([name]) => name)
      const names = further === undefined && looked.length < FEW ? looked : undefined
      parts = { properties: own, names, items, additional: further }
      this.#parts[mark].set(node, parts)
    }
    return parts
  }
}
