// The engine of one process: a file of checksummed lines, to which it appends, and which a snapshot replaces from time to
// time. Nobody else writes to it: see `file-lock.ts`.

import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Append, type Engine, type News, type Position, StateRefused, Unavailable } from './engine.ts'
import { lockFile } from './file-lock.ts'
import { type Line, type LineKind, readLines, writeLine } from './log-lines.ts'
import type { EngineSurroundings, FileSettings } from './settings.ts'

/** The file cannot be read as a log; the message says where, and what to do. */
export class DamagedLog extends StateRefused {
  override readonly name = 'DamagedLog'
}

/** With an interval, what waits is written this often at least: so much is lost with the process alone. */
const WRITE = 100
/** Waiting lines of more characters than this are written at once. */
const MOST_WAITING = 2 ** 20
/** Compaction is worth it above so many bytes, and above so many times the size of the last snapshot. */
const [WORTH_BYTES, WORTH_FACTOR] = [2 ** 20, 2]

interface Waiting {
  readonly done: () => void
  readonly failed: (error: Error) => void
}

export class FileLog implements Engine {
  readonly name: string
  readonly exclusive = true
  readonly #settings: FileSettings
  readonly #around: EngineSurroundings
  #position: Position = { log: '', at: 0 }
  #handle: FileHandle | undefined
  #unlock: (() => void) | undefined
  #stop: (() => void) | undefined
  /** The checksum of the last line, written or waiting. */
  #sum = 0
  /** How many bytes of the file are sound: the next write begins there, over what a failed one left. */
  #end = 0
  /** Lines that are not written yet. */
  #lines = ''
  /** Lines that are not written, and that the snapshot of a compaction in line replaces. */
  #replaced = ''
  #compactions = 0
  /** Callers that wait for these lines to be on the disk. */
  #waiting: Waiting[] = []
  /** The end of the last write or compaction that is under way or in line; never rejects. */
  #turns: Promise<void> = Promise.resolve()
  /** The write that is in line, if any. */
  #scheduled: Promise<void> | undefined
  #synced = 0
  #dirty = false
  #snapshotBytes = 0
  #sinceSnapshot = 0
  #down: string | undefined
  readonly #listeners: ((reason: string | undefined) => void)[] = []

  constructor(settings: FileSettings, around: EngineSurroundings) {
    this.#settings = settings
    this.#around = around
    this.name = `file ${settings.file}`
  }

  get worthCompacting(): boolean {
    return this.#sinceSnapshot > Math.max(WORTH_BYTES, WORTH_FACTOR * this.#snapshotBytes)
  }

  async open(): Promise<News> {
    const { file } = this.#settings
    this.#unlock = lockFile(file, this.#around)
    try {
      const lines = existsSync(file) ? this.#read() : []
      this.#handle = await open(file, existsSync(file) ? 'r+' : 'wx+')
      if (lines.length === 0) await this.#begin()
      else await this.#handle.truncate(this.#end)
      const snapshot = lines[1]?.kind === 's' ? lines[1] : undefined
      const entries = lines.slice(snapshot === undefined ? 1 : 2).map(({ text }) => text)
      this.#snapshotBytes = snapshot === undefined ? 0 : Buffer.byteLength(snapshot.text)
      this.#sinceSnapshot = this.#end - this.#snapshotBytes
      this.#position = { ...this.#position, at: this.#position.at + entries.length }
      this.#synced = this.#around.now()
      if (this.#settings.sync > 0) {
        this.#stop = this.#around.every(Math.min(WRITE, this.#settings.sync), () => void this.#write())
      }
      return { anew: { snapshot: snapshot?.text }, entries, position: this.#position }
    } catch (error) {
      await this.#handle?.close()
      this.#unlock()
      throw error
    }
  }

  /** Reads the lines of the file; says what it cut off. */
  #read(): readonly Line[] {
    const { file, recover } = this.#settings
    const { warn } = this.#around
    const bytes = readFileSync(file)
    const { lines, sum, bytes: end, damage } = readLines(bytes)
    if (damage !== undefined && damage.line === 1 && !(damage.torn && bytes.length < MOST_HEADER)) {
      throw new DamagedLog(`${file}:1: this is not the beginning of a state file; move the file away to begin anew`)
    }
    if (damage?.torn === true) {
      warn(`${file}:${damage.line}: the last line was not written whole, and was cut off`, {
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
      warn(`${place}: the line is damaged; ${lost} were dropped, and the file as it was is ${basename(file)}.damaged`, {
        lines: damage.after + 1,
        bytes: bytes.length - end,
      })
    }
    this.#sum = sum
    this.#end = end
    const [header] = lines
    if (header !== undefined) this.#position = readHeader(header, file)
    return lines
  }

  async #begin(): Promise<void> {
    this.#position = { log: randomUUID(), at: 0 }
    this.#sum = 0
    this.#end = 0
    this.#lines = this.#line('h', headerOf(this.#position))
    await this.#handle?.truncate(0)
    await this.#flush(true)
    if (this.#down !== undefined) throw new Unavailable(this.#down)
  }

  #line(kind: LineKind, text: string): string {
    const { line, sum } = writeLine(kind, text, this.#sum)
    this.#sum = sum
    return line
  }

  async since(after: Position): Promise<News> {
    return { anew: undefined, entries: [], position: after }
  }

  append(_after: Position, entries: readonly string[]): Promise<Append> {
    if (this.#down !== undefined) return Promise.reject(new Unavailable(this.#down))
    let lines = ''
    for (const entry of entries) lines += this.#line('e', entry)
    this.#lines += lines
    this.#sinceSnapshot += lines.length
    this.#position = { log: this.#position.log, at: this.#position.at + entries.length }
    const appended = { appended: this.#position }
    if (this.#settings.sync > 0) {
      if (this.#lines.length > MOST_WAITING) void this.#write()
      return Promise.resolve(appended)
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ done: () => done(appended), failed })
      void this.#write()
    })
  }

  /** Writes what waits: all calls before the write begins share it. */
  #write(): Promise<void> {
    if (this.#scheduled === undefined) {
      this.#scheduled = this.#inTurn(() => {
        this.#scheduled = undefined
        const { sync } = this.#settings
        return this.#flush(sync === 0 || this.#around.now() - this.#synced >= sync - WRITE)
      })
    }
    return this.#scheduled
  }

  /** One after the other: writes and compactions. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    this.#turns = this.#turns.then(task)
    return this.#turns
  }

  async #flush(sync: boolean): Promise<void> {
    const [lines, waiting] = [this.#lines, this.#waiting]
    this.#waiting = []
    const compactions = this.#compactions
    if (lines === '' && !(sync && this.#dirty)) return
    this.#lines = ''
    const bytes = Buffer.from(lines)
    try {
      await writeWhole(this.#handle as FileHandle, bytes, this.#end)
      if (sync) {
        await this.#handle?.datasync()
        this.#synced = this.#around.now()
      }
      this.#dirty = !sync
      this.#end += bytes.length
      for (const { done } of waiting) done()
      this.#become(undefined)
    } catch (error) {
      // The lines stay first in line: the next write begins where this one did. A compaction in line replaces them.
      if (compactions === this.#compactions) this.#lines = lines + this.#lines
      else this.#replaced = lines + this.#replaced
      this.#become(`${this.#settings.file} cannot be written: ${(error as Error).message}`)
      const failure = new Unavailable(this.#down)
      for (const { failed } of [...waiting, ...this.#waiting]) failed(failure)
      this.#waiting = []
      if (this.#settings.sync === 0) void this.#retry()
    }
  }

  async #retry(): Promise<void> {
    await this.#around.sleep(1000)
    if (this.#handle !== undefined) await this.#write()
  }

  #become(reason: string | undefined): void {
    if (this.#down === reason) return
    this.#down = reason
    for (const listener of this.#listeners) listener(reason)
  }

  async compact(at: Position, snapshot: string, tail: readonly string[] = []): Promise<void> {
    // The snapshot holds the lines that wait to be written.
    if (at.log !== this.#position.log || at.at + tail.length !== this.#position.at || this.#down !== undefined) return
    const { file } = this.#settings
    const before = this.#sum
    this.#sum = 0
    let text = this.#line('h', headerOf(at)) + this.#line('s', snapshot)
    for (const entry of tail) text += this.#line('e', entry)
    const head = Buffer.from(text)
    const waiting = this.#waiting
    this.#compactions += 1
    this.#replaced = this.#lines
    this.#lines = ''
    this.#waiting = []
    // The sum of the lines to come continues the snapshot's: no other write may come in between.
    const compaction = this.#inTurn(async () => {
      try {
        await this.#replace(head)
        this.#replaced = ''
        this.#sinceSnapshot = this.#lines.length
        for (const { done } of waiting) done()
      } catch (error) {
        // The file as it was goes on. Lines that came meanwhile continue the other sum, so all are written again.
        this.#around.warn(`${file} could not be compacted: ${(error as Error).message}`)
        const meant = this.#lines
        this.#sum = before
        this.#lines = this.#replaced
        this.#replaced = ''
        this.#sinceSnapshot = 0
        for (const line of meant.split('\n')) if (line !== '') this.#lines += `${this.#line('e', line.slice(PREFIX))}`
        this.#waiting = [...waiting, ...this.#waiting]
      }
    })
    // For entries that are appended meanwhile.
    if (this.#settings.sync === 0) void this.#write()
    await compaction
  }

  /** Puts a file of these bytes in the place of the file: whole, or not at all. */
  async #replace(bytes: Buffer): Promise<void> {
    const { file } = this.#settings
    const made = `${file}.new`
    const handle = await open(made, 'w')
    try {
      await writeWhole(handle, bytes, 0)
      await handle.datasync()
      await rename(made, file)
    } catch (error) {
      await handle.close()
      await unlink(made).catch(() => {})
      throw error
    }
    await this.#handle?.close()
    this.#handle = handle
    this.#end = bytes.length
    this.#snapshotBytes = bytes.length
    await syncFolder(dirname(file))
  }

  async ask(): Promise<readonly string[]> {
    return []
  }

  answer(): void {}

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {
    this.#stop?.()
    await this.#inTurn(async () => {
      if (this.#handle !== undefined && this.#down === undefined) await this.#flush(true)
    })
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
    this.#unlock?.()
  }
}

/** The characters before the text of a line: checksum, blank, kind, blank. */
const PREFIX = 11

/** A file that is shorter, and whose first line is damaged, is a log that was just begun. */
const MOST_HEADER = 200

const headerOf = ({ log, at }: Position): string => JSON.stringify({ understudy: 1, log, at })

function readHeader({ kind, text }: Line, file: string): Position {
  const { understudy, log, at } = (kind === 'h' ? JSON.parse(text) : {}) as Partial<Position> & { understudy?: number }
  if (understudy === 1 && typeof log === 'string' && typeof at === 'number') return { log, at }
  throw new DamagedLog(`${file}:1: this state file has a form that this version does not read`)
}

async function writeWhole(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/** Makes a rename durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch {
    // Some file systems cannot sync a folder.
  } finally {
    await handle.close()
  }
}
