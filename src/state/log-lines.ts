// The lines of a log file: a checksum, a kind, a text. Each checksum continues the one before it, so that a missing line is
// as visible as a damaged one.

import { crc32 } from 'node:zlib'

/** `h` begins a file and names the log, `s` is a snapshot, `e` an entry. */
export type LineKind = 'h' | 's' | 'e'

export interface Line {
  readonly kind: LineKind
  readonly text: string
}

/** `7f03a1c2 e {…}` and a line feed: CRC-32 (as in zlib) of kind and text, begun with the checksum of the line before. */
export function writeLine(
  kind: LineKind,
  text: string,
  before: number,
): { readonly line: string; readonly sum: number } {
  const content = `${kind} ${text}`
  const sum = crc32(content, before)
  return { line: `${hex(sum)} ${content}\n`, sum }
}

const hex = (sum: number): string => sum.toString(16).padStart(8, '0')

export interface LogReading {
  readonly lines: readonly Line[]
  /** The checksum of the last sound line. */
  readonly sum: number
  /** How many bytes the sound lines take. */
  readonly bytes: number
  /** Set where the file goes on with what is not a sound line. */
  readonly damage:
    | undefined
    | {
        /** Counted from 1. */
        readonly line: number
        /** Whether it has no end: a write that was cut short leaves that. */
        readonly torn: boolean
        /** How many lines follow it. */
        readonly after: number
      }
}

const [LINE_FEED, SPACE] = [10, 32]

/** Reads lines up to the first damaged one. */
export function readLines(bytes: Buffer): LogReading {
  const lines: Line[] = []
  let sum = 0
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, from)
    const content = end === -1 ? undefined : bytes.subarray(from + 9, end)
    const found = content === undefined ? -1 : crc32(content, sum)
    const sound =
      content !== undefined &&
      content.length >= 2 &&
      content[1] === SPACE &&
      bytes.toString('latin1', from, from + 8) === hex(found)
    if (!sound) {
      const rest = end === -1 ? 0 : countLines(bytes, end + 1)
      return { lines, sum, bytes: from, damage: { line: lines.length + 1, torn: end === -1, after: rest } }
    }
    lines.push({ kind: String.fromCharCode(content[0] as number) as LineKind, text: content.toString('utf8', 2) })
    sum = found
    from = end + 1
  }
  return { lines, sum, bytes: from, damage: undefined }
}

function countLines(bytes: Buffer, from: number): number {
  let count = 0
  for (let at = from; at < bytes.length; count++) {
    const end = bytes.indexOf(LINE_FEED, at)
    at = end === -1 ? bytes.length : end + 1
  }
  return count
}
