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
 * A body that has not arrived when the reply begins is not judged.
 *
 * @param warns whether `Understudy-Warning` says what is wrong
 */
export function compileJudge(
  warns: boolean,
  readParameters: ReadParameters | undefined,
  body: BodyCheck | undefined,
  invalid: Invalid,
): Wrap {
  const warn = (exchange: Exchange, rules: readonly BrokenRule[] = []) => {
    if (!warns || rules.length === 0) return
    exchange.refusal ??= invalid(rules)
    exchange.warn(`invalid request: ${rules.map(describeRule).join(', ')}`)
  }
  return next => async exchange => {
    const { path, rest } = readParameters?.(exchange) ?? { path: [], rest: [] }
    warn(exchange, [...path, ...rest])
    const { request } = exchange
    if (!request.hasBody) {
      warn(exchange, body?.absent?.(exchange))
      return next(exchange)
    }
    const reply = await next(exchange)
    if (!warns || body === undefined) return reply
    if (request.arrived === false) {
      exchange.warn('body not judged: it had not arrived when the reply began')
      return reply
    }
    const outcome = await body.read(exchange)
    if (!('status' in outcome)) warn(exchange, outcome)
    else if (outcome.refusal !== undefined) {
      exchange.refusal ??= outcome
      exchange.warn(`body not judged: ${outcome.refusal.detail}`)
    }
    return reply
  }
}
