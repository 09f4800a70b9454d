// A quick look at a JSON text for numbers that a double would change: most texts have none, and need no second reading.

// Sixteen digits in a row, or an exponent: nothing else leaves the safe range, or the range of a double.
const SUSPICIOUS = /\d{16}|\d[eE]\+?\d/
// A number that ends in a zero behind its point, or that has more than sixteen characters.
const SUSPICIOUS_DECIMAL = /(?:^|[:,[\s])-?(?:\d+\.\d*0(?=[\s,}\]]|$)|[\d.]{17})/

/**
 * Texts of more characters are not given to a pattern: the engine may take its linear matcher, at 170 ns a character (see
 * `guarded-pattern.ts`).
 */
const LONG = 10_000

/**
 * Returns whether a JSON text may hold a number that a double would change. The answer may be yes for a text without one.
 *
 * @param decimals whether numbers with a fraction count too
 */
export const looksInexact = (text: string, decimals: boolean): boolean =>
  text.length > LONG
    ? scan(text, decimals)
    : SUSPICIOUS.test(text) || (decimals && text.includes('.') && SUSPICIOUS_DECIMAL.test(text))

/** Does the same as the patterns, and now and then more carefully: a few nanoseconds a character. */
function scan(text: string, decimals: boolean): boolean {
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isDigit(code)) {
      if (++digits === 16) return true
      continue
    }
    if (digits === 0) continue
    if (code === 69 || code === 101) {
      const sign = text.charCodeAt(i + 1) === 43 ? 1 : 0
      if (isDigit(text.charCodeAt(i + 1 + sign))) return true
    }
    const whole = digits
    digits = 0
    if (code !== 46) continue
    while (isDigit(text.charCodeAt(i + digits + 1))) digits += 1
    if (digits >= 16) return true
    i += digits
    if (decimals && digits > 0 && (text.charCodeAt(i) === ZERO || whole + 1 + digits >= 17)) return true
  }
  return false
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

const [ZERO, NINE] = [48, 57]
