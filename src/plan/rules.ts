// Rules: blocks of behaviours for the requests of an operation that match a condition. Their schema, a chain
// for each, and the choice between them. Operations without rules have no additional cost.

import type { Exchange } from '../behaviours/behaviour.ts'
import { draftOf } from '../behaviours/exchange.ts'
import type { Expressions } from '../behaviours/expressions.ts'
import type { ExchangeScope } from '../behaviours/scope.ts'
import { compileReadings } from '../behaviours/validate/body.ts'
import { compileParameters } from '../behaviours/validate/parameters.ts'
import type { Operation } from '../contract/contract.ts'
import { type Expression, ExpressionFailure } from '../expression/expression.ts'
import { placeWithin } from '../kernel/place-within.ts'
import { firstOf } from '../kernel/request.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path } from '../kernel/source.ts'
import { Hits } from '../world/hits.ts'
import { behaviourSettings, configurable, type Layer } from './layers.ts'
import type { PlannedOperation, PlannedRule } from './plan.ts'
import type { RuleFile } from './simulation-file.ts'

export const rulesSchema: Schema = {
  type: ['array', 'null'],
  description:
    'Rules in order: the blocks of the first rule whose condition holds override the operation for that request. null switches rules off.',
  items: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      when: {
        type: 'string',
        minLength: 1,
        description:
          'A condition in CEL about `request`, `consumer`, `ordinal`, `nth`, `now` and so on. Default: every request.',
        examples: ['request.body.name == "Crash"', 'ordinal == 2', 'consumer == "frontend"'],
      },
      times: {
        type: 'integer',
        minimum: 1,
        description: 'The number of requests in a world for which the rule applies. Default: unlimited.',
      },
      ...Object.fromEntries(configurable.map(({ name }) => [name, behaviourSettings.get(name)])),
    },
  },
}

/** A rule in a layer of configuration. */
export interface PlacedRule {
  readonly file: RuleFile
  readonly layer: Layer
  /** The path within the layer: `operations/createOrder/rules/0`. */
  readonly path: Path
  /** Whether it belongs to one operation, so that its condition is checked against that operation's contract. */
  readonly own: boolean
}

/** Returns the rules of an operation in the order in which they are tried: those of more specific layers first. */
export function placedRules(operation: { readonly tags: readonly string[] }, layers: readonly Layer[]): PlacedRule[] {
  return layers.flatMap(layer => {
    const { blocks, keys, flat } = layer
    const key = keys.get(operation as never)
    const at = (list: unknown, path: Path, own: boolean): PlacedRule[] =>
      Array.isArray(list)
        ? list.map((file, i) => ({ file: file as RuleFile, layer, path: [...path, 'rules', i], own }))
        : []
    const named = key === undefined ? undefined : blocks.operations?.[key]?.rules
    const tagged = operation.tags.flatMap(tag => at(blocks.tags?.[tag]?.rules, ['tags', tag], false))
    // null switches off the rules of less specific layers and blocks.
    if (named === null) return []
    return [
      ...(key === undefined ? [] : at(named, ['operations', key], true)),
      ...tagged,
      ...at(blocks.defaults?.rules, flat === true ? [] : ['defaults'], false),
    ]
  })
}

/** Compiles a condition, or reports its mistakes. */
export function compileCondition({ file, layer, path }: PlacedRule, expressions: Expressions): Expression | undefined {
  if (file.when === undefined) return undefined
  return expressions.condition(file.when, [...layer.path, ...path, 'when'], (code, message, at, hint, span) =>
    layer.report.error(code, message, placeWithin(layer.source.locate(at), span.start, span.end), hint),
  )
}

const NO_KEYS: Layer['keys'] = new Map()

/** A layer with the blocks of a rule alone. */
export function layerOfRule({ file, layer, path, own }: PlacedRule): Layer {
  const { when: _, times: __, ...blocks } = file
  return {
    ...layer,
    blocks: { defaults: blocks },
    keys: NO_KEYS,
    path: [...layer.path, ...path],
    scope: [layer.scope, ...path].filter(step => step !== '').join('/'),
    flat: true,
    rule: own ? 'own' : 'shared',
  }
}

/** Reports rules that follow one that matches every request. */
export function checkReach(rules: readonly PlacedRule[], conditions: readonly (Expression | undefined)[]): void {
  const always = rules.findIndex(
    ({ file }, i) =>
      file.times === undefined &&
      (file.when === undefined || conditions[i]?.constant === true) &&
      file.when !== 'false',
  )
  if (always === -1) return
  for (const { layer, path } of rules.slice(always + 1)) {
    const place = layer.source.locate([...layer.path, ...path])
    layer.report.warning('unreachable-rule', 'this rule is unreachable: a rule before it always holds', place)
  }
}

/** Puts rules before an operation: the first one that matches answers in its place. */
export function withRules(
  usual: PlannedOperation,
  rules: readonly PlannedRule[],
  expressions: Expressions,
  maxBody: number,
  recorded: boolean,
): PlannedOperation {
  const roots = new Set(rules.flatMap(({ when }) => [...(when?.roots ?? [])]))
  const prepare = compilePreparation(roots, usual.operation, expressions, maxBody)
  const chooseAtOnce = (exchange: Exchange): PlannedOperation | Promise<PlannedOperation> => {
    const prepared = prepare(exchange)
    const scope = expressions.scope(exchange)
    return prepared === undefined
      ? firstThatHolds(rules, usual, exchange, scope)
      : prepared.then(() => firstThatHolds(rules, usual, exchange, scope))
  }
  // Rules count in the world and look at its records: in a recorded one, in turn with others.
  const chooseInTurn = async (exchange: Exchange): Promise<PlannedOperation> => {
    const { turns } = exchange.world
    if (turns === undefined) return chooseAtOnce(exchange)
    const { request } = exchange
    if (request.hasBody) await request.readBody(maxBody)
    const restart = turns.repeats ? exchange.mark() : undefined
    return turns.run(
      async () => {
        restart?.()
        return chooseAtOnce(exchange)
      },
      { text: `${request.method} ${request.path}` },
    )
  }
  const choose = recorded ? chooseInTurn : chooseAtOnce
  return {
    ...usual,
    // A rule counts the requests for which it holds.
    repeatable: false,
    rules,
    handle: exchange => {
      const chosen = choose(exchange)
      return chosen instanceof Promise ? chosen.then(one => one.handle(exchange)) : chosen.handle(exchange)
    },
    trace: async (exchange, passed) => (await choose(exchange)).trace(exchange, passed),
  }
}

function firstThatHolds(
  rules: readonly PlannedRule[],
  usual: PlannedOperation,
  exchange: Exchange,
  scope: ExchangeScope,
  from = 0,
): PlannedOperation | Promise<PlannedOperation> {
  for (let i = from; i < rules.length; i++) {
    const rule = rules[i] as PlannedRule
    const holds = rule.when?.holds(scope) ?? true
    if (holds instanceof Promise) {
      return holds.then(result => {
        if (result && takes(rule, exchange)) return chosen(rule, exchange)
        return passOver(rule, exchange, scope, result).then(() => firstThatHolds(rules, usual, exchange, scope, i + 1))
      })
    }
    if (holds && takes(rule, exchange)) return chosen(rule, exchange)
    if (exchange.drawn !== undefined) {
      return passOver(rule, exchange, scope, holds).then(() => firstThatHolds(rules, usual, exchange, scope, i + 1))
    }
  }
  return usual
}

const takes = ({ times, name }: PlannedRule, { world }: Exchange): boolean =>
  times === undefined || world.keep(Hits, name).take(times)

function chosen({ name, when, operation }: PlannedRule, exchange: Exchange): PlannedOperation {
  exchange.note(`rule ${name}${when === undefined ? '' : `: ${when.text}`}`)
  return operation()
}

/** Records why a rule did not match, if the client asked for an explanation. */
async function passOver(rule: PlannedRule, exchange: Exchange, scope: ExchangeScope, held: boolean): Promise<void> {
  if (exchange.drawn === undefined) return
  exchange.note(`not rule ${rule.name}: ${held ? `already applied ${rule.times} times` : await reasonOf(rule, scope)}`)
}

async function reasonOf({ when }: PlannedRule, scope: ExchangeScope): Promise<string> {
  try {
    await when?.evaluate(scope)
    return `${when?.text} is false`
  } catch (error) {
    if (error instanceof ExpressionFailure) return `${when?.text}: ${error.message}`
    throw error
  }
}

/** Reads the parts of a request that expressions with these roots use; the body only if one of them uses it. */
export function compilePreparation(
  roots: ReadonlySet<string>,
  operation: Operation,
  expressions: Expressions,
  maxBody: number,
): (exchange: Exchange) => Promise<void> | undefined {
  const typed = ['request.params', 'request.query', 'request.cookies'].some(root => roots.has(root))
  const readParameters = typed ? compileParameters(operation, {}) : undefined
  const counted = roots.has('nth')
  const readBody = roots.has('request.body') ? compileEarlyBody(operation, maxBody) : undefined
  return exchange => {
    readParameters?.(exchange)
    if (counted) draftOf(exchange, 'rules').nth ??= expressions.scope(exchange).nth
    return readBody !== undefined && exchange.request.hasBody ? readBody(exchange) : undefined
  }
}

/** Reads and parses the body, which validation reads again. A body that cannot be read is absent. */
function compileEarlyBody({ body }: Operation, maxBody: number) {
  const readingOf = compileReadings(body?.content ?? new Map())
  return async (exchange: Exchange): Promise<void> => {
    const { request } = exchange
    const read = await request.readBody(maxBody)
    const type = firstOf(request.headers['content-type']) ?? ''
    if (!('bytes' in read) || read.bytes.length === 0) return
    const parsed = await readingOf(type)?.parse?.(read.bytes, type)
    if (parsed !== undefined && 'value' in parsed) draftOf(exchange, 'rules').body = parsed.value
  }
}
