// Answers on demand: the schema of an order for one, and its compilation to a rule for each operation that it is for.

import { draftOf, type Exchange, type Handler } from '../behaviours/exchange.ts'
import { ANY_QUESTION, type Answers } from '../contract/answer/answers.ts'
import { type Operation, responseFor } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { stringifyJson } from '../kernel/json.ts'
import { type Reply, withHeaders } from '../kernel/reply.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { Ground } from './compile-operation.ts'
import { behaviourSettings, checkConsumer } from './layers.ts'
import type { PlannedAnswer, PlannedOperation } from './plan.ts'
import { compileCondition } from './rules.ts'
import type { AnswerOrder, AnswerReply } from './simulation-file.ts'

const text = (description: string) => ({ type: 'string', minLength: 1, description })

export const answerSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    operation: text('An operationId, or a method and a path template: `POST /books`. Default: every operation.'),
    method: { enum: ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'QUERY'] },
    path: text('With `method`, a path as it is sent, base path included: `/v1/books/7`.'),
    tag: text('Answers only the operations with this tag.'),
    when: text('A condition in CEL, as rules have it: `request.body.title == "Dune"`. Default: every request.'),
    consumer: text('Answers only requests of this consumer.'),
    reply: {
      type: 'object',
      description:
        'The reply instead of the usual one; the operation is not executed. Without a body it is an example of the contract for this status, or a value generated from its schema; an undocumented status of 400 or more is a refusal.',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        status: { type: 'integer', minimum: 200, maximum: 599, description: 'Any status, documented or not.' },
        example: text('The name of an example of the contract.'),
        headers: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
        body: {
          description:
            'The body, checked against the contract if it documents the status; ${…} is an expression in CEL.',
        },
      },
    },
    delay: { type: 'string', format: 'duration', description: 'Additional time before the reply.' },
    fault: {
      ...(behaviourSettings.get('fault') as { readonly [keyword: string]: unknown }),
      type: 'object',
      description: 'The fault to inject, written as `fault` in gateway.yaml.',
    },
    skip: {
      type: 'integer',
      minimum: 0,
      description: 'How many requests are answered as usual before the first that it answers. Default: 0.',
    },
    times: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'The number of requests that it answers; null: all, until it is removed. Default: 1.',
    },
    for: {
      type: 'string',
      format: 'duration',
      description: 'The real time after which it expires. Default: it does not expire.',
    },
  },
}

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
        draftOf(exchange, 'answers').consumer ??= callerOf(exchange)
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
