// JSON without loss: integers beyond 2^53 are read as bigint, decimals that a double would change as `Decimal`, and both are
// written back digit for digit. Independent of schemas.

import { looksInexact } from './inexact-numbers.ts'
import { deeperThan, describeSyntaxError } from './json-faults.ts'

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

/** The maximum nesting depth, so that recursion over a value cannot exhaust the stack. */
export const MAX_DEPTH = 256

/** `exact`: the value holds a bigint or a decimal. Callers need not search for one. */
export type Parsed = { readonly value: Json; readonly exact: boolean } | { readonly fault: string }

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const INTEGER = /^-?\d+$/
/**
 * Reads JSON text (RFC 8259); a fault is a sentence without the name of any library in it.
 *
 * @param decimals whether a number with a fraction is kept as it is written where a double would change it
 */
export function parseJson(text: string, decimals = false): Parsed {
  if (text.length > 2 * MAX_DEPTH && deeperThan(text, MAX_DEPTH)) {
    return { fault: `is nested deeper than ${MAX_DEPTH} levels` }
  }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return { fault: describeSyntaxError(text, (error as Error).message) }
  }
  return looksInexact(text, decimals) ? parseExactly(text, value, decimals) : { value, exact: false }
}

/** Reads JSON text that a client sent: no digit of a number is lost. */
export const parseSent = (text: string): Parsed => parseJson(text, true)

/**
 * The second reading, of a text known to be JSON: a number that a double would change travels through `JSON.parse` as a
 * string that begins with `#`, and every other string that is a value begins with `=` on the way.
 */
export function parseExactly(text: string, value: Json, decimals: boolean): Parsed {
  const pieces: string[] = []
  let from = 0
  let exact = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      const end = endOfString(text, i)
      if (!isKey(text, end)) {
        pieces.push(text.slice(from, i + 1), '=')
        from = i + 1
      }
      i = end
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = i
      const token = (NUMBER.exec(text) as RegExpExecArray)[0]
      const number = Number(token)
      if (!Number.isFinite(number)) return { fault: `holds a number out of range, ${excerpt(token)}` }
      const digits =
        (Number.isSafeInteger(number) ? undefined : integerOf(token, number)) ??
        (decimals && isChanged(token, number) ? token : undefined)
      if (digits !== undefined) {
        exact = true
        pieces.push(text.slice(from, i), '"#', digits, '"')
        from = i + token.length
      }
      i += token.length - 1
    }
  }
  if (!exact) return { value, exact }
  pieces.push(text.slice(from))
  const revived = JSON.parse(pieces.join(''), (_, item) => {
    if (typeof item !== 'string') return item
    const text = item.slice(1)
    if (item[0] !== '#') return text
    return INTEGER.test(text) ? BigInt(text) : new Decimal(text)
  }) as Json
  return { value: revived, exact }
}

const [QUOTE, MINUS, ZERO, NINE, COLON, BACKSLASH] = [34, 45, 48, 57, 58, 92]

/** Returns the index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
  }
}

/** Returns whether the string that ends here is a member's name. */
function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= 32) next += 1
  return text.charCodeAt(next) === COLON
}

/** Returns an integer beyond the safe range as a bigint; beyond int64, only if it is written as plain digits. */
function integerOf(token: string, number: number): string | undefined {
  if (INTEGER.test(token)) return token
  if (Math.abs(number) >= 2 ** 64) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(token) ?? []
  const shift = Number(exponent) - fraction.length
  const digits = whole + fraction
  if (shift >= 0) return sign + digits + '0'.repeat(shift)
  return /^0+$/.test(digits.slice(shift)) ? sign + digits.slice(0, shift) : undefined
}

/**
 * A number with a fraction as a `Decimal`; `undefined` if a double is written the same way, or if the text is not a JSON
 * number.
 */
export function decimalOf(token: string): Decimal | undefined {
  if (!/^-?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?$/.test(token)) return undefined
  return isChanged(token, Number(token)) ? new Decimal(token) : undefined
}

/** Returns whether a double would print a fraction differently; with an exponent, whether it loses digits. */
function isChanged(token: string, number: number): boolean {
  const [mantissa = '', exponent] = token.split(/[eE]/)
  if (exponent !== undefined) return mantissa.replace(/^-?0*\.?0*|\./g, '').length > 15
  return token.includes('.') && String(number) !== token
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

/** Parses decimal digits: a number if that is exact, else a bigint; `undefined` for anything else. */
export function parseInteger(digits: string): number | bigint | undefined {
  if (!INTEGER.test(digits)) return undefined
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
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

const excerpt = (token: string): string => (token.length > 24 ? `${token.slice(0, 24)}…` : token)
