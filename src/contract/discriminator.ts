// Discriminators (OpenAPI "Discriminator Object"): a union whose branch a property names. Translated into conditions, so
// that a value is held to the branch it says it is, and to no other.

import { isObject } from '../kernel/json.ts'
import type { RequiredBy, Schema } from '../kernel/schema.ts'
import { childOf, type Documents, entriesOf, identityOf, itemsOf, type Node } from './document.ts'
import { shapeOf } from './shape.ts'

/** A branch of a union, and the values of the property that stand for it. */
export interface Branch {
  readonly node: Node
  readonly names: readonly string[]
  readonly requires: boolean
}

/** The property that a schema's discriminator names. Swagger 2.0 wrote the name alone. */
export function discriminatorOf({ value }: Node): string | undefined {
  if (!isObject(value)) return undefined
  const { discriminator } = value
  if (typeof discriminator === 'string') return discriminator
  return isObject(discriminator) && typeof discriminator.propertyName === 'string'
    ? discriminator.propertyName
    : undefined
}

/** The branches of a union by their names; `undefined` where one of them has none, so that names decide nothing. */
export function branchesOf(
  node: Node,
  union: 'oneOf' | 'anyOf',
  property: string,
  documents: Documents,
): Branch[] | undefined {
  const mapping = mappingOf(node, documents)
  const branches: Branch[] = []
  for (const item of itemsOf(childOf(node, union))) {
    const target = documents.resolve(item)
    if (target === undefined) return undefined
    const { $ref } = (isObject(item.value) ? item.value : {}) as { $ref?: unknown }
    const own = typeof $ref === 'string' ? [$ref.slice(Math.max($ref.lastIndexOf('/'), $ref.lastIndexOf('#')) + 1)] : []
    const shape = shapeOf(item, documents)
    const mapped = mapping.get(identityOf(target)) ?? []
    const names = [...new Set([...mapped, ...own, ...declaredNames(shape.properties.get(property), documents)])]
    if (names.length === 0) return undefined
    branches.push({ node: item, names, requires: shape.required.has(property) })
  }
  return branches.length > 0 ? branches : undefined
}

/** The schemas that extend a parent by `allOf`, where the parent has a discriminator and no union. */
export function childrenOf(parent: Node, documents: Documents): Branch[] {
  const mapping = mappingOf(parent, documents)
  const identity = identityOf(parent)
  const children: Branch[] = []
  for (const [name, node] of entriesOf(childOf(documents.root, 'components', 'schemas'))) {
    const extended = itemsOf(childOf(node, 'allOf')).some(item => {
      const ref = isObject(item.value) && typeof item.value.$ref === 'string'
      const target = ref ? documents.resolve(item) : undefined
      return target !== undefined && identityOf(target) === identity
    })
    if (extended) children.push({ node, names: [...(mapping.get(identityOf(node)) ?? []), name], requires: true })
  }
  return children
}

/** Unions by their translated branches: for the validator they are put as conditions. */
export type Unions = Map<unknown, { readonly property: string; readonly branches: readonly Branch[] }>

/**
 * The branches, each with the names that stand for it.
 *
 * @param refer makes the schema of a branch
 */
export const translateBranches = (
  branches: readonly Branch[],
  property: string,
  refer: (node: Node) => Schema,
): Schema[] => {
  const required = branches.every(({ requires }) => requires) ? { required: [property] } : {}
  return branches.map(({ node, names }) => ({
    allOf: [{ type: 'object', ...required, properties: { [property]: { enum: names } } }, refer(node)],
  }))
}

/** The same as conditions: only the branch that is named is gone into, and only its faults are told. */
function conditionsOf(translated: readonly Schema[], property: string, branches: readonly Branch[]): Schema[] {
  const all = [...new Set(branches.flatMap(({ names }) => names))]
  const named = { type: 'object', required: [property], properties: { [property]: { enum: all } } }
  const parts = translated.map(branch => (branch as { allOf: Schema[] }).allOf[1] as Schema)
  const conditions = branches.map(({ names }, index) => ({
    if: { type: 'object', required: [property], properties: { [property]: { enum: names } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: parts[index],
  }))
  if (branches.every(({ requires }) => requires)) return [named, ...conditions]
  const nameless = {
    if: { type: 'object', required: [property] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: named,
    else: { anyOf: parts },
  }
  return [nameless, ...conditions]
}

/** A translated schema as the validator takes it: named unions as conditions, what one side alone requires apart. */
export function forValidator(schema: unknown, unions: Unions): unknown {
  if (Array.isArray(schema)) return schema.map(item => forValidator(item, unions))
  if (!isObject(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const union = keyword === 'anyOf' ? unions.get(value) : undefined
    const plain = DATA.has(keyword) || keyword === 'requiredBy'
    const part = plain ? value : union === undefined ? forValidator(value, unions) : undefined
    if (union !== undefined) {
      const conditions = conditionsOf(value as Schema[], union.property, union.branches)
      out.allOf = [
        ...((out.allOf as unknown[] | undefined) ?? []),
        ...conditions.map(item => forValidator(item, unions)),
      ]
    } else if (keyword === 'allOf' && out.allOf !== undefined)
      out.allOf = [...(out.allOf as unknown[]), ...(part as unknown[])]
    else Object.defineProperty(out, keyword, { value: part, enumerable: true, configurable: true, writable: true })
  }
  const sided = schema.requiredBy as RequiredBy | undefined
  if (Array.isArray(out.required) && sided !== undefined && Array.isArray(sided.reply)) {
    out.required = out.required.filter(name => !sided.reply.includes(name as string))
  }
  return out
}

const DATA = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** A parent holds its children to their own schemas; a name that none of them has is the parent itself. */
export const translateParent = (
  children: readonly Branch[],
  property: string,
  refer: (node: Node) => Schema,
): Schema[] =>
  children.map(({ node, names }) => ({
    if: { type: 'object', required: [property], properties: { [property]: { enum: names } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: refer(node),
  }))

/** The names that a mapping gives a schema, by the schema's identity. */
function mappingOf(node: Node, documents: Documents): ReadonlyMap<string, string[]> {
  const out = new Map<string, string[]>()
  for (const [name, entry] of entriesOf(childOf(node, 'discriminator', 'mapping'))) {
    if (typeof entry.value !== 'string') continue
    const bare = childOf(documents.root, 'components', 'schemas', entry.value)
    const target = bare.value !== undefined ? bare : documents.follow(entry, entry.value)
    const end = target && documents.resolve(target)
    if (end === undefined) continue
    const identity = identityOf(end)
    out.set(identity, [...(out.get(identity) ?? []), name])
  }
  return out
}

/** What a branch itself says the property must be. */
function declaredNames(property: Node | undefined, documents: Documents): string[] {
  const node = property && documents.resolve(property)
  if (node === undefined || !isObject(node.value)) return []
  const values = Array.isArray(node.value.enum) ? node.value.enum : [node.value.const]
  return values.filter(value => typeof value === 'string')
}
