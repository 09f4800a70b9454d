// Compiles a contract and a simulation into a plan: every operation becomes one closure. Runs at load, never per request.

import type { Exchange, Handler } from '../behaviours/exchange.ts'
import { ANY_QUESTION, type Answers } from '../contract/answer/answers.ts'
import { type Contract, type Operation, responseFor } from '../contract/contract.ts'
import { reportPlaceholders } from '../expression/template.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { lowerNames, type Reply, withHeaders } from '../kernel/http.ts'
import { stringifyJson } from '../kernel/json.ts'
import { type Ground, NO_OPERATION, OperationCompiler, UNMATCHED } from './compile-operation.ts'
import { compileConsumers } from './consumers.ts'
import { ContractNames, checkConsumer, compileCondition, compileLayer, isConfigured, type Layer } from './layers.ts'
import type { OperationsUnder, Plan, PlannedAnswer, PlannedOperation, Weather } from './plan.ts'
import { layRoutes } from './routes.ts'
import { checkPaths, type Simulation } from './settings.ts'
import type { AnswerOrder, AnswerReply, WeatherFile, WeatherOrder } from './simulation-file.ts'

export function compilePlan(simulation: Simulation, contract: Contract, report: Diagnostics): Plan {
  const { file, source } = simulation
  const consumers = compileConsumers(file.consumers ?? {}, contract, source, report)
  const names = new ContractNames(contract)
  const base = compileLayer(names, file, source, [], report, '')
  const compiler = new OperationCompiler(simulation, contract, consumers, readersOf(contract, base))
  const routes = layRoutes(contract, report)
  const operations = routes.operations.map((operation, index) => compiler.compile(operation, index, [base]))
  const planned = new Map(operations.map(one => [one.operation, one] as const))
  const find = routes.finder((operation, basePath) => ({ planned: planned.get(operation)!, basePath }))
  const ground: Ground = { compiler, names, base, operations, find, near: routes.near }
  const weather = new Map<string, Weather>()
  for (const [name, one] of Object.entries(file.weather ?? {})) {
    weather.set(name, compileWeather(ground, name, one, source, ['weather', name], report))
  }
  if (simulation.listen.clientControls) checkPaths(contract, report)
  return {
    simulation,
    contract,
    settings: block => simulation.blocks.of(block),
    operations,
    unmatched: compiler.compile(NO_OPERATION, UNMATCHED, [base]),
    find,
    methodsOf: routes.methodsOf,
    near: routes.near,
    weather,
    compileWeather: (name, written, from, into) => compileWeather(ground, name, written, from, [], into),
    compileAnswer: (order, from, into) => compileAnswerOrder(ground, order, from, into),
    collections: collectionsOf(simulation, compiler.indexes),
  }
}

const collectionsOf = (
  { resources, seed }: Simulation,
  indexes: ReadonlyMap<string, ReadonlySet<string>>,
): Plan['collections'] =>
  new Map(
    [...resources].map(([name, resource]) => {
      const { idField, within, assign, maxRecords, maxBytes, newId, states, source } = resource
      const indexed = [...(indexes.get(name) ?? [])]
      const options = {
        name,
        idField,
        within,
        assign,
        maxRecords,
        maxBytes,
        indexed,
        seed,
        newId,
        states,
        first: source?.first,
      }
      return [name, { options, resource }]
    }),
  )

/** The settings of `respond` that make an operation read a record. */
type RecordReading = { readonly read?: string; readonly id?: unknown }

/** Returns the path templates of the operations that answer with one record of a resource. */
function readersOf(contract: Contract, { keys, blocks }: Layer): Map<string, readonly string[]> {
  const readers = new Map<string, readonly string[]>()
  for (const operation of contract.operations) {
    const respond = blocks.operations?.[keys.get(operation) ?? '']?.respond as RecordReading | null | undefined
    // An operation that always reads the same record does not address the others.
    if (respond?.read === undefined || respond.id !== undefined) continue
    readers.set(respond.read, [...(readers.get(respond.read) ?? []), operation.path])
  }
  return readers
}

// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run
// time. The operations under one: those of the plan stay unchanged.

const WEATHER_BLOCKS = ['defaults', 'tags', 'operations', 'consumers'] as const

/** Returns whether an order contains its own weather. */
export const hasBlocks = (order: WeatherOrder): boolean => WEATHER_BLOCKS.some(key => key in order)

/**
 * Compiles a weather: reports its mistakes, and makes no chain before it is used.
 *
 * @param path its path in the source; empty for weather from the control plane
 */
function compileWeather(
  { compiler, names, base, operations }: Ground,
  name: string,
  file: WeatherFile,
  source: Source,
  path: Path,
  report: Diagnostics,
): Weather {
  const under = (layers: readonly Layer[]): OperationsUnder => {
    const made = operations.map(({ operation, index }) =>
      layers.some(layer => isConfigured(operation, layer))
        ? compiler.compileLater(operation, index, layers, [base])
        : undefined,
    )
    const at = (usual: PlannedOperation) => made[usual.index]?.() ?? usual
    return { at, changes: ({ index }) => made[index] !== undefined, all: () => operations.map(at) }
  }
  const scope = path.length === 0 ? `weather/${name}` : path.join('/')
  const common = compileLayer(names, file, source, path, report, scope)
  const consumers = new Map<string, OperationsUnder>()
  for (const [consumer, defaults] of Object.entries(file.consumers ?? {})) {
    const at = [...path, 'consumers', consumer]
    checkConsumer(consumer, compiler.simulation.consumerNames, source.locate(at, 'key'), report)
    const layer = compileLayer(names, { defaults }, source, at, report, `${scope}/consumers/${consumer}`)
    consumers.set(consumer, under([{ ...layer, flat: true }, common]))
  }
  const identifyByOperation =
    consumers.size === 0 ? [] : operations.map(({ operation }) => compiler.constantsOf(operation).identify)
  return { name, operations: under([common]), consumers, identifyByOperation }
}

// Answers on demand: compiles an order for one to a rule for each operation that it is for.

/** Compiles an order for each of its operations, by `PlannedOperation.index`, and reports its mistakes. */
function compileAnswerOrder(
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
        latency: delay && { fixed: delay },
        fault,
        respond,
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
    reason: exchange => misses(exchange) ?? condition.reason(exchange),
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
const FILLED = ['request.params', 'request.query', 'request.cookies', 'request.body', 'request.text', 'nth']

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
    return { respond: { status, headers, body } }
  }
  const refused = answers.reply({ ...ANY_QUESTION, status, example }).refusal
  if (refused !== undefined) {
    const place = source.locate(['reply', example === undefined ? 'status' : 'example'])
    report.error('unknown-example', refused.detail, place)
  }
  const hint = 'headers beside a reply of the contract are sent as they are: add a body, or write the value'
  reportPlaceholders({ headers }, hint, (code, message, path, said) =>
    report.error(code, message, source.locate(['reply', ...path]), said),
  )
  const fields = lowerNames(headers)
  return { end: async exchange => withHeaders(answers.reply(exchange.question({ status, example })), fields) }
}
