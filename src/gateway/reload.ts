// Reloads the configuration when it changes: loads it completely before it replaces the served one.

import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { filesMatching, isPattern } from '../kernel/file/pattern.ts'
import { attempted } from '../kernel/memo.ts'
import { formatBriefly } from '../kernel/report.ts'
import type { Loaded, LoadOptions } from '../load/load.ts'
import type { Plan } from '../plan/plan.ts'
import { every } from '../world/real-time.ts'
import type { Gateway } from './gateway.ts'
import type { Log } from './log.ts'

/** The interval of checking the files, in milliseconds. */
const INTERVAL = 400

/** Loads the configuration from its file, or from a text instead of the file. See `LoadOptions`. */
export type Load = (options: Pick<LoadOptions, 'text' | 'lacking' | 'worlds'>) => Loaded | Promise<Loaded>

export class Reloader {
  readonly #gateway: Gateway
  readonly #load: Load
  readonly #log: Log
  /** The first one is loaded: a gateway.yaml or an OpenAPI document. */
  #files: readonly string[]
  #lacking: ReadonlySet<string>
  /** The contracts that worlds were given, by name. They stay until they are taken back. */
  #worlds: NonNullable<LoadOptions['worlds']> = {}
  /** The served text, if it is not that of the file. */
  #text: string | undefined
  /** The state of the files when the served configuration was read. */
  #known: string
  #candidate: string
  /** Whether the configuration is being loaded because a file changed. */
  #isLoading = false
  /** The running load, or the last one. Loads run one after the other, so that the last one is served. */
  #last: Promise<unknown> = Promise.resolve()

  /** The switches that permit a text to change fixed blocks; see `Block.fixed`. */
  permissions: ReadonlySet<string> = new Set()

  /**
   * @param loaded the served configuration
   */
  constructor(gateway: Gateway, load: Load, loaded: Loaded, log: Log) {
    this.#gateway = gateway
    this.#load = load
    this.#log = log
    this.#files = loaded.files
    this.#lacking = loaded.report.lost
    this.#known = this.#candidate = fingerprint(loaded.files)
    gateway.metrics.reloaded(true)
    gateway.configure = async text => void (await this.#adopt(text))
  }

  /** Reloads the files, or loads a text instead, until the next reload. A configuration with errors changes nothing. */
  reload(text?: string): Promise<Loaded> {
    const loading = this.#last.then(() => this.#adopt(text))
    // A load that throws rejects for its caller; the next one runs nevertheless.
    this.#last = loading.catch(() => {})
    return loading
  }

  /**
   * Gives a world another contract, or takes it back. One with errors changes nothing. Returns `undefined` where there is none
   * to take back.
   */
  giveContract(world: string, document: string | undefined): Promise<Loaded | undefined> {
    const loading = this.#last.then(async () => {
      const { [world]: given, ...others } = this.#worlds
      if (document === undefined && given === undefined) return undefined
      const before = this.#worlds
      this.#worlds =
        document === undefined ? others : { ...others, [world]: { text: document, name: `contract of ${world}` } }
      const loaded = await this.#adopt(this.#text)
      if (loaded.plan === undefined) this.#worlds = before
      return loaded
    })
    this.#last = loading.catch(() => {})
    return loading
  }

  /** Loads the files, or a text instead, without serving it. Returns its mistakes. */
  async check(text?: string): Promise<Loaded> {
    const loaded = await this.#load({ text, lacking: this.#lacking, worlds: this.#worlds })
    if (text === undefined || loaded.plan === undefined) return loaded
    const { source, file, house } = loaded.plan.simulation
    const served = this.#gateway.plan.simulation.file
    const changed = house.blocks.filter(
      ({ key, fixed }) => fixed !== undefined && !this.permissions.has(fixed) && !isSame(key, file, served),
    )
    for (const { key, fixed } of changed) {
      const place = source.locate(key in file ? [key] : [], 'key')
      const hint = `change the file, or start with --${fixed}`
      loaded.report.error(`fixed-${key}`, `"${key}" cannot be changed from here`, place, hint)
    }
    return changed.length === 0 ? loaded : { ...loaded, plan: undefined }
  }

  /** The text of the served file on the disk; `undefined` where it cannot be read, or where another file led to it. */
  readDisk(): string | undefined {
    const [path = ''] = this.#files
    const { file } = this.#gateway.plan.simulation.source
    return basename(path) === basename(file) ? attempted(() => readFileSync(path, 'utf8')) : undefined
  }

  async #adopt(text?: string): Promise<Loaded> {
    // Taken before the files are read, so that a change during the reading is still noticed.
    const files = this.#files
    const seen = fingerprint(files)
    const loaded = await this.#tryLoad(seen, text)
    // A broken file may name fewer files than the last good one: watch both, so that a correction is noticed.
    this.#files = loaded.plan === undefined ? [...new Set([...this.#files, ...loaded.files])] : loaded.files
    this.#known = this.#candidate = this.#files.join() === files.join() ? seen : fingerprint(this.#files)
    this.#gateway.metrics.reloaded(loaded.plan !== undefined)
    if (loaded.plan === undefined) {
      this.#log.error(
        {},
        `the configuration was not reloaded; the last good one keeps serving\n${formatBriefly(loaded.report)}`,
      )
    } else {
      const before = this.#gateway.plan
      this.#gateway.adopt(loaded.plan)
      this.#text = text
      this.#lacking = loaded.report.lost
      if (addresses(loaded.plan) !== addresses(before)) {
        this.#log.warn({}, 'the address or port has changed; restart to listen on it')
      }
      if (secrecy(loaded.plan) !== secrecy(before)) {
        this.#log.warn({}, 'listen.tls has changed by more than its files; restart to apply it')
      }
      this.#log.info({ operations: loaded.plan.operations.length }, 'the configuration was reloaded')
    }
    return loaded
  }

  async #tryLoad(seen: string, text: string | undefined): Promise<Loaded> {
    try {
      return await this.check(text)
    } catch (error) {
      // An internal error: retrying is useless until a file changes.
      this.#known = this.#candidate = seen
      this.#gateway.metrics.reloaded(false)
      this.#log.error({ err: error }, 'the configuration could not be reloaded; the last good one keeps serving')
      throw error
    }
  }

  /**
   * Watches every relevant file until the returned function is called. It polls each path, because notifications are lost
   * when an editor replaces a file or a symbolic link changes.
   */
  watch(): () => void {
    return every(INTERVAL, () => {
      const seen = fingerprint(this.#files)
      if (this.#isLoading || seen === this.#known) return
      // Unchanged since the last check: the writer has finished.
      if (seen !== this.#candidate) {
        this.#candidate = seen
        return
      }
      this.#isLoading = true
      this.reload()
        // Already reported; the served configuration stays.
        .catch(() => {})
        .finally(() => {
          this.#isLoading = false
        })
    })
  }
}

/** Whether two files have the same value for a key. */
const isSame = (key: string, ...files: readonly [object, object]): boolean => {
  const [one, other] = files.map(file => JSON.stringify((file as Readonly<Record<string, unknown>>)[key]))
  return one === other
}

/** Settings that only a restart changes. */
const addresses = ({ simulation: { listen } }: Plan): string =>
  [listen.host, listen.port, listen.controlHost, listen.control].join()

/** Whether the planes use https, who made the certificate, and whether clients are asked for theirs. */
const secrecy = ({ simulation: { tls } }: Plan): string | undefined => tls && `${tls.clients} ${tls.pair === undefined}`

/** Identifies a state of the files: a replaced file has another inode, also behind a link. */
const fingerprint = (files: readonly string[]): string => files.map(file => `${file} ${fileStamp(file)}`).join('\n')

function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(file)
    return `${dev} ${ino} ${size} ${mtimeMs}`
  } catch (error) {
    if (isPattern(file)) return filesMatching(file).join()
    // Missing, unreadable or behind a cyclic link: also a state.
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}
