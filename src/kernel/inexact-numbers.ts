// A quick look at a JSON text for numbers that a double would change: most texts have none, and need no second reading.

/**
 * Returns whether a JSON text may hold a number that a double would change: sixteen digits in a row, an exponent, or, with
 * `decimals`, a fraction that ends in a zero or a number of more than sixteen characters. The answer may be yes for a text
 * without one. A loop, and no pattern: a pattern takes twice as long, and 170 ns a character where the engine takes its linear
 * matcher (see `guarded-pattern.ts`).
 *
 * @param decimals whether numbers with a fraction count too
 */
export function looksInexact(text: string, decimals: boolean): boolean {
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
