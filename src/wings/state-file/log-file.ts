// The file of a log: lines of a checksum, a kind and a text. Reads them, appends to them, and replaces them all; one call at a
// time. Each checksum continues the one before it, so that a missing line is as visible as a damaged one. Entries that are
// written together are one line, with a record separator (U+001E) between them.

import { copyFileSync, existsSync, readFileSync, type Stats } from 'node:fs'
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Entries, Position } from '../../state/engines/engine.ts'
import { StateRefused } from '../../state/errors.ts'

/** The file is not a valid log. The message has the place and the remedy. */
export class DamagedLog extends StateRefused {
  override readonly name = 'DamagedLog'
}

// --- lines: `7f03a1c2 e […]` and a line feed each ----------------------------------------------------------------------

const [SEPARATOR, LINE_FEED, SPACE, ENTRY] = [0x1e, 10, 32, 101]

/** The bytes before the part of a line that its checksum covers, and before its text. */
const [SUM, TEXT] = [9, 11]

/**
 * A line without its checksum: `h` begins a file and names the log, `s` is a snapshot, `e` are entries, whose texts have neither
 * a line feed nor a separator.
 */
const lineOf = (kind: 'h' | 's' | 'e', text: string): Buffer => Buffer.from(`${' '.repeat(SUM)}${kind} ${text}\n`)

/** How many entries are one line, at most. */
export const ENTRIES = 64

/** Lines are bytes, because texts that live for a while cost the collector of garbage. */
export function linesOf(entries: readonly string[]): Buffer[] {
  const lines: Buffer[] = []
  for (let i = 0; i < entries.length; i += ENTRIES) lines.push(lineOf('e', entries.slice(i, i + ENTRIES).join('\x1e')))
  return lines
}

const headerOf = ({ log, at }: Position): Buffer => lineOf('h', JSON.stringify({ understudy: 1, log, at }))

/** Writes the checksums, which continue `before`: the CRC-32 (as in zlib) of kind and text. Returns the last one. */
function seal(lines: readonly Buffer[], before: number): number {
  return lines.reduce((sum, line) => {
    const next = crc32(line.subarray(SUM, -1), sum)
    line.write(digitsOf(next))
    return next
  }, before)
}

const digitsOf = (sum: number): string => sum.toString(16).padStart(8, '0')

interface LogReading {
  /** The texts of the sound lines before the first entry. */
  readonly head: readonly string[]
  readonly entries: Entries
  /** The checksum of the last sound line. */
  readonly sum: number
  /** How many bytes the sound lines take. */
  readonly end: number
  /** The number of an invalid line that follows, counted from 1. */
  readonly damaged: number | undefined
}

/** Reads lines up to the first damaged one. */
function readLines(bytes: Buffer): LogReading {
  const head: string[] = []
  let [sum, end, lines, length, firstEntry] = [0, 0, 0, 0, bytes.length]
  let damaged: number | undefined
  let separator = bytes.indexOf(SEPARATOR)
  while (end < bytes.length) {
    const feed = bytes.indexOf(LINE_FEED, end)
    const content = bytes.subarray(end + SUM, feed === -1 ? end + SUM : feed)
    const next = crc32(content, sum)
    lines += 1
    if (content.length < 2 || content[1] !== SPACE || bytes.toString('latin1', end, end + 8) !== digitsOf(next)) {
      damaged = lines
      break
    }
    if (content[0] === ENTRY) {
      firstEntry = Math.min(firstEntry, end)
      length += 1
      for (; separator !== -1 && separator < feed; length++) separator = bytes.indexOf(SEPARATOR, separator + 1)
    } else head.push(bytes.toString('utf8', end + TEXT, feed))
    sum = next
    end = feed + 1
  }
  const sound = bytes.subarray(firstEntry, end)
  return { head, entries: { length, [Symbol.iterator]: () => entriesIn(sound) }, sum, end, damaged }
}

/** The entries of sound lines. The texts of a line are made when it is read: a million that wait cost the collector of garbage. */
function* entriesIn(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from)
    const text = bytes.toString('utf8', from + TEXT, end)
    if (text.includes('\x1e')) yield* text.split('\x1e')
    else yield text
    from = end + 1
  }
}

// --- the file ----------------------------------------------------------------------------------------------------------

interface OpenOptions {
  /** Whether a damaged line, and all after it, may be dropped. */
  readonly recover: boolean
  warn(message: string, fields?: object): void
}

/** A file as it is when it was opened: the position before its first entry, its snapshot, and its entries. */
interface ReadLog {
  readonly from: Position
  readonly snapshot: string | undefined
  readonly entries: Entries
}

/** How many lines of entries a compaction writes at once. */
const LINES = 16

/** A file that is shorter, and whose first line is damaged, is a log that was just begun. */
const MOST_HEADER = 200

export class LogFile {
  readonly path: string
  #handle: FileHandle | undefined
  /** The checksum of the last line. */
  #sum = 0
  /** The number of valid bytes of the file. The next write begins there, over the rest of a failed one. */
  #end = 0
  /** The number of bytes that it may have: a failed write may have left some behind the valid ones. */
  #most = 0
  /** Whether the path names the open file by the same number: some network file systems number a file anew each time. */
  #numbered = true

  constructor(path: string) {
    this.path = path
  }

  get isOpen(): boolean {
    return this.#handle !== undefined
  }

  get bytes(): number {
    return this.#end
  }

  /** Opens the file, and reads it; a new one begins at `first`. Throws `DamagedLog`. */
  async open(options: OpenOptions, first: Position): Promise<ReadLog> {
    const exists = existsSync(this.path)
    const { head, entries, sum, end } = exists ? this.#read(options) : readLines(Buffer.alloc(0))
    const from = end === 0 ? first : this.#readHeader(head[0] ?? '{}')
    this.#become(await open(this.path, exists ? 'r+' : 'wx+'), sum, end)
    await this.#handle?.truncate(end)
    this.#numbered = isSameFile(await (this.#handle as FileHandle).stat(), await stat(this.path))
    if (end === 0) await this.append([headerOf(first)], true)
    return { from, snapshot: head.length < 2 ? undefined : head.slice(1).join('\n'), entries }
  }

  #become(handle: FileHandle, sum: number, end: number): void {
    this.#handle = handle
    this.#sum = sum
    this.#end = end
    this.#most = end
  }

  /** Reads the sound lines of the file; reports the part that it cut off. */
  #read({ recover, warn }: OpenOptions): LogReading {
    const file = this.path
    const bytes = readFileSync(file)
    const reading = readLines(bytes)
    const { end, damaged } = reading
    if (bytes.length === 0) warn(`${file} is empty; a new state begins (was it cut?)`)
    if (damaged === undefined) return reading
    const lost = { bytes: bytes.length - end }
    // A write that was cut short leaves a line without an end.
    const isTorn = !bytes.includes(LINE_FEED, end)
    if (damaged === 1 && !(isTorn && bytes.length < MOST_HEADER)) {
      throw new DamagedLog(`${file}:1: this is not a state file; move it away to begin with a new one`)
    }
    if (isTorn) {
      warn(`${file}:${damaged}: the last line was incomplete and was removed`, lost)
      return reading
    }
    const lines = bytes.toString('latin1', end).trimEnd().split('\n').length
    const [dropped, were] = lines === 1 ? ['this line', 'was'] : [`this line and the ${lines - 1} after it`, 'were']
    const place = `${file}:${damaged}: the line is damaged;`
    if (!recover) {
      throw new DamagedLog(`${place} start with --recover to drop ${dropped} (a copy of the file is kept)`)
    }
    copyFileSync(file, `${file}.damaged`)
    warn(`${place} ${dropped} ${were} dropped, and the file as it was is ${basename(file)}.damaged`, { lines, ...lost })
    return reading
  }

  #readHeader(text: string): Position {
    const { understudy, log, at } = JSON.parse(text) as Partial<Position> & { understudy?: number }
    if (understudy === 1 && typeof log === 'string' && typeof at === 'number') return { log, at }
    throw new DamagedLog(`${this.path}:1: this state file has a form that this version does not read`)
  }

  /**
   * Appends lines. If it rejects, the next call begins at the same position. A call without lines writes a removed file
   * again, and rejects while another file is in its place.
   *
   * @returns whether a removed file was written again
   */
  async append(lines: readonly Buffer[], sync: boolean): Promise<boolean> {
    const sum = seal(lines, this.#sum)
    const bytes = Buffer.concat(lines)
    const handle = this.#handle as FileHandle
    const end = this.#end + bytes.length
    const stats = await this.#statOpen(handle)
    this.#most = Math.max(this.#most, end)
    await writeAll(handle, bytes, this.#end)
    if (sync) await handle.datasync()
    const removed = await this.#isRemoved(stats)
    if (removed) await this.#restore(handle, end)
    this.#sum = sum
    this.#end = end
    return removed
  }

  /** Throws if another program wrote to the open file. */
  async #statOpen(handle: FileHandle): Promise<Stats> {
    const stats = await handle.stat()
    if (stats.size < this.#end || stats.size > this.#most) {
      throw new Error('another program has written to it; restart to read what it holds now')
    }
    return stats
  }

  /** Throws if another file is in the place of this one. */
  async #isRemoved(opened: Stats): Promise<boolean> {
    const present = await stat(this.path).catch((error: NodeJS.ErrnoException): undefined => {
      if (error.code !== 'ENOENT') throw error
    })
    if (present !== undefined && this.#numbered && !isSameFile(present, opened)) {
      throw new Error('another file was put in its place; restart to read that one, or move it away to keep this state')
    }
    return present === undefined
  }

  /** Writes the file, of which only the open handle is left, to its path again. Synced. */
  async #restore(removed: FileHandle, end: number): Promise<void> {
    this.#handle = await writeInPlace(this.path, async handle => {
      const piece = Buffer.allocUnsafe(Math.min(end, 2 ** 20))
      for (let at = 0; at < end; ) {
        const { bytesRead } = await removed.read(piece, 0, Math.min(piece.length, end - at), at)
        if (bytesRead === 0) throw new Error('it was shortened while it was copied')
        await writeAll(handle, piece.subarray(0, bytesRead), at)
        at += bytesRead
      }
    })
    await removed.close()
  }

  /** Puts a snapshot, and the entries after it, in the place of everything: whole, or not at all. Synced. */
  async replace(at: Position, snapshot: string, entries: readonly string[]): Promise<void> {
    let [sum, end] = [0, 0]
    await this.#isRemoved(await this.#statOpen(this.#handle as FileHandle))
    const handle = await writeInPlace(this.path, async handle => {
      const write = async (...lines: Buffer[]) => {
        sum = seal(lines, sum)
        const bytes = Buffer.concat(lines)
        await writeAll(handle, bytes, end)
        end += bytes.length
      }
      await write(headerOf(at))
      // Each line is a slice: others have their turn in between.
      for (const line of snapshot.split('\n')) await write(lineOf('s', line))
      const lines = linesOf(entries)
      for (let i = 0; i < lines.length; i += LINES) await write(...lines.slice(i, i + LINES))
    })
    await this.#handle?.close()
    this.#become(handle, sum, end)
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

const isSameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/**
 * Writes a file under another name, syncs it, and puts it in the place of `path`: whole, or not at all. Returns the open file.
 */
async function writeInPlace(path: string, write: (handle: FileHandle) => Promise<void>): Promise<FileHandle> {
  const scratch = `${path}.new`
  const handle = await open(scratch, 'w+')
  try {
    await write(handle)
    await handle.datasync()
    await rename(scratch, path)
  } catch (error) {
    await handle.close()
    await unlink(scratch).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
  return handle
}

/** Makes a rename durable. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // Some file systems cannot sync a folder.
  }
}
