// The shape of each behaviour's block in gateway.yaml, wherever it may stand.

import { behaviours } from '../behaviours/index.ts'
import type { Schema } from '../kernel/schema.ts'

const nullable = (schema: Schema): Schema =>
  typeof schema === 'object' && schema.type !== undefined ? { ...schema, type: [schema.type, 'null'].flat() } : schema

/** By name; `null` switches a behaviour off. One object each, so that the validator compiles each once (`shareRepeated`). */
export const behaviourSettings: ReadonlyMap<string, Schema> = new Map(
  behaviours.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, nullable(schema)] as const])),
)

/** Behaviours that have a key in gateway.yaml. */
export const keyed = behaviours.filter(({ schema }) => schema !== undefined)

/** Behaviours that an operation may configure; the shape of refusals is the whole API's. */
export const configurable = keyed.filter(({ name }) => name !== 'errors')
