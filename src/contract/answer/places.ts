// Paths inside a value, and replacing the value at a path.

import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'

export const valueAt = (value: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], value)

export function replaced(value: Json, [key, ...rest]: Path, next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, next) : item))
  const entries = Object.entries(value as JsonObject)
  return Object.fromEntries(entries.map(([name, item]) => [name, name === key ? replaced(item, rest, next) : item]))
}
