// Compiles an operation under layers of configuration into one closure: its chain of behaviours, and the choice between its
// rules if it has any.

import type { Consumer, Handler, Invalid, Site, Wrap } from '../behaviours/behaviour.ts'
import { Expressions } from '../behaviours/expressions.ts'
import { behaviours } from '../behaviours/index.ts'
import type { Lifecycle } from '../behaviours/lifecycle.ts'
import { ACTIONS, type ActionConfig } from '../behaviours/respond/config.ts'
import type { ValidateConfig } from '../behaviours/validate/parameters.ts'
import { Answers } from '../contract/answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { placeWithin } from '../kernel/place-within.ts'
import { describeRule, problems } from '../kernel/problem.ts'
import type { Path } from '../kernel/source.ts'
import { compileIdentification } from './consumers.ts'
import { type Layer, type Setting, settingOf } from './layers.ts'
import type { ChainLink, PlannedOperation, PlannedRule } from './plan.ts'
import { checkReach, compileCondition, layerOfRule, placedRules, withRules } from './rules.ts'
import type { Simulation } from './settings.ts'

/** The parts of a site that belong to its operation. */
type OwnSite = Pick<Site, 'operation' | 'identify' | 'answers' | 'bypass' | 'decorate' | 'invalid' | 'onRecord'> & {
  /** Expression compilers: for configuration of this operation alone, and for configuration of many operations. */
  readonly own: Expressions
  readonly shared: Expressions
}

/** Compiles the operations of one configuration, once for each set of layers. */
export class OperationCompiler {
  readonly #simulation: Simulation
  readonly #contract: Contract
  readonly #consumers: readonly Consumer[]
  readonly #readers: Site['readers']
  readonly #compileIdentify: ReturnType<typeof compileIdentification>
  /** The fields that responders need an index for, by resource. */
  readonly indexes: ReadonlyMap<string, Set<string>>
  /** The parts that are the same under all layers. */
  readonly #owned = new Map<Operation, Pick<Site, 'answers' | 'identify'>>()

  constructor(simulation: Simulation, contract: Contract, consumers: readonly Consumer[], readers: Site['readers']) {
    this.#simulation = simulation
    this.#contract = contract
    this.#consumers = consumers
    this.#readers = readers
    this.#compileIdentify = compileIdentification(contract, consumers)
    this.indexes = new Map([...simulation.resources.keys()].map(name => [name, new Set<string>()] as const))
  }

  identifyOf(operation: Operation): Site['identify'] {
    return this.#ownOf(operation).identify
  }

  /** @param layers in order of precedence, the most specific first */
  compile(operation: Operation, index: number, layers: readonly Layer[]): PlannedOperation {
    const usual = this.#compileChain(operation, index, layers)
    const placed = placedRules(operation, layers)
    if (placed.length === 0) return usual
    const [typed, untyped] = [this.expressionsOf(operation, true), this.expressionsOf(operation, false)]
    const conditions: ReturnType<typeof compileCondition>[] = []
    for (const rule of placed) {
      conditions.push(compileCondition(rule, rule.own ? typed : untyped))
    }
    checkReach(placed, conditions)
    const rules: PlannedRule[] = []
    for (const [i, one] of placed.entries()) {
      const over = layerOfRule(one)
      rules.push({
        name: over.scope,
        when: conditions[i],
        times: one.file.times,
        blocks: Object.keys(over.blocks.defaults ?? {}),
        operation: this.#compileLazily(operation, index, [over, ...layers], [over]),
      })
    }
    return withRules(usual, rules, typed, this.#simulation.limits.body, this.#simulation.state !== undefined)
  }

  /** Reports the mistakes of the layers in `only`, and makes the chain on first use: most rules never hold. */
  #compileLazily(
    operation: Operation,
    index: number,
    layers: readonly Layer[],
    only: readonly Layer[],
  ): () => PlannedOperation {
    this.#compileChain(operation, index, layers, only)
    let made: PlannedOperation | undefined
    return () => {
      made ??= this.#compileChain(operation, index, layers)
      return made
    }
  }

  /**
   * Compiles only the settings of `layers` over the base, to report their mistakes: those of the base are reported already,
   * and the chain is made on first use.
   */
  check(operation: Operation, index: number, layers: readonly Layer[], base: Layer): void {
    if (placedRules(operation, layers).length > 0) this.compile(operation, index, [...layers, base])
    else this.#compileChain(operation, index, [...layers, base], layers)
  }

  /** @param only the layers whose settings are compiled, to report their mistakes; unset for a whole chain */
  #compileChain(
    operation: Operation,
    index: number,
    layers: readonly Layer[],
    only?: readonly Layer[],
  ): PlannedOperation {
    const { answers, identify } = this.#ownOf(operation)
    const { value: validation } = settingOf('validate', operation, layers)
    const invalid = compileInvalid(operation, (validation as ValidateConfig | null | undefined)?.status)
    const [own, shared] = [this.expressionsOf(operation, true), this.expressionsOf(operation, false)]
    const responder = settingOf('respond', operation, layers).value as ActionConfig | null | undefined
    const onRecord = ACTIONS.some(action => responder?.[action] !== undefined)
    const links: ChainLink[] = []
    const wraps: Wrap[] = []
    const decorates: Wrap[] = []
    const decorate: Site['decorate'] = (exchange, reply) => compose(decorates, async () => reply)(exchange)
    let lifecycle: Lifecycle | undefined
    let repeatable = true
    for (const behaviour of index === UNMATCHED ? unmatchedBehaviours : behaviours) {
      const setting = settingOf(behaviour.keyOf ?? behaviour.name, operation, layers)
      const { value } = setting
      if (value === null || (only !== undefined && !only.includes(setting.layer))) continue
      const at = wraps.length
      const bypass = (end: Handler) => compose(wraps.slice(at + 1, -1), end)
      const site = this.#siteOf(
        { operation, identify, answers, bypass, decorate, invalid, onRecord, own, shared },
        setting,
      )
      const wrap = behaviour.compile(value, site)
      if (wrap === undefined) continue
      wraps.push(wrap)
      if (behaviour.decorates) decorates.push(wrap)
      if (behaviour.once) repeatable = false
      lifecycle ??= behaviour.lifecycle?.(value)
      links.push({ name: behaviour.name, detail: behaviour.describe?.(value, site), config: value })
    }
    return {
      index,
      operation,
      route: index === UNMATCHED ? '' : (operation.basePaths[0] ?? '') + operation.path,
      handle: compose(wraps, endOfChain),
      trace: (exchange, passed) => {
        const marked = wraps.flatMap((wrap, i) => [trace((links[i] as ChainLink).name, passed), wrap])
        return compose(marked, endOfChain)(exchange)
      },
      decorate,
      chain: links,
      repeatable,
      lifecycle,
      deprecated: operation.deprecated || lifecycle !== undefined,
    }
  }

  /** Compiles the behaviours that a layer configures, and no others, to be put around another end. */
  compilePart(operation: Operation, layer: Layer): (end: Handler) => Handler {
    const { answers, identify } = this.#ownOf(operation)
    const [own, shared] = [this.expressionsOf(operation, true), this.expressionsOf(operation, false)]
    const common: OwnSite = {
      ...{ operation, answers, identify, own, shared, onRecord: false },
      invalid: compileInvalid(operation, undefined),
      bypass: end => end,
      decorate: async (_, reply) => reply,
    }
    const wraps = behaviours.flatMap(({ name, compile }) => {
      const setting = settingOf(name, operation, [layer])
      return setting.value === undefined ? [] : (compile(setting.value, this.#siteOf(common, setting)) ?? [])
    })
    return end => compose(wraps, end)
  }

  answersOf(operation: Operation): Answers {
    return this.#ownOf(operation).answers
  }

  #ownOf(operation: Operation): Pick<Site, 'answers' | 'identify'> {
    let own = this.#owned.get(operation)
    if (own === undefined) {
      own = { answers: new Answers(operation), identify: this.#compileIdentify(operation) }
      this.#owned.set(operation, own)
    }
    return own
  }

  expressionsOf(operation: Operation, typed: boolean): Expressions {
    const { resources } = this.#simulation
    return new Expressions(
      { contract: this.#contract, operation, resources, identify: this.identifyOf(operation) },
      typed,
    )
  }

  // No object spread: it would turn each of a hundred thousand sites into a hash table of 3 kB.
  #siteOf(
    { operation, identify, answers, bypass, decorate, invalid, onRecord, own, shared }: OwnSite,
    { value, path, layer }: Setting,
  ): Site {
    const { resources, limits, listen, replyFiles, state } = this.#simulation
    return {
      operation,
      identify,
      answers,
      bypass,
      decorate,
      invalid,
      onRecord,
      contract: this.#contract,
      consumers: this.#consumers,
      resources,
      readers: this.#readers,
      maxBody: limits.body,
      scope: [layer.scope, ...path.slice(0, -1)].filter(step => step !== '').join('/'),
      rule: layer.rule,
      anyStatus: layer.anyStatus === true,
      recorded: state !== undefined,
      clientControls: listen.clientControls,
      readFile: name => replyFiles.read(name),
      expressions: (layer.rule ?? (path[0] === 'operations' ? 'own' : 'shared')) === 'own' ? own : shared,
      warn: (code, message, within = [], hint) => {
        layer.report.warning(code, message, layer.source.locate([...layer.path, ...path, ...within]), hint)
      },
      index: (resource, field) => void this.indexes.get(resource)?.add(field),
      error: (code, message, within = [], hint, part) => {
        const { report, source } = layer
        if (code.startsWith('unknown-') && report.broken.has(String(valueAt(value, within)))) return
        const at = [...layer.path, ...path, ...within]
        const place =
          typeof part === 'object'
            ? placeWithin(source.locate(at), part.start, part.end)
            : source.locate(at, within.length === 0 ? 'key' : part)
        report.error(code, message, place, hint)
      },
    }
  }
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], value)

// A chain of behaviours: composing its wraps, tracing which of them a request reaches, and its end.

/** Puts the wraps around a handler; the first is outermost. */
export const compose = (wraps: readonly Wrap[], last: Handler): Handler =>
  wraps.reduceRight((next, wrap) => wrap(next), last)

/** Records that a request reached this behaviour. */
export const trace =
  (name: string, passed: string[]): Wrap =>
  next =>
  exchange => {
    passed.push(name)
    return next(exchange)
  }

// `respond` never calls `next`. Only the chain of unmatched requests ends here; the gateway replies for it.
export const endOfChain: Handler = () => Promise.reject(new Error('the chain has no end'))

// Refuses invalid requests. One rule decides their status, whichever behaviour finds the mistake.

/** The maximum number of broken rules in a refusal; further ones are counted. */
const MOST_RULES = 20

/**
 * Compiles the refusal of invalid requests to an operation. A parameter of the path that cannot name anything is a 404
 * where the operation documents one. Everything else gets 400, or 422 where only that is documented.
 *
 * @param fallback the status if the operation documents neither 400 nor 422
 */
export function compileInvalid({ responses }: Operation, fallback: 400 | 422 = 400): Invalid {
  const status = [400, 422].find(one => responses.has(`${one}`)) ?? fallback
  const unidentified = responses.has('404')
  return rules => {
    const errors = rules.slice(0, MOST_RULES)
    const sentences = errors.map(describeRule).join('; ')
    const detail = rules.length > MOST_RULES ? `${sentences}; and ${rules.length - MOST_RULES} more` : sentences
    const notFound = unidentified && rules[0]?.in === 'path'
    const problem = notFound ? problems.not_found : problems.invalid_request
    const refusal = { problem, status: notFound ? 404 : status, detail, errors }
    return { status: refusal.status, headers: {}, body: undefined, refusal }
  }
}

// The operation of requests that match none: its index, and the behaviours that they pass.

/** The index of `NO_OPERATION`. */
export const UNMATCHED = -1

/** The operation of requests that match none. */
export const NO_OPERATION: Operation = {
  id: '',
  method: 'GET',
  path: '',
  tags: [],
  summary: undefined,
  deprecated: false,
  stability: undefined,
  parameters: [],
  body: undefined,
  responses: new Map(),
  security: [],
  basePaths: [],
  node: undefined as never,
}

/** The behaviours of a request that matches no operation: only `errors`, which gives the refusal the API's shape. */
export const unmatchedBehaviours = behaviours.filter(({ name }) => name === 'errors')
