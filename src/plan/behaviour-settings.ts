// The schema of each behaviour's block in gateway.yaml.

import { behaviours } from '../behaviours/index.ts'
import type { Schema } from '../kernel/schema.ts'

const nullable = (schema: Schema): Schema =>
  typeof schema === 'object' && schema.type !== undefined ? { ...schema, type: [schema.type, 'null'].flat() } : schema

/** Schemas by behaviour; `null` switches one off. Each is one object, so that it is compiled once (`shareRepeated`). */
export const behaviourSettings: ReadonlyMap<string, Schema> = new Map(
  behaviours.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, nullable(schema)] as const])),
)

/** Behaviours that have a key in gateway.yaml. */
export const keyed = behaviours.filter(({ schema }) => schema !== undefined)

/** Behaviours that an operation may configure. `errors` is configured for the whole API only. */
export const configurable = keyed.filter(({ name }) => name !== 'errors')
