// The names in a parsed expression: the parts of the request that it reads, and what its functions refer to.

import type { Mistake, NamedReference } from './expression.ts'
import { isNode, nodesOf, type SyntaxNode } from './syntax-tree.ts'

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

/** Whether a call looks at records, which may take a while. */
export const isAsynchronous = (node: SyntaxNode): boolean =>
  node.op === 'call' && ['record', 'records'].includes(String(operand(node, 0)))

/** The names that functions refer to. They must be literal, so that a misspelt one is found at load. */
export function referencesIn(tree: SyntaxNode): readonly NamedReference[] | Mistake {
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
    if (isNode(left) && left.op === 'id' && left.args === 'request') roots.add(`request.${keyOf(node)}`)
  }
  return roots
}

/** `request.body.address` for the node of it. */
export function pathOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.op === 'id') return String(node.args)
  return ACCESS.has(node.op) ? `${pathOf(operand(node, 0))}.${keyOf(node)}` : ''
}

const ACCESS = new Set(['.', '.?', '[]', '[?]'])

export const operand = (node: SyntaxNode, index: number): unknown => (node.args as readonly unknown[])[index]

/** The field that an access names: `name` in `a.name` and in `a["name"]`. */
function keyOf(node: SyntaxNode): string {
  const key = operand(node, 1)
  return String(isNode(key) ? key.args : key)
}
