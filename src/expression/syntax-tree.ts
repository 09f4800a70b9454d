// The syntax tree of an expression: walks over it, and the names in it.

import type { Mistake, NamedReference } from './scope.ts'

/** A node as the library parses it. `meta.alternate` is the expansion of a macro such as `all` or `map`. */
export interface SyntaxNode {
  readonly op: string
  /** The operands: names, literals, nodes, or lists of these, by `op`. */
  readonly args: unknown
  readonly start: number
  readonly end: number
  readonly meta: {
    readonly alternate?: SyntaxNode
    readonly macro?: { evaluate: Evaluate }
    readonly evaluate?: Evaluate
  }
  evaluate: Evaluate
  /** Set by the check: computes the value of a function or an operator from those of its operands. */
  handle?: (first: unknown, second: unknown, ...rest: unknown[]) => unknown
}

export type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

const isNode = (value: unknown): value is SyntaxNode =>
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

/**
 * Handles rejections that would otherwise end the process. The library starts several parts of an expression at once; if
 * one of them throws, nothing awaits the others. Call it last.
 */
export function containRejections(tree: SyntaxNode): void {
  const nodes = [...nodesOf(tree)]
  if (!nodes.some(isAsynchronous)) return
  // The members of a map are joined in promises that the library keeps to itself: none of them may throw.
  const members = new Set(
    nodes.flatMap(node =>
      node.op === 'map' && [...nodesOf(node)].some(isAsynchronous) ? (node.args as SyntaxNode[][]).flat() : [],
    ),
  )
  for (const node of nodes) {
    const evaluate = evaluateOf(node)
    const contained: Evaluate = (evaluator, at, context) => {
      const value = evaluate(evaluator, at, context)
      if (value instanceof Promise) value.catch(ignore)
      return value
    }
    const rejecting: Evaluate = (evaluator, at, context) => {
      try {
        return contained(evaluator, at, context)
      } catch (error) {
        const rejected = Promise.reject(error)
        rejected.catch(ignore)
        return rejected
      }
    }
    node.evaluate = members.has(node) ? rejecting : contained
  }
}

/** How a node is evaluated. The library's method puts another in its own place when it is first called. */
function evaluateOf(node: SyntaxNode): Evaluate {
  if (Object.hasOwn(node, 'evaluate')) return node.evaluate
  const { alternate, macro, evaluate } = node.meta
  const other = alternate ?? macro
  if (other !== undefined) return (evaluator, _, context) => other.evaluate(evaluator, other, context)
  return evaluate as Evaluate
}

const ignore = (): void => {}

/** Functions that read the request or its world, and the kind of name that their one argument is. */
export const SCOPED: Readonly<Record<string, NamedReference['kind'] | undefined>> = {
  calls: 'operation',
  records: 'resource',
  record: 'resource',
  draw: undefined,
  uuid: undefined,
  sample: 'schema',
}

/** The names that an expression may begin with. */
export const ROOTS = ['request', 'consumer', 'operation', 'now', 'ordinal', 'nth', 'world']
/** The fields of `request`. */
export const REQUEST = ['method', 'path', 'params', 'query', 'headers', 'cookies', 'body']

/** Returns whether a node calls a function that reads the request or its world. */
export const isScopedCall = (node: SyntaxNode): boolean =>
  node.op === 'call' && Object.hasOwn(SCOPED, String(operand(node, 0)))

/** Whether a call looks at records, so that its value is a promise. */
const isAsynchronous = (node: SyntaxNode): boolean =>
  node.op === 'call' && ['record', 'records'].includes(String(operand(node, 0)))

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
    if (node.op === 'id' && ROOTS.includes(String(node.args)) && node.args !== 'request') roots.add(String(node.args))
    const left = ACCESS.has(node.op) ? operand(node, 0) : undefined
    if (isNode(left) && left.op === 'id' && left.args === 'request') roots.add(`request.${accessedKey(node)}`)
  }
  return roots
}

/** `request.body.address` for the node of it. */
export function accessPath(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.op === 'id') return String(node.args)
  return ACCESS.has(node.op) ? `${accessPath(operand(node, 0))}.${accessedKey(node)}` : ''
}

const ACCESS = new Set(['.', '.?', '[]', '[?]'])

export const operand = (node: SyntaxNode, index: number): unknown => (node.args as readonly unknown[])[index]

/** The field that an access names: `name` in `a.name` and in `a["name"]`. */
function accessedKey(node: SyntaxNode): string {
  const key = operand(node, 1)
  return String(isNode(key) ? key.args : key)
}
