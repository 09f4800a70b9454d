// Regular expressions that cannot block the process, for any pattern and any text. A short text goes to V8's usual
// engine, a long one to its linear engine. A very long text, and a pattern that the linear engine does not support, go to the
// usual engine and are interrupted after a time.

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
/** The length above which the linear engine would take more than some ten milliseconds: up to 0.5 µs for each unit. */
const VERY_LONG = 100_000

/**
 * Compiles an expression; throws a `SyntaxError` as `RegExp` does.
 *
 * @param source a pattern as `RegExp` accepts it
 */
export function compileGuarded(source: string, flags: string): RegExp {
  const plain = new RegExp(source, flags)
  const nesting = findNesting(source)
  const short = shortFor(nesting)
  if (short === Number.POSITIVE_INFINITY) return plain
  const { nested, endless, anchored } = nesting
  return new GuardedRegExp(source, flags, short, anchored && endless === 1 && !nested)
}

const shortFor = ({ nested, endless }: Nesting): number =>
  nested ? SHORT_FOR_NESTED : (SHORT[endless] ?? SHORT_FOR_NESTED)

class GuardedRegExp extends RegExp {
  readonly #short: number
  readonly #simple: boolean
  #tryLong: ((text: string) => boolean) | undefined
  #tryVeryLong: ((text: string) => boolean) | undefined

  /** @param simple whether a search looks at each character a few times only, unless the pattern has large counts */
  constructor(source: string, flags: string, short: number, simple: boolean) {
    super(source, flags)
    this.#short = short
    this.#simple = simple
  }

  override test(text: string): boolean {
    if (text.length <= this.#short) return super.test(text)
    if (text.length <= VERY_LONG) {
      this.#tryLong ??= compileLinear(this.source, this.flags) ?? this.#compileInterruptible()
      return this.#tryLong(text)
    }
    this.#tryVeryLong ??= this.#compileForVeryLong()
    return this.#tryVeryLong(text)
  }

  #compileForVeryLong() {
    // The usual engine leaves the search to the linear one if it backtracks too often.
    if (this.#simple && compileLinear(this.source, this.flags) !== undefined) return (text: string) => super.test(text)
    return this.#compileInterruptible()
  }

  #compileInterruptible() {
    return compileInterruptible(new RegExp(this.source, this.flags))
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

/** Milliseconds of processor time after which a search is interrupted; the text then counts as not matching. */
const PATIENCE = 40
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
    const found = searchPatiently(expression, text, patience)
    skipped = 0
    toSkip = found === undefined ? Math.min(MOST_SKIPPED, toSkip * 2 + 1) : 0
    patience = found === undefined ? Math.max(LEAST_PATIENCE, patience >> 1) : PATIENCE
    return found ?? false
  }
}

/** An expression, or another search in JavaScript. One that was interrupted must not be used again if it keeps state. */
interface Search {
  test(text: string): boolean
}

/** On a busy machine a search gets this many times its patience, in time that passes. */
const MOST_WAITING = 32

/**
 * As `searchWithin`, for milliseconds of processor time: on a busy machine more of them pass. The time of the system does not
 * count, which gives the first searches of a process the memory for their backtracking.
 */
export function searchPatiently(expression: Search, text: string, milliseconds: number): boolean | undefined {
  for (let time = milliseconds; ; time *= 2) {
    const before = process.cpuUsage()
    const found = searchWithin(expression, text, time)
    if (found !== undefined) return found
    const { user } = process.cpuUsage(before)
    if (user / 1000 >= 0.75 * milliseconds || time >= MOST_WAITING * milliseconds) return undefined
  }
}

interface PatternTrial {
  expression?: Search
  text?: string
}

let trial: { readonly sandbox: PatternTrial; readonly script: Script } | undefined

/** Returns whether an expression matches; `undefined` if that takes longer than `milliseconds`. */
function searchWithin(expression: Search, text: string, milliseconds: number): boolean | undefined {
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
