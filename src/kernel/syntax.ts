// Describes YAML syntax errors for the author, at the place where a person would look. Depends on the error codes of the
// YAML library and not the library itself.

/** A syntax error as the library reports it, with its offsets. */
export interface SyntaxFault {
  readonly code: string
  readonly message: string
  readonly pos: readonly [number, number]
}

/** A syntax error to report. */
export interface Wording {
  readonly message: string
  readonly from: number
  readonly to: number
  readonly hint?: string
}

/**
 * Describes the first syntax error of a text. Later ones are mostly its consequences.
 *
 * @param opened the offsets of the brackets, braces and quotes that may be unclosed, innermost last
 */
export function describeSyntax(text: string, fault: SyntaxFault, opened: readonly number[]): Wording {
  const { code, message } = fault
  const at = settle(text, fault.pos[0])
  const here = { from: at, to: wordEnd(text, at) }
  const braces = /\$\{[^{}\s]*\}?/y
  braces.lastIndex = Math.max(0, at - (text[at - 1] === '$' ? 1 : 0))
  const placeholder = braces.exec(text)
  if (placeholder !== null) {
    const [whole] = placeholder
    const hint = `write "${whole.endsWith('}') ? whole : `${whole}}`}"`
    return {
      message: 'a placeholder between braces must be quoted',
      from: placeholder.index,
      to: braces.lastIndex,
      hint,
    }
  }
  const open = opened.findLast(one => /["'[{]/.test(text[one] ?? ''))
  if (open !== undefined && /must (?:be sufficiently indented and )?end with|Missing closing/.test(message)) {
    const bracket = text[open] as string
    const hint = `a ${CLOSING[bracket] ?? bracket} is missing`
    return { message: `this ${bracket} is never closed`, from: open, to: open + 1, hint }
  }
  switch (code) {
    case 'TAB_AS_INDENT':
      return {
        message: 'tabs cannot be used to indent',
        ...here,
        from: fault.pos[0],
        to: fault.pos[0] + 1,
        hint: 'indent with spaces',
      }
    case 'BAD_INDENT':
      return { message: 'the indentation differs from that of the neighbouring lines', ...here }
    case 'BLOCK_AS_IMPLICIT_KEY': {
      const end = text.indexOf('\n', at)
      if (/:\s/.test(text.slice(at, end === -1 ? undefined : end))) {
        return {
          message: 'unexpected second colon on this line',
          ...here,
          hint: 'put a value that contains ": " in quotes',
        }
      }
      const next = settle(text, end + 1)
      return {
        message: 'the indentation differs from that of the neighbouring lines',
        from: next,
        to: wordEnd(text, next),
      }
    }
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
      if (/flow/.test(message)) return { message: 'expected a comma or a colon before this', ...here }
      return { message: 'expected a colon after this', ...here, hint: 'write a colon and a space after a key' }
    case 'BLOCK_IN_FLOW':
      return {
        message: 'unexpected second colon between braces',
        ...here,
        hint: 'put a value that contains ": " in quotes',
      }
    case 'UNEXPECTED_TOKEN': {
      if (!/at node end/.test(message)) return { message: lowerFirst(message), ...here }
      const bracket = /^[[{]/.exec(text.slice(at, at + 1))?.[0]
      const what =
        bracket === undefined ? 'unexpected text behind the end of a value' : `unexpected ${bracket} in a value`
      return { message: what, ...here, hint: 'put the whole value in quotes' }
    }
    case 'BAD_SCALAR_START':
      return { message: `a value cannot begin with ${text[at]}`, ...here, hint: 'put it in quotes' }
    default:
      return { message: lowerFirst(message), ...here }
  }
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Moves an offset from white space to the next text on the line, and from the end of the text to its last character. */
function settle(text: string, at: number): number {
  let next = at
  while (next < text.length && (text[next] === ' ' || text[next] === '\t')) next++
  if (next < text.length && text[next] !== '\n') return next
  if (at < text.length) return at
  return Math.max(0, text.trimEnd().length - 1)
}

function wordEnd(text: string, from: number): number {
  const word = /[^\s:,[\]{}]+/y
  word.lastIndex = from
  return word.test(text) ? word.lastIndex : from + 1
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
