// Answers on demand: rules held in memory, for one world or for all, with their remaining counts. Without answers requests
// have no additional cost.

import type { Exchange } from '../behaviours/exchange.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { getOrMake } from '../kernel/memo.ts'
import { formatReport } from '../kernel/report.ts'
import { parseDuration } from '../kernel/units.ts'
import { expandShortForms } from '../plan/formats.ts'
import type { Plan, PlannedAnswer, PlannedOperation, Rule } from '../plan/plan.ts'
import { withRules } from '../plan/rules.ts'
import { checksOf } from '../plan/simulation.ts'
import type { AnswerOrder } from '../plan/simulation-file.ts'
import type { AnswerState } from '../state/effects.ts'
import type { Clock } from '../world/clock.ts'
import { SCENARIOS, Scenarios } from '../world/kept/scenarios.ts'
import { latestOf, type World } from '../world/world.ts'
import type { Log } from './log.ts'
import type { Worlds } from './worlds/worlds.ts'

/** The maximum number of answers for one world, and for all worlds. */
export const MOST_ANSWERS = 1000

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

/** Is called with every change of an answer; `null` is a removed one. The world is empty for an answer of all worlds. */
export type AnswersListener = (world: string, id: string, after: AnswerState | null, before: AnswerState | null) => void

type ElsewhereCompiled = WeakMap<Plan, ReadonlyMap<number, PlannedAnswer>>

/** An answer in this process, with its compiled form and its counts. */
interface HeldAnswer extends StandingAnswer {
  readonly source: Source
  readonly home: World | undefined
  left: number | undefined
  given: number
  toSkip: number
  /** The plan that it is compiled for. */
  plan: Plan
  byOperation: ReadonlyMap<number, PlannedAnswer>
  /** The same for the plans of worlds on another contract. */
  readonly elsewhere: ElsewhereCompiled
}

export class StandingAnswers {
  readonly #clock: Clock
  readonly #log: Log
  readonly #worlds: Worlds
  /** The newest first. */
  #everywhere: readonly HeldAnswer[] = []
  // A world that is reset or evicted takes its answers with it.
  readonly #own = new WeakMap<World, readonly HeldAnswer[]>()
  #hasOwn = false
  /** Whether there may be an answer for some request. */
  mayAnswer = false
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
    const compiled = compileStanding(plan, source, report)
    if (report.failed) return undefined
    const home = asked && latestOf(asked)
    if (this.list(home).length >= MOST_ANSWERS) return 'full'
    this.#made += 1
    const { times = 1, skip = 0, for: time } = compiled.order
    const until = time === undefined ? undefined : this.#clock.now() + (parseDuration(time) as number)
    const counts = { left: times ?? undefined, given: 0, toSkip: skip, until }
    const held = { id: `a${this.#made}`, world: home?.name, home, ...compiled, ...counts, elsewhere: new WeakMap() }
    this.#keep(home, [held, ...this.#of(home)])
    this.#tell(held, stateOfAnswer(held), null)
    return held
  }

  #tell({ world = '', id }: HeldAnswer, after: AnswerState | null, before: AnswerState | null): void {
    this.#listener?.(world, id, after, before)
  }

  /** Gives an answer the state that another process gave it, or removes it (`null`); returns the state that it had. */
  restore(plan: Plan, home: World | undefined, id: string, state: AnswerState | null): AnswerState | null {
    const existing = this.#of(home).find(answer => answer.id === id)
    this.#made = Math.max(this.#made, ordinalOf(id))
    const others = this.#of(home).filter(answer => answer !== existing)
    const restored = state && (existing ? { ...existing, ...countsIn(state) } : this.#read(plan, home, id, state))
    this.#keep(
      home,
      [restored ?? [], others].flat().sort((a, b) => ordinalOf(b.id) - ordinalOf(a.id)),
    )
    return existing === undefined ? null : stateOfAnswer(existing)
  }

  /** Compiles an answer that is kept; `undefined` for one in a form that this version does not have. */
  #read(plan: Plan, home: World | undefined, id: string, state: AnswerState): HeldAnswer | undefined {
    const report = new Diagnostics()
    const compiled = compileStanding(plan, parseSource('answer', state.order, report) as Source, report)
    const isReadable = compiled.order !== UNREADABLE
    if (report.failed)
      this.#warn(isReadable ? `the answer ${id} does not match the plan` : `dropped the answer ${id}`, report)
    return isReadable
      ? { id, world: home?.name, home, ...compiled, ...countsIn(state), elsewhere: new WeakMap() }
      : undefined
  }

  /** The state of every active answer, the oldest first. */
  dump(
    worlds: readonly World[],
  ): readonly { readonly world: string; readonly id: string; readonly state: AnswerState }[] {
    return [undefined, ...worlds].flatMap(world =>
      this.#of(world)
        .map(answer => ({ world: world?.name ?? '', id: answer.id, state: stateOfAnswer(answer) }))
        .reverse(),
    )
  }

  /** Returns the answers for one world, or those for every world; the newest first. */
  list(world?: World): readonly StandingAnswer[] {
    return this.#of(world).filter(one => !this.#isOver(one))
  }

  /** Returns all answers: those for every world first. */
  all(): readonly StandingAnswer[] {
    return [undefined, ...(this.#hasOwn ? this.#worlds.list() : [])].flatMap(world => this.list(world))
  }

  /** Removes one; returns whether there was one of that id. */
  remove(id: string): boolean {
    for (const world of [undefined, ...this.#worlds.list()]) {
      const found = this.#of(world).find(one => one.id === id && !this.#isOver(one))
      if (found === undefined) continue
      this.#drop(found)
      this.#tell(found, null, stateOfAnswer(found))
      return true
    }
    return false
  }

  /** Removes those of one world, or those for every world. */
  clear(world?: World): void {
    const gone = this.#of(world)
    this.#keep(world, [])
    for (const one of gone) this.#tell(one, null, stateOfAnswer(one))
  }

  clearAll(): void {
    for (const world of [undefined, ...this.#worlds.list()]) this.clear(world)
  }

  /** Returns the operation with those answers before it that may apply to this request. */
  over(plan: Plan, usual: PlannedOperation, { world }: Exchange): PlannedOperation {
    if (this.#rulesFor(plan, usual, world).length === 0) return usual
    return withRules(
      usual,
      exchange => this.#rulesFor(plan, usual, latestOf(exchange.world)),
      // An answer for all worlds is counted in turn even if the world of the request is not recorded.
      exchange => exchange.world.recorder ?? this.#worlds.default.recorder,
      plan.simulation.limits.body,
    )
  }

  /** The answers that may be for a request of an operation in a world: those of the world first. */
  #rulesFor(plan: Plan, { index }: PlannedOperation, world: World): readonly Rule[] {
    const own = this.#hasOwn ? this.#of(world) : []
    return [...own, ...this.#everywhere].flatMap(one => {
      const planned = this.#isOver(one) ? undefined : this.#compiledFor(plan, one).get(index)
      if (planned === undefined) return []
      const name = `answer ${one.id}`
      const note = `${name}: ${planned.does.join(', ')}`
      return [{ ...planned, name, note, take: ({ world }: Exchange) => this.#take(one, world) }]
    })
  }

  /** Counts a request atomically. Returns why it is not answered, if so. */
  #take(one: HeldAnswer, world: World): string | undefined {
    if (this.#isOver(one)) return 'it is used up'
    const before = stateOfAnswer(one)
    const skips = one.toSkip > 0
    if (skips) one.toSkip -= 1
    else {
      one.given += 1
      if (one.order.enter !== undefined) world.keep(Scenarios, SCENARIOS).enter(Object.entries(one.order.enter))
      if (one.left !== undefined) one.left -= 1
    }
    if (one.left === 0) this.#drop(one)
    this.#tell(one, one.left === 0 ? null : stateOfAnswer(one), before)
    return skips ? `${one.toSkip} more requests pass before it` : undefined
  }

  /** The handlers under this plan; those of an answer that cannot be given under it are none. */
  #compiledFor(plan: Plan, one: HeldAnswer): ReadonlyMap<number, PlannedAnswer> {
    if (one.plan === plan) return one.byOperation
    // An answer that does not fit the contract of one world still stands for the others.
    if (plan.world !== undefined) {
      return getOrMake(one.elsewhere, plan, () => compileStanding(plan, one.source, new Diagnostics()).byOperation)
    }
    const report = new Diagnostics()
    Object.assign(one, compileStanding(plan, one.source, report))
    if (report.failed) {
      this.#warn(`the answer ${one.id} does not match the new plan`, report)
      // Other processes that share the answers may have another plan.
      if (this.#listener === undefined) this.#drop(one)
    }
    return one.byOperation
  }

  #warn(message: string, report: Diagnostics): void {
    this.#log.warn({}, `${message}\n${formatReport(report)}`)
  }

  #isOver({ until, left }: StandingAnswer): boolean {
    return left === 0 || (until !== undefined && this.#clock.now() >= until)
  }

  #of(world: World | undefined): readonly HeldAnswer[] {
    return world === undefined ? this.#everywhere : (this.#own.get(world) ?? [])
  }

  #drop({ home, id }: HeldAnswer): void {
    this.#keep(
      home,
      this.#of(home).filter(one => one.id !== id),
    )
  }

  #keep(world: World | undefined, answers: readonly HeldAnswer[]): void {
    if (world === undefined) this.#everywhere = answers
    else {
      this.#own.set(world, answers)
      this.#hasOwn ||= answers.length > 0
    }
    this.mayAnswer = this.#hasOwn || this.#everywhere.length > 0
  }
}

/** Stands for an order whose shape is invalid. */
const UNREADABLE: AnswerOrder = {}

/** Compiles an order for a plan. An invalid order answers nothing. */
function compileStanding(
  plan: Plan,
  source: Source,
  report: Diagnostics,
): Pick<HeldAnswer, 'order' | 'source' | 'plan' | 'byOperation'> {
  const expanded = expandShortForms(source, 'answer')
  const order = checksOf(plan.simulation.house).answer(expanded, report)
  if (order === undefined || report.failed) return { order: UNREADABLE, source, plan, byOperation: new Map() }
  const byOperation = plan.compileAnswer(order, expanded, report)
  return { order, source, plan, byOperation: report.failed ? new Map() : byOperation }
}

const countsIn = ({ left, given, toSkip, until }: AnswerState) => ({
  left: left ?? undefined,
  given,
  toSkip,
  until: until ?? undefined,
})

const stateOfAnswer = ({ source, left, given, toSkip, until }: HeldAnswer): AnswerState => ({
  order: source.text,
  left: left ?? null,
  given,
  toSkip,
  until: until ?? null,
})

/** The number in `a12`: later answers have higher ones. */
const ordinalOf = (id: string): number => Number(id.slice(1))
