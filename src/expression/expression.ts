// A compiled expression, and how it fails: at load with a mistake, for a request with a failure.

import type { Json } from '../kernel/json.ts'
import type { Scope } from './scope.ts'

/** A mistake in an expression. `start` and `end` count characters of its text. */
export interface Mistake {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly start: number
  readonly end: number
}

/** A name that an expression refers to: `calls("payOrder")`. */
export interface NamedReference {
  readonly kind: 'operation' | 'resource' | 'schema'
  readonly name: string
  readonly start: number
  readonly end: number
}

export interface Expression {
  readonly text: string
  /** The type of its value, if it is known at load: `string`, `int`, `double`, `bool`, `list`, `map`, `dyn` … */
  readonly type: string
  /** The parts that the expression reads: `request.body`, `nth`, `consumer` … */
  readonly roots: ReadonlySet<string>
  readonly references: readonly NamedReference[]
  /** Whether it is true for every request. */
  readonly constant: boolean
  /** Its value. Throws an `ExpressionFailure`, or rejects with one. */
  evaluate(scope: Scope): Json | Promise<Json>
  /** Whether it is true. An expression that fails is not: a field that a request lacks is an ordinary case. */
  holds(scope: Scope): boolean | Promise<boolean>
}

/** An expression that could not be evaluated for a request. Its message is for people. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure'
}
