// Mistakes that the gateway finds in a draft of the configuration, and their places in its text.

/** A diagnostic of the control plane. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly file: string
  /** Both from 1. */
  readonly line: number
  readonly column: number
  readonly length: number
  readonly hint?: string
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Returns the place of a finding in a text; that of the first line for a finding about another file. */
export function spanOf({ file, line, column, length }: Finding, text: string, name: string): Span {
  const lines = text.split('\n')
  const own = file === name
  const at = Math.min(own ? line : 1, lines.length)
  const start = lines.slice(0, at - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const width = (lines[at - 1] as string).length
  const from = start + (own ? Math.min(column - 1, width) : 0)
  return { from, to: Math.max(from, Math.min(from + (own ? length : width), start + width)) }
}

/** Puts a finding into words, with its place where it is about another file. */
export const wordsOf = ({ file, line, column, message, hint }: Finding, name: string): string =>
  `${file === name ? '' : `${file}:${line}:${column} `}${message}${hint === undefined ? '' : ` (${hint})`}`

/** `2 errors, 1 warning`. */
export function countOf(findings: readonly Finding[]): string {
  const parts = (['error', 'warning'] as const).flatMap(severity => {
    const count = findings.filter(one => one.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`]
  })
  return parts.join(', ') || 'no mistakes'
}
