// The expressions of one operation's configuration: compiled at load, with every mistake in its place; and their variables, the
// request, typed by the contract, and its world.

import type { Contract, Operation } from '../contract/contract.ts'
import type { Node } from '../contract/documents.ts'
import { type ExpressionAdvice, Language, UNTYPED } from '../expression/language.ts'
import {
  type Expression,
  ExpressionFailure,
  type ExpressionType,
  type NamedReference,
  type RequestRoot,
  type RootTypes,
  type Scope,
} from '../expression/scope.ts'
import {
  compileFilling,
  type ReportMistake,
  type Template,
  type TemplateContext,
  type TemplateOptions,
  type TextSpan,
} from '../expression/template.ts'
import { suggest } from '../kernel/diagnostic.ts'
import type { Path } from '../kernel/file/source.ts'
import { UTF8 } from '../kernel/http.ts'
import { type Json, put } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { drawUuid } from '../world/draws.ts'
import { PATHS, PathCounts } from '../world/kept/path-counts.ts'
import { SCENARIOS, Scenarios } from '../world/kept/scenarios.ts'
import type { Identify } from './consumer.ts'
import type { Exchange } from './exchange.ts'
import { asId, type Resource } from './resource.ts'

/** The names that functions of an expression may refer to. */
interface KnownNames {
  readonly contract: Contract
  /** Absent where records cannot be read. */
  readonly resources?: ReadonlyMap<string, Pick<Resource, 'source'>> | undefined
  /** The scenarios that rules enter. */
  readonly scenarios?: readonly string[]
}

/** The operation that expressions are for. */
export interface ExpressionSite {
  readonly contract: Contract
  readonly operation: Operation
  /** The names that a caller may have. */
  readonly consumers: readonly string[]
}

/**
 * Returns advice on the expressions of an operation's configuration, or on those of records.
 *
 * @param typed whether the configuration is for this operation alone
 */
export type Adviser = (site?: ExpressionSite, typed?: boolean) => ExpressionAdvice

/** Makes the languages of expressions, with advice. */
export class Languages {
  readonly #advisers: readonly Adviser[]
  /** For records, which requests to any operation may write. */
  readonly ofRecords: Language

  constructor(advisers: readonly Adviser[]) {
    this.#advisers = advisers
    this.ofRecords = new Language(
      undefined,
      advisers.map(advise => advise()),
    )
  }

  /**
   * @param typed whether the configuration is for this operation alone, so that its contract gives the types of a request
   * @param record the schema of the root `record`, if expressions have it
   */
  of(site: ExpressionSite, typed: boolean, record?: Node): Language {
    const { operation, contract } = site
    const types = typed ? requestTypes(operation, contract) : UNTYPED
    return new Language(
      record === undefined ? types : { ...types, record: expressionType(record, contract) },
      this.#advisers.map(advise => advise(site, typed)),
    )
  }
}

export type Expressions = ReturnType<typeof expressionsFor>

/** Returns what compiles the expressions of an operation's configuration. @param typed see `Languages` */
export function expressionsFor(site: ScopeSite, typed: boolean) {
  const { languages } = site
  let language: Language | undefined
  const compile = (names: KnownNames, want: 'bool' | 'any', ...rest: ExpressionAt) => {
    language ??= languages.of(site, typed)
    return compileExpression(language, names, want, ...rest)
  }
  return {
    /** The language of records. */
    ofRecords: languages.ofRecords,
    /** Returns the language of the effects of a write: its root `record` is the written record. */
    ofEffects: (record: Node): Language => languages.of(site, typed, record),
    /** Compiles a condition; `undefined` if it is invalid. */
    condition: (text: string, path: Path, report: ReportMistake<TextSpan>): Expression | undefined =>
      compile(site, 'bool', text, path, 0, report),
    /** Compiles JSON with `${…}` in its strings. */
    template<Context extends TemplateContext>(
      value: Json,
      path: Path,
      report: ReportMistake,
      options: TemplateOptions<Context> = {},
    ): Template<Context> {
      return compileFilling(value, path, report, {
        ...options,
        compile: (text, at, start) => compile(site, 'any', text, at, start, report),
      })
    },
    /** The same for all expressions of an exchange. */
    scope(exchange: Exchange): Scope {
      exchange.scope ??= new ExchangeScope(exchange, site)
      return exchange.scope
    },
  }
}

/** An expression that begins at `start` of the string at a path. */
type ExpressionAt = [text: string, path: Path, start: number, report: ReportMistake<TextSpan>]

/** Compiles one expression; `undefined` if it is invalid. */
export function compileExpression(
  language: Language,
  { contract, resources, scenarios = [] }: KnownNames,
  want: 'bool' | 'any',
  ...[text, path, start, report]: ExpressionAt
): Expression | undefined {
  const compiled = language.compile(text, want)
  const at = (part: { readonly start: number; readonly end: number }) => ({
    start: start + part.start,
    end: start + part.end,
  })
  if ('code' in compiled) {
    report(compiled.code, compiled.message, path, compiled.hint, at(compiled))
    return undefined
  }
  const namesOf = (kind: NamedReference['kind']): readonly [none: string, names: readonly string[]] => {
    if (kind === 'operation') return ['the contract has no', contract.operations.map(({ id }) => id)]
    if (kind === 'schema') return ['the contract has no', [...contract.schemas.keys()]]
    return kind === 'resource' ? ['there is no', [...(resources?.keys() ?? [])]] : ['no rule enters a', scenarios]
  }
  if (want === 'any' && compiled.roots.has('accepted')) {
    const start = text.search(/\baccepted\b/)
    const message = '"accepted" is known in the conditions of rules only'
    report('unknown-root', message, path, 'use ordinal', at({ start, end: start + 'accepted'.length }))
    return undefined
  }
  for (const doubt of compiled.doubts) report(doubt.code, doubt.message, path, doubt.hint, at(doubt))
  for (const reference of compiled.references) {
    const { kind, name } = reference
    if (kind === 'resource' && resources === undefined) {
      const hint = 'use record() in a rule or a fixed reply'
      report('unknown-expression', 'records cannot be read here', path, hint, at(reference))
      continue
    }
    const [none, names] = namesOf(kind)
    const source = kind === 'resource' ? resources?.get(name)?.source : undefined
    if (source !== undefined) {
      const unknown = `the records of ${name} that only ${source.owner} has are not known here`
      report('unread-base', unknown, path, undefined, at(reference))
    }
    if (names.includes(name)) continue
    report(`unknown-${kind}`, `${none} ${kind} "${name}"`, path, suggest(name, names), at(reference))
  }
  return compiled
}

/** The part of a site that expressions see. */
interface ScopeSite extends ExpressionSite {
  readonly languages: Languages
  readonly resources: ReadonlyMap<string, Resource>
  readonly identify: Identify
  readonly scenarios: readonly string[]
}

/** The scope of one exchange, whose `values` and `body` must have been read. */
class ExchangeScope implements Scope {
  readonly #exchange: Exchange
  readonly #site: ScopeSite
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly operation: string
  readonly ordinal: number
  spent = 0
  failure: unknown
  request: RequestRoot | undefined
  #uuids = 0
  #text: string | undefined
  #values: readonly unknown[] | undefined
  /** The parameters by place, from these values: an expression may read them in a loop. */
  readonly #places = new Map<string, Readonly<Record<string, Json>>>()

  constructor(exchange: Exchange, site: ScopeSite) {
    this.#exchange = exchange
    this.#site = site
    const { request, operation, ordinal } = exchange
    this.method = request.method
    this.path = request.path
    // Node gives only `set-cookie` as a list, which requests do not have.
    this.headers = request.headers as Readonly<Record<string, string>>
    this.operation = operation.id
    this.ordinal = ordinal
  }

  get body(): Json | undefined {
    return this.#exchange.body
  }
  get text(): string | undefined {
    const { bytes, request } = this.#exchange
    this.#text ??= bytes === undefined ? (request.hasBody ? undefined : '') : UTF8.decode(bytes)
    return this.#text
  }
  get world(): string {
    return this.#exchange.world.name
  }
  get params(): Readonly<Record<string, Json>> {
    return this.#valuesIn('path')
  }
  get query(): Readonly<Record<string, Json>> {
    return this.#valuesIn('query')
  }
  get cookies(): Readonly<Record<string, Json>> {
    return this.#valuesIn('cookie')
  }
  get consumer(): string {
    const { consumer, request, clock, world } = this.#exchange
    if (consumer !== undefined) return consumer
    const identified = this.#site.identify(request, clock.now(), world)
    return typeof identified === 'string' ? '' : identified.name
  }
  get now(): number {
    return this.#exchange.clock.now()
  }
  get nth(): number {
    const { request, world } = this.#exchange
    this.#exchange.nth ??= world.keep(PathCounts, PATHS).next(`${request.method} ${request.path}`)
    return this.#exchange.nth
  }

  get accepted(): number {
    const { accepted } = this.#exchange
    if (accepted === undefined) throw new ExpressionFailure('the request is not let in')
    return accepted
  }

  calls(operation: string): number {
    return this.#exchange.world.ordinals.get(operation) ?? 0
  }
  scenario(name: string): string {
    return this.#exchange.world.keep(Scenarios, SCENARIOS).stateOf(name)
  }
  size(resource: string): number {
    return this.#exchange.world.collection(resource).size
  }
  record(resource: string, id: Json): { readonly value: Json; readonly length: number } | undefined {
    if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') return undefined
    const { ids, source } = this.#site.resources.get(resource) as Resource
    const found = this.#exchange.world.collection(resource).find(asId(id, ids))
    const entry = source === undefined ? found : found && source.changed(found)
    return entry && { value: entry.value, length: entry.text.length }
  }
  draw(purpose: string): number {
    return this.#exchange.draw(`expression ${purpose}`)
  }
  uuid(): string {
    const { operation, ordinal } = this.#exchange
    this.#uuids += 1
    return drawUuid(Math.floor(this.draw('uuid') * 2 ** 32), `${operation.id} ${this.#uuids}`, ordinal)
  }
  sample(schema: string): Json {
    const use = this.#site.contract.schemas.get(schema)
    if (use === undefined) throw new RangeError(`the contract has no schema "${schema}"`)
    const seed = Math.floor(this.draw(`sample ${schema}`) * 2 ** 32)
    return use.sampler.sample(use.key, { dynamic: true, seed }).value
  }

  warn(text: string): void {
    this.#exchange.warn(text)
  }

  #valuesIn(place: string): Readonly<Record<string, Json>> {
    const { operation, values } = this.#exchange
    if (values !== this.#values) this.#places.clear()
    this.#values = values
    return getOrMake(this.#places, place, () => {
      const found: Record<string, Json> = {}
      for (const [i, one] of operation.parameters.entries()) {
        if (one.in === place && values[i] !== undefined) put(found, one.name, values[i] as Json)
      }
      return found
    })
  }
}

/** The depth to which types are known at load. Deeper parts, unions and open objects are checked per request. */
const DEEPEST = 4

/** The types of an operation's request, for checking expressions at load. */
function requestTypes(operation: Operation, contract: Contract): RootTypes {
  const typeOf = (node: Node) => expressionType(node, contract)
  const parameters = (place: string): ExpressionType => {
    const all = operation.parameters.filter(one => one.in === place)
    return { fields: Object.fromEntries(all.map(({ name, schema }) => [name, typeOf(schema.node)])) }
  }
  const [only, ...others] = operation.body?.content.values() ?? []
  return {
    params: parameters('path'),
    query: parameters('query'),
    cookies: parameters('cookie'),
    body: others.length === 0 && only?.schema !== undefined ? typeOf(only.schema.node) : 'dyn',
  }
}

/** Returns the type of the values of a schema. */
function expressionType(node: Node, contract: Contract, depth = 0): ExpressionType {
  const { types, properties, open, format, items } = contract.shapeOf(node)
  const [type, ...more] = types
  const { oneOf, anyOf } = (node.value ?? {}) as Record<string, unknown>
  if (
    more.length > 0 ||
    depth > DEEPEST ||
    contract.use(node).types.has('null') ||
    oneOf !== undefined ||
    anyOf !== undefined
  )
    return 'dyn'
  if (type === 'string') return format === 'binary' ? 'dyn' : 'string'
  if (type === 'boolean') return 'bool'
  if (type === 'integer') return 'int'
  const typeOf = (inner: Node) => expressionType(inner, contract, depth + 1)
  if (type === 'array') return { list: items === undefined ? 'dyn' : listable(typeOf(items)) }
  if (properties.size === 0 || open) return 'dyn'
  return { fields: Object.fromEntries([...properties].map(([name, property]) => [name, typeOf(property)])) }
}

/** Lists of simple items have typed items. */
const listable = (type: ExpressionType): ExpressionType => (typeof type === 'string' ? type : 'dyn')
