// The state of a gateway that an engine keeps: opens it, records and applies changes, and says whether it is available.

import type { StateSettings } from '../../plan/state.ts'
import { type Engine, isExclusive, Unavailable } from '../../state/engine.ts'
import type { EngineSurroundings } from '../../state/settings.ts'
import type { Cause } from '../../world/turns.ts'
import type { World } from '../../world/world.ts'
import { LOST } from '../journal/kept-request.ts'
import type { Log } from '../log.ts'
import { Gathering } from './gathering.ts'
import type { Kept } from './kept.ts'
import { findMisfits } from './misfits.ts'
import { OwnTurns } from './own-turns.ts'
import { Readable } from './readable.ts'
import { RequestTrail } from './request-trail.ts'
import { SharedTurns } from './shared-turns.ts'
import { StateMeter } from './state-meter.ts'
import type { LogTurns } from './turns.ts'
import { WorldLog } from './world-log.ts'

/**
 * The maximum interval between appends of changes without a request, and between reads of the changes of others, in
 * milliseconds.
 */
const TICK = 1000
/** How long to wait before an engine that could not be opened is tried again. */
const RETRY = 1000

export class KeptState {
  readonly meter = new StateMeter()
  readonly worldLog: WorldLog
  /** Whether a request must call `catchUp` before it is answered. */
  asks = true
  readonly #gateway: Kept
  readonly #engine: Engine
  readonly #settings: StateSettings
  readonly #around: EngineSurroundings
  readonly #log: Log
  /** `undefined` until the log was read. */
  #turns: LogTurns | undefined
  #down: string | undefined = 'the state is still being read'
  readonly #readable: Readable
  readonly #gathering = new Gathering()
  #stop: (() => void) | undefined
  #closed = false
  /** The time when the use of each sandbox was last reported to other processes, in milliseconds. */
  readonly #seen = new Map<string, number>()
  /** Set where other processes share the state, once the log was read. */
  trail: RequestTrail | undefined

  constructor(gateway: Kept, engine: Engine, settings: StateSettings, around: EngineSurroundings, log: Log) {
    this.#gateway = gateway
    this.#engine = engine
    this.#settings = settings
    this.#around = around
    this.#log = log
    this.#readable = new Readable(engine, log)
    const { worlds, weather, answers, journal } = gateway
    this.worldLog = new WorldLog({
      worlds,
      weather,
      answers,
      plan: () => gateway.plan,
      now: around.now,
      forgetRequests: world => journal.clear(world),
      forgetPositions: () => {
        for (const entry of journal.each()) entry.position = LOST
      },
      configure: text => gateway.configure(text),
      lost: () => this.#reportLoss(),
    })
    engine.onAvailability(reason => this.#become(reason))
    gateway.metrics.followState({
      histograms: this.meter.histograms,
      read: () => ({
        conflicts: this.meter.conflicts,
        position: this.position,
        available: this.unavailable === undefined,
      }),
    })
    engine.answer(question => gateway.requests.answer(question))
  }

  #reportLoss(): void {
    const { engine } = this.#settings
    const { name } = this.#engine
    if (engine.kind !== 'file') {
      this.#log.error({}, `${name} has lost the state (was it flushed?); the state of this process is written to it`)
      return
    }
    // With `recover` the file has already reported its loss.
    if (!engine.recover) this.#log.error({}, `${name} holds no state any more; every world begins with its seeds`)
  }

  /** Why the engine cannot be used now; `undefined` where it can. */
  get unavailable(): string | undefined {
    return this.#down ?? this.#readable.reason
  }

  get engineName(): string {
    return this.#engine.name
  }

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
      void this.#retry()
    }
  }

  async #retry(): Promise<void> {
    while (!this.#closed && this.#turns === undefined) {
      await this.#around.sleep(RETRY)
      try {
        if (!this.#closed) await this.#begin()
      } catch (error) {
        if (!(error instanceof Unavailable)) this.#log.error({ err: error }, 'the state could not be read')
      }
    }
  }

  async #begin(): Promise<void> {
    const engine = this.#engine
    let news = await engine.open()
    if (!engine.exclusive) {
      const { journal } = this.#gateway
      journal.member = engine.member
      this.trail = new RequestTrail(engine, journal, this.#gathering)
    }
    const isNew = news.anew?.snapshot === undefined && news.position.at === 0
    if (isNew) {
      await engine.compact(news.position, await this.worldLog.snapshot())
      // Another process may have been faster.
      if (!engine.exclusive) news = await engine.open()
    }
    if (!isNew || !engine.exclusive) await this.#readable.begin(() => this.worldLog.apply(news))
    const { now } = this.#around
    const turns = isExclusive(engine)
      ? new OwnTurns(engine, this.worldLog, news.position, now, this.meter)
      : new SharedTurns(engine, this.worldLog, news.position, now, this.meter, this.#gathering)
    this.#turns = turns
    this.asks = !engine.exclusive && this.#settings.reads === 'strong'
    this.worldLog.attach(turns, turns.recording)
    this.#become(undefined)
    if (!isNew) await this.#compare()
    await turns.tick()
    this.#stop = this.#around.every(TICK, () => void this.#readable.follow(() => turns.tick()))
  }

  /** Compares the state with the configuration: its seeds may be others, and its records may not fit. */
  async #compare(): Promise<void> {
    const { worlds, plan } = this.#gateway
    const { origin } = this.worldLog.seeds
    for (const world of worlds.list().filter(({ name }) => worlds.isPermanent(name))) {
      for (const [collection, digest] of Object.entries(origin)) {
        if (world.origin[collection] === digest) continue
        if (world.origin[collection] === undefined || this.#settings.onSeedChange === 'reset') {
          await this.run(async () => this.worldLog.reseed(world, collection), { text: 'onSeedChange: reset' })
        } else {
          const { seed } = plan.simulation.file.resources?.[collection] ?? {}
          const where = typeof seed === 'string' ? seed : `the seeds of ${collection}`
          const hint = 'to use the new seeds, POST /reset or start with state: { onSeedChange: reset }'
          this.#log.warn(
            { world: world.name, collection },
            `${where} has changed, but the existing records of ${collection} are kept; ${hint}`,
          )
        }
      }
      for (const { collection, count, first } of await findMisfits(world, plan)) {
        const message = `${count} records of ${collection} break the contract and are kept; the first is ${first}`
        this.#log.warn({ world: world.name, collection }, message)
      }
    }
  }

  #become(reason: string | undefined): void {
    const down = reason ?? (this.#turns === undefined ? 'the state is still being read' : undefined)
    if (down === this.#down) return
    if (down !== undefined) this.#log.error({ reason: down }, 'the state is not available')
    else if (this.#down !== undefined) this.#log.info({ engine: this.#engine.name }, 'the state is available')
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

  /** The number of the state, for a request that is answered early: see `EarlyAnswer`. */
  get asOf(): number | undefined {
    return this.unavailable === undefined ? this.#turns?.asOf : undefined
  }

  /** Reports to other processes at intervals that a sandbox is used. */
  visited(world: World): void {
    if (this.#engine.exclusive || this.#turns === undefined || world.turns === undefined) return
    const { worlds, plan } = this.#gateway
    const { name } = world
    if (worlds.isPermanent(name)) return
    const now = this.#around.now()
    if (now - (this.#seen.get(name) ?? 0) < plan.simulation.worlds.idle / 4) return
    this.#seen.set(name, now)
    this.worldLog.seen(world)
  }

  /** Takes note of a configuration that was put in the place of the file, for other processes. */
  configured(text: string): void {
    if (!this.#engine.exclusive) this.worldLog.configured(text)
  }

  /** Asks every other process a question: see `Engine.ask`. */
  ask(question: string): Promise<readonly string[]> {
    return this.#engine.ask(question)
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
      if (this.#engine.exclusive) await this.compact().catch(() => {})
    }
    await this.#engine.close()
  }
}
