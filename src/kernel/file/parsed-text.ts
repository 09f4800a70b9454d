// The outcome of reading the text of a file, and the words for mistakes of syntax in it, at the place where a person would look.
// The readers say what kind of mistake it is; their libraries' own words are for mistakes of no known kind.

import { decimalOf, MAX_DEPTH } from '../json.ts'
import type { Path } from './source.ts'

export interface Reading {
  /** Unset if there are faults. */
  readonly value?: unknown
  /** The offsets of the last alias, by which a part stands in several places. */
  readonly alias?: readonly [from: number, to: number] | undefined
  readonly faults: readonly TextFault[]
  /** The offsets of duplicate keys. The last of them counts. */
  readonly repeated: readonly number[]
}

/** A text that a reader of YAML has read. */
export interface ParsedText {
  read(): Reading
  /** Returns the offsets of the value at a path, or of its key, or of the deepest part of the path that exists. */
  span(path: Path, part: 'key' | 'value'): readonly [from: number, to: number]
  /** Whether a value is an unquoted scalar. */
  isPlain(path: Path): boolean
}

/** A mistake that a reader has found in a text. */
export interface TextFault {
  readonly code: 'syntax' | 'too-deep' | 'unknown-alias' | 'alias-bomb' | typeof BINARY_FILE
  readonly message: string
  /** The offsets; unset for the whole text. */
  readonly from?: number
  readonly to?: number
  readonly hint?: string | undefined
}

export const TOO_DEEP = {
  code: 'too-deep',
  message: `the file is nested deeper than ${MAX_DEPTH} levels`,
} as const satisfies TextFault

/** The code of a text with a character that no text has. */
export const BINARY_FILE = 'binary-file'

export const TOO_MANY_ALIASES = {
  code: 'alias-bomb',
  message: 'the aliases of this file expand to too many values',
} as const satisfies TextFault

export const unknownAlias = (name: string): TextFault => ({
  code: 'unknown-alias',
  message: `unknown alias: the file has no anchor &${name}`,
  hint: 'put it in quotes if it is text',
})

/** Returns a number of YAML with all its digits, where a double loses some. */
export const exactNumber = (source: string, value: number): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source)
    ? BigInt(source)
    : (decimalOf(source) ?? value)

const QUOTE_VALUE = 'put a value that contains ": " in quotes'

/** The kinds of mistakes, with their words and hints. */
const WORDS = {
  tab: ['tabs cannot be used to indent', 'indent with spaces'],
  indent: ['the indentation differs from that of the neighbouring lines'],
  colons: ['unexpected second colon on this line', QUOTE_VALUE],
  'colons between braces': ['unexpected second colon between braces', QUOTE_VALUE],
  'no comma': ['expected a comma or a colon before this'],
  'no colon': ['expected a colon after this', 'write a colon and a space after a key'],
  surplus: ['unexpected text behind the end of a value', 'put the whole value in quotes'],
} as const

export type SyntaxKind = keyof typeof WORDS | 'unclosed' | 'beginning'

/** Returns the whole word with the placeholder at an offset: `./env/${STAGE:-local}.yaml`. */
function unquotedAt(text: string, at: number): { readonly from: number; readonly whole: string } | undefined {
  if (!text.startsWith('${', at)) return undefined
  // A key ends with a colon and a blank.
  const from = at - (/[^\s,[\]{}"']*$/.exec(text.slice(Math.max(0, at - LONGEST_WORD), at))?.[0].length ?? 0)
  const word = /(?:\$\{[^{}\s]*\}?|[^\s,[\]{}"'])+/y
  word.lastIndex = from
  return { from, whole: word.exec(text)?.[0] ?? '${' }
}

/** The characters before a placeholder that are looked at. */
const LONGEST_WORD = 200

/**
 * Describes a mistake of syntax.
 *
 * @param message the library's, for no known kind
 */
export function describeSyntax(text: string, offset: number, kind: SyntaxKind | undefined, message: string): TextFault {
  const at = kind === 'tab' ? offset : settle(text, offset)
  const here = { code: 'syntax', from: at, to: kind === 'tab' ? at + 1 : wordEnd(text, at) } as const
  const placeholder = unquotedAt(text, Math.max(0, at - (text[at - 1] === '$' ? 1 : 0)))
  if (placeholder !== undefined) {
    const { from, whole } = placeholder
    return {
      code: 'syntax',
      from,
      to: from + whole.length,
      message: 'a placeholder between braces must be quoted',
      hint: `write "${whole.lastIndexOf('}') > whole.lastIndexOf('{') ? whole : `${whole}}`}"`,
    }
  }
  if (kind === 'unclosed') {
    const open = openBefore(text, offset)
    const sign = open === undefined ? '' : (text[open] as string)
    if (open !== undefined) {
      const hint = `a ${{ '{': '}', '[': ']' }[sign] ?? sign} is missing`
      return { code: 'syntax', message: `this ${sign} is never closed`, from: open, to: open + 1, hint }
    }
  } else if (kind === 'beginning') {
    return { ...here, message: `a value cannot begin with ${text[at]}`, hint: 'put it in quotes' }
  } else if (kind === 'surplus' && /[[{]/.test(text[at] ?? '')) {
    return { ...here, message: `unexpected ${text[at]} in a value`, hint: WORDS.surplus[1] }
  } else if (kind !== undefined) {
    const [words, hint] = WORDS[kind]
    return { ...here, message: words, hint }
  }
  return { ...here, message: message.charAt(0).toLowerCase() + message.slice(1) }
}

const STRING = /(?<=^|[\s,[{:])(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*')/g

/** Returns the offset of the innermost bracket, brace or quote that is open at an offset. */
function openBefore(text: string, at: number): number | undefined {
  const opened: number[] = []
  const blanked = text.slice(0, at).replace(STRING, string => ' '.repeat(string.length))
  for (const { index, 0: sign } of blanked.matchAll(/(?<=^|[\s,[{:-])["'[{]|[\]}]/g)) {
    if (sign === ']' || sign === '}') opened.pop()
    else opened.push(index)
    if (sign === '"' || sign === "'") break
  }
  return opened.at(-1)
}

const QUOTED = /"(?:[^"\\]|\\[\s\S])*"(?=[^\S\n]*(?:[,\]}#\n]|$))|'(?:[^']|'')*'(?=[^\S\n]*(?:[,\]}#\n]|$))/y

/**
 * Indents the lines of the quoted text at an offset up to its quote, which does not change the text; `undefined` where no such
 * text begins, or where a line of it looks like a key: there a quote is missing.
 */
export function indentQuoted(text: string, open: number): string | undefined {
  QUOTED.lastIndex = open
  const [quoted = ''] = QUOTED.exec(text) ?? []
  const [first = '', ...more] = quoted.split('\n')
  const column = open - text.lastIndexOf('\n', open - 1) - 1
  const isIndented = more.every(line => line.trim() === '' || indentOf(line) >= column)
  if (more.length === 0 || isIndented || more.some(line => /^\s*(?:- +)?[\w"'$/-]+:(?:\s|$)/.test(line)))
    return undefined
  const lines = [first, ...more.map(line => ' '.repeat(column) + line)]
  return text.slice(0, open) + lines.join('\n') + text.slice(open + quoted.length)
}

const indentOf = (line: string): number => line.search(/\S|$/)

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
