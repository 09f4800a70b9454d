// The expression language of rules and templates: CEL (Common Expression Language, cel.dev).

import { boundWork } from './costs.ts'
import { type Environment, environmentFor, environments, HIDDEN } from './environment.ts'
import { evaluate, holds } from './evaluate.ts'
import type { Expression, Mistake, NamedReference } from './expression.ts'
import { articled, explain, type LibraryError, mistake, unknownRoot } from './mistakes.ts'
import { isAsynchronous, isScopedCall, referencesIn, rootsIn } from './names.ts'
import { boundSteps, containRejections, nodesOf, type SyntaxNode } from './syntax-tree.ts'
import type { RequestTypes } from './types.ts'

const UNTYPED: RequestTypes = { params: 'dyn', query: 'dyn', cookies: 'dyn', body: 'dyn' }

/** Compiles expressions for one operation. */
export class Language {
  readonly #types: RequestTypes
  #checker: Environment | undefined

  constructor(types: RequestTypes = UNTYPED) {
    this.#types = types
  }

  /** The expression, or its first mistake. `want` is what its value must be. */
  compile(text: string, want: 'bool' | 'any'): Expression | Mistake {
    if (text.trim() === '') return mistake(text, 'empty-expression', 'the expression is empty')
    const checker = this.#checkerOf()
    let references: readonly NamedReference[]
    let roots: Set<string>
    let typed: string
    try {
      const parsed = checker.parse(text)
      const tree = parsed.ast as unknown as SyntaxNode
      const hidden = [...nodesOf(tree)].find(({ op, args }) => op === 'id' && args === HIDDEN)
      if (hidden !== undefined) return unknownRoot(HIDDEN, hidden)
      const named = referencesIn(tree)
      if (!Array.isArray(named)) return named as Mistake
      references = named
      roots = rootsIn(tree)
      adapt(tree, checker)
      const { valid, type, error } = parsed.check()
      if (!valid) return explain(error as unknown as LibraryError, text, this.#types)
      typed = type as string
      if (want === 'bool' && type !== 'bool' && type !== 'dyn') {
        return mistake(text, 'no-condition', `a condition must be true or false, not ${articled(type as string)}`)
      }
    } catch (error) {
      return explain(error as LibraryError, text, this.#types)
    }
    const { runtime } = environments()
    const run = runtime.parse(text)
    const tree = run.ast as unknown as SyntaxNode
    adapt(tree, runtime)
    run.check()
    boundSteps(tree)
    boundWork(nodesOf(tree))
    containRejections(tree, isAsynchronous)
    return {
      text,
      type: typed,
      roots,
      references,
      constant: roots.size === 0 && references.length === 0 && ![...nodesOf(tree)].some(isScopedCall),
      evaluate: scope => evaluate(run, scope),
      holds: scope => holds(run, scope),
    }
  }

  #checkerOf(): Environment {
    this.#checker ??= environmentFor(this.#types)
    return this.#checker
  }
}

/**
 * Prepares a parsed expression: `matches` runs on a linear-time engine, and the functions that look at the request get
 * it as their first argument.
 */
function adapt(tree: SyntaxNode, environment: Environment): void {
  for (const node of nodesOf(tree)) {
    const operands = node.args as unknown[]
    if (node.op === 'rcall' && operands[0] === 'matches') operands[0] = 'linearMatches'
    if (isScopedCall(node)) (operands[1] as unknown[]).unshift(environment.parse(HIDDEN).ast)
  }
}
