// Answers on demand: their requests, their worlds and their remaining counts. Without answers requests have no additional
// cost.

import type { Exchange, Handler } from '../behaviours/behaviour.ts'
import { Diagnostics, formatReport } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/read-source.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { Plan, PlannedAnswer, PlannedOperation } from '../plan/plan.ts'
import { checkAnswer } from '../plan/simulation.ts'
import type { AnswerOrder } from '../plan/simulation-file.ts'
import type { Clock } from '../world/clock.ts'
import type { Turns } from '../world/turns.ts'
import { latestOf, type World } from '../world/world.ts'
import type { Log } from './log.ts'
import type { Worlds } from './worlds/worlds.ts'

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

// One answer on demand: its order, its counts, and its state in a log.

export interface StandingAnswer {
  readonly id: string
  /** The world whose requests it answers; `undefined`: every world. */
  readonly world: string | undefined
  readonly order: AnswerOrder
  /** How many requests it answers still; `undefined`: without end. */
  readonly left: number | undefined
  readonly given: number
  /** How many requests it lets pass before the first that it answers. */
  readonly toSkip: number
  /** Milliseconds since the epoch, by the real clock. */
  readonly until: number | undefined
}

/** An answer in a log: the order as text, and its counts. */
export type AnswerState = readonly [
  order: string,
  left: number | null,
  given: number,
  toSkip: number,
  until: number | null,
]

/** Is called with every change of an answer; `null` is a removed one. The world is empty for an answer of all worlds. */
export type AnswersListener = (world: string, id: string, after: AnswerState | null, before: AnswerState | null) => void

/** An answer in this process, with its compiled form and its counts. */
export interface Standing extends StandingAnswer {
  readonly source: Source
  readonly home: World | undefined
  left: number | undefined
  given: number
  toSkip: number
  /** The plan that it is compiled for. */
  plan: Plan
  byOperation: ReadonlyMap<number, PlannedAnswer>
}

export const stateOf = ({ source, left, given, toSkip, until }: Standing): AnswerState => [
  source.text,
  left ?? null,
  given,
  toSkip,
  until ?? null,
]

/** The part of an answer that depends only on its place and its state. */
export const placeAndCounts = (
  world: World | undefined,
  id: string,
  [, left, given, toSkip, until]: AnswerState,
): Omit<Standing, 'order' | 'source' | 'plan' | 'byOperation'> => ({
  id,
  world: world?.name,
  home: world,
  left: left ?? undefined,
  given,
  toSkip,
  until: until ?? undefined,
})

/** The counts of a new answer, which is given `times` times, or `for` a time from `now` on. */
export const beginCounts = ({ times = 1, skip = 0, for: time }: AnswerOrder, now: number) => ({
  left: times ?? undefined,
  given: 0,
  toSkip: skip,
  until: time === undefined ? undefined : now + (parseDuration(time) as number),
})

/** Returns the answer that a state describes, compiled for a plan; its mistakes go to `report`. */
export function readStanding(
  plan: Plan,
  world: World | undefined,
  id: string,
  state: AnswerState,
  report: Diagnostics,
): Standing {
  const source = parseSource('answer', state[0], report) as Source
  const order = checkAnswer(source, report) ?? {}
  const byOperation = report.failed ? new Map() : plan.compileAnswer(order, source, report)
  return { ...placeAndCounts(world, id, state), order, source, plan, byOperation }
}

/** Counts a request that an answer may be for. Returns whether it is answered, or skipped. */
export function countRequest(one: Standing): boolean {
  if (one.toSkip > 0) {
    one.toSkip -= 1
    return false
  }
  one.given += 1
  if (one.left !== undefined) one.left -= 1
  return true
}

/** The number in `a12`: later answers have higher ones. */
export const numberOf = (id: string): number => Number(id.slice(1))

export const isOver = ({ until, left }: StandingAnswer, now: number): boolean =>
  left === 0 || (until !== undefined && now >= until)

/** `answer a7: 503`. */
export function describe({ id, order: { reply, fault, delay } }: Standing): string {
  const done = [
    ...(reply === undefined ? [] : [reply.status ?? `example ${reply.example}`]),
    ...(fault === undefined ? [] : [`fault ${fault.status ?? fault.kind}`]),
    ...(delay === undefined ? [] : [`${delay} later`]),
  ]
  return `answer ${id}: ${done.join(', ')}`
}

// An operation with answers on demand before it: gives the chosen answer, or else the usual reply.

type ChosenAnswer = Promise<PlannedAnswer | undefined>

/** Returns the operation with the answer before it that `choose` finds for each request. */
export function withAnswerBefore(
  usual: PlannedOperation,
  choose: (exchange: Exchange) => ChosenAnswer,
): PlannedOperation {
  const answer = async (exchange: Exchange, last: Handler, passed?: string[]): Promise<Reply> => {
    const chosen = await choose(exchange)
    if (chosen === undefined) return last(exchange)
    passed?.push('answer')
    const { made, isUsual } = await chosen.handle(exchange, last)
    return isUsual ? made : usual.decorate(exchange, made)
  }
  return {
    ...usual,
    handle: exchange => answer(exchange, usual.handle),
    trace: (exchange, passed) => answer(exchange, inner => usual.trace(inner, passed), passed),
  }
}

/** Chooses in the request's turn, with the body read before it. A turn may be repeated. */
export async function chooseInTurn(
  plan: Plan,
  exchange: Exchange,
  turns: Turns,
  choose: () => ChosenAnswer,
): ChosenAnswer {
  const { request } = exchange
  if (request.hasBody) await request.readBody(plan.simulation.limits.body)
  const restart = turns.repeats ? exchange.mark() : undefined
  const work = () => {
    restart?.()
    return choose()
  }
  return turns.run(work, { text: `${request.method} ${request.path}` })
}
