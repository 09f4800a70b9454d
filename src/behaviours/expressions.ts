// The expressions of one operation's configuration: compiled at load, with every mistake in its place.

import type { Expression, Mistake } from '../expression/expression.ts'
import { Language } from '../expression/language.ts'
import { compileTemplate, type Template, type TemplateOptions } from '../expression/template.ts'
import { suggest } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import type { Path } from '../kernel/source.ts'
import type { Exchange } from './exchange.ts'
import { ExchangeScope, requestTypes, type ScopeSite } from './scope.ts'

/** A part of a string, in characters. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Reports a mistake in the expression at a path. */
export type ReportExpression = (code: string, message: string, path: Path, hint: string | undefined, at: Span) => void

export class Expressions {
  readonly #site: ScopeSite
  readonly #typed: boolean
  #language: Language | undefined

  /**
   * @param typed whether the configuration is for this operation alone, so that its contract gives the types of a request
   */
  constructor(site: ScopeSite, typed: boolean) {
    this.#site = site
    this.#typed = typed
  }

  /** Compiles a condition; `undefined` if it is invalid. */
  condition(text: string, path: Path, report: ReportExpression): Expression | undefined {
    return this.#compile(text, 'bool', path, 0, report)
  }

  /** Compiles one expression that begins at `start` of the string at `path`; `undefined` if it is invalid. */
  expression(text: string, path: Path, start: number, report: ReportExpression): Expression | undefined {
    return this.#compile(text, 'any', path, start, report)
  }

  #compile(
    text: string,
    want: 'bool' | 'any',
    path: Path,
    offset: number,
    report: ReportExpression,
  ): Expression | undefined {
    const compiled = this.#languageOf().compile(text, want)
    if ('code' in compiled) {
      const { code, message, hint, start, end } = compiled
      report(code, message, path, hint, { start: offset + start, end: offset + end })
      return undefined
    }
    this.#checkReferences(compiled, path, offset, report)
    return compiled
  }

  /** Compiles JSON with `${EXPRESSION}` in its strings. */
  template(value: Json, path: Path, report: ReportExpression, options?: TemplateOptions): Template {
    const told = (within: Path, { code, message, hint, ...at }: Mistake) =>
      report(code, message, [...path, ...within], hint, at)
    const template = compileTemplate(value, this.#languageOf(), told, options)
    for (const hole of template.holes) {
      this.#checkReferences(hole.expression, [...path, ...hole.path], hole.start, report)
    }
    return template
  }

  scope(exchange: Exchange): ExchangeScope {
    return new ExchangeScope(exchange, this.#site)
  }

  #languageOf(): Language {
    const { operation, contract } = this.#site
    this.#language ??= this.#typed ? new Language(requestTypes(operation, contract)) : new Language()
    return this.#language
  }

  #checkReferences({ references }: Expression, path: Path, offset: number, report: ReportExpression): void {
    const { contract, resources } = this.#site
    const known = {
      operation: () => contract.operations.map(({ id }) => id),
      resource: () => [...resources.keys()],
      schema: () => [...contract.schemas.keys()],
    }
    for (const { kind, name, start, end } of references) {
      const names = known[kind]()
      if (names.includes(name)) continue
      const message = kind === 'resource' ? `there is no resource "${name}"` : `the contract has no ${kind} "${name}"`
      const at = { start: offset + start, end: offset + end }
      report(`unknown-${kind}`, message, path, suggest(name, names), at)
    }
  }
}
