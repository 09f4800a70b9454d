// Finds the conditions that cannot hold: comparisons with a value that the compared part of a request never has, and parts
// that no request has.

import type { Json } from '../kernel/json.ts'
import { attempted } from '../kernel/memo.ts'
import { compileMatch } from './costs.ts'
import { type Mistake, toJson } from './scope.ts'
import { accessedKey, isAccess, isNode, nodesOf, operand, type SyntaxNode } from './syntax-tree.ts'

/** The keys to a part of a request; 0 for any item of a list. */
export type Steps = readonly (string | number)[]

/**
 * Returns why a part never has a value, as the rest of a sentence that begins with the part, and what to write instead.
 *
 * @param value unset: why the part never exists
 */
export type Doubt = (part: Steps, value?: Json) => { readonly message: string; readonly hint?: string } | undefined

/** Returns the doubts about the accesses and comparisons of an expression. */
export function doubtsIn(tree: SyntaxNode, text: string, doubt: Doubt): readonly Mistake[] {
  const nodes = [...nodesOf(tree)]
  /** The lists that the variables of `exists` and so on go through. */
  const lists = new Map<string, unknown>()
  for (const { op, args } of nodes) {
    if (op !== 'rcall') continue
    const [name, list, [variable]] = args as [unknown, unknown, readonly SyntaxNode[]]
    if (LOOPS.has(String(name)) && variable !== undefined) lists.set(String(variable.args), list)
  }
  const stepsTo = (node: unknown): Steps | undefined => {
    if (!isNode(node)) return undefined
    if (node.op === 'id') {
      const list = lists.get(String(node.args))
      if (list === undefined) return [String(node.args)]
      const steps = stepsTo(list)
      return steps && [...steps, 0]
    }
    const steps = isAccess(node) ? stepsTo(operand(node, 0)) : undefined
    if (steps === undefined) return undefined
    const key = operand(node, 1)
    if (!isNode(key) || (key.op === 'value' && typeof key.args === 'string')) return [...steps, accessedKey(node)]
    return [...steps, 0]
  }
  const found: Mistake[] = []
  const say = (message: string, hint: string | undefined, { start, end }: SyntaxNode) =>
    void found.push({ code: 'impossible-condition', message, hint, start, end })
  const consider = (part: unknown, at: SyntaxNode, literal?: SyntaxNode, of = '=='): void => {
    const steps = stepsTo(part)
    const value = literal && literalIn(literal)
    if (steps === undefined || (literal !== undefined && value === undefined)) return
    const said = doubt(of === 'in' ? [...steps, 0] : steps, value)
    if (said === undefined) return
    const { start, end } = part as SyntaxNode
    const hint = value === null ? `write ${of === '!=' ? '' : '!'}${existence(part as SyntaxNode, text)}` : said.hint
    say(`${text.slice(start, end)} ${said.message}`, hint, at)
  }
  for (const node of nodes) {
    const { op } = node
    if (isAccess(node)) consider(node, node)
    const left = isAccess(node) ? operand(node, 0) : undefined
    if (isNode(left)) {
      const whole = text.slice(left.start, left.end)
      const key = operand(node, 1)
      if (op === '.' && left.args === 'now') say('now has no fields', 'write now.getHours()', node)
      else if (op === '.' && accessedKey(node) === 'length' && left.checkedType?.kind === 'dyn')
        say(`${whole} has no length`, `write ${whole}.size(), or ${whole}["length"] for a field of this name`, node)
      else if (isNode(key) && Number(literalIn(key)) < 0)
        say('items are counted from 0', `write ${whole}[${whole}.size() - 1] for the last one`, node)
    }
    const [name, , [pattern] = []] = op === 'rcall' ? (node.args as [unknown, unknown, readonly SyntaxNode[]]) : []
    if (
      /matches$/i.test(String(name)) &&
      pattern?.op === 'value' &&
      attempted(() => compileMatch(String(pattern.args))) === undefined
    )
      say(
        'this is not a pattern',
        'write a regular expression, with \\\\ before a sign that stands for itself',
        pattern,
      )
    if (!COMPARISONS.has(node.op)) continue
    const [a, b] = node.args as [SyntaxNode, SyntaxNode]
    if (node.op === 'in') {
      consider(b, a, a, 'in')
      if (b.op === 'list') for (const item of b.args as readonly SyntaxNode[]) consider(a, item, item)
    } else {
      consider(a, b, b, node.op)
      consider(b, a, a, node.op)
    }
  }
  return found
}

/** Returns the expression that a part exists. */
function existence(part: SyntaxNode, text: string): string {
  const [whole, key] = [operand(part, 0), operand(part, 1)]
  const textOf = ({ start, end }: SyntaxNode) => text.slice(start, end)
  return isNode(whole) && isNode(key) ? `(${textOf(key)} in ${textOf(whole)})` : `has(${textOf(part)})`
}

const COMPARISONS = new Set(['==', '!=', 'in'])
const LOOPS = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])

/** The value of a literal; `undefined` for any other node. */
function literalIn({ op, args }: SyntaxNode): Json | undefined {
  if (op === 'value') return toJson(args)
  const number = op === '-_' && isNode(args) ? literalIn(args) : undefined
  return typeof number === 'number' ? -number : undefined
}
