// Describes the fields of values by their schemas, for code that generates values as a server does, or that warns of
// deprecated fields.

import { isObject, type Json, pointer } from '../../kernel/json.ts'
import { entriesOf } from '../../kernel/schema/schema.ts'
import type { Type } from '../../sample/facets.ts'
import { referredBy } from '../../sample/schema-parts.ts'
import type { SchemaUse } from './schema-book.ts'

/** One field of a record. */
export interface Field {
  readonly name: string
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly types: readonly Type[]
  readonly format: string | undefined
  /** The values of `enum` or `const`, if there are any. */
  readonly choices: readonly Json[] | undefined
  readonly default: Json | undefined
  /** The first example of the schema. */
  readonly example: Json | undefined
  readonly description: string
  /** Returns whether the field may have this value. */
  allows(value: Json): boolean
  /**
   * Returns a value for the field, the same for the same seed; the example if the schema has one. `undefined` without a
   * valid value.
   */
  generate(seed: number, dynamic?: boolean): Json | undefined
}

/** The number of types of JSON Schema. A schema without `type` allows all of them. */
const EVERY = 7

export function describeField(name: string, use: SchemaUse): Field {
  const { types, formats, choices, schemas } = use.sampler.facets(use.key)
  const first = (keyword: string): unknown => schemas.find(schema => schema[keyword] !== undefined)?.[keyword]
  const examples = first('examples')
  // `properties` alone are meant to be those of an object, and not of `null`.
  const isImplied = types.length === EVERY && use.types.size > 0
  return {
    name,
    readOnly: use.sampler.isMarked(use.key, 'readOnly'),
    writeOnly: use.sampler.isMarked(use.key, 'writeOnly'),
    types: isImplied
      ? ([...use.types] as Type[])
      : [...new Set([...types, ...([...use.types].filter(type => type === 'null') as Type[])])],
    format: formats[0],
    choices,
    default: first('default') as Json | undefined,
    example: (first('example') ?? (Array.isArray(examples) ? examples[0] : undefined)) as Json | undefined,
    description: String(first('description') ?? ''),
    allows: value => use.fits(value),
    generate: (seed, dynamic = false) => use.validSample({ seed, dynamic, name }),
  }
}

/**
 * Returns a valid value for a schema, the same for the same seed; `undefined` if none was found. The first one is the
 * schema's own example or default; those of higher seeds are generated.
 */
export const valueFor = (schema: SchemaUse, seed: number, request = false): Json | undefined =>
  schema.validSample({ seed, dynamic: seed > 1, request })

/** A field with `deprecated: true`. */
interface DeprecatedField {
  /** As a JSON Pointer in which `*` stands for any item. */
  readonly label: string
  /** Returns whether a value has the field anywhere. */
  isIn(value: unknown): boolean
}

const MAX_DEPTH = 8
const ANY = '*'

/** Returns every deprecated field of a schema, through references, unions and arrays. */
export function deprecatedFields(schema: SchemaUse): DeprecatedField[] {
  // Most contracts have none, and walking a large one takes long.
  if (!schema.marked('deprecated')) return []
  const { key, definitions } = schema
  const found = new Map<string, DeprecatedField>()
  const walk = (schema: unknown, path: readonly string[], outer: readonly unknown[]): void => {
    // A recursive schema repeats the same fields; one round is enough.
    if (!isObject(schema) || path.length > MAX_DEPTH || outer.includes(schema)) return
    const around = [...outer, schema]
    walk(referredBy(schema, definitions), path, around)
    const { properties, items, allOf, anyOf, oneOf } = schema
    if (schema.deprecated === true && path.length > 0) {
      const label = pointer(path)
      found.set(label, { label, isIn: value => has(value, path) })
    }
    for (const [name, part] of entriesOf(properties)) walk(part, [...path, name], around)
    walk(items, [...path, ANY], around)
    for (const part of [allOf, anyOf, oneOf].flat()) walk(part, path, around)
  }
  walk(definitions[key], [], [])
  return [...found.values()]
}

function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  if (Array.isArray(value)) return key === ANY && value.some(item => has(item, rest))
  return isObject(value) && Object.hasOwn(value, key) && has(value[key], rest)
}
