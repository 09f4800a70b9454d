// The turns of a log that several processes append to: a turn asks the engine what came in between, runs all work that
// waits, and appends its changes at once. Where another process was faster the changes are undone, and the work runs again.

import { type Engine, type Position, Unavailable } from '../../state/engine.ts'
import { afterPromises, monotonic } from '../../world/clock.ts'
import type { Cause } from '../../world/turns.ts'
import type { Group } from './changes.ts'
import { writeGroup } from './entry-text.ts'
import type { Gathering } from './gathering.ts'
import { LogFollower } from './log-follower.ts'
import { type Asker, answerAll, type OpenPiece, type Piece, refuseAll, runAll, settle } from './piece.ts'
import { SharedRecording } from './shared-recording.ts'
import type { LogTurns, Memory, TurnMeter } from './turns.ts'

/** How often work runs again, at most, because others are faster. */
const MOST_CONFLICTS = 200

/** For how many turns after a conflict others are taken to append as well. */
const CONTENDED = 100

export class SharedTurns implements LogTurns {
  readonly recording = new SharedRecording()
  readonly repeats = true
  readonly #engine: Engine
  readonly #memory: Memory
  readonly #gathering: Gathering
  readonly #now: () => number
  readonly #meter: TurnMeter
  readonly #follower: LogFollower
  #pieces: Piece[] = []
  #askers: Asker[] = []
  #running: Promise<void> | undefined
  #down: string | undefined
  /** For how many turns another process is taken to append as well. */
  #contended = 0

  /**
   * @param position the end of the log, which the memory has caught up with
   * @param now milliseconds since the epoch
   */
  constructor(
    engine: Engine,
    memory: Memory,
    position: Position,
    now: () => number,
    meter: TurnMeter,
    gathering: Gathering,
  ) {
    this.#engine = engine
    this.#memory = memory
    this.#gathering = gathering
    this.#follower = new LogFollower(engine, memory, this.recording, position)
    this.#now = now
    this.#meter = meter
    engine.onAvailability(reason => {
      this.#down = reason
    })
  }

  get position(): Position {
    return this.#follower.position
  }

  get asOf(): number | undefined {
    // Work that is begun early would often have to begin anew.
    return this.#contended > 0 || this.#down !== undefined ? undefined : this.#follower.state
  }

  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#pieces.push({ work, cause, resolve: resolve as Piece['resolve'], reject })
      this.#start()
    })
  }

  /** Resolves when the worlds hold everything that any process appended before this was called. */
  catchUp(): Promise<void> {
    if (this.#down !== undefined) return Promise.reject(new Unavailable(this.#down))
    return new Promise((resolve, reject) => {
      this.#askers.push({ resolve, reject })
      this.#gathering.arrived()
      this.#start()
    })
  }

  /** Appends changes without a request, if there are any, and applies the changes of others. */
  async tick(): Promise<void> {
    await this.catchUp()
    if (this.recording.hasAside) await this.run(async () => {}, FLUSH)
  }

  /** Resolves when no work runs. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  #start(): void {
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined
      if (this.#pieces.length > 0 || this.#askers.length > 0) this.#start()
    })
  }

  async #loop(): Promise<void> {
    while (this.#pieces.length > 0 || this.#askers.length > 0) {
      await this.#gathering.ready()
      const [first] = this.#askers
      await this.#work()
      // A successful append answers the waiting questions, too; work that changes nothing does not.
      if (first === undefined || first !== this.#askers[0]) continue
      await this.#answer()
      // Requests that were just answered add their work now.
      await new Promise<void>(afterPromises)
      await this.#work()
    }
  }

  async #work(): Promise<void> {
    if (this.#pieces.length > 0) await this.#turn(this.#pieces.splice(0))
  }

  /** One query for all waiting requests. */
  async #answer(): Promise<void> {
    const askers = this.#askers.splice(0)
    const began = monotonic()
    try {
      await this.#follower.apply(await this.#engine.since(this.position))
      this.#meter.caughtUp((monotonic() - began) / 1000)
      answerAll(askers)
    } catch (error) {
      refuseAll(askers, error)
    }
  }

  async #turn(pieces: readonly Piece[]): Promise<void> {
    if (this.#contended > 0) this.#contended -= 1
    let left = pieces
    for (let conflicts = 0; left.length > 0; conflicts++) {
      if (conflicts > MOST_CONFLICTS) {
        refuseAll(left, new Unavailable('too many processes change the state at the same time'))
        return
      }
      const open = await runAll(left, this.recording, this.#now, this.#follower.state)
      const flush = this.recording.hasAside && left.some(({ cause }) => cause === FLUSH)
      if (open.length === 0 && !flush && !this.recording.changed) return
      left = (await this.#append(open)) ? [] : open.map(([piece]) => piece)
    }
  }

  /** @returns whether the changes are in the log; if not, they are undone, and the entries in between are applied */
  async #append(open: readonly OpenPiece[]): Promise<boolean> {
    const groups = this.recording.take(this.#now())
    const texts = groups.map(writeGroup)
    // Askers of before are answered by an append that succeeds: the log ended where these worlds do.
    const askers = this.#askers.splice(0)
    const began = monotonic()
    const first = this.position.at + 1
    try {
      const result = await this.#engine.append(this.position, texts)
      if ('appended' in result) {
        this.#meter.appended((monotonic() - began) / 1000)
        this.#follower.position = result.appended
        this.#done(open, groups, first)
        for (const [piece, outcome] of open) settle(piece, outcome)
        answerAll(askers)
        this.#follower.compactIfWorthwhile()
        return true
      }
      this.#meter.conflict()
      this.#contended = CONTENDED
      this.recording.giveBack(groups)
      await this.#follower.apply(result.missed)
      answerAll(askers)
      return false
    } catch (error) {
      this.recording.giveBack(groups)
      this.#follower.undoRequests()
      refuseAll([...open.map(([piece]) => piece), ...askers], error)
      return true
    }
  }

  #done(open: readonly OpenPiece[], groups: readonly Group[], first: number): void {
    for (const [i, group] of groups.entries()) group.position = first + i
    for (const [{ cause }, , group] of open) if (group !== undefined) cause.position = group.position
    this.#memory.appended(groups)
  }

  compact(): Promise<void> {
    return this.#follower.compact()
  }
}

/** Appends changes without a request. */
const FLUSH: Cause = Object.freeze({ text: '' })
