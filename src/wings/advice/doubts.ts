// Finds the conditions that cannot hold: comparisons with a value that the compared part of a request never has, and parts
// that no request has.

import { compileMatch } from '../../expression/costs.ts'
import { type Mistake, toJson } from '../../expression/scope.ts'
import { accessedKey, isAccess, isNode, nodesOf, operand, type SyntaxNode } from '../../expression/syntax-tree.ts'
import type { Json } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'

/** The keys to a part of a request; 0 for any item of a list. */
export type Steps = readonly (string | number)[]

/**
 * Returns why a part never has a value, as the rest of a sentence that begins with the part, and what to write instead.
 *
 * @param value unset: why the part never exists
 */
export type Doubt = (part: Steps, value?: Json) => { readonly message: string; readonly hint?: string } | undefined

/** Returns the doubts about the accesses and comparisons of an expression. */
export const doubtsIn = (tree: SyntaxNode, text: string, doubt: Doubt): readonly Mistake[] =>
  new DoubtSearch(tree, text, doubt).run()

type Operator = '==' | '!=' | 'in'

class DoubtSearch {
  readonly #nodes: readonly SyntaxNode[]
  readonly #text: string
  readonly #doubt: Doubt
  /** The lists that the variables of `exists` and so on go through. */
  readonly #lists = new Map<string, unknown>()
  readonly #found: Mistake[] = []

  constructor(tree: SyntaxNode, text: string, doubt: Doubt) {
    this.#nodes = [...nodesOf(tree)]
    this.#text = text
    this.#doubt = doubt
  }

  run(): readonly Mistake[] {
    for (const { name, target, values } of this.#nodes.flatMap(callIn)) {
      const [variable] = values
      if (LOOPS.has(name) && variable !== undefined) this.#lists.set(String(variable.args), target)
    }
    for (const node of this.#nodes) {
      if (isAccess(node)) this.#checkAccess(node)
      else if (COMPARISONS.has(node.op)) this.#checkComparison(node)
      else for (const { name, values } of callIn(node)) if (/matches$/i.test(name)) this.#checkPattern(values[0])
    }
    return this.#found
  }

  #add(message: string, hint: string | undefined, { start, end }: SyntaxNode): void {
    this.#found.push({ code: 'impossible-condition', message, hint, start, end })
  }

  #checkAccess(node: SyntaxNode): void {
    this.#checkPart(node, node)
    const [whole, key] = [operand(node, 0), operand(node, 1)]
    if (!isNode(whole)) return
    const text = textOf(whole, this.#text)
    const field = node.op === '.' ? accessedKey(node) : undefined
    if (field !== undefined && whole.args === 'now') this.#add('now has no fields', 'write now.getHours()', node)
    else if (field === 'length' && whole.checkedType?.kind === 'dyn')
      this.#add(`${text} has no length`, `write ${text}.size(), or ${text}["length"] for a field of this name`, node)
    else if (isNode(key) && Number(literalIn(key)) < 0)
      this.#add('items are counted from 0', `write ${text}[${text}.size() - 1] for the last one`, node)
  }

  #checkPattern(pattern: SyntaxNode | undefined): void {
    if (pattern?.op !== 'value' || attempted(() => compileMatch(String(pattern.args))) !== undefined) return
    const hint = 'write a regular expression, with \\\\ before a sign that stands for itself'
    this.#add('this is not a pattern', hint, pattern)
  }

  #checkComparison({ op, args }: SyntaxNode): void {
    const [left, right] = args as [SyntaxNode, SyntaxNode]
    if (op === 'in') {
      this.#checkPart(right, left, 'in')
      if (right.op === 'list') for (const item of right.args as readonly SyntaxNode[]) this.#checkPart(left, item, '==')
      return
    }
    this.#checkPart(left, right, op as Operator)
    this.#checkPart(right, left, op as Operator)
  }

  /** @param at the literal that the part is compared with; the part itself if it is only accessed */
  #checkPart(part: SyntaxNode, at: SyntaxNode, operator?: Operator): void {
    const steps = this.#stepsTo(part)
    const value = operator && literalIn(at)
    if (steps === undefined || (operator !== undefined && value === undefined)) return
    const doubt = this.#doubt(operator === 'in' ? [...steps, 0] : steps, value)
    if (doubt === undefined) return
    const hint = value === null ? `write ${operator === '!=' ? '' : '!'}${existence(part, this.#text)}` : doubt.hint
    this.#add(`${textOf(part, this.#text)} ${doubt.message}`, hint, at)
  }

  /** Returns the keys to the part of a request at a node; `undefined` for other nodes. */
  #stepsTo(node: unknown): Steps | undefined {
    if (!isNode(node)) return undefined
    if (node.op === 'id') {
      const name = String(node.args)
      if (!this.#lists.has(name)) return [name]
      const list = this.#stepsTo(this.#lists.get(name))
      return list && [...list, 0]
    }
    const whole = isAccess(node) ? this.#stepsTo(operand(node, 0)) : undefined
    if (whole === undefined) return undefined
    const key = operand(node, 1)
    const isName = !isNode(key) || (key.op === 'value' && typeof key.args === 'string')
    return [...whole, isName ? accessedKey(node) : 0]
  }
}

const COMPARISONS = new Set(['==', '!=', 'in'])
const LOOPS = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])

/** Returns the call of a method at a node, in a list. */
function callIn({ op, args }: SyntaxNode): { name: string; target: unknown; values: readonly SyntaxNode[] }[] {
  if (op !== 'rcall') return []
  const [name, target, values] = args as [unknown, unknown, readonly SyntaxNode[]]
  return [{ name: String(name), target, values }]
}

const textOf = ({ start, end }: SyntaxNode, text: string): string => text.slice(start, end)

/** Returns the expression that a part exists. */
function existence(part: SyntaxNode, text: string): string {
  const [whole, key] = [operand(part, 0), operand(part, 1)]
  if (!isNode(whole) || !isNode(key)) return `has(${textOf(part, text)})`
  return `(${textOf(key, text)} in ${textOf(whole, text)})`
}

/** Returns the value of a literal; `undefined` for any other node. */
function literalIn({ op, args }: SyntaxNode): Json | undefined {
  if (op === 'value') return toJson(args)
  const number = op === '-_' && isNode(args) ? literalIn(args) : undefined
  return typeof number === 'number' ? -number : undefined
}
