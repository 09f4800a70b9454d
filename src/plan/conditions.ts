// The conditions of rules and of answers on demand.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Expressions } from '../behaviours/expressions.ts'
import { compileParameters } from '../behaviours/validate/index.ts'
import { compileReadings } from '../behaviours/validate/readings.ts'
import type { Operation } from '../contract/contract.ts'
import { failureIn } from '../expression/language.ts'
import type { Expression } from '../expression/scope.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { type Path, placeWithin, type Source } from '../kernel/file/source.ts'
import { firstOf } from '../kernel/http.ts'
import type { Rule } from './plan.ts'

/** A compiled condition. */
export interface Condition extends Pick<Rule, 'holds' | 'reason'> {
  /** `undefined` for one that holds for every request. */
  readonly when: Expression | undefined
}

/** A condition as it is written. */
interface WrittenCondition {
  /** Absent for one that holds for every request. */
  readonly text: string | undefined
  readonly source: Source
  /** Its path in the source. */
  readonly path: Path
  readonly report: Diagnostics
  /** The place of conditions that do not know `accepted`: `weather`. */
  readonly uncounted?: string | undefined
  /** Further parts of a request that are read, because a reply is filled in from them. */
  readonly filled?: readonly string[]
}

/** The operation whose requests a condition is for. */
interface ConditionSite {
  readonly operation: Operation
  readonly expressions: Expressions
  readonly maxBody: number
}

/** Compiles a condition, and the reading of the parts of a request that it uses; reports its mistakes. */
export function compileCondition(
  { text, source, path, report, uncounted, filled = [] }: WrittenCondition,
  { operation, expressions, maxBody }: ConditionSite,
): Condition {
  const when =
    text === undefined
      ? undefined
      : expressions.condition(text, path, (code, message, at, hint, span) =>
          // Records that the world has changed are known, and weather that is sent later may enter a scenario.
          report[code === 'unread-base' || code === 'unknown-scenario' ? 'warning' : 'error'](
            code,
            message,
            placeWithin(source.locate(at), span.start, span.end),
            hint,
          ),
        )
  const roots = new Set([...(when?.roots ?? []), ...filled])
  if (uncounted !== undefined && roots.has('accepted')) {
    const message = `"accepted" is not counted for the conditions of ${uncounted}`
    report.error('uncounted-requests', message, source.locate(path), 'use it in a rule of gateway.yaml, or ordinal')
  }
  const typed = ['request.params', 'request.query', 'request.cookies'].some(root => roots.has(root))
  const readParameters = typed ? compileParameters(operation, {}) : undefined
  const counted = roots.has('nth')
  const isBodyUsed = roots.has('request.body') || roots.has('request.text')
  const readBody = isBodyUsed ? compileEarlyBody(operation, maxBody) : undefined
  return {
    when,
    holds(exchange) {
      if (exchange.values.length === 0) readParameters?.(exchange)
      if (counted) exchange.nth ??= expressions.scope(exchange).nth
      const { request, body, unreadable } = exchange
      const isRead = readBody === undefined || !request.hasBody || body !== undefined || unreadable
      const holds = () => {
        if (when === undefined) return true
        const scope = expressions.scope(exchange)
        if (when.holds(scope)) return true
        const failure = failureIn(scope, false)
        if (failure !== undefined) {
          const { file, line } = source.locate(path)
          exchange.failures = [...exchange.failures, [`${file}:${line}: ${text}`, failure]]
        }
        return false
      }
      return isRead ? holds() : readBody(exchange).then(holds)
    },
    reason(exchange) {
      const failure = failureIn(expressions.scope(exchange))
      return failure === undefined ? `${when?.text} is false` : `${when?.text}: ${failure}`
    },
  }
}

/** Reads and parses the body, which validation reads again. A body that cannot be read is absent. */
function compileEarlyBody({ body }: Operation, maxBody: number) {
  const readingOf = compileReadings(body?.content ?? new Map())
  return async (exchange: Exchange): Promise<void> => {
    const { request } = exchange
    const read = await request.readBody(maxBody)
    const type = firstOf(request.headers['content-type']) ?? ''
    const isSent = 'bytes' in read && read.bytes.length > 0
    if (isSent) exchange.bytes = read.bytes
    const parsed = isSent ? await readingOf(type)?.parse?.(read.bytes, type) : undefined
    if (parsed !== undefined && 'value' in parsed) exchange.body = parsed.value
    else exchange.unreadable = true
  }
}
