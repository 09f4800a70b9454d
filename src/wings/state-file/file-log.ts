// The engine of one process: a file of checksummed lines, to which it appends, and which a snapshot replaces from time to
// time. A lock file beside it, which names its owner, keeps other processes from it.

import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempted } from '../../kernel/memo.ts'
import type { Append, Engine, News, Position } from '../../state/engines/engine.ts'
import { StateRefused, Unavailable } from '../../state/errors.ts'
import type { ProcessIdentity, Surroundings } from '../../state/surroundings.ts'
import { ENTRIES, LogFile, linesOf } from './log-file.ts'
import type { FileSettings } from './settings.ts'

/** With an interval, the maximum time until waiting entries are written: at most this much is lost with the process. */
const WRITE = 100
/** How often an idle file is checked, because it may have been removed, and a failed write tried again, in milliseconds. */
const CHECK = 1000
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
  readonly #around: Surroundings
  readonly #file: LogFile
  #position: Position = { log: '', at: 0 }
  #stop = () => {}
  /** Lines that are not written yet, and after them the entries that are not in a line. */
  #lines: Buffer[] = []
  #entries: string[] = []
  /** Callers that wait for these entries to be on the disk. */
  #waiting: Waiting[] = []
  /** The end of the last write or compaction that is under way or in line; never rejects. */
  #last: Promise<void> = Promise.resolve()
  /** Whether a write is in line. */
  #isScheduled = false
  #synced = 0
  #dirty = false
  #snapshotBytes = 0
  /** The number of bytes up to which the file was compacted, or could not be. */
  #compacted = 0
  #down: string | undefined
  readonly #listeners: ((reason: string | undefined) => void)[] = []

  constructor(settings: FileSettings, around: Surroundings) {
    this.#settings = settings
    this.#around = around
    this.#file = new LogFile(settings.file)
    this.name = `file ${settings.file}`
  }

  /** With `recover` the file has reported its loss already. */
  get lossNote(): string | undefined {
    return this.#settings.recover ? undefined : 'holds no state any more; every world begins with its seeds'
  }

  get worthCompacting(): boolean {
    return this.#file.bytes - this.#compacted > Math.max(WORTH_BYTES, WORTH_FACTOR * this.#snapshotBytes)
  }

  async open(): Promise<News> {
    const { file, recover, sync } = this.#settings
    const { every, now, warn } = this.#around
    const unlock = explaining(file, () => lockFile(file, this.#around))
    try {
      const { from, snapshot, entries } = await this.#file.open({ recover, warn }, { log: randomUUID(), at: 0 })
      this.#snapshotBytes = snapshot === undefined ? 0 : Buffer.byteLength(snapshot)
      this.#compacted = this.#snapshotBytes
      this.#position = { ...from, at: from.at + entries.length }
      this.#synced = now()
      const stops = [unlock, every(CHECK, () => this.#aside(() => this.#flush(sync === 0, true)))]
      if (sync > 0) stops.push(every(Math.min(WRITE, sync), () => this.#write()))
      this.#stop = () => stops.forEach(stop => void stop())
      return { anew: { snapshot }, entries, position: this.#position }
    } catch (error) {
      await this.#file.close()
      unlock()
      throw refusalOf(file, error)
    }
  }

  async since(after: Position): Promise<News> {
    return { anew: undefined, entries: [], position: after }
  }

  append(_after: Position, entries: readonly string[]): Append | Promise<Append> {
    if (this.#down !== undefined) throw new Unavailable(this.#down)
    const { log, at } = this.#position
    this.#position = { log, at: at + entries.length }
    const appended = { appended: this.#position }
    // There is no line that would be written for it.
    if (entries.length === 0) return appended
    for (const entry of entries) this.#entries.push(entry)
    if (this.#entries.length >= ENTRIES) this.#lines = this.#takeLines()
    if (this.#settings.sync > 0) return appended
    return new Promise((done, failed) => {
      this.#waiting.push({ done: () => done(appended), failed })
      this.#write()
    })
  }

  #takeLines(): Buffer[] {
    const lines = this.#lines
    for (const line of linesOf(this.#entries)) lines.push(line)
    this.#entries = []
    this.#lines = []
    return lines
  }

  /** Writes the waiting lines: all calls before the write begins share it. */
  #write(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#aside(() => {
      this.#isScheduled = false
      const { sync } = this.#settings
      return this.#flush(sync === 0 || this.#around.now() - this.#synced >= sync - WRITE)
    })
  }

  /** Runs a task after the last one without waiting for it. Logs its error. */
  #aside(task: () => Promise<void>): void {
    this.#afterLast(task).catch((error: Error) => this.#around.warn(error.message))
  }

  /** One after the other: writes and compactions. */
  #afterLast(task: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(task)
    return this.#last
  }

  /** @param check whether to look after the file although there is nothing to write */
  async #flush(sync: boolean, check = false): Promise<void> {
    const lines = this.#takeLines()
    const waiting = this.#waiting.splice(0)
    const wanted = sync && (this.#dirty || lines.length > 0)
    if (!this.#file.isOpen || (lines.length === 0 && !wanted && !check && this.#down === undefined)) return
    try {
      const anew = await this.#file.append(lines, wanted)
      if (anew) this.#around.warn(`${this.#settings.file} was removed while in use, and was written anew`)
      this.#dirty = !sync && (this.#dirty || lines.length > 0)
      if (sync) this.#synced = this.#around.now()
      for (const { done } of waiting) done()
      this.#become(undefined)
    } catch (error) {
      this.#lines = [...lines, ...this.#lines]
      this.#become(`${this.#settings.file} cannot be written: ${(error as Error).message}`)
      const failure = new Unavailable(this.#down)
      for (const { failed } of [...waiting, ...this.#waiting.splice(0)]) failed(failure)
    }
  }

  #become(reason: string | undefined): void {
    if (this.#down === reason) return
    this.#down = reason
    for (const listener of this.#listeners) listener(reason)
  }

  compact(at: Position, snapshot: string, tail: readonly string[]): Promise<void> {
    return this.#afterLast(async () => {
      const file = this.#file
      // The snapshot and its tail hold everything that is written, and that waits to be.
      if (at.log !== this.#position.log || at.at + tail.length !== this.#position.at || this.#down !== undefined) return
      const [lines, waiting] = [this.#takeLines(), this.#waiting.splice(0)]
      try {
        await file.replace(at, snapshot, [...tail])
        this.#snapshotBytes = file.bytes
        for (const { done } of waiting) done()
      } catch (error) {
        // Continue with the old file.
        this.#around.warn(`${file.path} could not be compacted: ${(error as Error).message}`)
        this.#lines = [...lines, ...this.#lines]
        this.#waiting = [...waiting, ...this.#waiting]
        if (this.#settings.sync === 0) this.#write()
      }
      this.#compacted = file.bytes
    })
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {
    await this.#afterLast(async () => {
      if (this.#down === undefined) await this.#flush(true)
    })
    await this.#file.close()
    this.#stop()
  }
}

// --- errors of the system ------------------------------------------------------------------------------------------------

/** The errors of a file that cannot be created or opened, with what to do. */
const FILE_ERRORS: Readonly<Record<string, (folder: string) => string>> = {
  ENOENT: folder => `there is no folder ${folder}; create it`,
  ENOTDIR: folder => `${folder} is not a folder; name a file in one`,
  EISDIR: () => 'this is a folder; name a file',
  EACCES: folder => `this process may not write it, or in ${folder}; permit it, or name another file`,
  EPERM: folder => `this process may not write it, or in ${folder}; permit it, or name another file`,
  EROFS: folder => `${folder} is read-only; name a file on a volume that can be written`,
  ENOSPC: () => 'the disk is full; make room, or name another file',
}

/** Returns an error of the system as a refusal that says what to do; any other error as it is. */
function refusalOf(file: string, error: unknown): unknown {
  const explain = FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
  if (explain === undefined) return error
  return new StateRefused(`the state file ${file} cannot be written: ${explain(dirname(file))}`, { cause: error })
}

function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw refusalOf(file, error)
  }
}

// --- the lock ----------------------------------------------------------------------------------------------------------

/** Another process uses the file. */
export class FileInUse extends StateRefused {
  override readonly name = 'FileInUse'
}

/** The owner renews its lock this often, in milliseconds: the owner on another machine can only be seen so. */
const RENEW = 2000
/** The age after which an unrenewed lock of another machine is stale. */
const STALE = 10_000

/**
 * Locks a file; throws `FileInUse` with the name of the process that uses it. A lock whose owner is gone is taken.
 *
 * @returns unlocks it
 */
function lockFile(file: string, around: Surroundings): () => void {
  const lock = `${file}.lock`
  const identity = JSON.stringify(around.owner)
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(lock, identity, { flag: 'wx' })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error
      const owner = attempted(() => JSON.parse(readFileSync(lock, 'utf8')) as ProcessIdentity)
      if (owner?.pid !== undefined && isAlive(owner, lock, around)) {
        const { pid, host, started } = owner
        throw new FileInUse(`${file} is used by process ${pid} on ${host}, which runs since ${started}`)
      }
      around.warn('removed the lock of a process that has ended', { file: lock, owner })
      attempted(() => unlinkSync(lock))
    }
  }
  // The log is still written where the lock was removed by hand.
  const stop = around.every(RENEW, () => attempted(() => utimesSync(lock, around.now() / 1000, around.now() / 1000)))
  return () => {
    stop()
    // Do not remove the lock of another process that took over a stale one.
    if (attempted(() => readFileSync(lock, 'utf8')) === identity) attempted(() => unlinkSync(lock))
  }
}

function isAlive(owner: ProcessIdentity, lock: string, around: Surroundings): boolean {
  if (owner.host === around.owner.host) return around.isRunning(owner)
  const renewed = attempted(() => statSync(lock).mtimeMs)
  return renewed !== undefined && around.now() - renewed < STALE
}
