// JSON text of many megabytes, read a piece at a time: others have their turn in between.

import { looksInexact } from './inexact-numbers.ts'
import { approximate, Decimal, type Json, MAX_DEPTH, type Parsed, parseExactly, put } from './json.ts'
import { describeSyntaxError } from './json-faults.ts'
import type { Steps } from './steps.ts'

/** Characters of one step: a millisecond or two. */
export const PIECE = 100_000

/**
 * As `parseJson`, in steps. Objects and lists that are longer than a piece are read member by member; what is shorter is given to
 * `JSON.parse`, as many members at once as a piece holds.
 *
 * @param size characters of a piece
 * @param most the maximum number of members of an object
 */
export function* parseJsonInSteps(
  text: string,
  decimals = false,
  size = PIECE,
  most = Number.POSITIVE_INFINITY,
): Steps<Parsed> {
  try {
    const ends = yield* findEnds(text, size)
    const reader = new MemberReader(text, ends, decimals, size, most)
    const value = yield* reader.read()
    return { value, exact: reader.exact }
  } catch (error) {
    if (error instanceof TextFault) return { fault: error.message }
    throw error
  }
}

/** How many levels of a value are walked in steps, and how many items of a list at once. */
const [LEVELS, ITEMS] = [4, 1000]

/** As `approximate`, in steps: long lists near the top are walked a part at a time. */
export function* approximateInSteps(value: Json, level = 0): Steps<Json> {
  if (level === LEVELS || typeof value !== 'object' || value === null || value instanceof Decimal)
    return approximate(value)
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (let from = 0; from < value.length; from += ITEMS) {
      for (const item of value.slice(from, from + ITEMS)) items.push(approximate(item))
      yield
    }
    return items
  }
  const members: Record<string, Json> = {}
  for (const [name, item] of Object.entries(value)) put(members, name, yield* approximateInSteps(item, level + 1))
  return members
}

/** Thrown with a sentence that says what is wrong with the text, without its subject. */
class TextFault extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

/** The end of each object and list that is longer than a piece, by its begin; the end of the text if nothing closes it. */
type Ends = ReadonlyMap<number, number>

/** Brackets are not told apart here: a wrong one is found when its piece is read. */
function* findEnds(text: string, size: number): Steps<Ends> {
  const ends = new Map<number, number>()
  const open: number[] = []
  let rest = size
  for (let at = 0; at < text.length; at++) {
    if (at > rest) {
      yield
      rest = at + size
    }
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === LIST || code === OBJECT) {
      if (open.length === MAX_DEPTH) throw new TextFault(`is nested deeper than ${MAX_DEPTH} levels`)
      open.push(at)
    } else if (code === LIST_END || code === OBJECT_END) {
      const start = open.pop()
      if (start === undefined) break
      if (at - start > size) ends.set(start, at)
    }
  }
  for (const start of open) ends.set(start, text.length)
  return ends
}

/** The index of the quote that ends the string that begins at `start`, or the length of a text that ends before. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
  }
  return text.length
}

class MemberReader {
  exact = false
  readonly #text: string
  readonly #ends: Ends
  readonly #decimals: boolean
  readonly #size: number
  readonly #most: number

  constructor(text: string, ends: Ends, decimals: boolean, size: number, most: number) {
    this.#most = most
    this.#text = text
    this.#ends = ends
    this.#decimals = decimals
    this.#size = size
  }

  *read(): Steps<Json> {
    const start = this.#skipBlanks(0)
    const end = this.#ends.get(start)
    if (end === undefined) return this.#parse('', 0, this.#text.length, '')
    const value = yield* this.#readLarge(start, end)
    const rest = this.#skipBlanks(end + 1)
    if (rest < this.#text.length) throw this.#unexpected(rest)
    return value
  }

  *#readLarge(start: number, end: number): Steps<Json> {
    const text = this.#text
    const isList = text.charCodeAt(start) === LIST
    const list: Json[] = []
    const members: Record<string, Json> = {}
    let count = 0
    const add = (names: readonly string[]) => {
      count += names.length
      if (count > this.#most) throw new TextFault(`has an object of more than ${this.#most} members`)
    }
    const take = (from: number, to: number, closing: string) => {
      if (this.#isBlank(from, to) && (from > start + 1 || closing !== text[to])) throw this.#unexpected(to)
      const value = this.#parse(isList ? '[' : '{', from, to, closing)
      if (isList) for (const item of value as Json[]) list.push(item)
      else {
        const names = Object.keys(value as object)
        add(names)
        for (const name of names) put(members, name, (value as Record<string, Json>)[name] as Json)
      }
    }
    const closing = isList ? ']' : '}'
    // The members from `from` on have not been read; the last of them begins at `member`.
    let from = start + 1
    let member = from
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) at = endOfString(text, at)
      else if (code === COMMA) {
        member = at + 1
        if (at - from < this.#size) continue
        take(from, at, closing)
        from = member
        yield
      } else if (code === LIST || code === OBJECT) {
        const inner = this.#ends.get(at)
        if (inner === undefined) {
          at = this.#endOfSmall(at)
          continue
        }
        if (from < member) take(from, member - 1, closing)
        const name = this.#nameBefore(at, member, isList)
        const value = yield* this.#readLarge(at, inner)
        if (name === undefined) list.push(value)
        else {
          add([name])
          put(members, name, value)
        }
        at = this.#skipBlanks(inner + 1)
        if (at >= end) {
          if (at > end || end === text.length) throw this.#unexpected(at)
          from = end + 1
          break
        }
        if (text.charCodeAt(at) !== COMMA) throw this.#unexpected(at)
        from = member = at + 1
      }
    }
    if (from <= end) take(from, end, text[end] ?? '')
    else if (text[end] !== closing) throw this.#unexpected(end)
    return isList ? list : members
  }

  /** Reads the name of a large member; a list's has none. */
  #nameBefore(at: number, member: number, isList: boolean): string | undefined {
    if (isList) {
      const first = this.#skipBlanks(member)
      if (first < at) throw this.#unexpected(first)
      return undefined
    }
    const [name] = Object.keys(this.#parse('{', member, at, 'null}') as object)
    if (name === undefined) throw this.#unexpected(at)
    return name
  }

  /** The index of the bracket that ends an object or list that is no longer than a piece. */
  #endOfSmall(start: number): number {
    const text = this.#text
    let depth = 0
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) at = endOfString(text, at)
      else if (code === LIST || code === OBJECT) depth += 1
      else if ((code === LIST_END || code === OBJECT_END) && --depth === 0) return at
    }
  }

  /** Parses a piece of the text, with brackets around it. */
  #parse(opening: string, from: number, to: number, closing: string): Json {
    const piece = opening + this.#text.slice(from, to) + closing
    let value: Json
    try {
      value = JSON.parse(piece) as Json
    } catch (error) {
      const { message } = error as Error
      const position = /at position (\d+)/.exec(message)?.[1]
      if (position === undefined) throw new TextFault(describeSyntaxError(this.#text, message))
      throw this.#unexpected(Math.min(to, from + Number(position) - opening.length))
    }
    if (!looksInexact(piece, this.#decimals)) return value
    const parsed = parseExactly(piece, value, this.#decimals)
    if ('fault' in parsed) throw new TextFault(parsed.fault)
    this.exact ||= parsed.exact
    return parsed.value
  }

  #skipBlanks(at: number): number {
    let next = at
    while (isBlank(this.#text.charCodeAt(next))) next += 1
    return next
  }

  #isBlank(from: number, to: number): boolean {
    return this.#skipBlanks(from) >= to
  }

  #unexpected(at: number): TextFault {
    return new TextFault(describeSyntaxError(this.#text, `at position ${at}`))
  }
}

/** RFC 8259 §2. */
const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9
