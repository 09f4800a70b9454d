// An operation with answers on demand before it: gives the chosen answer, or else the usual reply.

import type { Exchange, Handler } from '../behaviours/behaviour.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Plan, PlannedAnswer, PlannedOperation } from '../plan/plan.ts'
import type { Turns } from '../world/turns.ts'

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
