// Answers on demand: compiles an order for one to a rule for each operation that it is for.

import type { Exchange, Handler } from '../behaviours/exchange.ts'
import { ANY_QUESTION, type Answers } from '../contract/answer/answers.ts'
import { type Operation, responseFor } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { type Reply, withHeaders } from '../kernel/http.ts'
import { stringifyJson } from '../kernel/value/json.ts'
import type { Ground } from './compile-operation.ts'
import { checkConsumer } from './layers.ts'
import type { PlannedAnswer, PlannedOperation } from './plan.ts'
import { compileCondition } from './rules.ts'
import type { AnswerOrder, AnswerReply } from './simulation-file.ts'

/** Compiles an order for each of its operations, by `PlannedOperation.index`, and reports its mistakes. */
export function compileAnswerOrder(
  ground: Ground,
  order: AnswerOrder,
  source: Source,
  report: Diagnostics,
): ReadonlyMap<number, PlannedAnswer> {
  const { consumer, reply, delay, fault } = order
  if (reply === undefined && delay === undefined && fault === undefined) {
    const hint = 'write "reply", "delay" or "fault"'
    report.error('no-answer', 'there is no reply, delay or fault', source.locate([], 'key'), hint)
  }
  if (reply !== undefined && reply.status === undefined && reply.example === undefined) {
    report.error('missing-key', '"status" or "example" is missing', source.locate(['reply'], 'key'))
  }
  if (consumer !== undefined) {
    checkConsumer(consumer, ground.compiler.simulation.consumerNames, source.locate(['consumer']), report)
  }
  const target = findTarget(ground, order, source, report)
  if (report.failed || target === undefined) return new Map()
  return new Map(target.operations.map(one => [one.index, compileFor(one, ground, order, target, source, report)]))
}

/** The operations of an order. */
interface AnswerTarget {
  readonly operations: readonly PlannedOperation[]
  /** Whether it names one operation. */
  readonly own: boolean
  /** The segments that a request must have, if the order names a path. */
  readonly segments?: readonly string[]
}

function findTarget(
  { operations, find, near, names }: Ground,
  { operation: name, method, path, tag }: AnswerOrder,
  source: Source,
  report: Diagnostics,
): AnswerTarget | undefined {
  const given = Object.entries({ operation: name, path, tag }).filter(([, value]) => value !== undefined)
  const [, second] = given
  if (second !== undefined) {
    const keys = given.map(([key]) => `"${key}"`).join(' and ')
    report.error('ambiguous-operation', `${keys} exclude each other`, source.locate([second[0]], 'key'))
  } else if ((method === undefined) !== (path === undefined)) {
    const hint = 'write both "method" and "path", or "operation"'
    const missing = `"${method === undefined ? 'method' : 'path'}" is missing`
    report.error('missing-key', missing, source.locate([], 'key'), hint)
  } else if (name !== undefined) {
    const found = names.operation(name, source.locate(['operation']), report)
    return { operations: operations.filter(({ operation }) => operation === found), own: true }
  } else if (method !== undefined && path !== undefined) {
    const found = find(method, path)
    if (found?.target.planned.operation.method === method) {
      return { operations: [found.target.planned], own: true, segments: found.segments }
    }
    report.error('unknown-operation', near.describe(method, path), source.locate(['path']))
  } else {
    if (tag === undefined) return { operations, own: false }
    names.checkTag(tag, source.locate(['tag']), report)
    return { operations: operations.filter(({ operation }) => operation.tags.includes(tag)), own: false }
  }
  return undefined
}

function compileFor(
  { operation, index }: PlannedOperation,
  { compiler }: Ground,
  { when, consumer, reply, delay, fault }: AnswerOrder,
  { own, segments }: AnswerTarget,
  source: Source,
  report: Diagnostics,
): PlannedAnswer {
  const { answers, identify, own: typed, shared: untyped } = compiler.constantsOf(operation)
  const composed = reply === undefined ? undefined : composeReply(reply, operation, answers, source, report)
  const { respond, end: ownEnd } = composed ?? {}
  const part = compiler.compilePart(operation, index, {
    blocks: {
      defaults: {
        ...(delay === undefined ? {} : { latency: { fixed: delay } }),
        ...(fault === undefined ? {} : { fault }),
        ...(respond === undefined ? {} : { respond }),
      },
    },
    keys: new Map(),
    source: source.derive(source.value, placeInOrder),
    path: [],
    report,
    scope: 'answer',
    flat: true,
    rule: own ? 'own' : 'shared',
    anyStatus: true,
  })
  const fillsIn = stringifyJson([reply?.body ?? null, reply?.headers ?? null]).includes('${')
  const ground = { operation, expressions: own ? typed : untyped, maxBody: compiler.simulation.limits.body }
  const condition = compileCondition(when, ground, source, ['when'], report, fillsIn ? FILLED : [])
  const callerOf = ({ request, clock }: Exchange): string | undefined => {
    const verdict = identify(request, clock.now())
    return typeof verdict === 'string' ? undefined : verdict.name
  }
  /** Says why a request is for none of its operations' callers and paths, if so. */
  const misses = (exchange: Exchange): string | undefined => {
    if (segments?.some((segment, i) => segment !== exchange.segments[i])) return 'it is for another path'
    return consumer === undefined || callerOf(exchange) === consumer ? undefined : `it is for ${consumer}`
  }
  return {
    holds: exchange => misses(exchange) === undefined && condition.holds(exchange),
    reason: async exchange => misses(exchange) ?? condition.reason(exchange),
    over(usual) {
      const answer = async (exchange: Exchange, last: Handler): Promise<Reply> => {
        exchange.consumer ??= callerOf(exchange)
        let isUsual = false
        const end = (inner: Exchange) => {
          isUsual = true
          return last(inner)
        }
        const made = await part(ownEnd ?? end)(exchange)
        return isUsual ? made : usual.decorate(exchange, made)
      }
      return {
        ...usual,
        handle: exchange => answer(exchange, usual.handle),
        trace(exchange, passed) {
          passed.push('answer')
          return answer(exchange, inner => usual.trace(inner, passed))
        },
      }
    },
  }
}

/** The parts of a request that the body of a reply may be filled in from. */
const FILLED = ['request.params', 'request.query', 'request.cookies', 'request.body', 'nth']

/** Returns the place in an order of a part that is compiled as a behaviour. */
const placeInOrder = ([first, ...rest]: Path): Path => {
  if (first === 'latency') return ['delay']
  return first === undefined ? [] : [first === 'respond' ? 'reply' : first, ...rest]
}

/** Returns the configuration of `respond` for a reply; or a handler, if the contract has the status or the example. */
function composeReply(
  { status, example, headers = {}, body }: AnswerReply,
  operation: Operation,
  answers: Answers,
  source: Source,
  report: Diagnostics,
): { readonly respond?: object; readonly end?: Handler } {
  if (body !== undefined && example !== undefined) {
    const place = source.locate(['reply', 'body'], 'key')
    report.error('ambiguous-responder', '"body" and "example" exclude each other', place)
  }
  const documented = status === undefined ? undefined : responseFor(operation, status)
  if (example === undefined && (body !== undefined || documented === undefined || documented.content.size === 0)) {
    return { respond: { status, headers, ...(body === undefined ? {} : { body }) } }
  }
  const refused = answers.reply({ ...ANY_QUESTION, status, example }).refusal
  if (refused !== undefined) {
    const place = source.locate(['reply', example === undefined ? 'status' : 'example'])
    report.error('unknown-example', refused.detail, place)
  }
  const fields = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  return { end: async exchange => withHeaders(answers.reply(exchange.question({ status, example })), fields) }
}
