// Loads the configuration again when it changes: aside, completely, and only then in its place.

import { statSync } from 'node:fs'
import { formatDiagnostics } from '../kernel/diagnostic.ts'
import type { Loaded } from '../plan/load.ts'
import { every } from '../world/clock.ts'
import type { Gateway } from './gateway.ts'
import type { Log } from './log.ts'

/** How often the files are looked at, in milliseconds. */
const INTERVAL = 400

export class Reloader {
  readonly #gateway: Gateway
  readonly #load: () => Loaded
  readonly #log: Log
  #files: readonly string[]
  /** What was there when the served configuration was read. */
  #known: string
  #candidate: string

  /** @param loaded what is being served already */
  constructor(gateway: Gateway, load: () => Loaded, loaded: Loaded, log: Log) {
    this.#gateway = gateway
    this.#load = load
    this.#log = log
    this.#files = loaded.files
    this.#known = fingerprint(loaded.files)
    this.#candidate = this.#known
    gateway.metrics.reloaded(true)
  }

  /** Loads anew; what cannot be loaded changes nothing. */
  reload(): Loaded {
    // Taken before the files are read: a change while they are read is then a change still.
    const before = this.#files
    const seen = fingerprint(before)
    const loaded = this.#load()
    // A broken file may name fewer files than the last good one did: watch both, or the mend goes unseen.
    this.#files = loaded.plan === undefined ? [...new Set([...this.#files, ...loaded.files])] : loaded.files
    this.#known = this.#files.join() === before.join() ? seen : fingerprint(this.#files)
    this.#candidate = this.#known
    this.#gateway.metrics.reloaded(loaded.plan !== undefined)
    if (loaded.plan === undefined) {
      this.#log.error(
        {},
        `the configuration was not reloaded; the last good one keeps serving\n${formatDiagnostics(loaded.report.list)}`,
      )
    } else {
      this.#gateway.adopt(loaded.plan)
      this.#log.info({ operations: loaded.plan.operations.length }, 'the configuration was reloaded')
    }
    return loaded
  }

  /**
   * Watches every file that matters, until the answer is called. It asks what each path leads to now, again and again:
   * notifications are lost when an editor replaces a file or a directory is swapped by a symbolic link.
   */
  watch(): () => void {
    return every(INTERVAL, () => {
      const seen = fingerprint(this.#files)
      if (seen === this.#known) return
      // Twice the same: whoever writes has finished.
      if (seen === this.#candidate) this.reload()
      else this.#candidate = seen
    })
  }
}

/** Tells one state of the files from another: a replaced file has another inode, wherever the link leads. */
const fingerprint = (files: readonly string[]): string =>
  files
    .map(file => {
      const found = statSync(file, { throwIfNoEntry: false })
      return found === undefined
        ? `${file} missing`
        : `${file} ${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`
    })
    .join('\n')
