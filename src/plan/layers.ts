// Layers of configuration, in order of precedence: the gateway file is one, weather is laid over it; the names of operations and
// tags in them. Rules in them: blocks of behaviours for the requests that match a condition. The choice between rules and answers
// on demand, which are rules too. Operations without rules have no additional cost.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Expressions } from '../behaviours/expressions.ts'
import { compileParameters } from '../behaviours/validate/index.ts'
import { compileReadings } from '../behaviours/validate/readings.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { failureIn } from '../expression/language.ts'
import type { Expression } from '../expression/scope.ts'
import { type Diagnostics, nearest, type Place, suggest } from '../kernel/diagnostic.ts'
import { type Path, placeWithin, type Source } from '../kernel/file/source.ts'
import { firstOf } from '../kernel/http.ts'
import { MOST_SHOWN } from '../kernel/report.ts'
import type { Recorder } from '../world/changes.ts'
import type { PlannedOperation, Rule } from './plan.ts'
import type { BehaviourBlocks, RuleFile, SimulationFile } from './simulation-file.ts'

/**
 * Blocks of configuration with their paths. Layers are in order of precedence: the first one that configures a behaviour
 * wins.
 */
export interface Layer {
  readonly blocks: BehaviourBlocks & Pick<SimulationFile, 'errors'>
  /** The block of `operations` for each operation. */
  readonly keys: ReadonlyMap<Operation, string>
  readonly source: Source
  readonly path: Path
  readonly report: Diagnostics
  /** The prefix of its state's scope. */
  readonly scope: string
  /** Whether the block itself is its `defaults`. */
  readonly flat?: boolean
  /** Set for the block of a rule: of one operation, or of many. */
  readonly rule?: 'own' | 'shared'
  /** Whether a fixed reply may have any status, documented or not. */
  readonly anyStatus?: boolean
}

/** The setting of a behaviour, and its path within a layer. */
export interface Setting {
  readonly value: unknown
  readonly path: Path
  readonly layer: Layer
}

/** The blocks of a layer for an operation with their paths, the most specific first. */
function blocksFor(operation: Operation, { blocks, keys, flat }: Layer) {
  const key = keys.get(operation)
  return [
    ...(key === undefined ? [] : [{ block: blocks.operations?.[key], path: ['operations', key], own: true }]),
    ...operation.tags.map(tag => ({ block: blocks.tags?.[tag], path: ['tags', tag], own: false })),
    { block: blocks.defaults, path: flat === true ? [] : ['defaults'], own: false },
  ]
}

/** Returns the most specific setting of a behaviour: the operation's, its tag's, or the default. `null` switches it off. */
export function layerSetting(name: string, operation: Operation, layers: readonly Layer[]): Setting {
  for (const layer of layers) {
    for (const { block, path } of blocksFor(operation, layer)) {
      const value = block?.[name]
      if (value !== undefined) return { value, path: [...path, name], layer }
    }
  }
  const layer = layers.at(-1) as Layer
  if (name === 'errors') return { value: layer.blocks.errors, path: ['errors'], layer }
  return { value: undefined, path: ['defaults', name], layer }
}

/** Returns whether the layer configures any behaviour of the operation. */
export const isConfigured = (operation: Operation, layer: Layer): boolean =>
  blocksFor(operation, layer).some(({ block }) => block !== undefined)

/** Finds the operations and tags that a configuration names. */
export class ContractNames {
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #ids: readonly string[]
  readonly #tags: ReadonlySet<string>

  constructor({ operations }: Contract) {
    this.#operations = new Map(
      operations.flatMap(one => [[one.id, one] as const, [`${one.method} ${one.path}`, one] as const]),
    )
    this.#ids = operations.map(({ id }) => id)
    this.#tags = new Set(operations.flatMap(({ tags }) => tags))
  }

  /** Finds an operation by its id, or by its method and path template; reports that there is none. */
  operation(name: string, place: Place, report: Diagnostics): Operation | undefined {
    const found = this.#operations.get(name)
    if (found !== undefined) return found
    reportUnknownName('operation', `the contract has no operation "${name}"`, place, report, () => {
      const names = [...this.#operations.keys()]
      const near = nearest(name, names) ?? names.find(one => one.endsWith(` ${name}`))
      return near === undefined ? suggest(name, this.#ids) : `did you mean "${near}"?`
    })
    return undefined
  }

  checkTag(tag: string, place: Place, report: Diagnostics): void {
    if (this.#tags.has(tag)) return
    reportUnknownName('tag', `no operation has the tag "${tag}"`, place, report, () => suggest(tag, this.#tags))
  }
}

/** Reports a consumer that the configuration does not have. */
export function checkConsumer(name: string, consumers: readonly string[], place: Place, report: Diagnostics): void {
  if (consumers.includes(name)) return
  reportUnknownName('consumer', `there is no consumer "${name}"`, place, report, () => suggest(name, consumers))
}

/** Looks for a hint while mistakes are shown: comparing a name with many others takes long. */
const reportUnknownName = (
  what: string,
  message: string,
  place: Place,
  report: Diagnostics,
  look: () => string | undefined,
): void => report.error(`unknown-${what}`, message, place, report.count('error') < MOST_SHOWN ? look() : undefined)

/** Makes a layer, and reports tags and operations that the contract does not have. */
export function compileLayer(
  names: ContractNames,
  blocks: Layer['blocks'],
  source: Source,
  path: Path,
  report: Diagnostics,
  scope: string,
): Layer {
  for (const tag of Object.keys(blocks.tags ?? {})) {
    names.checkTag(tag, source.locate([...path, 'tags', tag], 'key'), report)
  }
  const keys = new Map<Operation, string>()
  for (const key of Object.keys(blocks.operations ?? {})) {
    const operation = names.operation(key, source.locate([...path, 'operations', key], 'key'), report)
    if (operation !== undefined) keys.set(operation, key)
  }
  return { blocks, keys, source, path, report, scope }
}

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

/** A compiled condition. */
interface Condition extends Pick<Rule, 'holds' | 'reason'> {
  /** `undefined` for one that holds for every request. */
  readonly when: Expression | undefined
}

/**
 * Compiles a condition, and the reading of the parts of a request that it uses; reports its mistakes.
 *
 * @param path the place of the condition in the source
 * @param filled further parts that are read, because a reply is filled in from them
 */
export function compileCondition(
  text: string | undefined,
  { operation, expressions, maxBody }: { operation: Operation; expressions: Expressions; maxBody: number },
  source: Source,
  path: Path,
  report: Diagnostics,
  filled: readonly string[] = [],
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

/**
 * Puts rules before an operation: the first one that matches answers.
 *
 * @param rulesFor the rules that may match at this moment
 * @param recorderFor orders the choice of rules: they count in the world and look at its records
 */
export function withRules(
  usual: PlannedOperation,
  rulesFor: (exchange: Exchange) => readonly Rule[],
  recorderFor: (exchange: Exchange) => Recorder | undefined,
  maxBody: number,
): PlannedOperation {
  const inTurn = async (exchange: Exchange, recorder: Recorder): Promise<PlannedOperation> => {
    const { request } = exchange
    // Work in its turn must not wait for the network.
    if (request.hasBody) await request.readBody(maxBody)
    const restart = recorder.repeats ? exchange.mark() : undefined
    const work = async () => {
      restart?.()
      return firstThatHolds(rulesFor(exchange), usual, exchange)
    }
    return recorder.run(work, { text: `${request.method} ${request.path}` })
  }
  const choose = (exchange: Exchange): PlannedOperation | Promise<PlannedOperation> => {
    const recorder = recorderFor(exchange)
    return recorder === undefined ? firstThatHolds(rulesFor(exchange), usual, exchange) : inTurn(exchange, recorder)
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
