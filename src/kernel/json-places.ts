// Finds values in a sound JSON text by their paths, without reading the text as a whole.

import type { Path } from './source.ts'

/** The offsets of a member or an item: of its key and of its value. */
interface MemberOffsets {
  readonly key: number
  readonly value: number
}

const [QUOTE, COMMA, COLON, BACKSLASH, SPACE] = [34, 44, 58, 92, 32]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Returns a function that works out the offsets, from and to, of the value at a path, of the key it hangs on, or of the
 * deepest part of the path that exists. What an object or a list holds is kept once it has been looked for.
 *
 * @param text JSON that `JSON.parse` accepts
 */
export function jsonSpans(text: string): (path: Path, part: 'key' | 'value') => readonly [number, number] {
  const known = new Map<number, ReadonlyMap<string, MemberOffsets>>()
  const spotsAt = (start: number): ReadonlyMap<string, MemberOffsets> => {
    let spots = known.get(start)
    if (spots === undefined) {
      spots = readSpots(text, start)
      known.set(start, spots)
    }
    return spots
  }
  const begin = skipSpace(text, 0)
  return (path, part) => {
    let spot: MemberOffsets = { key: begin, value: begin }
    for (const key of path) {
      const next = spotsAt(spot.value).get(String(key))
      if (next === undefined) break
      spot = next
    }
    const from = part === 'key' ? spot.key : spot.value
    return [from, endOfValue(text, from)]
  }
}

/** The members of an object or the items of a list that begins at `start`; none for anything else. */
function readSpots(text: string, start: number): ReadonlyMap<string, MemberOffsets> {
  const spots = new Map<string, MemberOffsets>()
  const keyed = text.charCodeAt(start) === OPEN_OBJECT
  if (!keyed && text.charCodeAt(start) !== OPEN_LIST) return spots
  const close = keyed ? CLOSE_OBJECT : CLOSE_LIST
  let at = skipSpace(text, start + 1)
  for (let index = 0; text.charCodeAt(at) !== close; index++) {
    let name = `${index}`
    let value = at
    if (keyed) {
      const end = endOfString(text, at)
      const raw = text.slice(at + 1, end - 1)
      name = raw.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : raw
      value = skipSpace(text, skipSpace(text, end) + 1)
    }
    // The last of two equal keys counts.
    spots.set(name, { key: at, value })
    at = skipSpace(text, endOfValue(text, value))
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return spots
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return at
}

/** The offset behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end + 1
  }
}

/** The offset behind the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  let at = start
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) {
    while (at < text.length && !isEnd(text.charCodeAt(at))) at += 1
    return at
  }
  let depth = 0
  do {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1
    at += 1
  } while (depth > 0)
  return at
}

/** Whether a character ends a number or a literal. */
const isEnd = (code: number): boolean =>
  code <= SPACE || code === COMMA || code === COLON || code === CLOSE_LIST || code === CLOSE_OBJECT
