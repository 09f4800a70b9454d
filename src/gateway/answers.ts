// Answers on demand: their requests, their worlds and their remaining counts. Without answers requests have no additional
// cost.

import type { Exchange } from '../behaviours/behaviour.ts'
import { Diagnostics, formatReport } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/source.ts'
import type { Plan, PlannedAnswer, PlannedOperation } from '../plan/plan.ts'
import { checkAnswer } from '../plan/simulation.ts'
import type { Clock } from '../world/clock.ts'
import { latestOf, type World } from '../world/world.ts'
import { chooseInTurn, withAnswerBefore } from './answer-before.ts'
import type { Log } from './log.ts'
import {
  type AnswerState,
  type AnswersListener,
  beginCounts,
  countRequest,
  describe,
  isOver,
  numberOf,
  placeAndCounts,
  readStanding,
  type Standing,
  type StandingAnswer,
  stateOf,
} from './standing-answer.ts'
import type { Worlds } from './worlds.ts'

/** The maximum number of answers for one world, and for all worlds. */
export const MOST_ANSWERS = 1000

export class StandingAnswers {
  readonly #clock: Clock
  readonly #log: Log
  readonly #worlds: Worlds
  /** The newest first. */
  #everywhere: Standing[] = []
  // A world that is reset or evicted takes its answers with it.
  readonly #own = new WeakMap<World, Standing[]>()
  #hasOwn = false
  #made = 0
  #listener: AnswersListener | undefined

  constructor(clock: Clock, log: Log, worlds: Worlds) {
    this.#clock = clock
    this.#log = log
    this.#worlds = worlds
  }

  /** Calls a listener with every later change. */
  keepBy(listener: AnswersListener): void {
    this.#listener = listener
  }

  /** Takes an order. Its mistakes go to `report`. */
  put(plan: Plan, source: Source, asked: World | undefined, report: Diagnostics): StandingAnswer | 'full' | undefined {
    const order = checkAnswer(source, report)
    if (order === undefined || report.failed) return undefined
    const byOperation = plan.compileAnswer(order, source, report)
    if (report.failed) return undefined
    const world = asked && latestOf(asked)
    if (this.list(world).length >= MOST_ANSWERS) return 'full'
    this.#made += 1
    const counts = beginCounts(order, this.#clock.now())
    const standing = {
      id: `a${this.#made}`,
      world: world?.name,
      home: world,
      order,
      source,
      plan,
      byOperation,
      ...counts,
    }
    this.#keep(world, [standing, ...this.#of(world)])
    this.#tell(standing, stateOf(standing), null)
    return standing
  }

  #tell({ world = '', id }: Standing, after: AnswerState | null, before: AnswerState | null): void {
    this.#listener?.(world, id, after, before)
  }

  /** Gives an answer the state that another process gave it, or removes it (`null`); returns the state that it had. */
  restore(plan: Plan, world: World | undefined, id: string, state: AnswerState | null): AnswerState | null {
    const known = this.#of(world).find(one => one.id === id)
    const before = known === undefined ? null : stateOf(known)
    this.#made = Math.max(this.#made, numberOf(id))
    const others = this.#of(world).filter(one => one !== known)
    const restored = state === null ? [] : [this.#read(plan, world, id, state, known)]
    this.#keep(
      world,
      [...restored, ...others].sort((a, b) => numberOf(b.id) - numberOf(a.id)),
    )
    return before
  }

  /** @param known the same answer in another state: its compiled form is used again */
  #read(plan: Plan, world: World | undefined, id: string, state: AnswerState, known: Standing | undefined): Standing {
    if (known !== undefined) return { ...known, ...placeAndCounts(world, id, state) }
    const report = new Diagnostics()
    const standing = readStanding(plan, world, id, state, report)
    if (report.failed) this.#warn(standing, report)
    return standing
  }

  /** The state of every active answer, the oldest first. */
  dump(worlds: readonly World[]): readonly (readonly [world: string, id: string, AnswerState])[] {
    return [undefined, ...worlds].flatMap(world =>
      this.#of(world)
        .map(one => [world?.name ?? '', one.id, stateOf(one)] as const)
        .reverse(),
    )
  }

  /** Returns the answers for one world, or those for every world; the newest first. */
  list(world?: World): readonly StandingAnswer[] {
    const now = this.#clock.now()
    return this.#of(world).filter(one => !isOver(one, now))
  }

  /** Returns all answers: those for every world first. */
  all(): readonly StandingAnswer[] {
    return [undefined, ...(this.#hasOwn ? this.#worlds.list() : [])].flatMap(world => this.list(world))
  }

  /** Removes one; returns whether there was one of that id. */
  remove(id: string): boolean {
    for (const world of [undefined, ...this.#worlds.list()]) {
      const found = this.#of(world).find(one => one.id === id && !isOver(one, this.#clock.now()))
      if (found === undefined) continue
      this.#drop(found)
      return true
    }
    return false
  }

  /** Removes those of one world, or those for every world. */
  clear(world?: World): void {
    const gone = this.#of(world)
    this.#keep(world, [])
    for (const one of gone) this.#tell(one, null, stateOf(one))
  }

  clearAll(): void {
    for (const { world } of this.all()) this.clear(world === undefined ? undefined : this.#worlds.get(world))
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return !this.#hasOwn && this.#everywhere.length === 0
  }

  /** Returns the operation with those answers before it that may apply to this request. */
  over(plan: Plan, usual: PlannedOperation, { world }: Exchange): PlannedOperation {
    if (this.isEmpty) return usual
    return this.#standing(plan, usual, world).length === 0 ? usual : this.#before(plan, usual)
  }

  /** The answers that may be for a request of an operation in a world. */
  #standing(plan: Plan, { index }: PlannedOperation, world: World): readonly Standing[] {
    const own = this.#hasOwn ? this.#of(world) : []
    const now = this.#clock.now()
    return [...own, ...this.#everywhere].filter(one => !isOver(one, now) && this.#compiledFor(plan, one).has(index))
  }

  #before(plan: Plan, usual: PlannedOperation): PlannedOperation {
    return withAnswerBefore(usual, exchange => {
      const choose = () => this.#choose(plan, usual, exchange)
      // An answer of recorded worlds is taken in turn, so that none is given too often.
      const turns = exchange.world.turns ?? this.#worlds.default.turns
      return turns === undefined ? choose() : chooseInTurn(plan, exchange, turns, choose)
    })
  }

  async #choose(plan: Plan, usual: PlannedOperation, exchange: Exchange): Promise<PlannedAnswer | undefined> {
    for (const one of this.#standing(plan, usual, latestOf(exchange.world))) {
      const planned = one.byOperation.get(usual.index) as PlannedAnswer
      if (!(await planned.holds(exchange)) || !this.#take(one)) continue
      exchange.note(describe(one))
      return planned
    }
    return undefined
  }

  /** Counts a request atomically. Returns whether it is answered: if one is left and none is to be skipped. */
  #take(one: Standing): boolean {
    if (one.left === 0 || isOver(one, this.#clock.now())) return false
    const before = stateOf(one)
    const answered = countRequest(one)
    if (one.left === 0) this.#forget(one)
    this.#tell(one, one.left === 0 ? null : stateOf(one), before)
    return answered
  }

  /** The handlers under this plan; those of an answer that cannot be given under it are none. */
  #compiledFor(plan: Plan, one: Standing): ReadonlyMap<number, PlannedAnswer> {
    if (one.plan === plan) return one.byOperation
    const report = new Diagnostics()
    one.plan = plan
    one.byOperation = plan.compileAnswer(one.order, one.source, report)
    if (report.failed) {
      one.byOperation = new Map()
      this.#warn(one, report)
      // Other processes that share the answers may have another plan.
      if (this.#listener === undefined) this.#forget(one)
    }
    return one.byOperation
  }

  #warn({ id }: Standing, report: Diagnostics): void {
    this.#log.warn({}, `the answer ${id} does not match the new plan\n${formatReport(report)}`)
  }

  #drop(gone: Standing): void {
    this.#forget(gone)
    this.#tell(gone, null, stateOf(gone))
  }

  #forget(gone: Standing): void {
    this.#keep(
      gone.home,
      this.#of(gone.home).filter(one => one !== gone),
    )
  }

  #of(world: World | undefined): Standing[] {
    return world === undefined ? this.#everywhere : (this.#own.get(world) ?? [])
  }

  #keep(world: World | undefined, standing: Standing[]): void {
    if (world === undefined) this.#everywhere = standing
    else {
      this.#own.set(world, standing)
      this.#hasOwn ||= standing.length > 0
    }
  }
}
