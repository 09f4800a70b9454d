// Evaluates a compiled expression for a request. A failure says why; a result has a bounded size.

import type { Json } from '../kernel/json.ts'
import { resetSteps } from './costs.ts'
import { type LibraryError, plainWords } from './mistakes.ts'
import { ExpressionFailure, rootsOf, type Scope, toJson } from './scope.ts'

/** The result of an expression may have this many characters as JSON. */
const LONGEST_RESULT = 1_000_000

/** A parsed expression, as the library evaluates it. */
type RunExpression = (context?: never) => unknown

/** Evaluates, and returns the library's value. */
function runQuietly(run: RunExpression, scope: Scope): unknown {
  // A failure is an ordinary outcome. Its stack is never read and would cost four times the evaluation.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  resetSteps()
  try {
    return run(rootsOf(scope) as never)
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
  if (remaining(LONGEST_RESULT, json) >= 0) return json
  throw new ExpressionFailure(`the result has more than ${LONGEST_RESULT} characters`)
}

/** Returns about how many characters are left after those of a value as JSON. Stops counting below 0. */
function remaining(left: number, value: Json): number {
  if (value === null || typeof value !== 'object') return left - (typeof value === 'string' ? value.length : 6)
  let rest = left
  for (const [name, member] of Object.entries(value)) {
    if (rest < 0) return rest
    rest = remaining(rest - name.length - 2, member as Json)
  }
  return rest
}
