// Judges requests, and refuses none.

import { type BrokenRule, describeRule, type Reply } from '../../kernel/http.ts'
import type { Exchange, Invalid, Wrap } from '../behaviour.ts'

type ReadParameters = (exchange: Exchange) => {
  readonly path: readonly BrokenRule[]
  readonly rest: readonly BrokenRule[]
}

/** The check of a body: its broken rules, or a refusal of all of it. */
interface BodyCheck {
  readonly absent: ((exchange: Exchange) => readonly BrokenRule[]) | undefined
  read(exchange: Exchange): Promise<Reply | readonly BrokenRule[]>
}

/**
 * @param warns whether `Understudy-Warning` says what is wrong
 * @param follows whether the body is judged after the reply: one that has not arrived when the reply begins is not judged then
 */
export function compileJudge(
  warns: boolean,
  follows: boolean,
  readParameters: ReadParameters | undefined,
  body: BodyCheck | undefined,
  invalid: Invalid,
): Wrap {
  const warn = (exchange: Exchange, rules: readonly BrokenRule[] = []) => {
    if (!warns || rules.length === 0) return
    exchange.refusal ??= invalid(rules)
    exchange.warn(`invalid request: ${rules.map(describeRule).join(', ')}`)
  }
  const judge = async (exchange: Exchange) => {
    const outcome = await body?.read(exchange)
    if (outcome === undefined || !('status' in outcome)) return warn(exchange, outcome)
    if (!warns || outcome.refusal === undefined) return
    exchange.refusal ??= outcome
    exchange.warn(`body not judged: ${outcome.refusal.detail}`)
  }
  return next => async exchange => {
    const { request } = exchange
    const { path, rest } = readParameters?.(exchange) ?? { path: [], rest: [] }
    warn(exchange, [...path, ...rest])
    if (!request.hasBody) warn(exchange, body?.absent?.(exchange))
    else if (!follows) await judge(exchange)
    const reply = await next(exchange)
    if (!request.hasBody || !follows || !warns || body === undefined) return reply
    if (request.arrived === false) exchange.warn('body not judged: it had not arrived when the reply began')
    else await judge(exchange)
    return reply
  }
}
