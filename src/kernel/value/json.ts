// JSON without loss: integers beyond 2^53 are read as bigint, decimals that a double would change as `Decimal`, and both are
// written back digit for digit. Independent of schemas, and of Node: a browser may use it.

export type Json = null | boolean | number | bigint | Decimal | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** A number that a double would not print as it was written: `1.10`, `0.12345678901234567890`. */
export class Decimal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double, for comparisons. */
  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  /** `JSON.stringify` cannot write given digits, so this throws and `stringifyJson` writes the text. */
  toJSON(): never {
    throw new TypeError('a decimal is written by stringifyJson')
  }
}

/** Writes JSON text; a bigint or a decimal is written as the number it is. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // `JSON.stringify` throws on a bigint or a decimal, which is quicker than searching for one first.
    return write(value)
  }
}

function write(value: unknown): string {
  if (typeof value === 'bigint' || value instanceof Decimal) return String(value)
  if (Array.isArray(value)) return `[${value.map(item => write(item ?? null)).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`).join()}}`
}

/** Returns whether a value holds a bigint or a decimal. */
export function holdsExact(value: unknown): boolean {
  if (typeof value === 'bigint' || value instanceof Decimal) return true
  if (typeof value !== 'object' || value === null) return false
  // `for … in` takes ten times as long on an array.
  if (Array.isArray(value))
    return value.some(item => (typeof item === 'object' ? holdsExact(item) : typeof item === 'bigint'))
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'object' ? holdsExact(item) : typeof item === 'bigint') return true
  }
  return false
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
// The doubles next to the bounds, on their inner and outer sides.
const BELOW_2_63 = 2 ** 63 - 1024
const BEYOND_MINUS_2_63 = -(2 ** 63) - 2048

/**
 * Returns the value with every decimal replaced by the nearest double, and every bigint by a double that compares with the
 * bounds of int64 as the bigint does. A validator that knows only doubles then checks the true range.
 */
export function approximate(value: Json): Json {
  if (typeof value === 'bigint') {
    if (value > INT64_MAX) return Number(value)
    return Math.min(Number(value), value < INT64_MIN ? BEYOND_MINUS_2_63 : BELOW_2_63)
  }
  if (value instanceof Decimal) return Number(value.text)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(approximate)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, approximate(item)]))
}

/** Sets a member. A plain assignment to `__proto__` would change the object's prototype. */
export function put<Value>(members: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
  } else members[name] = value
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)

/** Formats a path of keys and indices as a JSON Pointer (RFC 6901). */
export function pointer(path: readonly (string | number)[]): string {
  let text = ''
  for (const key of path) text += `/${typeof key === 'string' ? escapeKey(key) : key}`
  return text
}

/** Most keys need no escape, and looking is cheaper than replacing. */
const escapeKey = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

/** Returns the key that a part of a JSON Pointer stands for: `a/b` for `a~1b`. */
export const unescapeKey = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** Parses a JSON Pointer into its keys; `undefined` if it is not one. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return []
  if (text[0] !== '/') return undefined
  return text.slice(1).split('/').map(unescapeKey)
}
