// A value that changes only while it stays valid, part by part.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'

const valueAt = (value: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | undefined)?.[key], value)

function replaced(value: Json | undefined, [key, ...rest]: Path, next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, next) : item))
  return { ...(value as JsonObject), [key]: replaced((value as JsonObject)[key], rest, next) }
}

export class GuardedValue {
  value: Json
  readonly #fits: (value: Json) => boolean

  /** @param fits whether a value is valid as a whole */
  constructor(value: Json, fits: (value: Json) => boolean) {
    this.value = value
    this.#fits = fits
  }

  at(path: Path): Json | undefined {
    return valueAt(this.value, path)
  }

  /** Returns whether the whole would be valid with this part. */
  fits(path: Path, part: Json): boolean {
    return this.#fits(replaced(this.value, path, part))
  }

  /** Replaces or adds a part, and returns whether the whole stays valid; otherwise nothing changes. */
  put(path: Path, part: Json): boolean {
    const whole = replaced(this.value, path, part)
    const fits = this.#fits(whole)
    if (fits) this.value = whole
    return fits
  }

  /** Removes a property, in the same way. */
  drop(path: Path): boolean {
    const key = path.at(-1)
    const holder = this.at(path.slice(0, -1))
    if (typeof key !== 'string' || !isObject(holder)) return false
    if (!Object.hasOwn(holder, key)) return true
    const { [key]: _, ...rest } = holder as JsonObject
    return this.put(path.slice(0, -1), rest)
  }
}
