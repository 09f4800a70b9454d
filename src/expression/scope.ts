// The roots and functions of the expression language. Independent of how a gateway fills them in.

import type { Json } from '../kernel/json.ts'
import { type Moment, momentOf } from '../world/clock.ts'
import { toExpression } from './values.ts'

/** The values for one request. Each member is read only if an expression names it. */
export interface Scope {
  readonly method: string
  readonly path: string
  /** By name, as the contract types them; a value that breaks its schema is absent. */
  readonly params: Readonly<Record<string, Json>>
  readonly query: Readonly<Record<string, Json>>
  readonly cookies: Readonly<Record<string, Json>>
  /** In lower case; of several fields of one name, the values joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
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
  /** Returns the number of requests to another operation in this world. */
  calls(operation: string): number
  size(resource: string): number | Promise<number>
  /** The record; `undefined` if there is none. */
  record(resource: string, id: Json): Json | undefined | Promise<Json | undefined>
  /** A number in [0, 1) that this request always draws for this purpose. */
  draw(purpose: string): number
  uuid(): string
  /** A value made from a schema of the contract. */
  sample(schema: string): Json
}

/** The root `request`. Its parts are converted when they are first looked at, and once. */
export class RequestRoot {
  readonly #scope: Scope
  #params: unknown
  #query: unknown
  #cookies: unknown
  #body: unknown

  constructor(scope: Scope) {
    this.#scope = scope
  }
  get method(): string {
    return this.#scope.method
  }
  get path(): string {
    return this.#scope.path
  }
  get params(): unknown {
    this.#params ??= toExpression(this.#scope.params as Json)
    return this.#params
  }
  get query(): unknown {
    this.#query ??= toExpression(this.#scope.query as Json)
    return this.#query
  }
  get cookies(): unknown {
    this.#cookies ??= toExpression(this.#scope.cookies as Json)
    return this.#cookies
  }
  get headers(): Readonly<Record<string, string>> {
    return this.#scope.headers
  }
  get body(): unknown {
    this.#body ??= toExpression(this.#scope.body)
    return this.#body
  }
}

/** The root `world`. */
export class WorldRoot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
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
  readonly #scope: Scope
  readonly #resource: string
  constructor(scope: Scope, resource: string) {
    this.#scope = scope
    this.#resource = resource
  }
  size(): number | Promise<number> {
    return this.#scope.size(this.#resource)
  }
}

/** The roots by name for the library. `_scope` is the hidden first argument of the functions. */
export class Roots {
  readonly #scope: Scope
  #request: RequestRoot | undefined

  constructor(scope: Scope) {
    this.#scope = scope
  }
  get request(): RequestRoot {
    this.#request ??= new RequestRoot(this.#scope)
    return this.#request
  }
  get consumer(): string {
    return this.#scope.consumer
  }
  get operation(): string {
    return this.#scope.operation
  }
  get now(): Moment {
    return momentOf(this.#scope.now)
  }
  get ordinal(): bigint {
    return BigInt(this.#scope.ordinal)
  }
  get nth(): bigint {
    return BigInt(this.#scope.nth)
  }
  get world(): WorldRoot {
    return new WorldRoot(this.#scope.world)
  }
  get _scope(): ScopeRoot {
    return new ScopeRoot(this.#scope)
  }
}
