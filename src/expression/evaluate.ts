// Evaluates a compiled expression for a request. A failure says why; a result has a bounded size.

import type { Json } from '../kernel/json.ts'
import { resetSteps } from './costs.ts'
import { type LibraryError, plainWords } from './mistakes.ts'
import { ExpressionFailure, Roots, type Scope, toJson } from './scope.ts'

/** The result of an expression may have this many characters as JSON. */
const LONGEST_RESULT = 1_000_000

/** A parsed expression, as the library evaluates it. */
export type RunExpression = (context?: never) => unknown

/** Evaluates, and returns the library's value. */
function runQuietly(run: RunExpression, scope: Scope): unknown {
  // A failure is an ordinary outcome. Its stack is never read and would cost four times the evaluation.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  resetSteps()
  try {
    return run(new Roots(scope) as never)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Returns the value. Throws an `ExpressionFailure`, or rejects with one. */
export function evaluate(run: RunExpression, scope: Scope): Json | Promise<Json> {
  try {
    const value = runQuietly(run, scope)
    if (!(value instanceof Promise)) return bounded(value)
    return value.then(bounded).catch(error => {
      throw failureOf(error)
    })
  } catch (error) {
    throw failureOf(error)
  }
}

/** Returns whether the value is true; a failure counts as false. */
export function isTrue(run: RunExpression, scope: Scope): boolean | Promise<boolean> {
  const failed = (error: unknown): false => {
    if (isOutage(error)) throw error
    return false
  }
  try {
    const value = runQuietly(run, scope)
    return value instanceof Promise ? value.then(result => result === true, failed) : value === true
  } catch (error) {
    return failed(error)
  }
}

/** Returns whether the state was unavailable. The error is then passed on, because the expression did not cause it. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof ExpressionFailure || error instanceof RangeError || error instanceof TypeError) &&
  (error as LibraryError).code === undefined

const failureOf = (error: unknown): unknown => {
  if (isOutage(error) || error instanceof ExpressionFailure) return error
  // The library reads any property of a timestamp or a duration, even `now.__proto__`, and fails on the value.
  if (error instanceof TypeError && !('code' in error))
    return new ExpressionFailure('the value does not have this field')
  const { summary, message } = error as LibraryError
  return new ExpressionFailure(plainWords(summary ?? message))
}

function bounded(value: unknown): Json {
  const json = toJson(value)
  if (typeof json === 'boolean' || typeof json === 'number' || json === null) return json
  const length = typeof json === 'string' ? json.length : jsonLength(json)
  if (length <= LONGEST_RESULT) return json
  throw new ExpressionFailure(`the result has more than ${LONGEST_RESULT} characters`)
}

/** About how many characters a value takes as JSON; stops counting above the bound. */
function jsonLength(value: Json): number {
  let length = 0
  const add = (one: Json): void => {
    if (length > LONGEST_RESULT) return
    length += typeof one === 'string' ? one.length + 2 : 6
    if (Array.isArray(one)) one.forEach(add)
    else if (one !== null && typeof one === 'object') {
      for (const [name, member] of Object.entries(one)) {
        length += name.length
        add(member as Json)
      }
    }
  }
  add(value)
  return length
}
