// Regular expressions of API documents: ECMA-262, and the dialects of other languages where the meaning is clear. They cannot
// block the process, for any pattern and any text: V8 searches short texts, RE2 long ones, and V8 is interrupted after a time
// for a pattern that RE2 does not support. Independent of schemas.

import { interruptible, LinearPattern, searchPatiently } from './linear.ts'
import { findNesting, type Nesting, TOKEN } from './nesting.ts'

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
  try {
    return new GuardedRegExp(text, flags)
  } catch {
    return undefined
  }
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
