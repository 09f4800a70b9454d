// Describes the mistakes in an expression: those that the library finds, in words, with the closest name.

import { nearest, suggest } from '../kernel/diagnostic.ts'
import { type ExpressionType, type Mistake, memberTypes, type RequestTypes } from './scope.ts'
import { accessPath, operand, REQUEST, ROOTS, SCOPED, type SyntaxNode } from './syntax-tree.ts'

export interface LibraryError extends Error {
  readonly code?: string
  readonly summary?: string
  readonly range?: { readonly start: number; readonly end: number }
  readonly node?: SyntaxNode
}

/** Returns a mistake about the whole text. */
export const mistake = (text: string, code: string, message: string, hint?: string): Mistake => ({
  code,
  message,
  hint,
  start: 0,
  end: text.length,
})

export const unknownRoot = (name: string, { start, end }: { start: number; end: number }): Mistake => {
  const hint = suggest(name, [...ROOTS, ...Object.keys(SCOPED)])
  return { code: 'unknown-root', message: `unknown name "${name}" in an expression`, hint, start, end }
}

export const articled = (type: string): string => (type === 'int' ? 'an integer' : `a ${type.split('.').at(-1)}`)

const TOKENS: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  LPAREN: '"("',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
}

/** Removes the parts of the library's message that the user did not write. */
export const plainWords = (summary: string): string => {
  const text = summary
    .replace(/^(?:Unexpected token: EOF|Expected \w+, got EOF)$/, 'the expression is incomplete')
    .replace(/\b(?:RPAREN|LPAREN|RBRACKET|RBRACE|COLON|COMMA|DOT)\b/g, token => TOKENS[token] as string)
    .replaceAll('linearMatches', 'matches')
    .replaceAll(/\(Scope(?:, )?/g, '(')
    .replaceAll('google.protobuf.', '')
    .replaceAll('$request', 'request')
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Describes a mistake that the library found, and suggests the closest name for a misspelt one. */
export function explain(error: LibraryError, text: string, types: RequestTypes): Mistake {
  const { code, summary = String(error.message), range = { start: 0, end: text.length }, node } = error
  const at = { start: range.start, end: Math.max(range.end, range.start + 1) }
  if (code === 'unknown_variable') {
    return unknownRoot(text.slice(at.start, at.end), at)
  }
  if (code === 'no_such_key') {
    const name = /No such key: (.*)/s.exec(summary)?.[1] ?? ''
    const path = node === undefined ? '' : accessPath(operand(node, 0))
    const fields = Object.keys(fieldsAt(path, types) ?? {})
    const end = text.indexOf(name, at.start) >= 0 ? text.indexOf(name, at.start) + name.length : at.end
    const start = Math.max(at.start, end - name.length)
    return { code: 'unknown-field', message: `${path} has no "${name}"`, hint: suggest(name, fields), start, end }
  }
  const called = /^found no matching overload for '(?:[^'(]*\.)?(\w+)\(/.exec(summary)?.[1]
  if (code === 'no_matching_overload' && called !== undefined && !FUNCTIONS.has(called)) {
    const near = nearest(called, FUNCTIONS)
    const hint = near === undefined ? undefined : `did you mean "${near}"?`
    return { code: 'unknown-function', message: `there is no function "${called}"`, hint, ...at }
  }
  return { code: 'invalid-expression', message: plainWords(summary), hint: undefined, ...at }
}

function fieldsAt(path: string, types: RequestTypes): Readonly<Record<string, unknown>> | undefined {
  const [root, part, ...rest] = path.split('.')
  if (root !== 'request') return undefined
  if (part === undefined) return Object.fromEntries(REQUEST.map(name => [name, 'dyn']))
  let type = (types as unknown as Record<string, ExpressionType | undefined>)[part]
  for (const name of rest) type = memberTypes(type)?.[name]
  return memberTypes(type)
}

/** Functions of the language, for a misspelt one. */
const FUNCTIONS = new Set([
  ...Object.keys(SCOPED),
  ...['size', 'contains', 'startsWith', 'endsWith', 'matches', 'lowerAscii', 'upperAscii', 'trim', 'split', 'join'],
  ...['indexOf', 'substring', 'int', 'double', 'string', 'bool', 'timestamp', 'duration', 'has', 'all', 'exists'],
  ...['exists_one', 'map', 'filter', 'linearMatches', 'getHours', 'getFullYear', 'getMonth', 'getDayOfWeek', 'orValue'],
])
