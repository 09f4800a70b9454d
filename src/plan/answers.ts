// Answers on demand: the schema of an order for one, and a handler for each operation that it is for.

import { draftOf, type Exchange, type Handler } from '../behaviours/behaviour.ts'
import { ANY_QUESTION, type Answers } from '../contract/answer/answers.ts'
import { type Operation, responseFor } from '../contract/contract.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { stringifyJson } from '../kernel/json.ts'
import { placeWithin } from '../kernel/place-within.ts'
import { withHeaders } from '../kernel/reply.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { OperationCompiler } from './compile-operation.ts'
import { behaviourSettings } from './layers.ts'
import type { Plan, PlannedAnswer, PlannedOperation } from './plan.ts'
import { compilePreparation } from './rules.ts'
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

/** The plan that an answer is compiled for. */
export interface AnswerGround {
  readonly compiler: OperationCompiler
  readonly operations: readonly PlannedOperation[]
  readonly consumerNames: readonly string[]
  readonly find: Plan['find']
  readonly near: Plan['near']
  readonly maxBody: number
}

/** Compiles an order, an operation a step, and reports its mistakes. Returns handlers by `PlannedOperation.index`. */
export function compileAnswer(
  ground: AnswerGround,
  order: AnswerOrder,
  source: Source,
  report: Diagnostics,
): ReadonlyMap<number, PlannedAnswer> {
  const { consumer, reply, delay, fault } = order
  const { consumerNames } = ground
  if (reply === undefined && delay === undefined && fault === undefined) {
    report.error(
      'no-answer',
      'there is no reply, delay or fault',
      source.locate([], 'key'),
      'write "reply", "delay" or "fault"',
    )
  }
  if (reply !== undefined && reply.status === undefined && reply.example === undefined) {
    report.error('missing-key', '"status" or "example" is missing', source.locate(['reply'], 'key'))
  }
  if (consumer !== undefined && !consumerNames.includes(consumer)) {
    const hint = suggest(consumer, consumerNames)
    report.error('unknown-consumer', `there is no consumer "${consumer}"`, source.locate(['consumer']), hint)
  }
  const meant = findMeant(ground, order, source, report)
  if (report.failed) return new Map()
  const made = new Map<number, PlannedAnswer>()
  for (const one of meant.operations) {
    made.set(one.index, compileFor(one, ground, order, meant, source, report))
  }
  return made
}

/** The operations of an order, and the segments that a request must have if it names a path. */
interface Meant {
  readonly operations: readonly PlannedOperation[]
  /** Whether it names one operation. */
  readonly own: boolean
  readonly segments?: readonly string[]
}

function findMeant(
  { operations, find, near }: AnswerGround,
  { operation, method, path, tag }: AnswerOrder,
  source: Source,
  report: Diagnostics,
): Meant {
  const given = Object.entries({ operation, path, tag }).filter(([, value]) => value !== undefined)
  const [, second] = given
  if (second !== undefined) {
    const names = given.map(([name]) => `"${name}"`).join(' and ')
    report.error('ambiguous-operation', `${names} exclude each other`, source.locate([second[0]], 'key'))
    return NOTHING
  }
  if ((method === undefined) !== (path === undefined)) {
    const missing = method === undefined ? 'method' : 'path'
    report.error(
      'missing-key',
      `"${missing}" is missing`,
      source.locate([], 'key'),
      'write both "method" and "path", or "operation"',
    )
    return NOTHING
  }
  if (operation !== undefined) {
    const found = operations.find(
      one => one.operation.id === operation || `${one.operation.method} ${one.operation.path}` === operation,
    )
    if (found !== undefined) return { operations: [found], own: true }
    const hint = suggest(
      operation,
      operations.map(one => one.operation.id),
    )
    report.error(
      'unknown-operation',
      `the contract has no operation "${operation}"`,
      source.locate(['operation']),
      hint,
    )
    return NOTHING
  }
  if (method !== undefined && path !== undefined) {
    const found = find(method, path)
    if (found !== undefined) return { operations: [found.target.planned], own: true, segments: found.segments }
    report.error('unknown-operation', near.describe(method, path), source.locate(['path']))
    return NOTHING
  }
  if (tag === undefined) return { operations, own: false }
  const tagged = operations.filter(one => one.operation.tags.includes(tag))
  if (tagged.length === 0) {
    const hint = suggest(tag, new Set(operations.flatMap(one => one.operation.tags)))
    report.error('unknown-tag', `no operation has the tag "${tag}"`, source.locate(['tag']), hint)
  }
  return { operations: tagged, own: false }
}

const NOTHING: Meant = { operations: [], own: false }

function compileFor(
  { operation }: PlannedOperation,
  { compiler, maxBody }: AnswerGround,
  { when, consumer, reply, delay, fault }: AnswerOrder,
  { own, segments }: Meant,
  source: Source,
  report: Diagnostics,
): PlannedAnswer {
  const { respond, end: ownEnd } =
    reply === undefined ? NO_REPLY : composeReply(reply, operation, compiler.answersOf(operation), source, report)
  const part = compiler.compilePart(operation, {
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
  const expressions = compiler.expressionsOf(operation, own)
  const condition =
    when === undefined
      ? undefined
      : expressions.condition(when, ['when'], (code, message, at, hint, span) =>
          report.error(code, message, placeWithin(source.locate(at), span.start, span.end), hint),
        )
  const fillsIn = stringifyJson([reply?.body ?? null, reply?.headers ?? null]).includes('${')
  const roots = new Set([...(condition?.roots ?? []), ...(fillsIn ? FILLED : [])])
  const prepare = compilePreparation(roots, operation, expressions, maxBody)
  const identify = compiler.identifyOf(operation)
  const callerOf = ({ request, clock }: Exchange): string | undefined => {
    const verdict = identify(request, clock.now())
    return typeof verdict === 'string' ? undefined : verdict.name
  }
  return {
    async holds(exchange) {
      if (segments?.some((segment, i) => segment !== exchange.segments[i])) return false
      if (consumer !== undefined && callerOf(exchange) !== consumer) return false
      await prepare(exchange)
      return condition === undefined || condition.holds(expressions.scope(exchange))
    },
    async handle(exchange, usual) {
      draftOf(exchange, 'answers').consumer ??= callerOf(exchange)
      let isUsual = false
      const end: Handler =
        ownEnd ??
        (inner => {
          isUsual = true
          return usual(inner)
        })
      const made = await part(end)(exchange)
      return { made, isUsual }
    },
  }
}

/** The parts of a request that the body of a reply may be filled in from. */
const FILLED = ['request.params', 'request.query', 'request.cookies', 'request.body', 'nth']

/** Returns the place in an order of a part that is compiled as a behaviour. */
const placeInOrder = ([first, ...rest]: Path): Path =>
  first === 'respond'
    ? ['reply', ...rest]
    : first === 'latency'
      ? ['delay']
      : first === undefined
        ? []
        : [first, ...rest]

/** A configuration of `respond`; or a handler, if the contract has the status or the example. */
interface ComposedReply {
  readonly respond?: object
  readonly end?: Handler
}
const NO_REPLY: ComposedReply = {}

function composeReply(
  { status, example, headers = {}, body }: AnswerReply,
  operation: Operation,
  answers: Answers,
  source: Source,
  report: Diagnostics,
): ComposedReply {
  if (body !== undefined && example !== undefined) {
    report.error(
      'ambiguous-responder',
      '"body" and "example" exclude each other',
      source.locate(['reply', 'body'], 'key'),
    )
  }
  const documented = status === undefined ? undefined : responseFor(operation, status)
  if (example === undefined && (body !== undefined || documented === undefined || documented.content.size === 0)) {
    return { respond: { status, headers, ...(body === undefined ? {} : { body }) } }
  }
  const refused = answers.reply({ ...ANY_QUESTION, status, example }).refusal
  if (refused !== undefined) {
    report.error(
      'unknown-example',
      refused.detail,
      source.locate(['reply', example === undefined ? 'status' : 'example']),
    )
  }
  const fields = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  return { end: async exchange => withHeaders(answers.reply(exchange.question({ status, example })), fields) }
}
