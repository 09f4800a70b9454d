// The state of a gateway that an engine keeps: opens it, records and applies changes, and says whether it is available. The rest
// of the program uses the log of worlds through this class only.

import type { Cause } from '../world/changes.ts'
import type { World } from '../world/world.ts'
import type { Engine } from './engines/engine.ts'
import { writeGroup } from './entry-text.ts'
import { StateRefused, Unavailable } from './errors.ts'
import type { History } from './history.ts'
import type { StateHost } from './host.ts'
import type { StateSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'
import { type TurnMeter, Turns } from './turns.ts'
import { WorldLog } from './world-log.ts'

/**
 * The maximum interval between appends of changes without a request, and between reads of the changes of others, in
 * milliseconds.
 */
const TICK = 1000
/** How long to wait before an engine that could not be opened is tried again. */
const RETRY = 1000

export class State {
  readonly #worldLog: WorldLog
  /** Whether a request must call `catchUp` before it is answered. */
  asks = true
  readonly #host: StateHost
  readonly #engine: Engine
  readonly #settings: StateSettings
  readonly #around: Surroundings
  /** `undefined` until the log was read. */
  #turns: Turns | undefined
  #down: string | undefined = 'the state is still being read'
  /** Why the last entries could not be applied. */
  #unreadable: string | undefined
  #stop: (() => void) | undefined
  #closed = false
  /** The time when the use of each sandbox was last reported to other processes, in milliseconds. */
  readonly #seen = new Map<string, number>()

  constructor(host: StateHost, engine: Engine, settings: StateSettings, around: Surroundings) {
    this.#host = host
    this.#engine = engine
    this.#settings = settings
    this.#around = around
    this.#worldLog = new WorldLog(host, around.now, () => this.#reportLoss())
    engine.onAvailability(reason => this.#become(reason))
  }

  #reportLoss(): void {
    const { name, lossNote } = this.#engine
    if (lossNote !== undefined) this.#host.log.error({}, `${name} ${lossNote}`)
  }

  get meter(): TurnMeter {
    return this.#host.meter
  }

  /** Why the engine cannot be used now; `undefined` where it can. */
  get unavailable(): string | undefined {
    return this.#down ?? this.#unreadable
  }

  /** The end of the log, as far as the worlds hold it. */
  get position(): number {
    return this.#turns?.position.at ?? 0
  }

  /**
   * Reads the log. If the engine is not available, resolves nevertheless and retries; rejects if the log is invalid.
   */
  async open(): Promise<void> {
    try {
      await this.#begin()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      this.#become(error.message)
      this.#retry().catch(this.#reportFailure)
    }
  }

  readonly #reportFailure = (error: unknown): void =>
    this.#host.log.error({ err: error }, 'the state could not be read')

  async #retry(): Promise<void> {
    while (!this.#closed && this.#turns === undefined) {
      await this.#around.sleep(RETRY)
      try {
        if (!this.#closed) await this.#begin()
      } catch (error) {
        if (!(error instanceof Unavailable)) this.#reportFailure(error)
      }
    }
  }

  async #begin(): Promise<void> {
    const engine = this.#engine
    const { requests } = engine
    let news = await engine.open()
    const isNew = news.anew?.snapshot === undefined && news.position.at === 0
    if (isNew) {
      await engine.compact(news.position, await this.#worldLog.snapshot(), [])
      // Another process may have been faster.
      if (requests !== undefined) news = await engine.open()
    }
    if (isNew && requests === undefined) this.#worldLog.history.begin(news.position.at)
    else {
      await this.#worldLog.apply(news).catch((error: unknown) => {
        throw new StateRefused(`${this.#describeUnreadable(error)}; remove it, or use another one`, { cause: error })
      })
    }
    const turns = new Turns(engine, this.#worldLog, news.position, {
      write: writeGroup,
      now: this.#around.now,
      meter: this.#host.meter,
    })
    this.#turns = turns
    this.asks = requests !== undefined && this.#settings.reads === 'strong'
    if (requests !== undefined) {
      const catchUp = () => this.catchUp()
      this.#host.shareRequests(requests, { name: () => turns.position.log, catchUp })
    }
    this.#worldLog.attach(turns)
    this.#become(undefined)
    if (!isNew) await this.#compare()
    await turns.tick()
    this.#stop = this.#around.every(TICK, () => void this.#follow(turns).catch(this.#reportFailure))
  }

  /** Applies later entries, and keeps the reason if they cannot be read. */
  async #follow(turns: Turns): Promise<void> {
    if (this.#down !== undefined) return
    try {
      await turns.tick()
      this.#unreadable = undefined
    } catch (error) {
      if (error instanceof Unavailable) return
      const reason = this.#describeUnreadable(error)
      if (reason !== this.#unreadable) this.#host.log.error({ reason }, 'the state is not available')
      this.#unreadable = reason
    }
  }

  #describeUnreadable(error: unknown): string {
    return `${this.#engine.name} holds a state that cannot be read (${(error as Error).message})`
  }

  /** Compares the state with the configuration: its seeds may be others, and its records may not fit. */
  async #compare(): Promise<void> {
    const { worlds, log } = this.#host
    const { origin } = this.#worldLog.seeds
    for (const world of worlds.list().filter(({ name }) => worlds.isPermanent(name))) {
      for (const [collection, digest] of Object.entries(origin)) {
        if (world.origin[collection] === digest) continue
        if (world.origin[collection] === undefined || this.#settings.onSeedChange === 'reset') {
          await this.run(async () => this.#worldLog.reseed(world, collection), { text: 'onSeedChange: reset' })
        } else {
          const hint = 'to use the new seeds, POST /reset or start with state: { onSeedChange: reset }'
          log.warn(
            { world: world.name, collection },
            `${this.#host.seedsOf(collection)} has changed, but the existing records of ${collection} are kept; ${hint}`,
          )
        }
      }
      await this.#reportMisfits(world)
    }
  }

  /** Warns of records that do not fit the configuration: the contract may have changed since they were written. */
  async #reportMisfits(world: World): Promise<void> {
    for (const { collection, count, first } of await this.#host.misfitsIn(world)) {
      const message = `${count} records of ${collection} break the contract and are kept; the first is ${first}`
      this.#host.log.warn({ world: world.name, collection }, message)
    }
  }

  #become(reason: string | undefined): void {
    const down = reason ?? (this.#turns === undefined ? 'the state is still being read' : undefined)
    if (down === this.#down) return
    if (down !== undefined) this.#host.log.error({ reason: down }, 'the state is not available')
    else if (this.#down !== undefined) this.#host.log.info({ engine: this.#engine.name }, 'the state is available')
    this.#down = down
  }

  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    return this.#turns?.run(work, cause) ?? Promise.reject(new Unavailable(this.#down))
  }

  /** Resolves when the worlds hold everything that was acknowledged before this was called. */
  catchUp(): Promise<void> {
    if (this.#turns === undefined) return Promise.reject(new Unavailable(this.#down))
    return this.asks ? this.#turns.catchUp() : Promise.resolve()
  }

  /** Reports to other processes at intervals that a sandbox is used. */
  visited(world: World): void {
    if (this.#turns?.repeats !== true || world.recorder === undefined) return
    const { worlds, idle } = this.#host
    const { name } = world
    if (worlds.isPermanent(name)) return
    const now = this.#around.now()
    if (now - (this.#seen.get(name) ?? 0) < idle / 4) return
    this.#seen.set(name, now)
    this.#worldLog.seen(world)
  }

  /** Takes note of a configuration that was put in the place of the file, for other processes. */
  configured(text: string): void {
    if (this.#engine.requests !== undefined) this.#worldLog.configured(text)
  }

  /** The last changes of the worlds. */
  get history(): Pick<History<unknown>, 'of' | 'reach' | 'since'> {
    return this.#worldLog.history
  }

  /** Takes a world back: see `WorldLog.rewind`. */
  rewind(name: string, position: number, into?: string): number | undefined {
    return this.#worldLog.rewind(name, position, into)
  }

  /** The worlds as they are when this is called, as one text. */
  snapshot(): Promise<string> {
    return this.#worldLog.snapshot()
  }

  /** Replaces the log so far by a snapshot. Requests are answered meanwhile. */
  async compact(): Promise<void> {
    await this.#turns?.compact()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stop?.()
    const turns = this.#turns
    if (turns !== undefined && this.#down === undefined) {
      await turns.tick().catch(() => {})
      await turns.settled()
      if (!turns.repeats) await this.compact().catch(() => {})
    }
    await this.#engine.close()
  }
}
