// The file of a log: reads its lines, appends to them, and replaces them all. One call at a time.

import { copyFileSync, existsSync, readFileSync, type Stats } from 'node:fs'
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Entries, type Position, StateRefused } from './engine.ts'
import { LineBuffer, type LogReading, readLines } from './log-lines.ts'

/** The file is not a valid log. The message has the place and the remedy. */
export class DamagedLog extends StateRefused {
  override readonly name = 'DamagedLog'
}

export interface OpenOptions {
  /** Whether a damaged line, and all after it, may be dropped. */
  readonly recover: boolean
  warn(message: string, fields?: object): void
}

/** A file as it is when it was opened: the position before its first entry, its snapshot, and its entries. */
export interface ReadLog {
  readonly from: Position
  readonly snapshot: string | undefined
  readonly entries: Entries
}

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

  /** Opens the file, and reads it; `undefined` for a new one. Throws `DamagedLog`. */
  async open(options: OpenOptions): Promise<ReadLog | undefined> {
    const exists = existsSync(this.path)
    const log = exists ? readLog(this.#read(options), this.path) : undefined
    this.#handle = await open(this.path, exists ? 'r+' : 'wx+')
    await this.#handle.truncate(this.#end)
    this.#numbered = isSameFile(await this.#handle.stat(), await stat(this.path))
    return log
  }

  /** Reads the sound lines of the file; reports the part that it cut off. */
  #read({ recover, warn }: OpenOptions): LogReading {
    const file = this.path
    const bytes = readFileSync(file)
    const reading = readLines(bytes)
    const { sum, bytes: end, damage } = reading
    if (damage !== undefined && damage.line === 1 && !(damage.torn && bytes.length < MOST_HEADER)) {
      throw new DamagedLog(`${file}:1: this is not a state file; move it away to begin with a new one`)
    }
    if (damage?.torn === true) {
      warn(`${file}:${damage.line}: the last line was incomplete and was removed`, {
        bytes: bytes.length - end,
      })
    } else if (damage !== undefined) {
      const place = `${file}:${damage.line}`
      const lost = damage.after === 0 ? 'this line' : `this line and the ${damage.after} after it`
      if (!recover) {
        throw new DamagedLog(
          `${place}: the line is damaged; start with --recover to drop ${lost} (a copy of the file is kept)`,
        )
      }
      copyFileSync(file, `${file}.damaged`)
      warn(
        `${place}: the line is damaged; ${lost} ${lost === 'this line' ? 'was' : 'were'} dropped, and the file as it was is ${basename(file)}.damaged`,
        {
          lines: damage.after + 1,
          bytes: bytes.length - end,
        },
      )
    }
    this.#sum = sum
    this.#end = end
    this.#most = end
    return reading
  }

  /** Writes the header of a new log, synced. */
  async begin(at: Position): Promise<void> {
    await this.#handle?.truncate(0)
    this.#sum = 0
    this.#end = 0
    this.#most = 0
    const lines = new LineBuffer(MOST_HEADER)
    lines.addLine('h', headerOf(at))
    await this.append(lines, true)
  }

  /**
   * Appends lines. If it rejects, the next call begins at the same position. A call without lines writes a removed file
   * again, and rejects while another file is in its place.
   *
   * @returns whether a removed file was written again
   */
  async append(lines: LineBuffer, sync: boolean): Promise<boolean> {
    const { bytes, sum } = lines.seal(this.#sum)
    const handle = this.#handle as FileHandle
    const end = this.#end + bytes.length
    const own = await this.#statOwn(handle)
    this.#most = Math.max(this.#most, end)
    await writeAll(handle, bytes, this.#end)
    if (sync) await handle.datasync()
    const removed = await this.#isRemoved(own)
    if (removed) await this.#restore(handle, end)
    this.#sum = sum
    this.#end = end
    return removed
  }

  /** Throws if another program wrote to the open file. */
  async #statOwn(handle: FileHandle): Promise<Stats> {
    const own = await handle.stat()
    if (own.size < this.#end || own.size > this.#most) {
      throw new Error('another program has written to it; restart to read what it holds now')
    }
    return own
  }

  /** Throws if another file is in the place of this one. */
  async #isRemoved(own: Stats): Promise<boolean> {
    const found = await stat(this.path).catch(orMissing)
    if (found !== undefined && this.#numbered && !isSameFile(found, own)) {
      throw new Error('another file was put in its place; restart to read that one, or move it away to keep this state')
    }
    return found === undefined
  }

  /** Writes the file, of which only the open handle is left, to its path again. Synced. */
  async #restore(removed: FileHandle, end: number): Promise<void> {
    const handle = await writeInPlace(this.path, async handle => {
      const piece = Buffer.allocUnsafe(Math.min(end, 2 ** 20))
      for (let at = 0; at < end; ) {
        const { bytesRead } = await removed.read(piece, 0, Math.min(piece.length, end - at), at)
        if (bytesRead === 0) throw new Error('it was shortened while it was copied')
        await writeAll(handle, piece.subarray(0, bytesRead), at)
        at += bytesRead
      }
    })
    this.#handle = handle
    await removed.close()
  }

  /** Puts a snapshot, and the entries after it, in the place of everything: whole, or not at all. Synced. */
  async replace(at: Position, snapshot: string, entries: readonly string[]): Promise<void> {
    let [sum, end] = [0, 0]
    const lines = new LineBuffer()
    await this.#isRemoved(await this.#statOwn(this.#handle as FileHandle))
    const handle = await writeInPlace(this.path, async handle => {
      const write = async () => {
        const sealed = lines.seal(sum)
        await writeAll(handle, sealed.bytes, end)
        sum = sealed.sum
        end += sealed.bytes.length
        lines.clear()
      }
      lines.addLine('h', headerOf(at))
      // Each line is a slice: others have their turn in between.
      for (const line of snapshot.split('\n')) {
        lines.addLine('s', line)
        await write()
      }
      for (let i = 0; i < entries.length; i += ENTRIES) {
        for (const entry of entries.slice(i, i + ENTRIES)) lines.add(entry)
        await write()
      }
    })
    await this.#handle?.close()
    this.#handle = handle
    this.#sum = sum
    this.#end = end
    this.#most = end
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

/** How many entries a compaction writes at once. */
const ENTRIES = 1000

/** A file that is shorter, and whose first line is damaged, is a log that was just begun. */
const MOST_HEADER = 200

const headerOf = ({ log, at }: Position): string => JSON.stringify({ understudy: 1, log, at })

function readLog({ head, kind, entries }: LogReading, file: string): ReadLog | undefined {
  if (kind === undefined) return undefined
  const [header = '{}', ...snapshot] = head
  return {
    from: readHeader(kind === 'h' ? header : '{}', file),
    snapshot: snapshot.length === 0 ? undefined : snapshot.join('\n'),
    entries,
  }
}

function readHeader(text: string, file: string): Position {
  const { understudy, log, at } = JSON.parse(text) as Partial<Position> & { understudy?: number }
  if (understudy === 1 && typeof log === 'string' && typeof at === 'number') return { log, at }
  throw new DamagedLog(`${file}:1: this state file has a form that this version does not read`)
}

const isSameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev

/** For a file that does not exist. */
function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

// Writes files whole: all bytes of a buffer, and a new file in the place of another.

/** Writes all bytes at a position. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/**
 * Writes a file under another name, syncs it, and puts it in the place of `path`: whole, or not at all. Returns the open file.
 */
export async function writeInPlace(path: string, write: (handle: FileHandle) => Promise<void>): Promise<FileHandle> {
  const made = `${path}.new`
  const handle = await open(made, 'w+')
  try {
    await write(handle)
    await handle.datasync()
    await rename(made, path)
  } catch (error) {
    await handle.close()
    await unlink(made).catch(() => {})
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
