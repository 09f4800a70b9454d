// The parts of a JSON Schema that describe the value at a path of keys: the editor suggests and explains from them.

import { unescapeKey } from '../../kernel/json.ts'

/** A part of a JSON Schema 2020-12, as far as the console reads it. */
export interface SchemaPart {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaPart>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly patternProperties?: Readonly<Record<string, SchemaPart>>
  readonly additionalProperties?: SchemaPart | boolean
  readonly required?: readonly string[]
  readonly items?: SchemaPart | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly anyOf?: readonly SchemaPart[]
  readonly oneOf?: readonly SchemaPart[]
  readonly allOf?: readonly SchemaPart[]
}

/** Returns the parts of the schema that describe a path: several where it joins parts or leaves a choice. */
export function partsAt(root: SchemaPart, path: readonly string[]): readonly SchemaPart[] {
  const below = (parts: SchemaPart[], key: string): SchemaPart[] =>
    parts.flatMap(part => partsBelow(part, key)).flatMap(part => alternativesOf(part, root))
  return path.reduce(below, alternativesOf(root, root))
}

function partsBelow(part: SchemaPart, key: string): SchemaPart[] {
  if (key === '-') return typeof part.items === 'object' ? [part.items] : []
  const property = part.properties?.[key]
  if (property !== undefined) return [property]
  const matching = Object.entries(part.patternProperties ?? {}).flatMap(([pattern, child]) =>
    new RegExp(pattern, 'u').test(key) ? [child] : [],
  )
  if (matching.length > 0) return matching
  return typeof part.additionalProperties === 'object' ? [part.additionalProperties] : []
}

/** Follows references, and splits joined parts and alternatives. */
function alternativesOf(part: SchemaPart, root: SchemaPart, depth = 0): SchemaPart[] {
  if (depth > 20) return []
  const name = /^#(?:\/\$defs\/(.+))?$/.exec(part.$ref ?? '')
  const target = name === null ? undefined : name[1] === undefined ? root : root.$defs?.[unescapeKey(name[1])]
  const within = [part.anyOf, part.oneOf, part.allOf, target].flatMap(inner => inner ?? [])
  return [part, ...within.flatMap(inner => alternativesOf(inner, root, depth + 1))]
}

/** Returns the keywords of a path; the first part that has one gives its value. */
export const keywordsAt = (root: SchemaPart, path: readonly string[] = []): SchemaPart =>
  Object.assign({}, ...[...partsAt(root, path)].reverse()) as SchemaPart

export interface Suggestion {
  readonly value: unknown
  readonly about?: string | undefined
}

/** Returns the keys that are allowed at a path. */
export function keysAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const names = partsAt(root, path).flatMap(({ properties = {} }) => Object.keys(properties))
  return [...new Set(names)].map(value => ({ value, about: aboutAt(root, [...path, value]) }))
}

/** Returns the suggested values of the last key of a path, including examples. */
export function valuesAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const values = partsAt(root, path).flatMap(
    ({ enum: choices = [], const: only, type, default: usual, example, examples = [] }) => [
      ...[...choices, only, ...([type].flat().includes('boolean') ? [true, false] : [])],
      ...[usual, example, ...examples],
    ],
  )
  const simple = values.filter(value => value !== undefined && (typeof value !== 'object' || value === null))
  return [...new Set(simple)].map(value => ({ value }))
}

/** Returns the description of the key at the end of a path, and the limits of its values. */
export function aboutAt(root: SchemaPart, path: readonly string[]): string | undefined {
  const parts = partsAt(root, path)
  const description = parts.find(part => part.description !== undefined)?.description
  const typed = parts.filter(({ type }) => type !== undefined && type !== 'null')
  // Limits of alternatives would not hold together.
  const limits = typed.length === 1 ? limitsInWords(typed[0] as SchemaPart) : ''
  return [description, limits].filter(Boolean).join('\n') || undefined
}

function limitsInWords(part: SchemaPart): string {
  const { type, format, minimum, maximum, minLength = 0, maxLength, pattern, readOnly } = part
  const parts = [
    format ?? [type].flat().join(' or '),
    readOnly && 'read only',
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    minLength > 1 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    pattern && `matches ${pattern}`,
  ]
  return parts.filter(Boolean).join(' · ')
}
