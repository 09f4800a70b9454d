// JSON text of many megabytes, read a piece at a time: others have their turn in between.

import { looksInexact } from './inexact-numbers.ts'
import { type Json, type Parsed, parseExactly, put } from './json.ts'
import {
  COMMA,
  type Ends,
  findEnds,
  LIST,
  LIST_END,
  OBJECT,
  OBJECT_END,
  QUOTE,
  type TextBounds,
  TextFault,
} from './json-ends.ts'
import { describeSyntaxError } from './json-faults.ts'
import { endOfPiece, endOfString } from './json-strings.ts'
import type { Steps } from './steps.ts'

/** Characters of one step: a millisecond or two. */
export const PIECE = 100_000

/**
 * As `parseJson`, in steps. Objects and lists that are longer than a piece are read member by member; what is shorter is given to
 * `JSON.parse`, as many members at once as a piece holds.
 *
 * @param size characters of a piece
 */
export function* parseJsonInSteps(
  text: string,
  decimals = false,
  bounds: TextBounds = {},
  size = PIECE,
): Steps<Parsed> {
  try {
    const ends = yield* findEnds(text, size, bounds)
    const reader = new MemberReader(text, ends, decimals, size, bounds)
    const value = yield* reader.read()
    return { value, exact: reader.exact }
  } catch (error) {
    if (error instanceof TextFault) return { fault: error.message }
    throw error
  }
}

class MemberReader {
  exact = false
  readonly #text: string
  readonly #ends: Ends
  readonly #decimals: boolean
  readonly #size: number
  readonly #bounds: TextBounds

  constructor(text: string, ends: Ends, decimals: boolean, size: number, bounds: TextBounds) {
    this.#bounds = bounds
    this.#text = text
    this.#ends = ends
    this.#decimals = decimals
    this.#size = size
  }

  *read(): Steps<Json> {
    const start = this.#skipBlanks(0)
    const end = this.#ends.get(start)
    if (end === undefined) return this.#parse('', 0, this.#text.length, '')
    const value = yield* this.#readLong(start, end)
    const rest = this.#skipBlanks(end + 1)
    if (rest < this.#text.length) throw this.#unexpected(rest)
    return value
  }

  *#readLarge(start: number, end: number): Steps<Json> {
    const text = this.#text
    const isList = text.charCodeAt(start) === LIST
    const list: Json[] = []
    const members: Record<string, Json> = {}
    const { items: mostItems = text.length, members: mostMembers = text.length, token = text.length } = this.#bounds
    let count = 0
    const add = (names: readonly string[]) => {
      count += names.length
      if (count > mostMembers) throw new TextFault(`has an object of more than ${mostMembers} members`)
    }
    const take = (from: number, to: number, closing: string) => {
      // A number as long is refused before.
      if (to - from > token + this.#size) throw new TextFault(`has a name of more than ${token} characters`)
      if (this.#isBlank(from, to) && (from > start + 1 || closing !== text[to])) throw this.#unexpected(to)
      const value = this.#parse(isList ? '[' : '{', from, to, closing)
      if (isList) {
        for (const item of value as Json[]) list.push(item)
        if (list.length > mostItems) throw new TextFault(`has a list of more than ${mostItems} items`)
      } else {
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
      if (code === COMMA) {
        member = at + 1
        if (at - from < this.#size) continue
        take(from, at, closing)
        from = member
        yield
      } else if (code === QUOTE || code === LIST || code === OBJECT) {
        const inner = this.#endOfLong(at, code)
        if (inner === undefined || (code === QUOTE && !isList && this.#skipBlanks(member) === at)) {
          at = inner ?? (code === QUOTE ? endOfString(text, at) : this.#endOfSmall(at))
          continue
        }
        if (from < member) take(from, member - 1, closing)
        const name = this.#nameBefore(at, member, isList)
        const value = yield* this.#readLong(at, inner)
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

  /** The end of a string, object or list that is longer than a piece; `undefined` for a shorter one. */
  #endOfLong(start: number, code: number): number | undefined {
    // Most strings are short, and there are many.
    if (code !== QUOTE) return this.#ends.get(start)
    const end = endOfString(this.#text, start, start + this.#size)
    return end < 0 || end - start > this.#size ? this.#ends.get(start) : undefined
  }

  /** Reads a string, object or list that is longer than a piece. */
  #readLong(start: number, end: number): Steps<Json> {
    return this.#text.charCodeAt(start) === QUOTE ? this.#readString(start, end) : this.#readLarge(start, end)
  }

  *#readString(start: number, end: number): Steps<string> {
    // The text ends within the string.
    if (end === this.#text.length) throw this.#unexpected(end)
    const parts: string[] = []
    for (let from = start + 1; from < end; ) {
      const to = endOfPiece(this.#text, from, Math.min(end, from + this.#size), end)
      parts.push(this.#parseOnce('"', from, to, '"')[1] as string)
      from = to
      yield
    }
    return parts.join('')
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
    const [piece, value] = this.#parseOnce(opening, from, to, closing)
    if (!looksInexact(piece, this.#decimals)) return value
    const parsed = parseExactly(piece, value, this.#decimals)
    if ('fault' in parsed) throw new TextFault(parsed.fault)
    this.exact ||= parsed.exact
    return parsed.value
  }

  /** Parses a piece with doubles for all numbers. */
  #parseOnce(opening: string, from: number, to: number, closing: string): readonly [piece: string, value: Json] {
    const piece = opening + this.#text.slice(from, to) + closing
    try {
      return [piece, JSON.parse(piece) as Json]
    } catch (error) {
      const { message } = error as Error
      const position = /at position (\d+)/.exec(message)?.[1]
      if (position === undefined) throw new TextFault(describeSyntaxError(this.#text, message))
      throw this.#unexpected(Math.min(to, from + Number(position) - opening.length))
    }
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
