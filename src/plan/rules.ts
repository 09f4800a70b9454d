// Rules: blocks of behaviours for the requests that match a condition. The choice between them at a request, and between answers on
// demand, which are rules too. Operations without rules have no additional cost.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Operation } from '../contract/contract.ts'
import type { Path } from '../kernel/file/source.ts'
import type { Recorder } from '../world/changes.ts'
import type { Condition } from './conditions.ts'
import { blocksFor, type Layer } from './layers.ts'
import type { PlannedOperation, Rule } from './plan.ts'
import type { RuleFile } from './simulation-file.ts'

/** A rule in a layer of configuration. */
interface PlacedRule {
  readonly file: RuleFile
  readonly layer: Layer
  /** The path within the layer: `operations/createOrder/rules/0`. */
  readonly path: Path
  /** Whether it belongs to one operation, so that its condition is checked against that operation's contract. */
  readonly own: boolean
}

/** Returns the rules of an operation in the order in which they are tried: those of more specific layers first. */
export function placedRules(operation: Operation, layers: readonly Layer[]): PlacedRule[] {
  return layers.flatMap(layer => {
    const all = blocksFor(operation, layer)
    // null switches off the rules of less specific layers and blocks.
    if (all.some(({ block, own }) => own && block?.rules === null)) return []
    return all.flatMap(({ block, path, own }) => {
      const rules = Array.isArray(block?.rules) ? (block.rules as readonly RuleFile[]) : []
      return rules.map((file, i) => ({ file, layer, path: [...path, 'rules', i], own }))
    })
  })
}

const NO_KEYS: Layer['keys'] = new Map()

/** A layer with the blocks of a rule alone. */
export function layerOfRule({ file, layer, path, own }: PlacedRule): Layer {
  const { when: _, times: __, enter: ___, ...blocks } = file
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
export function checkReach(rules: readonly PlacedRule[], conditions: readonly Condition[]): void {
  const always = rules.findIndex(
    ({ file }, i) =>
      file.times === undefined &&
      (file.when === undefined || conditions[i]?.when?.constant === true) &&
      file.when !== 'false',
  )
  if (always === -1) return
  for (const { layer, path } of rules.slice(always + 1)) {
    const place = layer.source.locate([...layer.path, ...path])
    layer.report.warning('unreachable-rule', 'this rule is unreachable: a rule before it always holds', place)
  }
}

/**
 * Puts rules before an operation: the first one that matches answers.
 *
 * @param rulesFor the rules that may match at this moment
 * @param recorderFor orders the choice of rules: they count in the world and look at its records
 * @param count counts a request that is let in, where a condition needs that
 */
export function withRules(
  usual: PlannedOperation,
  rulesFor: (exchange: Exchange) => readonly Rule[],
  recorderFor: (exchange: Exchange) => Recorder | undefined,
  maxBody: number,
  count?: (exchange: Exchange) => Promise<void>,
): PlannedOperation {
  const first = (exchange: Exchange) => firstThatHolds(rulesFor(exchange), usual, exchange)
  const decide = count === undefined ? first : (exchange: Exchange) => count(exchange).then(() => first(exchange))
  const inTurn = async (exchange: Exchange, recorder: Recorder): Promise<PlannedOperation> => {
    const { request } = exchange
    // Work in its turn must not wait for the network.
    if (request.hasBody) await request.readBody(maxBody)
    const restart = recorder.repeats ? exchange.mark() : undefined
    const work = async () => {
      restart?.()
      return decide(exchange)
    }
    return recorder.run(work, { text: `${request.method} ${request.path}` })
  }
  const choose = (exchange: Exchange): PlannedOperation | Promise<PlannedOperation> => {
    const recorder = recorderFor(exchange)
    return recorder === undefined ? decide(exchange) : inTurn(exchange, recorder)
  }
  return {
    ...usual,
    // A rule counts the requests for which it holds.
    handle: exchange => {
      const chosen = choose(exchange)
      return chosen instanceof Promise ? chosen.then(one => one.handle(exchange)) : chosen.handle(exchange)
    },
    trace: async (exchange, passed) => (await choose(exchange)).trace(exchange, passed),
  }
}

/** Returns a promise only where a condition needs one: most do not, and a promise for each takes longer than they do. */
function firstThatHolds(
  rules: readonly Rule[],
  usual: PlannedOperation,
  exchange: Exchange,
  from = 0,
): PlannedOperation | Promise<PlannedOperation> {
  // The client asked for an explanation.
  const explains = exchange.drawn !== undefined
  for (let i = from; i < rules.length; i++) {
    const rule = rules[i] as Rule
    const applies = (held: boolean): boolean => {
      const reason = held ? rule.take(exchange) : explains ? rule.reason(exchange) : ''
      if (explains && reason !== undefined) exchange.note(`not ${rule.name}: ${reason}`)
      return reason === undefined
    }
    const holds = rule.holds(exchange)
    if (holds instanceof Promise) {
      return holds.then(held =>
        applies(held) ? applyRule(rule, usual, exchange) : firstThatHolds(rules, usual, exchange, i + 1),
      )
    }
    if (applies(holds)) return applyRule(rule, usual, exchange)
  }
  return usual
}

function applyRule(rule: Rule, usual: PlannedOperation, exchange: Exchange): PlannedOperation {
  exchange.note(rule.note)
  return rule.over(usual)
}
