// The words of the expression language: what a compiled expression is, the roots and functions that it may use, and how their
// values are converted. Independent of how a gateway fills them in.

import { Decimal, type Json, put } from '../kernel/json.ts'
import { momentOf, timeOf, timestamp } from '../world/dates.ts'

export interface Expression {
  readonly text: string
  /** The type of its value, if it is known at load: `string`, `int`, `double`, `bool`, `list`, `map`, `dyn` … */
  readonly type: string
  /** The parts that the expression reads: `request.body`, `nth`, `consumer` … */
  readonly roots: ReadonlySet<string>
  readonly references: readonly NamedReference[]
  /** See `ExpressionAdvice`. */
  readonly doubts: readonly Mistake[]
  /** Whether it is true for every request. */
  readonly constant: boolean
  /** Its value. Throws an `ExpressionFailure`. */
  evaluate(scope: Scope): Json
  /** Whether it is true. One that fails is not, because a request may lack a field: see `failureIn`. */
  holds(scope: Scope): boolean
}

/** A name an expression refers to: `calls("payOrder")`. */
export interface NamedReference {
  readonly kind: 'operation' | 'resource' | 'schema' | 'scenario'
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A mistake in an expression. `start` and `end` count characters of its text. */
export interface Mistake {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly start: number
  readonly end: number
}

/** An expression that could not be evaluated for a request. Its message is for people. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure'
}

/** A type; `dyn` is checked when a request arrives. An object without fields may have any. */
export type ExpressionType =
  | 'string'
  | 'int'
  | 'bool'
  | 'timestamp'
  | 'dyn'
  | { readonly list: ExpressionType }
  | { readonly map: ExpressionType }
  | { readonly fields: Readonly<Record<string, ExpressionType>> }

/** The types of a request's parts, derived from the contract. Expressions are checked against them at load. */
export interface RequestTypes {
  readonly params: ExpressionType
  readonly query: ExpressionType
  readonly cookies: ExpressionType
  readonly body: ExpressionType
}

/** The types of the roots that differ between expressions. */
export interface RootTypes extends RequestTypes {
  /** The type of `record`, the record that a request has written. Unset where expressions do not know it. */
  readonly record?: ExpressionType
}

/** The fields of an object type by name; `undefined` for any other type. */
export const memberTypes = (type: ExpressionType | undefined): Readonly<Record<string, ExpressionType>> | undefined =>
  typeof type === 'object' && 'fields' in type ? type.fields : undefined

/** The values for one request. Each member is read only if an expression names it. */
export interface Scope {
  /** The work that all expressions of the request have done so far, in characters looked at. */
  spent: number
  /** Why the last condition failed, if it did. */
  failure?: unknown
  /** A record before and after its change, for expressions about one. */
  readonly before?: Json
  readonly after?: Json
  /** The converted parts of the request; made on first use. */
  request?: RequestRoot
  /** The converted record that the request has written, for its effects. */
  written?: unknown
  readonly method: string
  readonly path: string
  /** By name, as the contract types them; a value that breaks its schema is absent. */
  readonly params: Readonly<Record<string, Json>>
  readonly query: Readonly<Record<string, Json>>
  readonly cookies: Readonly<Record<string, Json>>
  /** In lower case; of several fields of one name, the values joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
  /** The body as text; empty if there is none, and `undefined` if it was not read. */
  readonly text: string | undefined
  /** Empty if the caller is unknown. */
  readonly consumer: string
  readonly operation: string
  readonly world: string
  /** Milliseconds since the epoch, by the clock of the request. */
  readonly now: number
  /** Counts from 1: requests of this operation in this world, this one included. */
  readonly ordinal: number
  /** Counts from 1: requests of this method and path in this world, this one included. */
  readonly nth: number
  /** Counts from 1: requests of this operation in this world that are let in, this one included. Throws unless it is let in. */
  readonly accepted: number
  /** Returns the number of requests to another operation in this world. */
  calls(operation: string): number
  /** Returns the state of a scenario of the world: empty at first. */
  scenario(name: string): string
  size(resource: string): number
  /** The record and its length as text; `undefined` if there is none. */
  record(resource: string, id: Json): { readonly value: Json; readonly length: number } | undefined
  /** A number in [0, 1) that this request always draws for this purpose. */
  draw(purpose: string): number
  uuid(): string
  /** A value made from a schema of the contract. */
  sample(schema: string): Json
  /** Tells the client of a part of its reply that could not be made. */
  warn(text: string): void
}

/** The hidden first argument of the functions that need the request. */
export class ScopeRoot {
  readonly given: Scope
  constructor(given: Scope) {
    this.given = given
  }
}

/** The value of `records("orders")`. */
export class Records {
  readonly size: () => number
  constructor(scope: Scope, resource: string) {
    this.size = () => scope.size(resource)
  }
}

/** The root `request`. Its parts are converted when they are first looked at, and when they have changed since. */
export class RequestRoot {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly #scope: Scope
  readonly #converted: Partial<Record<keyof RequestTypes, { readonly from: unknown; readonly to: unknown }>> = {}

  constructor(scope: Scope) {
    this.#scope = scope
    ;({ method: this.method, path: this.path, headers: this.headers } = scope)
  }
  #part(name: keyof RequestTypes): unknown {
    const from = this.#scope[name] as Json | undefined
    let converted = this.#converted[name]
    if (converted?.from !== from) {
      converted = { from, to: toExpression(from) }
      this.#converted[name] = converted
    }
    return converted?.to
  }
  get params() {
    return this.#part('params')
  }
  get query() {
    return this.#part('query')
  }
  get cookies() {
    return this.#part('cookies')
  }
  get body() {
    return this.#part('body')
  }
  get text() {
    return this.#scope.text
  }
}

/**
 * The roots by name for the library. Each is read when an expression names it; `_scope` is for functions. An instance of a
 * class takes V8 a fiftieth of the time that an object literal with getters takes.
 */
export class Roots {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }
  get request() {
    this.#scope.request ??= new RequestRoot(this.#scope)
    return this.#scope.request
  }
  get consumer() {
    return this.#scope.consumer
  }
  get operation() {
    return this.#scope.operation
  }
  get now() {
    return momentOf(this.#scope.now)
  }
  get ordinal() {
    return BigInt(this.#scope.ordinal)
  }
  get nth() {
    return BigInt(this.#scope.nth)
  }
  get accepted() {
    return BigInt(this.#scope.accepted)
  }
  get world() {
    return { name: this.#scope.world }
  }
  get record() {
    return this.#scope.written
  }
  get before() {
    return toExpression(this.#scope.before)
  }
  get after() {
    return toExpression(this.#scope.after)
  }
  get _scope() {
    return new ScopeRoot(this.#scope)
  }
}

/** A JSON value for an expression. Integers become bigints, because the language has no other integers. */
export function toExpression(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(toExpression)
  if (value instanceof Decimal) return Number(value.text)
  if (value === null || typeof value !== 'object') return value
  const out: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) put(out, name, toExpression(member as Json))
  return out
}

/**
 * The result of an expression as JSON. A timestamp is RFC 3339 text; a value that JSON lacks, such as bytes, is text.
 *
 * @param count receives the approximate length of each part before the next is made: each item of a list may hold the list
 */
export function toJson(value: unknown, count: (characters: number) => void = () => {}): Json {
  count(typeof value === 'string' ? value.length : 6)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const time = timeOf(value)
  if (time !== undefined) return Number.isNaN(time) ? null : timestamp(time)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, one => toJson(one, count))
  const entries = value instanceof Map ? value.entries() : isMap(value) ? Object.entries(value) : undefined
  if (entries === undefined) return String(value)
  const out: Record<string, Json> = {}
  for (const [name, member] of entries) {
    if (member === undefined) continue
    count(String(name).length + 2)
    put(out, String(name), toJson(member, count))
  }
  return out
}

/** Returns whether a value is a map of the expression language. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && (value.constructor === Object || value.constructor === undefined)
