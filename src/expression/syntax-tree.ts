// The syntax tree of an expression: walks over it, the names in it, and its mistakes in words, with the closest name.

import { suggest } from '../kernel/diagnostic.ts'
import { type ExpressionType, type Mistake, memberTypes, type NamedReference, type RootTypes } from './scope.ts'

/** A node as the library parses it. `meta.alternate` is the expansion of a macro such as `all` or `map`. */
export interface SyntaxNode {
  readonly op: string
  /** The operands: names, literals, nodes, or lists of these, by `op`. */
  readonly args: unknown
  readonly start: number
  readonly end: number
  readonly meta: { readonly alternate?: SyntaxNode }
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown
  /** Set by the check. */
  readonly checkedType?: { readonly kind: string }
  /** Set by the check: computes the value of a function or an operator from those of its operands. */
  handle?: (first: unknown, second: unknown, ...rest: unknown[]) => unknown
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value

/** Visits every node of a tree once, including macros and their expansions. */
export function* nodesOf(tree: SyntaxNode): Iterable<SyntaxNode> {
  const seen = new Set<unknown>()
  const stack: unknown[] = [tree]
  while (stack.length > 0) {
    const at = stack.pop()
    if (typeof at !== 'object' || at === null || seen.has(at)) continue
    seen.add(at)
    if (isNode(at)) {
      yield at
      stack.push(at.args, at.meta.alternate)
    } else if (Array.isArray(at)) stack.push(...at)
    else if (at.constructor === Object) stack.push(...Object.values(at))
  }
}

/** Functions that read the request or its world, and the kind of name that their one argument is. */
const SCOPED: Readonly<Record<string, NamedReference['kind'] | undefined>> = {
  calls: 'operation',
  records: 'resource',
  record: 'resource',
  scenario: 'scenario',
  draw: undefined,
  uuid: undefined,
  sample: 'schema',
}

/** Returns the call of a function by its name: `uuid()`, `records("…")`; `undefined` for other names. */
export const callNamed = (name: string): string | undefined =>
  Object.hasOwn(SCOPED, name) ? (name === 'uuid' ? 'uuid()' : `${name}("…")`) : undefined

/** The names that an expression may begin with. */
const ROOTS = 'request consumer operation now ordinal nth accepted world'.split(' ')
/** The same with those that some expressions have only. */
const ALL_ROOTS = [...ROOTS, 'record']
/** The fields of `request`. */
const REQUEST = 'method path params query headers cookies body text'.split(' ')

/** Returns whether a node calls a function that reads the request or its world. */
export const isScopedCall = (node: SyntaxNode): boolean =>
  node.op === 'call' && Object.hasOwn(SCOPED, String(operand(node, 0)))

/** The names that functions refer to. They must be literal, so that a misspelt one is found at load. */
export function namedReferences(tree: SyntaxNode): readonly NamedReference[] | Mistake {
  const out: NamedReference[] = []
  for (const node of nodesOf(tree)) {
    if (!isScopedCall(node)) continue
    const name = operand(node, 0) as string
    const kind = SCOPED[name]
    const first = (operand(node, 1) as SyntaxNode[])[0]
    if (kind === undefined || first === undefined) continue
    const { start, end } = first
    if (first.op !== 'value' || typeof first.args !== 'string') {
      const message = `${name}() takes the name of ${kind === 'operation' ? 'an' : 'a'} ${kind} in quotes`
      return { code: 'invalid-expression', message, hint: undefined, start, end }
    }
    out.push({ kind, name: first.args, start, end })
  }
  return out
}

/** The roots that an expression looks at; of `request`, which part. */
export function rootsIn(tree: SyntaxNode): Set<string> {
  const roots = new Set<string>()
  for (const node of nodesOf(tree)) {
    if (node.op === 'id' && ALL_ROOTS.includes(String(node.args)) && node.args !== 'request')
      roots.add(String(node.args))
    const left = ACCESS.has(node.op) ? operand(node, 0) : undefined
    if (isNode(left) && left.op === 'id' && left.args === 'request') roots.add(`request.${accessedKey(node)}`)
  }
  return roots
}

/** `request.body.address` for the node of it. */
function accessPath(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.op === 'id') return String(node.args)
  return ACCESS.has(node.op) ? `${accessPath(operand(node, 0))}.${accessedKey(node)}` : ''
}

const ACCESS = new Set(['.', '.?', '[]', '[?]'])

export const isAccess = ({ op }: SyntaxNode): boolean => ACCESS.has(op)

export const operand = (node: SyntaxNode, index: number): unknown => (node.args as readonly unknown[])[index]

/** The field that an access names: `name` in `a.name` and in `a["name"]`. */
export function accessedKey(node: SyntaxNode): string {
  const key = operand(node, 1)
  return String(isNode(key) ? key.args : key)
}

export interface LibraryError extends Error {
  readonly code?: string
  readonly summary?: string
  readonly range?: { readonly start: number; readonly end: number }
  readonly node?: SyntaxNode
}

/** Returns a mistake about the whole text. */
export const mistake = (text: string, code: string, message: string): Mistake => ({
  code,
  message,
  hint: undefined,
  start: 0,
  end: text.length,
})

export const unknownRoot = (name: string, { start, end }: { start: number; end: number }): Mistake => {
  const call = callNamed(name)
  const hint = call === undefined ? suggest(name, [...ROOTS, ...Object.keys(SCOPED)]) : `write ${call}`
  return { code: 'unknown-root', message: `unknown name "${name}" in an expression`, hint, start, end }
}

export const articled = (type: string): string => (type === 'int' ? 'an integer' : `a ${type.split('.').at(-1)}`)

const TOKENS = { RPAREN: ')', LPAREN: '(', RBRACKET: ']', RBRACE: '}', COLON: ':', COMMA: ',', DOT: '.' } as const

/** Removes the parts of the library's message that the user did not write. */
export const plainWords = (summary: string): string => {
  const text = summary
    .replace(/^(?:Unexpected token: EOF|Expected \w+, got EOF)$/, 'the expression is incomplete')
    .replace(
      /\b(?:RPAREN|LPAREN|RBRACKET|RBRACE|COLON|COMMA|DOT)\b/g,
      token => `"${TOKENS[token as keyof typeof TOKENS]}"`,
    )
    .replace(/(?:linear|literal)Matches/g, 'matches')
    .replaceAll('dateTimestamp', 'timestamp')
    .replaceAll(/\(Scope(?:, )?/g, '(')
    .replaceAll('google.protobuf.', '')
    .replaceAll(/\$(?=request|world|record)/g, '')
    .replaceAll(/<dyn(?:, dyn)?>/g, '')
    .replaceAll(/\bdyn<([^<>]*(?:<[^<>]*>)?)>/g, '$1')
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/**
 * Describes a mistake that the library found, and suggests the closest name for a misspelt one.
 *
 * @param functions the names of all functions
 */
export function explain(error: LibraryError, text: string, types: RootTypes, functions: ReadonlySet<string>): Mistake {
  const { code, summary = String(error.message), range = { start: 0, end: text.length }, node } = error
  const at = { start: range.start, end: Math.max(range.end, range.start + 1) }
  if (code === 'unknown_variable') return unknownRoot(text.slice(at.start, at.end), at)
  if (code === 'no_such_key') {
    const name = /No such key: (.*)/s.exec(summary)?.[1] ?? ''
    const path = node === undefined ? '' : accessPath(operand(node, 0))
    const found = text.indexOf(name, at.start)
    const end = found >= 0 ? found + name.length : at.end
    const start = Math.max(at.start, end - name.length)
    const message = `${path} has no "${name}"`
    return { code: 'unknown-field', message, hint: suggest(name, fieldsAt(path, types)), start, end }
  }
  const called = /^found no matching overload for '(?:[^'(]*\.)?(\w+)\(/.exec(summary)?.[1]
  if (code === 'no_matching_overload' && called !== undefined && !functions.has(called)) {
    const message = `there is no function "${called}"`
    return { code: 'unknown-function', message, hint: suggest(called, functions), ...at }
  }
  const [, list = 'list', value = 'value'] = /^(.*)\.contains\((.*)\)$/.exec(text.slice(at.start, at.end)) ?? []
  const ofList = /overload(?: for '|: )list/.test(summary) ? `write ${value} in ${list}` : undefined
  const ofItems = /list index must be int/i.test(summary)
    ? `write .exists(one, one.${text.slice(at.start, at.end)} == …), or .size() for the number of items`
    : undefined
  const ofTime = hintOfTime(summary, text.slice(at.start, at.end))
  const ofTypes = /overload: /.test(summary) ? 'compare values of one type' : undefined
  const hint = ofList ?? ofItems ?? ofTime ?? ofTypes
  return { code: 'invalid-expression', message: plainWords(summary), hint, ...at }
}

/** Returns what to write where a time or a duration is compared with a text. @param part the text of the comparison */
function hintOfTime(summary: string, part: string): string | undefined {
  const [, before, after] =
    /overload: (?:google\.protobuf\.(\w+) \S+ string|string \S+ google\.protobuf\.(\w+))$/.exec(summary) ?? []
  const type = before ?? after
  if (type === undefined) return undefined
  const literals = part.match(/"[^"]*"|'[^']*'/g) ?? []
  const example = type === 'Duration' ? '"15m"' : '"2030-12-06"'
  return `write ${type.toLowerCase()}(${literals.at(before === undefined ? 0 : -1) ?? example})`
}

function fieldsAt(path: string, types: RootTypes): readonly string[] {
  const [root, ...parts] = path.split('.')
  if (root !== 'request' && root !== 'record') return []
  if (path === 'request') return REQUEST
  const [first, ...rest] = root === 'record' ? path.split('.') : parts
  let type = (types as unknown as Record<string, ExpressionType | undefined>)[first as string]
  for (const name of rest) type = memberTypes(type)?.[name]
  return Object.keys(memberTypes(type) ?? {})
}
