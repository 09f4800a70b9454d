// The place of an offset in a text: its line and column, and the line itself without secrets.

import type { Place } from './diagnostic.ts'
import type { Show } from './secrets.ts'

/** The offsets at which lines start, and the line and the column of an offset, counted from 1. */
interface LineIndex {
  readonly lineStarts: readonly number[]
  linePos(offset: number): { readonly line: number; readonly col: number }
}

/** A text with its line starts. */
export interface IndexedText {
  readonly file: string
  readonly text: string
  readonly lines: LineIndex
  readonly show: Show
}

/** Returns the place of a stretch of text: its line, column and length. */
export function placeAt({ file, text, lines, show }: IndexedText, from: number, to: number): Place {
  const { line, col } = lines.linePos(from)
  const start = lines.lineStarts[line - 1] ?? 0
  const end = text.indexOf('\n', start)
  const whole = text.slice(start, end === -1 ? undefined : end)
  const length = Math.max(1, Math.min(to - from, whole.trimEnd().length - (col - 1)))
  return { file, line: Math.max(1, line), column: Math.max(1, col), length, text: show(start, whole) }
}
