// JSON whose numbers stay digit for digit. A number that a double cannot hold as it is written, such as
// 9007199254740993 or 1.10, becomes an `ExactNumber` and is written back as it was.

export class ExactNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  toString(): string {
    return this.digits
  }
}

export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonRecord
export interface JsonRecord {
  readonly [name: string]: Json
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** The prefix of a text that replaces a number during parsing or writing; JSON texts contain no raw U+0000. */
const MARK = '\u0000#'
const WRITTEN_MARK = /"\\u0000#([^"]*)"/g

/** @throws SyntaxError where the text is not JSON */
export function parseExact(text: string): Json {
  const marked = text.replace(TOKEN, token =>
    token.startsWith('"') || String(Number(token)) === token ? token : JSON.stringify(MARK + token),
  )
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  ) as Json
}

/** The inverse of `parseExact`. */
export function stringifyExact(value: Json, indent = 0): string {
  const marked = JSON.stringify(
    value,
    (_, member: unknown) => (member instanceof ExactNumber ? MARK + member.digits : member),
    indent,
  )
  return marked.replace(WRITTEN_MARK, '$1')
}

/** Returns the number that a text is, exactly; undefined where it is none. */
export function numberIn(text: string): number | ExactNumber | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
  return String(Number(text)) === text ? Number(text) : new ExactNumber(text)
}

export const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
