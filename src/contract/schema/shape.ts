// Gathers the properties that a schema has for an object, through `$ref` and `allOf`, for code that inspects schemas.

import { isObject, type Json } from '../../kernel/json.ts'
import { childOf, type Documents, entriesOf, itemsOf, type Node } from '../documents.ts'

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

export function shapeOf(start: Node, documents: Documents): Shape {
  const properties = new Map<string, Node>()
  const required = new Set<string>()
  const seen = new Set<unknown>()
  let types: string[] = []
  let open = false
  let format: string | undefined
  let fallback: Json | undefined
  let items: Node | undefined
  let additional: Node | undefined
  const gather = (node: Node): void => {
    if (seen.has(node.value) || !isObject(node.value)) return
    seen.add(node.value)
    const { type, $ref, additionalProperties, patternProperties, required: names } = node.value
    if (typeof $ref === 'string') {
      const target = documents.resolve(node)
      if (target !== undefined) gather(target)
    }
    for (const part of itemsOf(childOf(node, 'allOf'))) gather(part)
    for (const [name, schema] of entriesOf(childOf(node, 'properties'))) properties.set(name, schema)
    if (Array.isArray(names)) for (const name of names) required.add(String(name))
    if (type !== undefined) types = [type].flat().map(String)
    if (patternProperties !== undefined || additionalProperties === true || isObject(additionalProperties)) open = true
    if (isObject(additionalProperties)) additional = childOf(node, 'additionalProperties')
    // A union may have any property, so none is unknown.
    if (node.value.oneOf !== undefined || node.value.anyOf !== undefined) open = true
    if (typeof node.value.format === 'string') format = node.value.format
    if (node.value.default !== undefined) fallback = node.value.default as Json
    if (isObject(node.value.items)) items = childOf(node, 'items')
  }
  gather(start)
  return { types, properties, required, open, format, default: fallback, items, additional }
}

/** Returns the types of a value, unions included, for converting text to a value. */
export function typesOf(start: Node, documents: Documents): ReadonlySet<string> {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const gather = (node: Node): void => {
    if (seen.has(node.value) || !isObject(node.value)) return
    seen.add(node.value)
    const target = typeof node.value.$ref === 'string' ? documents.resolve(node) : undefined
    if (target !== undefined) gather(target)
    const { type, nullable, properties, items } = node.value
    if (type !== undefined) for (const one of [type].flat()) found.add(String(one))
    else if (properties !== undefined) found.add('object')
    else if (items !== undefined) found.add('array')
    if (nullable === true) found.add('null')
    for (const value of [...(Array.isArray(node.value.enum) ? node.value.enum : []), node.value.const]) {
      if (type === undefined && value !== undefined) found.add(value === null ? 'null' : typeof value)
    }
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const part of itemsOf(childOf(node, keyword))) gather(part)
  }
  gather(start)
  return found
}

/** Returns whether a property is marked `readOnly` or `writeOnly`, itself or through a reference. */
export function isMarked(node: Node, mark: 'readOnly' | 'writeOnly', documents: Documents): boolean {
  const seen = new Set<unknown>()
  const look = (at: Node): boolean => {
    if (!isObject(at.value) || seen.has(at.value)) return false
    seen.add(at.value)
    if (at.value[mark] === true) return true
    if (typeof at.value.$ref === 'string') {
      const target = documents.resolve(at)
      if (target !== undefined && look(target)) return true
    }
    return itemsOf(childOf(at, 'allOf')).some(look)
  }
  return look(node)
}
