// The engine of one process: a file of checksummed lines, to which it appends, and which a snapshot replaces from time to
// time. No other process writes to it: see `file-lock.ts`.

import { randomUUID } from 'node:crypto'
import {
  type Append,
  type Engine,
  type EngineSurroundings,
  type FileSettings,
  type News,
  type Position,
  Unavailable,
} from './engine.ts'
import { lockFile } from './file-lock.ts'
import { LogFile } from './log-file.ts'
import { LineBuffer } from './log-lines.ts'

/** With an interval, the maximum time until waiting entries are written: at most this much is lost with the process. */
const WRITE = 100
/** How often an idle file is checked, because it may have been removed, and a failed write tried again, in milliseconds. */
const CHECK = 1000
/** Waiting lines of more bytes than this are written at once. */
const MOST_WAITING = 2 ** 20
/** The minimum size for a compaction in bytes, and as a multiple of the last snapshot. */
const [WORTH_BYTES, WORTH_FACTOR] = [16 * 2 ** 20, 4]

interface Waiting {
  readonly done: () => void
  readonly failed: (error: Error) => void
}

export class FileLog implements Engine {
  readonly name: string
  readonly requests = undefined
  readonly #settings: FileSettings
  readonly #around: EngineSurroundings
  readonly #file: LogFile
  #position: Position = { log: '', at: 0 }
  #unlock: (() => void) | undefined
  #stop: (() => void) | undefined
  /** Lines that are not written yet. */
  #lines = new LineBuffer()
  /** An empty buffer, for lines that arrive while others are written. */
  #spare: LineBuffer | undefined
  /** Lines that are not written, and that the snapshot of a compaction in line replaces. */
  #replaced: LineBuffer | undefined
  #compactions = 0
  /** Callers that wait for these entries to be on the disk. */
  #waiting: Waiting[] = []
  /** The end of the last write or compaction that is under way or in line; never rejects. */
  #last: Promise<void> = Promise.resolve()
  /** The write that is in line, if any. */
  #scheduled: Promise<void> | undefined
  #synced = 0
  #dirty = false
  #snapshotBytes = 0
  /** The number of bytes up to which the file was compacted, or could not be. */
  #compacted = 0
  #down: string | undefined
  readonly #listeners: ((reason: string | undefined) => void)[] = []

  constructor(settings: FileSettings, around: EngineSurroundings) {
    this.#settings = settings
    this.#around = around
    this.#file = new LogFile(settings.file)
    this.name = `file ${settings.file}`
  }

  get worthCompacting(): boolean {
    const since = this.#file.bytes + this.#lines.length - this.#compacted
    return since > Math.max(WORTH_BYTES, WORTH_FACTOR * this.#snapshotBytes)
  }

  async open(): Promise<News> {
    const { file, recover, sync } = this.#settings
    this.#unlock = lockFile(file, this.#around)
    try {
      const read = await this.#file.open({ recover, warn: this.#around.warn })
      const { from, snapshot, entries } = read ?? {
        from: { log: randomUUID(), at: 0 },
        snapshot: undefined,
        entries: [],
      }
      if (read === undefined) await this.#file.begin(from)
      this.#snapshotBytes = snapshot === undefined ? 0 : Buffer.byteLength(snapshot)
      this.#compacted = this.#snapshotBytes
      this.#position = { ...from, at: from.at + entries.length }
      this.#synced = this.#around.now()
      const { every } = this.#around
      const stops = [every(CHECK, () => void this.#afterLast(() => this.#flush(sync === 0, true)))]
      if (sync > 0) stops.push(every(Math.min(WRITE, sync), () => void this.#write()))
      this.#stop = () => stops.forEach(stop => void stop())
      return { anew: { snapshot }, entries, position: this.#position }
    } catch (error) {
      await this.#file.close()
      this.#unlock()
      throw error
    }
  }

  async since(after: Position): Promise<News> {
    return { anew: undefined, entries: [], position: after }
  }

  append(_after: Position, entries: readonly string[]): Append | Promise<Append> {
    if (this.#down !== undefined) return Promise.reject(new Unavailable(this.#down))
    // There is no line that would be written for it.
    if (entries.length === 0) return { appended: this.#position }
    for (const entry of entries) this.#lines.add(entry)
    const { log, at } = this.#position
    this.#position = { log, at: at + entries.length }
    const appended = { appended: this.#position }
    if (this.#settings.sync > 0) {
      if (this.#lines.length > MOST_WAITING) void this.#write()
      return appended
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ done: () => done(appended), failed })
      void this.#write()
    })
  }

  /** Writes the waiting lines: all calls before the write begins share it. */
  #write(): Promise<void> {
    if (this.#scheduled === undefined) {
      this.#scheduled = this.#afterLast(() => {
        this.#scheduled = undefined
        const { sync } = this.#settings
        return this.#flush(sync === 0 || this.#around.now() - this.#synced >= sync - WRITE)
      })
    }
    return this.#scheduled
  }

  /** One after the other: writes and compactions. */
  #afterLast(task: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(task)
    return this.#last
  }

  /** @param check whether to look after the file although there is nothing to write */
  async #flush(sync: boolean, check = false): Promise<void> {
    // A queued compaction would replace the lines of this write.
    if (this.#replaced !== undefined || !this.#file.isOpen) return
    const [lines, waiting] = [this.#lines, this.#waiting]
    this.#waiting = []
    const compactions = this.#compactions
    const wanted = sync && (this.#dirty || lines.length > 0)
    if (lines.length === 0 && !wanted && !check && this.#down === undefined) return
    this.#lines = this.#spare ?? new LineBuffer()
    this.#spare = undefined
    try {
      const anew = await this.#file.append(lines, wanted)
      if (anew) this.#around.warn(`${this.#settings.file} was removed while in use, and was written anew`)
      this.#dirty = !sync && (this.#dirty || lines.length > 0)
      lines.clear()
      this.#spare = lines
      if (sync) this.#synced = this.#around.now()
      for (const { done } of waiting) done()
      this.#become(undefined)
    } catch (error) {
      // The lines stay first in line. A compaction in line replaces them.
      if (compactions === this.#compactions) this.#putBack(lines)
      else {
        if (this.#replaced !== undefined) lines.addAll(this.#replaced)
        this.#replaced = lines
      }
      this.#become(`${this.#settings.file} cannot be written: ${(error as Error).message}`)
      const failure = new Unavailable(this.#down)
      for (const { failed } of [...waiting, ...this.#waiting]) failed(failure)
      this.#waiting = []
    }
  }

  /** Puts lines before those that wait. */
  #putBack(lines: LineBuffer): void {
    lines.addAll(this.#lines)
    this.#lines = lines
  }

  #become(reason: string | undefined): void {
    if (this.#down === reason) return
    this.#down = reason
    for (const listener of this.#listeners) listener(reason)
  }

  async compact(at: Position, snapshot: string, tail: readonly string[]): Promise<void> {
    // The snapshot and its tail hold the entries that wait to be written.
    if (at.log !== this.#position.log || at.at + tail.length !== this.#position.at || this.#down !== undefined) return
    const [waiting, entries] = [this.#waiting, [...tail]]
    this.#compactions += 1
    this.#replaced = this.#lines
    this.#lines = new LineBuffer()
    this.#waiting = []
    await this.#afterLast(async () => {
      try {
        await this.#file.replace(at, snapshot, entries)
        this.#replaced = undefined
        this.#snapshotBytes = this.#file.bytes
        this.#compacted = this.#snapshotBytes
        for (const { done } of waiting) done()
      } catch (error) {
        // Continue with the old file.
        this.#around.warn(`${this.#settings.file} could not be compacted: ${(error as Error).message}`)
        if (this.#replaced !== undefined) this.#putBack(this.#replaced)
        this.#replaced = undefined
        this.#compacted = this.#file.bytes + this.#lines.length
        this.#waiting = [...waiting, ...this.#waiting]
      }
    })
    // Entries that were appended meanwhile, or that could not be replaced.
    if (this.#settings.sync === 0) void this.#write()
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {
    this.#stop?.()
    await this.#afterLast(async () => {
      if (this.#file.isOpen && this.#down === undefined) await this.#flush(true)
    })
    await this.#file.close()
    this.#unlock?.()
  }
}
