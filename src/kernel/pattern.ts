// Regular expressions as API documents have them: ECMA-262 mostly, but also those of other languages where the meaning
// is plain. Knows no schema.

import { compileGuarded } from './guarded-pattern.ts'

/**
 * The expression a `pattern` stands for; `undefined` where no reading of it is one. `\A`, `\z` and a leading `(?i)` are
 * taken for what they mean elsewhere, and so are the slashes around `/^…$/`.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  const slashes = /^\/(\^[\s\S]*\$)\/([a-z]*)$/.exec(pattern)
  const inside = slashes?.[1] ?? pattern
  const ignoresCase = slashes?.[2]?.includes('i') || inside.startsWith('(?i)') || inside.startsWith('^(?i)')
  const text = inside.replace(/^(\^?)\(\?i\)/, '$1')
  const flags = ignoresCase ? 'i' : ''
  // Only with the flag are \p{…} and \u{…} what they seem; without it, more of what people write is tolerated.
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
  // Without the flag `\A` is the letter A, which nobody means.
  if (!flags.includes('u') && /(?<!\\)(?:\\\\)*\\[AzZ]/.test(text)) return undefined
  try {
    return compileGuarded(text, flags)
  } catch {
    return undefined
  }
}
