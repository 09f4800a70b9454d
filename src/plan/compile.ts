// Contract × Simulation → Plan: every operation becomes one closure. Runs at load; nothing here runs per request.

import type { Consumer, Exchange, Handler, Site, Wrap } from '../behaviours/behaviour.ts'
import type { Lifecycle } from '../behaviours/deprecation/lifecycle.ts'
import { Expressions } from '../behaviours/expressions.ts'
import { behaviours } from '../behaviours/index.ts'
import { ACTIONS, type ActionConfig } from '../behaviours/respond/actions.ts'
import type { Resource } from '../behaviours/respond/resource.ts'
import type { ValidateConfig } from '../behaviours/validate/index.ts'
import { Answers } from '../contract/answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { Found, Method } from '../contract/paths.ts'
import { type Diagnostics, nearest, suggest } from '../kernel/diagnostic.ts'
import { placeWithin } from '../kernel/place-within.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Path, Source } from '../kernel/source.ts'
import { unfilled } from '../kernel/template.ts'
import { parseDate } from '../world/clock.ts'
import type { CollectionOptions } from '../world/collection.ts'
import { checkReach, compileCondition, type PlannedRule, placedRules, withRules } from './compile-rules.ts'
import { compileJudges } from './credentials.ts'
import { compileInvalid } from './invalid.ts'
import { hasWordOn, type Layer, type Word, wordOn } from './layers.ts'
import { layRoutes } from './routes.ts'
import type { Simulation } from './settings.ts'
import type { ConsumerFile } from './simulation.ts'
import { parseSubject } from './tls.ts'
import type { WeatherFile } from './weather.ts'
import { checkPaths } from './worlds.ts'

/** One operation, ready to run. */
export interface PlannedOperation {
  /** Its place among the plan's operations: what is kept per operation is kept in an array. */
  readonly index: number
  readonly operation: Operation
  /** The path template below its first base path: a label of bounded variety. Empty where nothing matched. */
  readonly route: string
  readonly handle: Handler
  /** As `handle`, and writes down the names of the behaviours that the request reaches. */
  trace(exchange: Exchange, passed: string[]): Promise<Reply>
  /** Gives a reply that was made outside the chain what every reply of the operation has. */
  dress(exchange: Exchange, reply: Reply): Promise<Reply>
  readonly chain: readonly Link[]
  readonly lifecycle: Lifecycle | undefined
  /** By the contract or by its lifecycle. */
  readonly deprecated: boolean
  /** In the order in which they are tried; the first that holds answers instead of the chain. */
  readonly rules?: readonly PlannedRule[]
}

/** A behaviour in a chain, for people. */
export interface Link {
  readonly name: string
  readonly detail: string | undefined
}

export interface Route {
  readonly planned: PlannedOperation
  readonly basePath: string
}

export interface Plan {
  readonly simulation: Simulation
  readonly contract: Contract
  readonly operations: readonly PlannedOperation[]
  /** What answers where no operation does: its chain is the shape of refusals, and nothing else. */
  readonly unmatched: PlannedOperation
  find(method: string, path: string): Found<Route> | undefined
  /** The methods that a path has; none for an unknown path. */
  methodsOf(path: string): readonly Method[]
  /** What a request that no operation matches may have meant: `did you mean GET /v1/books?`. */
  near(method: string, path: string): string | undefined
  /** By name. */
  readonly weather: ReadonlyMap<string, Weather>
  /** Compiles weather that no file knows. Whatever is wrong with it goes to `report`. */
  compileWeather(name: string, file: WeatherFile, source: Source, report: Diagnostics): Weather
  readonly collections: ReadonlyMap<string, { readonly options: CollectionOptions; readonly resource: Resource }>
}

/** The operations as they are in some weather. */
export interface Weather {
  readonly name: string
  /** By `PlannedOperation.index`; one that the weather does not touch is the plan's own. */
  readonly operations: () => readonly PlannedOperation[]
  /** For the requests of a consumer that the weather names. */
  readonly consumers: ReadonlyMap<string, () => readonly PlannedOperation[]>
  /** Who makes a request to an operation, by its index; none where `consumers` has nobody. */
  readonly judges: readonly Site['judge'][]
}

/** What a site has of its operation's own. */
type OwnSite = Pick<Site, 'operation' | 'judge' | 'answers' | 'detour' | 'dress' | 'invalid' | 'onRecord'> & {
  /** For configuration that speaks of this operation alone, and for what speaks of many. */
  readonly own: Expressions
  readonly shared: Expressions
}

type Configs = Readonly<Record<string, unknown>>
/** What of `respond` says that an operation reads a record. */
type Reading = { readonly read?: string; readonly id?: unknown }

export function compilePlan(simulation: Simulation, contract: Contract, report: Diagnostics): Plan {
  const { file, source, resources } = simulation
  const consumers = compileConsumers(file.consumers ?? {}, contract, source, report)
  const indexes = new Map([...resources.keys()].map(name => [name, new Set<string>()] as const))
  const tags = new Set(contract.operations.flatMap(operation => operation.tags))
  const layerOf = (blocks: Layer['blocks'], source: Source, path: Path, report: Diagnostics, scope: string): Layer => {
    for (const tag of Object.keys(blocks.tags ?? {})) {
      if (tags.has(tag)) continue
      const place = source.locate([...path, 'tags', tag], 'key')
      report.error('unknown-tag', `no operation has the tag "${tag}"`, place, suggest(tag, tags))
    }
    const keys = locateOperations(blocks.operations ?? {}, contract, source, path, report)
    return { blocks, keys, source, path, report, scope }
  }
  const base = layerOf(file, source, [], report, '')
  const declared = base.keys
  const readers = new Map<string, readonly string[]>()
  for (const operation of contract.operations) {
    const key = declared.get(operation)
    const respond = key === undefined ? undefined : (file.operations?.[key]?.respond as Reading | null | undefined)
    // One that always reads the same record is no address of another.
    if (respond?.read === undefined || respond.id !== undefined) continue
    readers.set(respond.read, [...(readers.get(respond.read) ?? []), operation.path])
  }

  // Without a spread, which would make of each of a hundred thousand sites a hash table of 3 kB.
  const readFile = (name: string) => simulation.replyFiles.read(name)
  const siteOf = (
    { operation, judge, answers, detour, dress, invalid, onRecord, own, shared }: OwnSite,
    { value, path, layer }: Word,
  ): Site => ({
    operation,
    judge,
    answers,
    detour,
    dress,
    invalid,
    onRecord,
    contract,
    consumers,
    resources,
    readers,
    maxBody: simulation.limits.body,
    scope: [layer.scope, ...path.slice(0, -1)].filter(step => step !== '').join('/'),
    rule: layer.rule,
    clientControls: simulation.listen.clientControls,
    readFile,
    expressions: (layer.rule ?? (path[0] === 'operations' ? 'own' : 'shared')) === 'own' ? own : shared,
    warn: (code, message, within = [], hint) => {
      layer.report.warning(code, message, layer.source.locate([...layer.path, ...path, ...within]), hint)
    },
    index: (resource, field) => void indexes.get(resource)?.add(field),
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
  })

  const compileJudge = compileJudges(contract, consumers)
  const owned = new Map<Operation, Pick<Site, 'answers' | 'judge'>>()
  /** What is the same in every weather. */
  const ownOf = (operation: Operation) => {
    let own = owned.get(operation)
    if (own === undefined) {
      own = { answers: new Answers(operation), judge: compileJudge(operation) }
      owned.set(operation, own)
    }
    return own
  }

  const expressionsOf = (operation: Operation, typed: boolean) => {
    const { judge } = ownOf(operation)
    return new Expressions({ contract, operation, resources, judge }, typed)
  }
  const plan = (operation: Operation, index: number, layers: readonly Layer[] = [base]): PlannedOperation => {
    const usual = planChain(operation, index, layers)
    const placed = placedRules(operation, layers)
    if (placed.length === 0) return usual
    const [typed, untyped] = [expressionsOf(operation, true), expressionsOf(operation, false)]
    const conditions = placed.map(rule => compileCondition(rule, rule.own ? typed : untyped))
    checkReach(placed, conditions)
    const rules = placed.map(({ file, layer, path, own: named }, i): PlannedRule => {
      const { when, times, ...blocks } = file
      const at = [...layer.path, ...path]
      const name = [layer.scope, ...path].filter(step => step !== '').join('/')
      const own: Layer = {
        ...layer,
        blocks: { defaults: blocks },
        keys: NO_KEYS,
        path: at,
        scope: name,
        flat: true,
        rule: named ? 'own' : 'shared',
      }
      return {
        name,
        when: conditions[i],
        times,
        blocks: Object.keys(blocks),
        operation: whenItComes(() => planChain(operation, index, [own, ...layers])),
      }
    })
    return withRules(usual, rules, typed, simulation.limits.body)
  }

  const planChain = (operation: Operation, index: number, layers: readonly Layer[]): PlannedOperation => {
    const { answers, judge } = ownOf(operation)
    const { value: validation } = wordOn('validate', operation, layers)
    const invalid = compileInvalid(operation, (validation as ValidateConfig | null | undefined)?.status)
    const [own, shared] = [expressionsOf(operation, true), expressionsOf(operation, false)]
    const responder = wordOn('respond', operation, layers).value as ActionConfig | null | undefined
    const onRecord = ACTIONS.some(action => responder?.[action] !== undefined)
    const links: Link[] = []
    const wraps: Wrap[] = []
    const dresses: Wrap[] = []
    const dress: Site['dress'] = (exchange, reply) => compose(dresses, async () => reply)(exchange)
    let lifecycle: Lifecycle | undefined
    for (const behaviour of index === UNMATCHED ? behaviours.slice(0, 1) : behaviours) {
      const word = wordOn(behaviour.keyOf ?? behaviour.name, operation, layers)
      const { value } = word
      if (value === null) continue
      const at = wraps.length
      const detour = (end: Handler) => compose(wraps.slice(at + 1, -1), end)
      const site = siteOf({ operation, judge, answers, detour, dress, invalid, onRecord, own, shared }, word)
      const wrap = behaviour.compile(value, site)
      if (wrap === undefined) continue
      wraps.push(wrap)
      if (behaviour.dresses) dresses.push(wrap)
      lifecycle ??= behaviour.lifecycle?.(value)
      links.push({ name: behaviour.name, detail: behaviour.describe?.(value, site) })
    }
    return {
      index,
      operation,
      route: index === UNMATCHED ? '' : (operation.basePaths[0] ?? '') + operation.path,
      handle: compose(wraps, nobody),
      trace: (exchange, passed) => {
        const marked = wraps.flatMap((wrap, i) => [mark((links[i] as Link).name, passed), wrap])
        return compose(marked, nobody)(exchange)
      },
      dress,
      chain: links,
      lifecycle,
      deprecated: operation.deprecated || lifecycle !== undefined,
    }
  }

  const routes = layRoutes(contract, report)
  const operations = routes.operations.map((operation, index) => plan(operation, index))
  const planned = new Map(operations.map(one => [one.operation, one] as const))
  const compileUnder = (layers: readonly Layer[]): PlannedOperation[] =>
    operations.map(usual =>
      layers.some(layer => hasWordOn(usual.operation, layer))
        ? plan(usual.operation, usual.index, [...layers, base])
        : usual,
    )
  const compileWeather = (
    name: string,
    file: WeatherFile,
    source: Source,
    path: Path,
    report: Diagnostics,
  ): Weather => {
    const scope = path.length === 0 ? `weather/${name}` : path.join('/')
    const common = layerOf(file, source, path, report, scope)
    const named = Object.entries(file.consumers ?? {}).map(([consumer, defaults]) => {
      if (!simulation.consumerNames.includes(consumer)) {
        const place = source.locate([...path, 'consumers', consumer], 'key')
        const hint = suggest(consumer, simulation.consumerNames)
        report.error('unknown-consumer', `there is no consumer "${consumer}"`, place, hint)
      }
      const at = [...path, 'consumers', consumer]
      const own = { ...layerOf({ defaults }, source, at, report, `${scope}/consumers/${consumer}`), flat: true }
      return [consumer, whenItComes(() => compileUnder([own, common]))] as const
    })
    const judges = named.length === 0 ? [] : operations.map(one => ownOf(one.operation).judge)
    return { name, operations: whenItComes(() => compileUnder([common])), consumers: new Map(named), judges }
  }
  if (simulation.listen.clientControls) checkPaths(contract, report)
  return {
    simulation,
    contract,
    operations,
    unmatched: plan(NO_OPERATION, UNMATCHED),
    find: routes.finder((operation, basePath) => ({ planned: planned.get(operation)!, basePath })),
    methodsOf: routes.methodsOf,
    near: routes.near,
    weather: new Map(
      Object.entries(file.weather ?? {}).map(([name, weather]) => [
        name,
        compileWeather(name, weather, source, ['weather', name], report),
      ]),
    ),
    compileWeather: (name, weather, source, report) => compileWeather(name, weather, source, [], report),
    collections: new Map(
      [...resources].map(([name, resource]) => {
        const { idField, assign, maxRecords, maxBytes, newId, states } = resource
        const indexed = [...(indexes.get(name) ?? [])]
        return [
          name,
          {
            options: { name, idField, assign, maxRecords, maxBytes, indexed, seed: simulation.seed, newId, states },
            resource,
          },
        ]
      }),
    ),
  }
}

/** Compiled now, to find what is wrong; and again when it is first asked for, to be kept: most weather never comes. */
function whenItComes<Made>(compile: () => Made): () => Made {
  compile()
  let made: Made | undefined
  return () => {
    made ??= compile()
    return made
  }
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], value)

const compose = (wraps: readonly Wrap[], last: Handler): Handler => wraps.reduceRight((next, wrap) => wrap(next), last)

/** Writes down that a request has come as far as this. */
const mark =
  (name: string, passed: string[]): Wrap =>
  next =>
  exchange => {
    passed.push(name)
    return next(exchange)
  }

// `respond` never asks further in; only the chain of unmatched requests ends here, and the gateway replies for it.
const nobody: Handler = () => Promise.reject(new Error('the chain has no end'))

const NO_KEYS: Layer['keys'] = new Map()

const UNMATCHED = -1
const NO_OPERATION: Operation = {
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

/** Which block of `operations` speaks of which operation; a block that speaks of none is an error. */
function locateOperations(
  blocks: Readonly<Record<string, Configs>>,
  contract: Contract,
  source: Source,
  path: Path,
  report: Diagnostics,
): Map<Operation, string> {
  const out = new Map<Operation, string>()
  const byName = new Map(
    contract.operations.flatMap(one => [[one.id, one] as const, [`${one.method} ${one.path}`, one] as const]),
  )
  for (const key of Object.keys(blocks)) {
    const operation = byName.get(key)
    if (operation === undefined) {
      const near = nearest(key, byName.keys())
      const ids = contract.operations.map(({ id }) => id)
      const hint = near === undefined ? suggest(key, ids) : `did you mean "${near}"?`
      report.error(
        'unknown-operation',
        `the contract has no operation "${key}"`,
        source.locate([...path, 'operations', key], 'key'),
        hint,
      )
    } else out.set(operation, key)
  }
  return out
}

function compileConsumers(
  blocks: Readonly<Record<string, ConsumerFile>>,
  contract: Contract,
  source: Source,
  report: Diagnostics,
): Consumer[] {
  const owners = new Map<string, string>()
  return Object.entries(blocks).map(([name, { expires, scopes, ...written }]) => {
    const credentials = written as Readonly<Record<string, string>>
    for (const [scheme, key] of Object.entries(credentials)) {
      const path: Path = ['consumers', name, scheme]
      if (!contract.securitySchemes.has(scheme)) {
        const hint = suggest(scheme, contract.securitySchemes.keys())
        const message = `the contract has no security scheme "${scheme}"`
        report.error('unknown-security-scheme', message, source.locate(path, 'key'), hint)
      }
      for (const { message, hint } of unfilled(key, [], 'environment variables have upper-case names: ${API_KEY}')) {
        report.error('unknown-placeholder', message, source.locate(path), hint)
      }
      if (contract.securitySchemes.get(scheme)?.type === 'mutualTLS' && parseSubject(key) === undefined) {
        const message = 'a client certificate is known by its subject'
        report.error('invalid-value', message, source.locate(path), 'CN=ann, or CN=ann, O=Acme')
      }
      if (key === '***') {
        report.error('masked-credential', 'this stands in the place of a credential', source.locate(path))
      }
      const owner = owners.get(`${scheme}\n${key}`)
      if (owner !== undefined) {
        report.error('duplicate-credential', `this is the credential of ${owner} already`, source.locate(path, 'key'))
      }
      owners.set(`${scheme}\n${key}`, name)
    }
    if (Object.keys(credentials).length === 0) {
      report.error('no-credential', `${name} has no credential`, source.locate(['consumers', name], 'key'))
    }
    return {
      name,
      credentials: new Map(Object.entries(credentials)),
      expires: expires === undefined ? undefined : parseDate(expires),
      scopes: new Set(scopes),
    }
  })
}
