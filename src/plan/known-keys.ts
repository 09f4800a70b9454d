// The keys of gateway.yaml in its schema, for reading texts with very many unknown ones.

import { isObject } from '../kernel/json.ts'
import type { Schema } from '../kernel/schema.ts'
import type { KeyBounds, KnownKeys } from '../kernel/surplus.ts'
import { simulationSchema } from './simulation-schema.ts'

/** The bounds for a text that a client sends: a million keys and values take a second to read. */
const MOST = 1_500_000

/** More than are shown of all mistakes, and fewer than are described, so that they hide no others. */
const MOST_UNKNOWN = 200

/** Returns the bounds of a gateway file; of a text from elsewhere, which cannot be larger than this. */
export const gatewayBounds = (elsewhere: boolean): KeyBounds => ({
  most: elsewhere ? MOST : Number.POSITIVE_INFINITY,
  mostUnknown: MOST_UNKNOWN,
  known: keysOf(simulationSchema) as KnownKeys,
})

/** Returns the keys in a schema. Another key is unknown only if the schema allows no others. */
function keysOf(schema: unknown): KnownKeys | 'open' {
  if (!isObject(schema)) return 'open'
  const { properties = {}, additionalProperties: others } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly additionalProperties?: Schema
  }
  if (others === undefined) return 'open'
  const known = new Map<string, KnownKeys | 'open'>()
  let other: KnownKeys | 'open' | 'unknown' | undefined = others === false ? 'unknown' : undefined
  return key => {
    if (!Object.hasOwn(properties, key)) {
      other ??= keysOf(others)
      return other
    }
    let keys = known.get(key)
    if (keys === undefined) {
      keys = keysOf(properties[key])
      known.set(key, keys)
    }
    return keys
  }
}
