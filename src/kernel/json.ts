// JSON without loss: integers beyond 2^53 are read as bigint and written back digit for digit. Knows no schema.

export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Deeper nesting than this is refused: recursion over a value must end before the stack does. */
export const MAX_DEPTH = 256

/** `exact` says that the value holds a bigint, so that whoever cares need not search for one. */
export type Parsed = { readonly value: Json; readonly exact: boolean } | { readonly fault: string }

// Only a run of sixteen digits can leave the safe range, and only a three-digit exponent the range of a double.
const SUSPICIOUS = /\d{16}|[eE]\+?\d{3}/
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gs
const INTEGER = /^-?\d+$/

/** Reads JSON text (RFC 8259); a fault is a sentence without the name of any library in it. */
export function parseJson(text: string): Parsed {
  if (text.length > 2 * MAX_DEPTH && deeperThan(text, MAX_DEPTH)) {
    return { fault: `is nested deeper than ${MAX_DEPTH} levels` }
  }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return { fault: describeSyntaxError(text, (error as Error).message) }
  }
  return SUSPICIOUS.test(text) ? parseExactly(text, value) : { value, exact: false }
}

/** The second reading, of a text known to be JSON: large integers travel through `JSON.parse` as marked strings. */
function parseExactly(text: string, value: Json): Parsed {
  let mark = '#'
  while (text.includes(mark)) mark += '#'
  let exact = false
  let infinite = ''
  const marked = text.replace(TOKEN, token => {
    if (token[0] === '"') return token
    const number = Number(token)
    if (!Number.isFinite(number)) infinite = token
    if (Number.isSafeInteger(number) || !INTEGER.test(token)) return token
    exact = true
    return `"${mark}${token}"`
  })
  if (infinite !== '') return { fault: `holds a number out of range, ${excerpt(infinite)}` }
  if (!exact) return { value, exact }
  const revived = JSON.parse(marked, (_, item) =>
    typeof item === 'string' && item.startsWith(mark) ? BigInt(item.slice(mark.length)) : item,
  ) as Json
  return { value: revived, exact }
}

/** Writes JSON text; a bigint is written as the integer it is. */
export function stringifyJson(value: unknown): string {
  if (!holdsBigInt(value)) return JSON.stringify(value)
  const plain = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? '' : item))
  let mark = '#'
  while (plain.includes(mark)) mark += '#'
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${mark}${item}` : item))
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

export function holdsBigInt(value: unknown): boolean {
  if (typeof value === 'bigint') return true
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (holdsBigInt((value as Record<string, unknown>)[key])) return true
  return false
}

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
// The doubles next to the bounds, on their inner and outer sides.
const BELOW_2_63 = 2 ** 63 - 1024
const BEYOND_MINUS_2_63 = -(2 ** 63) - 2048

/**
 * The value with every bigint replaced by a double that compares with the bounds of int64 as the bigint does, so that
 * a validator that only knows doubles judges the true range.
 */
export function approximate(value: Json): Json {
  if (typeof value === 'bigint') {
    if (value > INT64_MAX) return Number(value)
    return Math.min(Number(value), value < INT64_MIN ? BEYOND_MINUS_2_63 : BELOW_2_63)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(approximate)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, approximate(item)]))
}

/** An integer as plain decimal digits: a number where that is exact, else a bigint; `undefined` if it is none. */
export function parseInteger(digits: string): number | bigint | undefined {
  if (!INTEGER.test(digits)) return undefined
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON Pointer (RFC 6901) to a path of keys and indices. */
export const pointer = (path: readonly (string | number)[]): string =>
  path.map(key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The keys a JSON Pointer names; `undefined` where it is none. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return []
  if (text[0] !== '/') return undefined
  return text
    .slice(1)
    .split('/')
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function deeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 92) i++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      if (++depth > limit) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}

// What JSON.parse says of a fault differs from one Node to the next; only these three readings are stable.
function describeSyntaxError(text: string, message: string): string {
  if (text.trim() === '') return 'is empty'
  if (/end of JSON|unterminated/i.test(message)) return 'is not JSON: it ends too early'
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position === undefined) return 'is not JSON'
  if (Number(position) >= text.length) return 'is not JSON: it ends too early'
  const before = text.slice(0, Number(position))
  const place = `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`
  return `is not JSON: unexpected ${JSON.stringify(text[Number(position)])} at ${place}`
}

const excerpt = (token: string): string => (token.length > 24 ? `${token.slice(0, 24)}…` : token)
