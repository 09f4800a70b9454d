// Describes one field of a record by its schema, for code that generates the value that a server would assign.

import type { Json } from '../../kernel/json.ts'
import type { Type } from '../../sample/facets.ts'
import { samplerOf } from '../schema/sampling.ts'
import type { SchemaUse } from '../schema/schema-use.ts'

export interface Field {
  readonly name: string
  readonly use: SchemaUse
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

export function describeField(name: string, use: SchemaUse): Field {
  const sampler = samplerOf(use)
  const { types, formats, choices, schemas } = sampler.facets(use.key)
  const first = (keyword: string): unknown => schemas.find(schema => schema[keyword] !== undefined)?.[keyword]
  const examples = first('examples')
  return {
    name,
    use,
    readOnly: sampler.isMarked(use.key, 'readOnly'),
    writeOnly: sampler.isMarked(use.key, 'writeOnly'),
    types: [...new Set([...types, ...([...use.types].filter(type => type === 'null') as Type[])])],
    format: formats[0],
    choices,
    default: first('default') as Json | undefined,
    example: (first('example') ?? (Array.isArray(examples) ? examples[0] : undefined)) as Json | undefined,
    description: String(first('description') ?? ''),
    allows: value => sampler.fits(use.key, value),
    generate(seed, dynamic = false) {
      const { value, fits } = sampler.sample(use.key, { seed, dynamic, name })
      return fits ? value : undefined
    },
  }
}
