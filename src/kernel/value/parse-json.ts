// Reads JSON text without loss. Independent of Node: a browser may use it.

import { Decimal, type Json, put } from './json.ts'

/** The maximum nesting depth, so that recursion over a value cannot exhaust the stack. */
export const MAX_DEPTH = 256

/** `exact`: the value holds a bigint or a decimal. Callers need not search for one. */
export type Parsed = { readonly value: Json; readonly exact: boolean } | { readonly fault: string }

const INTEGER = /^-?\d+$/

/**
 * Reads JSON text (RFC 8259). Of two members with one name the last counts. A fault is a sentence without its subject.
 *
 * @param decimals whether a number with a fraction is kept as it is written where a double would change it
 */
export function parseJson(text: string, decimals = false, bounds: JsonBounds = {}): Parsed {
  if (!needsCare(text, decimals, bounds)) {
    try {
      return { value: JSON.parse(text) as Json, exact: false }
    } catch {
      // Its messages differ between versions of Node: ours say the place.
    }
  }
  return new JsonReader(text, decimals, bounds).read()
}

/** How large a value may be. A larger one is a fault. */
export interface JsonBounds {
  /** The members of an object. */
  readonly members?: number
  /** The items of a list. */
  readonly items?: number
}

/** Reads JSON text that a client sent: no digit of a number is lost. */
export const parseSent = (text: string): Parsed => parseJson(text, true)

const [QUOTE, PLUS, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [34, 43, 44, 45, 46, 48, 57, 58]
const [UPPER_E, LIST, BACKSLASH, LIST_END, LOWER_E, OBJECT, OBJECT_END] = [69, 91, 92, 93, 101, 123, 125]
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [32, 9, 10, 13]

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

/** The digits of a number that every double holds. */
const SAFE_DIGITS = 15

/**
 * A quick look at a text that is mostly enough: whether it may hold a number that a double would change, or exceeds a bound.
 * `JSON.parse` reads all others, five times as fast as the reader below. The answer may be yes for no reason.
 */
function needsCare(text: string, decimals: boolean, bounds: JsonBounds): boolean {
  let [depth, colons, commas] = [0, 0, 0]
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
    } else if (code === COMMA) commas += 1
    else if (code === COLON) colons += 1
    else if (code === LIST || code === OBJECT) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1
  }
  const { members = colons, items = commas + 1 } = bounds
  return colons > members || commas >= items
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

/** Reads a text once, from its beginning to its end. */
class JsonReader {
  readonly #text: string
  readonly #decimals: boolean
  readonly #bounds: Required<JsonBounds>
  #at = 0
  #depth = 0
  #exact = false

  constructor(text: string, decimals: boolean, bounds: JsonBounds) {
    this.#text = text
    this.#decimals = decimals
    this.#bounds = { members: text.length, items: text.length, ...bounds }
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
      if (count++ > this.#bounds.members)
        throw new JsonFault(`has an object of more than ${this.#bounds.members} members`)
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
    while (this.#more(LIST_END)) {
      if (items.length === this.#bounds.items) throw new JsonFault(`has a list of more than ${items.length} items`)
      items.push(this.#value())
    }
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
    const text = this.#text
    const start = this.#at
    if (text.charCodeAt(this.#at) === MINUS) this.#at += 1
    if (text.charCodeAt(this.#at) === ZERO) this.#at += 1
    else this.#digits()
    if (text.charCodeAt(this.#at) === POINT) {
      this.#at += 1
      this.#digits()
    }
    const code = text.charCodeAt(this.#at)
    if (code === LOWER_E || code === UPPER_E) {
      const sign = text.charCodeAt(++this.#at)
      if (sign === PLUS || sign === MINUS) this.#at += 1
      this.#digits()
    }
    const token = text.slice(start, this.#at)
    const number = Number(token)
    if (!Number.isFinite(number)) throw new JsonFault(`holds a number out of range, ${excerpt(token)}`)
    const digits = Number.isInteger(number) && !Number.isSafeInteger(number) ? integerOf(token, number) : undefined
    const exact =
      digits !== undefined ? BigInt(digits) : this.#decimals && isChanged(token, number) ? new Decimal(token) : number
    if (exact !== number) this.#exact = true
    return exact
  }

  #digits(): void {
    if (!isDigit(this.#text.charCodeAt(this.#at))) this.#refuse()
    do this.#at += 1
    while (isDigit(this.#text.charCodeAt(this.#at)))
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

const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const
const ESCAPES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
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

const excerpt = (token: string): string => (token.length > 24 ? `${token.slice(0, 24)}…` : token)
