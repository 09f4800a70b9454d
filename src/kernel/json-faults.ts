// Faults of texts that should be JSON: nested too deep, or invalid at a line and a column.

/** Returns whether a text nests objects and lists deeper than `limit`; the text need not be JSON. */
export function deeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 92) i++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      if (++depth > limit) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}

/**
 * Describes a syntax error as a sentence without its subject.
 *
 * @param message that of `JSON.parse`; it differs between Node versions, and only these three forms are stable
 */
export function describeSyntaxError(text: string, message: string): string {
  if (text.trim() === '') return 'is empty'
  if (/end of JSON|unterminated/i.test(message)) return 'is not JSON: it ends too early'
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position === undefined) return 'is not JSON'
  if (Number(position) >= text.length) return 'is not JSON: it ends too early'
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < Number(position); end = text.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  const place = `line ${line}, column ${Number(position) - start + 1}`
  return `is not JSON: unexpected ${JSON.stringify(text[Number(position)])} at ${place}`
}
