// Reads the regular expressions of API documents: ECMA-262, and the dialects of other languages where the meaning is
// clear. Independent of schemas.

import { compileGuarded } from './guarded-pattern.ts'

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
    return compileGuarded(text, flags)
  } catch {
    return undefined
  }
}
