// Makes schemas of a union whose branches have names: one form for generating values, another for the validator.

import { isObject } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema.ts'
import type { RequiredBy } from '../../kernel/schema-keywords.ts'
import type { Node } from '../documents.ts'
import type { Branch, OwnNames } from './discriminator.ts'

/** The data for the validator's form, besides the translated branches. */
export interface Union {
  readonly property: string
  readonly branches: readonly Branch[]
  /** Whether a value that names no branch is also valid: the parent itself. */
  readonly open: boolean
}

/** Unions by their translated branches. */
export type Unions = Map<unknown, Union>

/**
 * Returns the branches, each with the names that choose it, as the value of `anyOf`.
 *
 * @param refer makes the schema of a branch
 */
export function translateUnion(union: Union, refer: (node: Node) => Schema): Schema[] {
  const { property, branches, open } = union
  const all = namesOf(branches)
  const required = open || branches.every(({ requires }) => requires) ? { required: [property] } : {}
  const translated = branches.map(({ node, names, preferred, fallback }) => ({
    allOf: [
      fallback
        ? { properties: { [property]: { not: { enum: all.filter(name => !names.includes(name)) }, named: preferred } } }
        : { type: 'object', ...required, properties: { [property]: { enum: names, named: preferred } } },
      refer(node),
    ],
  }))
  return open ? [...translated, { properties: { [property]: { not: { enum: all } } } }] : translated
}

/** Returns a schema that limits the discriminating property of a child to the child's names. */
export const translateOwnNames = ({ property, names, preferred, stated }: OwnNames): Schema => ({
  properties: { [property]: { ...(stated ? { enum: names } : {}), named: preferred } },
})

const namesOf = (branches: readonly Branch[]): string[] => [...new Set(branches.flatMap(({ names }) => names))]

/** Returns a schema for values with one of the names. */
const named = (property: string, names: readonly string[]): Schema => ({
  type: 'object',
  required: [property],
  properties: { [property]: { enum: names } },
})

/** Writes a union as conditions: the validator enters the named branch only, and reports its mistakes only. */
function conditionsOf(translated: readonly Schema[], { property, branches, open }: Union): Schema[] {
  const parts = branches.map((_, index) => (translated[index] as { allOf: Schema[] }).allOf[1] as Schema)
  const groups = new Map<string, { readonly names: string[]; readonly indices: readonly number[] }>()
  for (const name of namesOf(branches)) {
    const indices = branches.flatMap((branch, index) => (branch.names.includes(name) ? [index] : []))
    const group = groups.get(indices.join()) ?? { names: [], indices }
    group.names.push(name)
    groups.set(indices.join(), group)
  }
  const conditions: Schema[] = [...groups.values()].map(({ names, indices }) => ({
    if: named(property, names),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: indices.length === 1 ? parts[indices[0] as number] : { anyOf: indices.map(index => parts[index]) },
  }))
  if (open) return conditions
  const hasName = named(property, namesOf(branches))
  const fallback = branches.findIndex(branch => branch.fallback)
  if (fallback !== -1) return [{ if: hasName, else: parts[fallback] }, ...conditions]
  if (branches.every(({ requires }) => requires)) return [hasName, ...conditions]
  const nameless = {
    if: { type: 'object', required: [property] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: hasName,
    else: { anyOf: parts },
  }
  return [nameless, ...conditions]
}

/** Returns the validator's form of a translated schema: named unions as conditions, one-sided `required` separated. */
export function forValidator(schema: unknown, unions: Unions): unknown {
  if (Array.isArray(schema)) return schema.map(item => forValidator(item, unions))
  if (!isObject(schema)) return schema
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const union = keyword === 'anyOf' ? unions.get(value) : undefined
    const plain = DATA.has(keyword) || keyword === 'requiredBy'
    const part = plain ? value : union === undefined ? forValidator(value, unions) : undefined
    if (union !== undefined) {
      const conditions = conditionsOf(value as Schema[], union)
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
