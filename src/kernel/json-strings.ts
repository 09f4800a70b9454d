// Finds where the strings of a JSON text end, and where a long one may be cut.

import type { Steps } from './steps.ts'

const BACKSLASH = 92

/**
 * The index of the quote that ends the string that begins at `start`, or the length of a text that ends before. Negative if the
 * first quote behind `limit` is part of the string: minus its index, from which the search can go on.
 */
export function endOfString(text: string, start: number, limit = text.length): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
    if (end > limit) return -end
  }
  return text.length
}

/** As `endOfString`, in steps: a string may consist of escaped quotes. */
export function* endOfStringInSteps(text: string, start: number, size: number): Steps<number> {
  let end = endOfString(text, start, start + size)
  while (end < 0) {
    yield
    end = endOfString(text, -end, size - end)
  }
  return end
}

/**
 * Returns where a piece of a string may end: at `to`, before it, or behind an escape with which the piece begins.
 *
 * @param end the end of the string
 */
export function endOfPiece(text: string, from: number, to: number, end: number): number {
  // The longest escape, `\\u00e9`, has six characters.
  let last = to - 1
  while (last > to - 6 && last > from && text.charCodeAt(last) !== BACKSLASH) last -= 1
  let run = last
  while (run >= from && text.charCodeAt(run) === BACKSLASH) run -= 1
  // The second of two backslashes begins no escape.
  if ((last - run) % 2 === 0) return to
  const next = last + (text[last + 1] === 'u' ? 6 : 2)
  if (next <= to) return to
  return last > from ? last : Math.min(next, end)
}
