// Searches that cannot block the process: in linear time (RE2), or interrupted after a time. The door to re2js.

import { createContext, Script } from 'node:vm'
import { RE2JS } from 're2js'

/** Finds a pattern in a text. One that was interrupted must not be used again if it keeps state. */
interface Search {
  test(text: string): boolean
}

/** A search that takes some 20 ms at most: the characters of the text for each instruction of the program. */
const LONG_SEARCH = 1_280_000

/** A regular expression in RE2's syntax. */
export class LinearPattern {
  /** The number of instructions. */
  readonly size: number
  readonly #source: string
  #expression: RE2JS

  /** @throws an `Error` for an invalid pattern, and for one that RE2 does not support */
  constructor(source: string) {
    this.#source = source
    this.#expression = RE2JS.compile(source)
    this.size = this.#expression.programSize()
  }

  /** Whether some part of a text matches; `undefined` if the search was interrupted. */
  test(text: string): boolean | undefined {
    if (text.length * this.size <= LONG_SEARCH) return this.#expression.test(text)
    const found = searchPatiently(this.#expression, text, LINEAR_PATIENCE)
    // Its buffers may be in the middle of a search.
    if (found === undefined) this.#expression = RE2JS.compile(this.#source)
    return found
  }
}

/** Milliseconds of processor time after which a search is interrupted; in linear time a megabyte takes 10 to 70. */
const LINEAR_PATIENCE = 80
const PATIENCE = 40
const LEAST_PATIENCE = 5
const MOST_SKIPPED = 1024

/**
 * Makes a search that is interrupted after a time; the text then counts as not matching. This costs 0.1 to 0.3 ms a text. A body
 * may hold ten thousand hostile texts: after each interruption the next search gets half the time, and twice as many texts
 * are refused without one, up to 1024.
 *
 * @param find returns `undefined` if it takes longer than the milliseconds
 */
export function interruptible(
  find: (text: string, patience: number) => boolean | undefined,
): (text: string) => boolean {
  let patience = PATIENCE
  let skipped = 0
  let toSkip = 0
  return text => {
    if (skipped < toSkip) {
      skipped += 1
      return false
    }
    const found = find(text, patience)
    skipped = 0
    toSkip = found === undefined ? Math.min(MOST_SKIPPED, toSkip * 2 + 1) : 0
    patience = found === undefined ? Math.max(LEAST_PATIENCE, patience >> 1) : PATIENCE
    return found ?? false
  }
}

/** On a busy machine a search gets this many times its patience, in time that passes. */
const MOST_WAITING = 32

/**
 * Returns whether a text matches; `undefined` if that takes longer than some milliseconds of processor time: on a busy machine
 * more of them pass. The time of the system does not count, which gives the first searches of a process the memory for their
 * backtracking.
 */
export function searchPatiently(search: Search, text: string, milliseconds: number): boolean | undefined {
  for (let time = milliseconds; ; time *= 2) {
    const before = process.cpuUsage()
    const found = searchWithin(search, text, time)
    if (found !== undefined) return found
    const { user } = process.cpuUsage(before)
    if (user / 1000 >= 0.75 * milliseconds || time >= MOST_WAITING * milliseconds) return undefined
  }
}

interface SearchTrial {
  search?: Search
  text?: string
}

let trial: { readonly sandbox: SearchTrial; readonly script: Script } | undefined

function searchWithin(search: Search, text: string, milliseconds: number): boolean | undefined {
  trial ??= { sandbox: createContext({}) as SearchTrial, script: new Script('search.test(text)') }
  const { sandbox, script } = trial
  Object.assign(sandbox, { search, text })
  try {
    return script.runInContext(sandbox, { timeout: milliseconds }) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    Object.assign(sandbox, { search: undefined, text: undefined })
  }
}
