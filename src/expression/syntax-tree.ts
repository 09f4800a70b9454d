// Walks the syntax tree of an expression, and bounds the steps that its loops may take.

import { spendSteps } from './budget.ts'

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

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

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

/** Makes every step of a loop count. To be called once a tree is checked. */
export function boundSteps(tree: SyntaxNode): void {
  for (const node of nodesOf(tree)) {
    if (node.op !== 'comprehension') continue
    const { step } = node.args as { step: SyntaxNode }
    const evaluate = step.meta.evaluate as Evaluate
    step.evaluate = (evaluator, at, context) => {
      spendSteps(1)
      return evaluate(evaluator, at, context)
    }
  }
}

/**
 * Handles rejections that would otherwise end the process. The library starts several parts of an expression at once; if
 * one of them throws, nothing awaits the others. Call it last.
 *
 * @param isAsynchronous whether the value of a node may be a promise; an expression without such a node is left as it is
 */
export function containRejections(tree: SyntaxNode, isAsynchronous: (node: SyntaxNode) => boolean): void {
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
