// Compiles an operation under layers of configuration into one closure: its chain of behaviours, and the choice between its
// rules if it has any.

import type { Behaviour, Exchange, Handler, Invalid, Site, Wrap } from '../behaviours/behaviour.ts'
import { ANYBODY, type Consumer } from '../behaviours/consumer.ts'
import { type Expressions, expressionsFor } from '../behaviours/expressions.ts'
import { findReferences, type References } from '../behaviours/references.ts'
import type { ValidateConfig } from '../behaviours/validate/index.ts'
import { Answers } from '../contract/answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { placeWithin } from '../kernel/file/source.ts'
import { describeRule, problems, type Reply } from '../kernel/http.ts'
import { isObject, memberAt, pointer } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { Hits } from '../world/kept/hits.ts'
import { PATHS, PathCounts } from '../world/kept/path-counts.ts'
import { SCENARIOS, Scenarios } from '../world/kept/scenarios.ts'
import { compileCondition } from './conditions.ts'
import { compileIdentification } from './consumers.ts'
import { type Layer, layerSetting, type Setting } from './layers.ts'
import type { ContractNames } from './names.ts'
import type { ChainLink, Plan, PlannedOperation, PlannedRule } from './plan.ts'
import { checkReach, layerOfRule, placedRules, withRules } from './rules.ts'
import type { Simulation } from './settings.ts'

/** A configuration that weather and answers are laid over. */
export interface Ground extends Pick<Plan, 'operations' | 'find' | 'near'> {
  readonly compiler: OperationCompiler
  readonly names: ContractNames
  readonly base: Layer
}

/** The parts of an operation that are the same under all layers. */
interface Constants extends Pick<Site, 'answers' | 'identify'> {
  /** Compile expressions: of configuration for this operation alone, and of configuration for many operations. */
  readonly own: Expressions
  readonly shared: Expressions
}

/** Some behaviours of an operation. */
interface OperationPart {
  readonly links: readonly ChainLink[]
  around(end: Handler): Handler
}

/** The parts of a site that its setting does not contain. */
interface Surroundings extends Pick<Site, 'operation' | 'bypass' | 'decorate' | 'invalid'> {
  readonly replying: Replying
}

/** How the responders of an operation reply. */
type Replying = Pick<Site, 'records' | 'passesOn'>

/** Compiles the operations of one configuration, once for each set of layers. */
export class OperationCompiler {
  readonly simulation: Simulation
  readonly #contract: Contract
  readonly #readers: Site['readers']
  readonly #references: References
  readonly #compileIdentify: ReturnType<typeof compileIdentification>
  readonly #constants = new Map<Operation, Constants>()
  readonly #scenarios: readonly string[]
  /** The fields that responders need an index for, by resource. */
  readonly indexes: ReadonlyMap<string, Set<string>>

  constructor(simulation: Simulation, contract: Contract, consumers: readonly Consumer[], readers: Site['readers']) {
    this.simulation = simulation
    this.#contract = contract
    this.#readers = readers
    const { defaults, tags, operations, weather } = simulation.file
    this.#scenarios = scenariosIn([defaults, tags, operations, weather])
    const { house, blocks } = simulation
    const checks = house.wings.flatMap(({ credentials }) => credentials?.(blocks, consumers) ?? [])
    this.#compileIdentify = compileIdentification(contract, consumers, checks)
    this.#references = findReferences(contract, simulation.resources)
    this.indexes = new Map([...simulation.resources.keys()].map(name => [name, new Set<string>()] as const))
  }

  constantsOf(operation: Operation): Constants {
    return getOrMake(this.#constants, operation, () => {
      const identify = this.#compileIdentify(operation)
      const { resources, consumerNames, house } = this.simulation
      const { languages } = house
      const consumers = consumerNames.length > 0 ? consumerNames : [ANYBODY.name]
      const scenarios = this.#scenarios
      const site = { contract: this.#contract, operation, resources, identify, consumers, scenarios, languages }
      const [own, shared] = [expressionsFor(site, true), expressionsFor(site, false)]
      return { answers: new Answers(operation, this.#references.within), identify, own, shared }
    })
  }

  /** @param layers in order of precedence, the most specific first */
  compile(operation: Operation, index: number, layers: readonly Layer[]): PlannedOperation {
    return this.#withRules(this.#compileChain(operation, index, layers), layers, [])
  }

  /**
   * Reports the mistakes in the most specific layers, and compiles on first use: most weather is never switched on.
   *
   * @param base the layers below them, whose mistakes are reported already
   */
  compileLater(
    operation: Operation,
    index: number,
    layers: readonly Layer[],
    base: readonly Layer[],
  ): () => PlannedOperation {
    const all = [...layers, ...base]
    this.#withRules(this.#compileChain(operation, index, all, layers), layers, base)
    return onFirstUse(() => this.compile(operation, index, all))
  }

  /** Puts the rules of some layers before an operation. @param base the layers below them */
  #withRules(usual: PlannedOperation, layers: readonly Layer[], base: readonly Layer[]): PlannedOperation {
    const { operation, index } = usual
    const placed = placedRules(operation, layers)
    if (placed.length === 0) return usual
    const { maxBody, conditions } = this.#conditionsOf(operation, placed)
    checkReach(placed, conditions)
    const rules = placed.map((one, i): PlannedRule => {
      const over = layerOfRule(one)
      const all = [over, ...layers, ...base]
      this.#compileChain(operation, index, all, [over])
      const { when, holds, reason } = conditions[i]!
      const { scope } = over
      const { times, enter } = one.file
      const entered = enter && Object.entries(enter)
      const blocks = Object.keys(over.blocks.defaults ?? {})
      if (
        blocks.length === 0 &&
        times === undefined &&
        enter === undefined &&
        !over.report.broken.has(pointer(over.path))
      ) {
        const place = over.source.locate(over.path)
        over.report.warning('idle-rule', 'this rule changes nothing', place)
      }
      const name = `rule ${scope}`
      return {
        name,
        scope,
        when,
        times,
        enter,
        holds,
        reason,
        note: when === undefined ? name : `${name}: ${when.text}`,
        blocks,
        take({ world }) {
          if (times !== undefined && !world.keep(Hits, scope).take(times)) return `already applied ${times} times`
          if (entered !== undefined) world.keep(Scenarios, SCENARIOS).enter(entered)
          return undefined
        },
        // Most rules never hold.
        over: onFirstUse(() => this.#compileChain(operation, index, all)),
      }
    })
    const ruled = withRules(
      usual,
      () => rules,
      ({ world }) => world.recorder,
      maxBody,
      conditions.some(({ when }) => when?.roots.has('accepted'))
        ? this.#compileAdmission(operation, index, [...layers, ...base])
        : undefined,
    )
    return { ...ruled, rules }
  }

  #conditionsOf(operation: Operation, placed: ReturnType<typeof placedRules>) {
    const { own, shared } = this.constantsOf(operation)
    const maxBody = this.simulation.limits.body
    const conditions = placed.map(({ file, layer, path, own: typed }) => {
      const { source, report, weather } = layer
      const uncounted = weather ? 'weather' : undefined
      const written = { text: file.when, source, path: [...layer.path, ...path, 'when'], report, uncounted }
      return compileCondition(written, { operation, expressions: typed ? own : shared, maxBody })
    })
    return { maxBody, conditions }
  }

  /** Compiles the count of the requests that authentication, validation and limits let in, by their own refusals. */
  #compileAdmission(
    operation: Operation,
    index: number,
    layers: readonly Layer[],
  ): (exchange: Exchange) => Promise<void> {
    const gateOf = onFirstUse(() => {
      const around = { operation, bypass: () => endOfAdmission, decorate: async (_: Exchange, reply: Reply) => reply }
      const { invalid, replying } = this.#refusalsOf(operation, layers)
      const wraps = this.#behavioursOf(index).flatMap(({ name, keyOf, letIn }) => {
        const setting = layerSetting(keyOf ?? name, operation, layers)
        if (setting.value === null) return []
        return letIn?.(setting.value, this.#siteOf(setting, { ...around, invalid, replying })) ?? []
      })
      return compose(wraps, endOfAdmission)
    })
    return async exchange => {
      const restart = exchange.mark()
      const reply = await gateOf()(exchange)
      restart()
      if (reply === LET_IN) exchange.accepted = exchange.world.keep(PathCounts, PATHS).next(`accepted ${operation.id}`)
    }
  }

  /** Returns how an operation refuses invalid requests, and how its responders reply. */
  #refusalsOf(operation: Operation, layers: readonly Layer[]) {
    const validation = layerSetting('validate', operation, layers).value as ValidateConfig | null | undefined
    return { invalid: compileInvalid(operation, validation?.status), replying: this.#replyingOf(operation, layers) }
  }

  /** @param only the layers whose settings are compiled, to report their mistakes; unset for a whole chain */
  #compileChain(
    operation: Operation,
    index: number,
    layers: readonly Layer[],
    only?: readonly Layer[],
  ): PlannedOperation {
    const { wraps, links, ...chain } = this.#link(operation, index, layers, only)
    return {
      index,
      operation,
      route: index === UNMATCHED ? '' : (operation.basePaths[0] ?? '') + operation.path,
      handle: compose(wraps, endOfChain),
      trace: (exchange, passed) => {
        const marked = wraps.flatMap((wrap, i): Wrap[] => [
          next => inner => {
            passed.push(links[i]!.name)
            return next(inner)
          },
          wrap,
        ])
        return compose(marked, endOfChain)(exchange)
      },
      chain: links,
      deprecated: operation.deprecated || chain.lifecycle !== undefined,
      ...chain,
    }
  }

  /** Compiles the behaviours that a layer configures, and no others, to be put around another end. @param base the layer below it */
  compilePart(operation: Operation, index: number, layer: Layer, base: Layer): OperationPart {
    const { wraps, links } = this.#link(operation, index, [layer, base], [layer])
    return { links, around: end => compose(wraps, end) }
  }

  #link(operation: Operation, index: number, layers: readonly Layer[], only: readonly Layer[] | undefined) {
    const { invalid, replying } = this.#refusalsOf(operation, layers)
    const links: ChainLink[] = []
    const wraps: Wrap[] = []
    const decorates: Wrap[] = []
    let decoration: Handler | undefined
    const decorate: Site['decorate'] = (exchange, reply) => {
      exchange.bare = reply
      // At the first reply, since behaviours are given it before all of them are compiled.
      decoration ??= compose(decorates, endOfDecoration)
      return decoration(exchange)
    }
    let lifecycle: PlannedOperation['lifecycle']
    for (const behaviour of this.#behavioursOf(index)) {
      const setting = layerSetting(behaviour.keyOf ?? behaviour.name, operation, layers)
      const { value } = setting
      if (value === null || (only !== undefined && !only.includes(setting.layer))) continue
      const at = wraps.length
      const bypass = (end: Handler) => compose(wraps.slice(at + 1, -1), end)
      const site = this.#siteOf(setting, { operation, bypass, decorate, invalid, replying })
      const wrap = behaviour.compile(value, site)
      if (wrap === undefined) continue
      wraps.push(wrap)
      if (behaviour.decorates) decorates.push(wrap)
      lifecycle ??= behaviour.lifecycle?.(value)
      links.push({ name: behaviour.name, detail: behaviour.describe?.(value, site), config: value })
    }
    return { wraps, links, decorate, lifecycle }
  }

  /** Returns how the responders that the layers choose reply. */
  #replyingOf(operation: Operation, layers: readonly Layer[]): Replying {
    const config = layerSetting('respond', operation, layers).value
    if (!isObject(config)) return NO_REPLYING
    const chosen = this.simulation.house.responders.filter(({ kind }) => config[kind] !== undefined)
    const user = chosen.find(responder => responder.records !== undefined)
    const passing = chosen.find(responder => responder.passesOn !== undefined)
    return {
      records: user && { resource: String(config[user.kind]), many: user.records === 'many', config },
      passesOn: passing?.passesOn?.(config),
    }
  }

  #behavioursOf(index: number): readonly Behaviour<unknown>[] {
    const { behaviours } = this.simulation.house
    return index === UNMATCHED ? behaviours.filter(({ unmatched }) => unmatched) : behaviours
  }

  // No object spread: it would turn each of a hundred thousand sites into a hash table of 3 kB.
  #siteOf(
    { value, path, layer }: Setting,
    { operation, bypass, decorate, invalid, replying: { records, passesOn } }: Surroundings,
  ): Site {
    const { identify, answers, own, shared } = this.constantsOf(operation)
    const { resources, limits, listen, replyFiles, state } = this.simulation
    return {
      operation,
      identify,
      answers,
      bypass,
      decorate,
      invalid,
      records,
      passesOn,
      contract: this.#contract,
      settings: block => this.simulation.blocks.of(block),
      resources,
      readers: this.#readers,
      references: this.#references,
      maxBody: limits.body,
      scope: [layer.scope, ...path.slice(0, -1)].filter(step => step !== '').join('/'),
      rule: layer.rule,
      onDemand: layer.onDemand === true,
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
        if (code.startsWith('unknown-') && report.broken.has(String(memberAt(value, within)))) return
        const at = [...layer.path, ...path, ...within]
        if (/^(?:missing|no)-/.test(code) && report.broken.has(pointer(at))) return
        const place =
          typeof part === 'object'
            ? placeWithin(source.locate(at), part.start, part.end)
            : source.locate(at, within.length === 0 ? 'key' : part)
        report.error(code, message, place, hint)
      },
    }
  }
}

/** Stands for any reply to a request that is let in. */
const LET_IN: Reply = { status: 0, headers: {}, body: undefined }
const endOfAdmission: Handler = async () => LET_IN

const NO_REPLYING: Replying = { records: undefined, passesOn: undefined }

/** The end of the decorations of a reply that the chain did not make. */
const endOfDecoration: Handler = async ({ bare }) => bare as Reply

/** Puts the wraps around a handler; the first is outermost. */
const compose = (wraps: readonly Wrap[], last: Handler): Handler => wraps.reduceRight((next, wrap) => wrap(next), last)

// `respond` never calls `next`. Only the chain of unmatched requests ends here; the gateway replies for it.
const endOfChain: Handler = () => Promise.reject(new Error('the chain has no end'))

/** Calls a function on first use, and returns its result from then on. */
function onFirstUse<Result>(make: () => Result): () => Result {
  let made: Result | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The maximum number of broken rules in a refusal; further ones are counted. */
const MOST_RULES = 20

/**
 * Compiles the refusal of invalid requests to an operation, so that one rule decides their status, whichever behaviour finds
 * the mistake. A parameter of the path that cannot name anything is a 404 where the operation documents one. Everything else
 * gets 400, or 422 where only that is documented.
 *
 * @param fallback the status if the operation documents neither 400 nor 422
 */
function compileInvalid({ responses }: Operation, fallback: 400 | 422 = 400): Invalid {
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

/** Returns the scenarios that rules below a value enter. */
const scenariosIn = (value: unknown): string[] =>
  Object.entries(Object(value)).flatMap(([key, inner]) =>
    key === 'enter' && isObject(inner) ? Object.keys(inner) : typeof inner === 'object' ? scenariosIn(inner) : [],
  )
