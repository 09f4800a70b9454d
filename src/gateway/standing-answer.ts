// One answer on demand: its order, its counts, and its state in a log.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/read-source.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { AnswerOrder } from '../plan/answer-order.ts'
import type { Plan, PlannedAnswer } from '../plan/plan.ts'
import { checkAnswer } from '../plan/simulation.ts'
import type { World } from '../world/world.ts'

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
