// The lines of a log file: a checksum, a kind, a text. Each checksum continues the one before it, so that a missing line is
// as visible as a damaged one. Entries that are written together are one line, with a record separator (U+001E) between them.

import { crc32 } from 'node:zlib'
import type { Entries } from './engine.ts'

/** `h` begins a file and names the log, `s` is a snapshot, `e` are entries. */
export type LineKind = 'h' | 's' | 'e'

const [SEPARATOR, LINE_FEED, SPACE, ENTRY] = [0x1e, 10, 32, 101]

/** The bytes before the part of a line that its checksum covers, and before its text. */
const [SUM, TEXT] = [9, 11]

/** The room for the checksum of a line, and the space after it. */
const NO_SUM = ' '.repeat(SUM)

/** How many entries wait to become one line, at most. */
const MOST_ENTRIES = 64
/** A guess at the bytes of an entry that waits. */
const USUAL_BYTES = 250

/**
 * Lines to be written: `7f03a1c2 e […]` and a line feed each. The CRC-32 (as in zlib) of kind and text begins with the
 * checksum of the line before. Holds bytes and few texts, because texts that live for a while cost the collector of garbage.
 */
export class LineBuffer {
  #bytes: Buffer
  #used = 0
  /** The last entries, which are not among the bytes yet. */
  #entries: string[] = []

  /** @param room how many bytes are expected */
  constructor(room = 2 ** 16) {
    this.#bytes = Buffer.allocUnsafe(room)
  }

  /** About the number of bytes: entries that are not among them yet are counted as usual ones. */
  get length(): number {
    return this.#used + this.#entries.length * USUAL_BYTES
  }

  /** Adds an entry, whose text has neither a line feed nor a separator. */
  add(entry: string): void {
    if (this.#entries.push(entry) === MOST_ENTRIES) this.#writeEntries()
  }

  addLine(kind: LineKind, text: string): void {
    this.#writeEntries()
    this.#write(`${NO_SUM}${kind} ${text}\n`)
  }

  /** Moves the entries to the bytes, as one line. */
  #writeEntries(): void {
    const entries = this.#entries
    if (entries.length === 0) return
    const line = `${NO_SUM}e ${entries.join('\x1e')}\n`
    entries.length = 0
    this.#write(line)
  }

  #write(text: string): void {
    // No character takes more than three bytes for each of its code units.
    this.#reserve(3 * text.length)
    this.#used += this.#bytes.write(text, this.#used)
  }

  /** Adds the lines of another one. */
  addAll(other: LineBuffer): void {
    this.#writeEntries()
    other.#writeEntries()
    this.#reserve(other.#used)
    other.#bytes.copy(this.#bytes, this.#used, 0, other.#used)
    this.#used += other.#used
  }

  #reserve(more: number): void {
    const needed = this.#used + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#used)
    this.#bytes = grown
  }

  clear(): void {
    this.#used = 0
    this.#entries.length = 0
  }

  /** Writes the checksums, which continue `before`. Returns the bytes and the last checksum. Can be called again. */
  seal(before: number): { readonly bytes: Buffer; readonly sum: number } {
    this.#writeEntries()
    const bytes = this.#bytes.subarray(0, this.#used)
    let sum = before
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, from + TEXT)
      sum = crc32(bytes.subarray(from + SUM, end), sum)
      writeHex(sum, bytes, from)
      from = end + 1
    }
    return { bytes, sum }
  }
}

/** Eight digits, of which the last is that of the lowest four bits. */
function writeHex(sum: number, bytes: Buffer, at: number): void {
  for (let i = 0, shift = 28; shift >= 0; i++, shift -= 4) bytes[at + i] = DIGITS[(sum >>> shift) & 15] as number
}

const DIGITS = Buffer.from('0123456789abcdef')

/** Whether the digits there are those of a checksum. Compared one by one: a text for each of a million lines takes long. */
function isHex(sum: number, bytes: Buffer, at: number): boolean {
  for (let i = 0, shift = 28; shift >= 0; i++, shift -= 4)
    if (bytes[at + i] !== DIGITS[(sum >>> shift) & 15]) return false
  return true
}

export interface LogReading {
  /** The texts of the sound lines before the first entry, and the kind of the first. */
  readonly head: readonly string[]
  readonly kind: LineKind | undefined
  readonly entries: EntryTexts
  /** The checksum of the last sound line. */
  readonly sum: number
  /** How many bytes the sound lines take. */
  readonly bytes: number
  /** Set if the file continues with an invalid line. */
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

/** Lines of entries that were read. Each text is made when it is its turn: a million that wait cost the collector of garbage. */
export class EntryTexts implements Entries {
  readonly length: number
  readonly #bytes: Buffer

  /** @param bytes sound lines, each with its line feed */
  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes
    this.length = length
  }

  *[Symbol.iterator](): Generator<string> {
    const bytes = this.#bytes
    const ends = new EntryEnds(bytes)
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, from)
      for (let at = from + TEXT; at <= end; ) {
        const next = ends.after(at, end)
        yield bytes.toString('utf8', at, next)
        at = next + 1
      }
      from = end + 1
    }
  }
}

/** Finds where entries end, one after the other: at a separator, or with their line. */
class EntryEnds {
  readonly #bytes: Buffer
  /** The first separator after the last entry, if any. */
  #next = -1

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** @param from the beginning of an entry @param end the end of its line */
  after(from: number, end: number): number {
    // Looked for once: a file may have few, or none.
    if (this.#next < from) {
      const found = this.#bytes.indexOf(SEPARATOR, from)
      this.#next = found === -1 ? this.#bytes.length : found
    }
    return Math.min(this.#next, end)
  }
}

/** Reads lines up to the first damaged one. */
export function readLines(bytes: Buffer): LogReading {
  const head: string[] = []
  let kind: LineKind | undefined
  let [sum, from, lines, firstEntry, count] = [0, 0, 0, -1, 0]
  let damage: LogReading['damage']
  const ends = new EntryEnds(bytes)
  while (from < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, from)
    const content = end === -1 ? undefined : bytes.subarray(from + SUM, end)
    const found = content === undefined ? -1 : crc32(content, sum)
    const sound = content !== undefined && content.length >= 2 && content[1] === SPACE && isHex(found, bytes, from)
    if (!sound) {
      damage = { line: lines + 1, torn: end === -1, after: end === -1 ? 0 : countLines(bytes, end + 1) }
      break
    }
    kind ??= String.fromCharCode(content[0] as number) as LineKind
    if (firstEntry === -1 && content[0] === ENTRY) firstEntry = from
    if (firstEntry === -1) head.push(bytes.toString('utf8', from + TEXT, end))
    else for (let at = from + TEXT; at <= end; count++) at = ends.after(at, end) + 1
    lines += 1
    sum = found
    from = end + 1
  }
  const entries = new EntryTexts(firstEntry === -1 ? EMPTY : bytes.subarray(firstEntry, from), count)
  return { head, kind, entries, sum, bytes: from, damage }
}

const EMPTY = Buffer.alloc(0)

function countLines(bytes: Buffer, from: number): number {
  let count = 0
  for (let at = from; at < bytes.length; count++) {
    const end = bytes.indexOf(LINE_FEED, at)
    at = end === -1 ? bytes.length : end + 1
  }
  return count
}
