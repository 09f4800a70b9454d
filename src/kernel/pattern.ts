// Regular expressions of API documents: ECMA-262, and the dialects of other languages where the meaning is clear. They cannot
// block the process, for any pattern and any text: V8 searches short texts, RE2 long ones, and V8 is interrupted after a time
// for a pattern that RE2 does not support. The door to re2js. Independent of schemas.

import { createContext, Script } from 'node:vm'
import { RE2JS } from 're2js'
import { attempted } from './memo.ts'

/**
 * Compiles a `pattern`; `undefined` if it is not a regular expression. `\A`, `\z`, a leading `(?i)` and the slashes around
 * `/^…$/` have the meaning that other languages give them.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  const slashes = /^\/(\^[\s\S]*\$)\/([a-z]*)$/.exec(pattern)
  const inside = slashes?.[1] ?? pattern
  const ignoresCase = slashes?.[2]?.includes('i') || inside.startsWith('(?i)') || inside.startsWith('^(?i)')
  const text = inside.replace(/^(\^?)\(\?i\)/, '$1')
  const flags = ignoresCase ? 'i' : ''
  // `\p{…}` and `\u{…}` need the flag `u`; without it the engine tolerates more of the patterns in use.
  const unicode = /\\[pPu]\{/.test(text)
  const plain = text.replace(/\\A/g, '^').replace(/\\[zZ]/g, '$')
  return (
    attempt(text, unicode ? `${flags}u` : flags) ??
    attempt(plain, unicode ? `${flags}u` : flags) ??
    attempt(plain, flags) ??
    attempt(plain, `${flags}u`)
  )
}

const attempt = (text: string, flags: string): RegExp | undefined => {
  // Without the flag `u`, `\A` would match the letter A.
  if (!flags.includes('u') && /(?<!\\)(?:\\\\)*\\[AzZ]/.test(text)) return undefined
  return attempted(() => new GuardedRegExp(text, flags))
}

/** The steps that V8 may take for a text: some tenths of a millisecond. A body may have thousands of texts. */
const MOST_STEPS = 30_000
/** The combinations with which a pattern may be searched in a text of any length in linear time. */
const FEW_WAYS = 50
/** V8 backtracks with memory in proportion to the length. */
const LONGEST = 1_000_000
/** The length up to which nested repetitions take few steps. */
const SHORT_FOR_NESTED = 12

/** Returns the length of texts, in UTF-16 units, up to which V8 is quick. */
function shortFor({ nested, endless, ways, anchored }: Nesting): number {
  if (nested) return SHORT_FOR_NESTED
  const power = endless + (anchored ? 0 : 1)
  if (power === 0 ? ways <= MOST_STEPS : power === 1 && ways <= FEW_WAYS) return LONGEST
  return (MOST_STEPS / ways) ** (1 / power)
}

class GuardedRegExp extends RegExp {
  readonly #short: number
  #testLong: ((text: string) => boolean) | undefined

  constructor(source: string, flags: string) {
    super(source, flags)
    this.#short = shortFor(findNesting(source))
  }

  override test(text: string): boolean {
    if (text.length <= this.#short) return super.test(text)
    this.#testLong ??= compileForLong(this.source, this.flags)
    return this.#testLong(text)
  }
}

function compileForLong(source: string, flags: string): (text: string) => boolean {
  const plain = new RegExp(source, flags)
  const testPlain = interruptible((text, patience) => searchPatiently(plain, text, patience))
  const translated = toRe2(source, flags)
  let linear: LinearPattern
  try {
    if (translated === undefined) return testPlain
    linear = new LinearPattern(translated)
  } catch {
    return testPlain
  }
  const testLinear = interruptible(text => linear.test(text))
  // RE2 takes two surrogates for one character, V8 only with the flag `u`.
  return text => (!flags.includes('u') && SURROGATE.test(text) ? testPlain(text) : testLinear(text))
}

const SURROGATE = /[\ud800-\udfff]/

/** Returns a pattern in RE2's syntax; `undefined` if some of it has no equivalent there. */
function toRe2(source: string, flags: string): string | undefined {
  const parts: string[] = [flags.includes('i') ? '(?i)' : '']
  for (const [token] of source.matchAll(TOKEN)) {
    const part = token.startsWith('[') ? classToRe2(token, flags) : tokenToRe2(token, flags)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return parts.join('')
}

function tokenToRe2(token: string, flags: string): string | undefined {
  if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]'
  if (token === '\\s' || token === '\\S') return `[${token === '\\S' ? '^' : ''}${SPACES}]`
  if (token === '\\b' || token === '\\B') return token
  if (token.startsWith('\\')) return escapeToRe2(token, flags)
  if (/^\(\?(?!:)/.test(token) || SURROGATE.test(token)) return undefined
  return /^[\]{}]$/.test(token) ? `\\${token}` : token
}

function classToRe2(token: string, flags: string): string | undefined {
  const negated = token.startsWith('[^')
  const inside = token.slice(negated ? 2 : 1, -1)
  if (inside === '') return undefined
  const parts = [...inside.matchAll(/\\(?:[pPu]\{[^}]*\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|[\s\S]/gu)].map(([one]) => {
    if (one === '\\s') return SPACES
    if (one === '\\b') return '\\x08'
    return one.startsWith('\\') ? escapeToRe2(one, flags) : one === '[' ? '\\[' : one
  })
  return parts.includes(undefined) ? undefined : `[${negated ? '^' : ''}${parts.join('')}]`
}

/** The blanks of ECMA-262: RE2's are those of ASCII. */
const SPACES =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'

function escapeToRe2(token: string, flags: string): string | undefined {
  if (/^\\(?:[dDwWtnrfv]|x[\da-fA-F]{2}|[^\p{L}\p{N}])$/u.test(token)) return token
  const [, code] = /^\\u\{?([\da-fA-F]{1,6})\}?$/.exec(token) ?? []
  if (code !== undefined)
    return SURROGATE.test(String.fromCharCode(Number.parseInt(code, 16))) ? undefined : `\\x{${code}}`
  // Only a general category has the same name in both.
  if (/^\\[pP]\{[A-Z][a-z]?\}$/.test(token)) return flags.includes('u') ? token : undefined
  // Any other letter that is escaped in vain is itself, unless it has a meaning.
  return /^\\[aeghijlmoqyzACE-OQRT-VX-Z]$/.test(token) && !flags.includes('u') ? token.slice(1) : undefined
}

/** The repetitions of a pattern. */
interface Nesting {
  /** A repeated group contains another repetition, an option or alternatives. */
  readonly nested: boolean
  /** The number of unbounded repetitions. */
  readonly endless: number
  /** How many combinations of alternatives and of rounds of bounded repetitions there are. */
  readonly ways: number
  /** Whether it matches at the beginning of a text only. */
  readonly anchored: boolean
}

interface PatternGroup {
  /** Whether it contains a repetition, an option or alternatives. */
  varies: boolean
  alternatives: number
}

/** Matches each part of a pattern: an escape, a class, a bracket of a group, a quantifier, or another character. */
const TOKEN =
  /\\(?:[pPu]\{[^}]{0,80}\}|k<[^>]{0,80}>|x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]{0,80}>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|./gs

/**
 * Finds repetitions within repetitions in a valid pattern, such as `(a+)+`, in linear time: a backtracking engine may take
 * exponential time over them.
 */
export function findNesting(pattern: string): Nesting {
  const groups: PatternGroup[] = [{ varies: false, alternatives: 1 }]
  let nested = false
  let endless = 0
  let ways = 1
  let anchored = pattern.startsWith('^')
  /** The group that the token before has closed. */
  let closed: PatternGroup | undefined
  for (const [token] of pattern.matchAll(TOKEN)) {
    const group = groups.at(-1) as PatternGroup
    const repeated = closed
    closed = undefined
    const repetition = repetitionOf(token)
    if (repetition !== undefined) {
      const { least, most } = repetition
      nested ||= most > 1 && repeated?.varies === true
      group.varies ||= least !== most
      if (most === Number.POSITIVE_INFINITY) endless += 1
      else ways *= most - least + 1
    } else if (token.startsWith('(')) groups.push({ varies: false, alternatives: 1 })
    else if (token === ')' && groups.length > 1) {
      ways *= group.alternatives
      groups.pop()
      const outer = groups.at(-1) as PatternGroup
      outer.varies ||= group.varies
      closed = group
    } else if (token === '|') {
      if (groups.length === 1) anchored = false
      group.alternatives += 1
      group.varies = true
    }
  }
  ways *= groups[0]?.alternatives ?? 1
  return { nested, endless, ways, anchored }
}

/** The short quantifiers as counts. */
const COUNTS: Readonly<Record<string, string>> = { '*': '{0,}', '+': '{1,}', '?': '{0,1}' }

function repetitionOf(token: string): { least: number; most: number } | undefined {
  const [all, least, bound] = /^\{(\d+),?(\d*)\}/.exec(COUNTS[token.charAt(0)] ?? token) ?? []
  if (all === undefined) return undefined
  const most = bound || (all.includes(',') ? Number.POSITIVE_INFINITY : least)
  return { least: Number(least), most: Number(most) }
}

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
function interruptible(find: (text: string, patience: number) => boolean | undefined): (text: string) => boolean {
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
function searchPatiently(search: Search, text: string, milliseconds: number): boolean | undefined {
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
