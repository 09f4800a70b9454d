// Answers on demand: compiles an order for one to a rule for each of its operations.

import type { Exchange, Handler } from '../behaviours/exchange.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import type { Reply } from '../kernel/http.ts'
import { stringifyJson } from '../kernel/json.ts'
import type { Ground } from './compile-operation.ts'
import { compileCondition } from './conditions.ts'
import type { Layer } from './layers.ts'
import { checkConsumer } from './names.ts'
import type { PlannedAnswer, PlannedOperation } from './plan.ts'
import type { AnswerOrder } from './simulation-file.ts'

/** An order, and the configuration that it is laid over. */
interface AnswerCompilation {
  readonly ground: Ground
  readonly order: AnswerOrder
  readonly source: Source
  readonly report: Diagnostics
}

/** The operations of an order. */
interface AnswerTarget {
  readonly operations: readonly PlannedOperation[]
  /** Whether it names one operation, so that its expressions are checked against that operation's contract. */
  readonly rule: 'own' | 'shared'
  /** The segments that a request must have, if the order names a path. */
  readonly segments?: readonly string[]
}

/** Compiles an order for each of its operations, by `PlannedOperation.index`, and reports its mistakes. */
export function compileAnswerOrder(compilation: AnswerCompilation): ReadonlyMap<number, PlannedAnswer> {
  const { ground, order, source, report } = compilation
  const { consumer, respond, latency, fault, enter } = order
  if ([respond, latency, fault, enter].every(block => block === undefined)) {
    const hint = 'write "respond", "latency" or "fault"'
    report.error('no-answer', 'the answer changes nothing', source.locate([], 'key'), hint)
  }
  if (consumer !== undefined) {
    checkConsumer(consumer, ground.compiler.simulation.consumerNames, source.locate(['consumer']), report)
  }
  const target = findTarget(compilation)
  if (report.failed || target === undefined) return new Map()
  return new Map(target.operations.map(planned => [planned.index, compileFor(planned, target, compilation)]))
}

function findTarget({ ground, order, source, report }: AnswerCompilation): AnswerTarget | undefined {
  const { operations, find, near, names } = ground
  const { operation: name, method, path, tag } = order
  const targets = Object.entries({ operation: name, path, tag }).filter(([, value]) => value !== undefined)
  const [, second] = targets
  if (second !== undefined) {
    const keys = targets.map(([key]) => `"${key}"`).join(' and ')
    report.error('ambiguous-operation', `${keys} exclude each other`, source.locate([second[0]], 'key'))
  } else if ((method === undefined) !== (path === undefined)) {
    const hint = 'write both "method" and "path", or "operation"'
    const missing = `"${method === undefined ? 'method' : 'path'}" is missing`
    report.error('missing-key', missing, source.locate([], 'key'), hint)
  } else if (name !== undefined) {
    const named = names.operation(name, source.locate(['operation']), report)
    return { operations: operations.filter(({ operation }) => operation === named), rule: 'own' }
  } else if (method !== undefined && path !== undefined) {
    const match = find(method, path)
    if (match?.target.planned.operation.method === method) {
      return { operations: [match.target.planned], rule: 'own', segments: match.segments }
    }
    report.error('unknown-operation', near.describe(method, path), source.locate(['path']))
  } else {
    if (tag === undefined) return { operations, rule: 'shared' }
    names.checkTag(tag, source.locate(['tag']), report)
    return { operations: operations.filter(({ operation }) => operation.tags.includes(tag)), rule: 'shared' }
  }
  return undefined
}

function compileFor(
  { operation, index }: PlannedOperation,
  { rule, segments }: AnswerTarget,
  { ground: { compiler, base }, order, source, report }: AnswerCompilation,
): PlannedAnswer {
  const { when, consumer, respond, latency, fault } = order
  const { identify, own, shared } = compiler.constantsOf(operation)
  const layer: Layer = {
    blocks: { defaults: { latency, fault, respond } },
    keys: new Map(),
    source,
    path: [],
    report,
    scope: 'answer',
    flat: true,
    rule,
    onDemand: true,
  }
  const part = compiler.compilePart(operation, index, layer, base)
  const isFilledIn = stringifyJson(respond ?? null).includes('${')
  const condition = compileCondition(
    { text: when, source, path: ['when'], report, uncounted: 'answers', filled: isFilledIn ? FILLED : [] },
    { operation, expressions: rule === 'own' ? own : shared, maxBody: compiler.simulation.limits.body },
  )
  const callerOf = ({ request, clock, world }: Exchange): string | undefined => {
    const verdict = identify(request, clock.now(), world)
    return typeof verdict === 'string' ? undefined : verdict.name
  }
  /** Says why a request is for none of its operations' callers and paths, if so. */
  const misses = (exchange: Exchange): string | undefined => {
    if (segments?.some((segment, i) => segment !== exchange.segments[i])) return 'it is for another path'
    return consumer === undefined || callerOf(exchange) === consumer ? undefined : `it is for ${consumer}`
  }
  const answer = async (exchange: Exchange, usual: PlannedOperation, execute: Handler): Promise<Reply> => {
    exchange.consumer ??= callerOf(exchange)
    let isUsual = false
    const reply = await part.around(inner => {
      isUsual = true
      return execute(inner)
    })(exchange)
    return isUsual ? reply : usual.decorate(exchange, reply)
  }
  return {
    does: part.links.map(({ name, detail }) => (name === 'respond' ? `${detail}` : `${name} ${detail}`)).reverse(),
    holds: exchange => misses(exchange) === undefined && condition.holds(exchange),
    reason: exchange => misses(exchange) ?? condition.reason(exchange),
    over: usual => ({
      ...usual,
      handle: exchange => answer(exchange, usual, usual.handle),
      trace(exchange, passed) {
        passed.push('answer')
        return answer(exchange, usual, inner => usual.trace(inner, passed))
      },
    }),
  }
}

/** The parts of a request that the body of a reply may be filled in from. */
const FILLED = ['request.params', 'request.query', 'request.cookies', 'request.body', 'request.text', 'nth']
