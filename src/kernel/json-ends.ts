// Finds where the long strings, objects and lists of a JSON text end.

import { MAX_DEPTH } from './json.ts'
import { endOfString, endOfStringInSteps } from './json-strings.ts'
import type { Steps } from './steps.ts'

/** Bounds of a text; none where one is unset. */
export interface TextBounds {
  /** The maximum number of members of an object that is longer than a piece. */
  readonly members?: number
  /** The maximum number of items of a list that is longer than a piece. */
  readonly items?: number
  /** The maximum number of characters of a string, with its escapes. */
  readonly characters?: number
  /** The maximum number of characters of a name, a number or blanks, a piece more or less. */
  readonly token?: number
}

/** Thrown with a sentence that says what is wrong with the text, without its subject. */
export class TextFault extends Error {}

export const [QUOTE, COMMA] = [34, 44]
export const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

/** The end of each string, object and list that is longer than a piece, by its begin; the end of the text if nothing closes it. */
export type Ends = ReadonlyMap<number, number>

/** Brackets are not told apart here: a wrong one is found when its piece is read. */
export function* findEnds(
  text: string,
  size: number,
  { characters = text.length, token = text.length }: TextBounds,
): Steps<Ends> {
  const ends = new Map<number, number>()
  const open: number[] = []
  let rest = size
  let known = 0
  for (let at = 0; at < text.length; at++) {
    if (at > rest) {
      yield
      rest = at + size
      if (at - known > token) throw new TextFault(`has a number or blanks of more than ${token} characters`)
    }
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at, at + size)
      const last = end < 0 ? yield* endOfStringInSteps(text, -end, size) : end
      if (last - at > characters) throw new TextFault(`has a text of more than ${characters} characters`)
      if (last - at > size) ends.set(at, last)
      at = known = last
    } else if (code === COMMA) known = at
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
