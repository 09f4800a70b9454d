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

/** Returns a value with the nearest double in the place of each `Decimal`. */
export function toDoubles<Value>(value: Value): Value {
  if (value instanceof Decimal) return value.valueOf() as Value
  if (Array.isArray(value)) return value.map(toDoubles) as Value
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toDoubles(item)])) as Value
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
  return mapValues(value as JsonObject, approximate)
}

/** Sets a member. A plain assignment to `__proto__` would change the object's prototype. */
export function put<Value>(members: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
  } else members[name] = value
}

/** Returns an object with each value replaced. */
export const mapValues = <Old, New>(object: Readonly<Record<string, Old>>, change: (value: Old, key: string) => New) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)])) as Record<string, New>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal)

/** Returns whether a value has more than `most` values in it. */
export function exceeds(value: unknown, most: number): boolean {
  let left = most
  const count = (item: unknown): boolean => {
    left -= 1
    if (left < 0 || typeof item !== 'object' || item === null) return left < 0
    // The items of a list are not copied: it may be much longer than `most`.
    return (Array.isArray(item) ? item : Object.values(item)).some(count)
  }
  return count(value)
}

/** Returns the part of a value at some keys; `undefined` if there is none. */
export const memberAt = (whole: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce((at, key) => (Object.hasOwn(Object(at), key) ? Reflect.get(Object(at), key) : undefined), whole)

/** Formats a path of keys and indices as a JSON Pointer (RFC 6901). */
export const pointer = (path: readonly (string | number)[]): string =>
  path.map(key => `/${escapeKey(`${key}`)}`).join('')

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

/** The maximum nesting depth, so that recursion over a value cannot exhaust the stack. */
export const MAX_DEPTH = 256

/** `exact`: the value holds a bigint or a decimal. Callers need not search for one. */
export type Parsed = { readonly value: Json; readonly exact: boolean } | { readonly fault: string }

const INTEGER = /^-?\d+$/

/**
 * Reads JSON text (RFC 8259), in one pass: reading it with `JSON.parse` and again with its numbers marked takes six times as long,
 * and Node 20 has no `JSON.rawJSON`. Of two members with one name the last counts. A fault is a sentence without its subject.
 *
 * @param decimals whether a number with a fraction is kept as it is written where a double would change it
 * @param mostMembers an object with more members is a fault
 */
export function parseJson(text: string, decimals = false, mostMembers = text.length): Parsed {
  if (!needsCare(text, decimals, mostMembers)) {
    try {
      return { value: JSON.parse(text) as Json, exact: false }
    } catch {
      // Its messages differ between versions of Node: ours say the place.
    }
  }
  return new JsonReader(text, decimals, mostMembers).read()
}

const [QUOTE, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [34, 44, 45, 46, 48, 57, 58]
const [UPPER_E, LIST, BACKSLASH, LIST_END, LOWER_E, OBJECT, OBJECT_END] = [69, 91, 92, 93, 101, 123, 125]
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [32, 9, 10, 13]

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

/** The digits of a number that every double holds. */
const SAFE_DIGITS = 15

/**
 * A quick look at a text that is mostly enough: whether it may hold a number that a double would change, or exceeds a bound.
 * `JSON.parse` reads all others, five times as fast as the reader below. The answer may be yes for no reason.
 */
function needsCare(text: string, decimals: boolean, mostMembers: number): boolean {
  let [depth, colons] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return true
    } else if (isDigit(code)) {
      const start = at
      let point = false
      do {
        if (code === POINT) point = true
        code = text.charCodeAt(++at)
      } while (isDigit(code) || code === POINT)
      if (at - start > SAFE_DIGITS || code === LOWER_E || code === UPPER_E) return true
      if (decimals && point && (text.charCodeAt(at - 1) === ZERO || text.startsWith('0.000000', start))) return true
      at -= 1
    } else if (code === COLON) colons += 1
    else if (code === LIST || code === OBJECT) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1
  }
  return colons > mostMembers
}

/** Returns the index of the quote that ends the string that begins at `start`; -1 if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
  }
  return -1
}

class JsonFault extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y

/** Reads a text once, from its beginning to its end. */
class JsonReader {
  readonly #text: string
  readonly #decimals: boolean
  readonly #mostMembers: number
  #at = 0
  #depth = 0
  #exact = false

  constructor(text: string, decimals: boolean, mostMembers: number) {
    this.#text = text
    this.#decimals = decimals
    this.#mostMembers = mostMembers
  }

  read(): Parsed {
    try {
      const value = this.#value()
      if (!Number.isNaN(this.#next())) this.#refuse()
      return { value, exact: this.#exact }
    } catch (error) {
      if (error instanceof JsonFault) return { fault: error.message }
      throw error
    }
  }

  #value(): Json {
    const code = this.#next()
    if (code === QUOTE) return this.#string()
    if (code === MINUS || isDigit(code)) return this.#number()
    if (code === OBJECT) return this.#object()
    if (code === LIST) return this.#list()
    for (const [word, value] of WORDS) if (code === word.charCodeAt(0)) return this.#word(word, value)
    return this.#refuse()
  }

  /** Skips blanks, and returns the code of the next character; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return code
      this.#at += 1
    }
  }

  #object(): Json {
    const members: Record<string, Json> = {}
    for (let count = 1, more = this.#open(OBJECT_END); more; more = this.#more(OBJECT_END)) {
      if (this.#next() !== QUOTE) this.#refuse()
      if (count++ > this.#mostMembers) throw new JsonFault(`has an object of more than ${this.#mostMembers} members`)
      const name = this.#string()
      if (this.#next() !== COLON) this.#refuse()
      this.#at += 1
      put(members, name, this.#value())
    }
    return members
  }

  #list(): Json {
    if (!this.#open(LIST_END)) return []
    // A list with an item from the start takes less memory than an empty one that grows.
    const items = [this.#value()]
    while (this.#more(LIST_END)) items.push(this.#value())
    return items
  }

  /** Reads an opening bracket. Returns whether a member follows, and reads the closing bracket otherwise. */
  #open(closing: number): boolean {
    if (++this.#depth > MAX_DEPTH) throw new JsonFault(`is nested deeper than ${MAX_DEPTH} levels`)
    this.#at += 1
    return this.#next() !== closing || this.#close()
  }

  /** Reads what follows a member, and returns whether another one does. */
  #more(closing: number): boolean {
    const code = this.#next()
    if (code === closing) return this.#close()
    if (code !== COMMA) this.#refuse()
    this.#at += 1
    return true
  }

  #close(): false {
    this.#at += 1
    this.#depth -= 1
    return false
  }

  #string(): string {
    const text = this.#text
    let written = ''
    let from = ++this.#at
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === QUOTE) break
      // The end is NaN.
      if (!(code >= SPACE)) this.#refuse()
      if (code === BACKSLASH) {
        written += text.slice(from, this.#at) + this.#escape()
        from = this.#at
      } else this.#at += 1
    }
    const last = text.slice(from, this.#at++)
    return written === '' ? last : written + last
  }

  #escape(): string {
    const character = this.#text.charAt(++this.#at)
    const meaning = ESCAPES[character]
    if (meaning === undefined) {
      if (character !== 'u') this.#refuse()
      for (let i = 1; i <= 4; i++) if (!/[\da-f]/i.test(this.#text.charAt(this.#at + i))) this.#refuse(this.#at + i)
      this.#at += 5
      return String.fromCharCode(Number.parseInt(this.#text.slice(this.#at - 4, this.#at), 16))
    }
    this.#at += 1
    return meaning
  }

  #number(): number | bigint | Decimal {
    NUMBER.lastIndex = this.#at
    const [token] = NUMBER.exec(this.#text) ?? this.#refuse()
    this.#at = NUMBER.lastIndex
    const number = Number(token)
    if (!Number.isFinite(number))
      throw new JsonFault(`holds a number out of range, ${token.length > 24 ? `${token.slice(0, 24)}…` : token}`)
    const digits = Number.isInteger(number) && !Number.isSafeInteger(number) ? integerOf(token, number) : undefined
    const exact =
      digits !== undefined ? BigInt(digits) : this.#decimals && isChanged(token, number) ? new Decimal(token) : number
    if (exact !== number) this.#exact = true
    return exact
  }

  #word<Value>(word: string, value: Value): Value {
    for (let i = 1; i < word.length; i++) if (this.#text[this.#at + i] !== word[i]) this.#refuse(this.#at + i)
    this.#at += word.length
    return value
  }

  #refuse(at = this.#at): never {
    const text = this.#text
    if (text.trim() === '') throw new JsonFault('is empty')
    if (at >= text.length) throw new JsonFault('is not JSON: it ends too early')
    const lines = text.slice(0, at).split('\n')
    const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
    throw new JsonFault(`is not JSON: unexpected ${JSON.stringify(text[at])} at ${place}`)
  }
}

const WORDS = Object.entries({ true: true, false: false, null: null })
const ESCAPES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
})

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
  if (!/[eE]/.test(token)) return token.includes('.') && String(number) !== token
  const digits = token.replace(/[eE].*$/, '').replace(/^-?0*\.?0*|\./g, '')
  return digits.length > SAFE_DIGITS
}

/** Parses decimal digits: a number if that is exact, else a bigint; `undefined` for anything else. */
export function parseInteger(digits: string): number | bigint | undefined {
  if (!INTEGER.test(digits)) return undefined
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
