// The answers that the control plane was told to give: to which requests, in which worlds, and how often still. Requests
// pay for them only while there are some.

import type { Exchange, Handler } from '../behaviours/behaviour.ts'
import { Diagnostics, formatReport } from '../kernel/diagnostic.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { AnswerOrder } from '../plan/answer-order.ts'
import type { Plan, PlannedAnswer, PlannedOperation } from '../plan/plan.ts'
import { checkAnswer } from '../plan/simulation.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { Log } from './log.ts'
import type { Worlds } from './worlds.ts'

/** At most so many answers stand for one world, and so many for every world. */
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

interface Standing extends StandingAnswer {
  readonly source: Source
  readonly home: World | undefined
  left: number | undefined
  given: number
  toSkip: number
  /** The plan that it is compiled for. */
  plan: Plan
  byOperation: ReadonlyMap<number, PlannedAnswer>
}

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

  constructor(clock: Clock, log: Log, worlds: Worlds) {
    this.#clock = clock
    this.#log = log
    this.#worlds = worlds
  }

  /** Takes an order; its mistakes go to `report`. */
  put(plan: Plan, source: Source, world: World | undefined, report: Diagnostics): StandingAnswer | undefined {
    const order = checkAnswer(source, report)
    if (order === undefined || report.failed) return undefined
    const byOperation = plan.compileAnswer(order, source, report)
    if (report.failed) return undefined
    this.#made += 1
    const standing: Standing = {
      id: `a${this.#made}`,
      world: world?.name,
      order,
      source,
      home: world,
      left: order.times === null ? undefined : (order.times ?? 1),
      given: 0,
      toSkip: order.skip ?? 0,
      until: order.for === undefined ? undefined : this.#clock.now() + (parseDuration(order.for) as number),
      plan,
      byOperation,
    }
    this.#keep(world, [standing, ...this.#of(world)])
    return standing
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
    this.#keep(world, [])
  }

  clearAll(): void {
    for (const { world } of this.all()) this.clear(world === undefined ? undefined : this.#worlds.get(world))
  }

  /** Returns the operation as a request meets it: with the answers before it that may be for this request. */
  over(plan: Plan, usual: PlannedOperation, { world }: Exchange): PlannedOperation {
    if (!this.#hasOwn && this.#everywhere.length === 0) return usual
    const own = this.#hasOwn ? this.#of(world) : []
    const now = this.#clock.now()
    const standing = [...own, ...this.#everywhere].filter(
      one => !isOver(one, now) && this.#compiledFor(plan, one).has(usual.index),
    )
    return standing.length === 0 ? usual : this.#before(usual, standing)
  }

  #before(usual: PlannedOperation, standing: readonly Standing[]): PlannedOperation {
    const answer = async (exchange: Exchange, last: Handler, passed?: string[]): Promise<Reply> => {
      for (const one of standing) {
        const planned = one.byOperation.get(usual.index) as PlannedAnswer
        if (!(await planned.holds(exchange)) || !this.#take(one)) continue
        exchange.note(describe(one))
        passed?.push('answer')
        const { made, isUsual } = await planned.handle(exchange, last)
        return isUsual ? made : usual.decorate(exchange, made)
      }
      return last(exchange)
    }
    return {
      ...usual,
      handle: exchange => answer(exchange, usual.handle),
      trace: (exchange, passed) => answer(exchange, inner => usual.trace(inner, passed), passed),
    }
  }

  /** Counts a request: returns whether it is answered, which it is if one is left and none is to be skipped. Nothing happens between looking and counting. */
  #take(one: Standing): boolean {
    if (one.left === 0 || isOver(one, this.#clock.now())) return false
    if (one.toSkip > 0) {
      one.toSkip -= 1
      return false
    }
    one.given += 1
    if (one.left !== undefined) one.left -= 1
    if (one.left === 0) this.#drop(one)
    return true
  }

  /** The handlers under this plan; those of an answer that cannot be given under it are none. */
  #compiledFor(plan: Plan, one: Standing): ReadonlyMap<number, PlannedAnswer> {
    if (one.plan === plan) return one.byOperation
    const report = new Diagnostics()
    one.plan = plan
    one.byOperation = plan.compileAnswer(one.order, one.source, report)
    if (report.failed) {
      one.byOperation = new Map()
      this.#log.warn({}, `the answer ${one.id} cannot be given under the new plan\n${formatReport(report)}`)
      this.#drop(one)
    }
    return one.byOperation
  }

  #drop(gone: Standing): void {
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

const isOver = ({ until, left }: StandingAnswer, now: number): boolean =>
  left === 0 || (until !== undefined && now >= until)

/** `answer a7: 503`. */
function describe({ id, order: { reply, fault, delay } }: Standing): string {
  const done = [
    ...(reply === undefined ? [] : [reply.status ?? `example ${reply.example}`]),
    ...(fault === undefined ? [] : [`fault ${fault.status ?? fault.kind}`]),
    ...(delay === undefined ? [] : [`${delay} later`]),
  ]
  return `answer ${id}: ${done.join(', ')}`
}
