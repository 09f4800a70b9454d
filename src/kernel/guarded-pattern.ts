// Regular expressions that cannot block the process, for any pattern and any text. A short text goes to V8's usual
// engine, a long one to its linear engine. A pattern that the linear engine does not support is interrupted after a time.

import { setFlagsFromString } from 'node:v8'
import { createContext, Script } from 'node:vm'
import { findNesting, type Nesting } from './nested-quantifiers.ts'

// These flags must be set before any expression is compiled. The first leaves a search that backtracks 50,000 times to the
// linear engine: `^(a+)+$` on 30 letters takes 2 ms instead of 16 s (Node 20 to 26). The second offers that engine by the
// flag `l`, here alone.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks')
setFlagsFromString('--enable-experimental-regexp-engine')

/**
 * The length in UTF-16 units up to which any engine is quick (about 10,000 steps), by the number of unbounded repetitions.
 */
const SHORT = [Number.POSITIVE_INFINITY, 300, 70, 40]
const SHORT_FOR_NESTED = 12

/**
 * Compiles an expression; throws a `SyntaxError` as `RegExp` does.
 *
 * @param source a pattern as `RegExp` accepts it
 */
export function compileGuarded(source: string, flags: string): RegExp {
  const plain = new RegExp(source, flags)
  const short = shortFor(findNesting(source))
  return short === Number.POSITIVE_INFINITY ? plain : new GuardedRegExp(source, flags, short)
}

const shortFor = ({ nested, endless }: Nesting): number =>
  nested ? SHORT_FOR_NESTED : (SHORT[endless] ?? SHORT_FOR_NESTED)

class GuardedRegExp extends RegExp {
  readonly #short: number
  #tryLong: ((text: string) => boolean) | undefined

  constructor(source: string, flags: string, short: number) {
    super(source, flags)
    this.#short = short
  }

  override test(text: string): boolean {
    if (text.length <= this.#short) return super.test(text)
    this.#tryLong ??=
      compileLinear(this.source, this.flags) ?? compileInterruptible(new RegExp(this.source, this.flags))
    return this.#tryLong(text)
  }
}

/**
 * Returns `undefined` if the linear engine does not support the pattern: look-around, back references, flags, large counts.
 */
function compileLinear(source: string, flags: string): ((text: string) => boolean) | undefined {
  if (flags !== '') return undefined
  try {
    const linear = new RegExp(source, 'l')
    return text => linear.test(text)
  } catch {
    return undefined
  }
}

/** Milliseconds after which a search is interrupted, twice where none was before; the text then counts as not matching. */
const PATIENCE = 40
/** A shorter time would interrupt harmless patterns on a busy machine. */
const LEAST_PATIENCE = 5
const MOST_SKIPPED = 1024

/**
 * Matches a text in a context that can be interrupted, which costs 0.1 to 0.3 ms. A body may hold ten thousand hostile
 * texts: after each interruption the next search gets half the time, and twice as many texts are refused without one, up to
 * 1024.
 */
function compileInterruptible(expression: RegExp): (text: string) => boolean {
  let patience = PATIENCE
  let skipped = 0
  let toSkip = 0
  return text => {
    if (skipped < toSkip) {
      skipped += 1
      return false
    }
    let found = searchWithin(expression, text, patience)
    // The machine may have been busy with something else, and the text may be harmless.
    if (found === undefined && patience === PATIENCE) found = searchWithin(expression, text, patience)
    skipped = 0
    toSkip = found === undefined ? Math.min(MOST_SKIPPED, toSkip * 2 + 1) : 0
    patience = found === undefined ? Math.max(LEAST_PATIENCE, patience >> 1) : PATIENCE
    return found ?? false
  }
}

interface PatternTrial {
  expression?: RegExp
  text?: string
}

let trial: { readonly sandbox: PatternTrial; readonly script: Script } | undefined

/** Returns whether an expression matches; `undefined` if that takes longer than `milliseconds`. */
function searchWithin(expression: RegExp, text: string, milliseconds: number): boolean | undefined {
  trial ??= { sandbox: createContext({}) as PatternTrial, script: new Script('expression.test(text)') }
  const { sandbox, script } = trial
  Object.assign(sandbox, { expression, text })
  try {
    return script.runInContext(sandbox, { timeout: milliseconds }) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    Object.assign(sandbox, { expression: undefined, text: undefined })
  }
}
