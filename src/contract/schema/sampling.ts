// The sampler for all the schemas of a contract.

import type { Json } from '../../kernel/json.ts'
import { Sampler } from '../../sample/sample.ts'
import type { Definitions } from '../../sample/schema-parts.ts'
import type { SchemaUse } from './dialect.ts'

const samplers = new WeakMap<Definitions, Sampler>()

export function samplerOf({ definitions }: SchemaUse): Sampler {
  let sampler = samplers.get(definitions)
  if (sampler === undefined) {
    sampler = new Sampler(definitions)
    samplers.set(definitions, sampler)
  }
  return sampler
}

/**
 * Returns a valid value for a schema, the same for the same seed; `undefined` if none was found. The first one is the
 * schema's own example or default; those of higher seeds are generated.
 */
export function valueFor(schema: SchemaUse, seed: number, request = false): Json | undefined {
  const { value, fits } = samplerOf(schema).sample(schema.key, { seed, dynamic: seed > 1, request })
  return fits ? value : undefined
}
