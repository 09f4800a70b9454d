// The expressions of one operation's configuration: compiled at load, with every mistake in its place.

import type { Contract } from '../contract/contract.ts'
import { Language } from '../expression/language.ts'
import type { Expression } from '../expression/scope.ts'
import {
  compileFilling,
  type ReportMistake,
  type Template,
  type TemplateContext,
  type TemplateOptions,
  type TextSpan,
} from '../expression/template.ts'
import { suggest } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import type { Path } from '../kernel/source.ts'
import type { Exchange } from './exchange.ts'
import { ExchangeScope, requestTypes, type ScopeSite } from './scope.ts'

/** The names that functions of an expression may refer to. */
export interface KnownNames {
  readonly contract: Contract
  /** Absent where records cannot be read. */
  readonly resources?: ReadonlyMap<string, unknown> | undefined
}

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
  condition(text: string, path: Path, report: ReportMistake<TextSpan>): Expression | undefined {
    return compileExpression(this.#languageOf(), this.#site, text, 'bool', path, 0, report)
  }

  /** Compiles JSON with `${…}` in its strings. If it may read records, its expressions must be evaluated before it is filled in. */
  template<Context extends TemplateContext>(
    value: Json,
    path: Path,
    report: ReportMistake,
    options: TemplateOptions<Context> & { readonly readsRecords?: boolean } = {},
  ): Template<Context> {
    const names = options.readsRecords === true ? this.#site : { contract: this.#site.contract }
    return compileFilling(value, path, report, {
      ...options,
      compile: (text, at, start) => compileExpression(this.#languageOf(), names, text, 'any', at, start, report),
    })
  }

  scope(exchange: Exchange): ExchangeScope {
    return new ExchangeScope(exchange, this.#site)
  }

  #languageOf(): Language {
    const { operation, contract } = this.#site
    this.#language ??= this.#typed ? new Language(requestTypes(operation, contract)) : new Language()
    return this.#language
  }
}

/** Compiles one expression that begins at `start` of the string at `path`; `undefined` if it is invalid. */
export function compileExpression(
  language: Language,
  { contract, resources }: KnownNames,
  text: string,
  want: 'bool' | 'any',
  path: Path,
  start: number,
  report: ReportMistake<TextSpan>,
): Expression | undefined {
  const compiled = language.compile(text, want)
  const at = (part: { readonly start: number; readonly end: number }) => ({
    start: start + part.start,
    end: start + part.end,
  })
  if ('code' in compiled) {
    report(compiled.code, compiled.message, path, compiled.hint, at(compiled))
    return undefined
  }
  for (const reference of compiled.references) {
    const { kind, name } = reference
    if (kind === 'resource' && resources === undefined) {
      const hint = 'use record() in a rule or a fixed reply'
      report('unknown-expression', 'records cannot be read here', path, hint, at(reference))
      continue
    }
    const names =
      kind === 'operation'
        ? contract.operations.map(({ id }) => id)
        : [...((kind === 'schema' ? contract.schemas : resources)?.keys() ?? [])]
    if (names.includes(name)) continue
    const message = kind === 'resource' ? `there is no resource "${name}"` : `the contract has no ${kind} "${name}"`
    report(`unknown-${kind}`, message, path, suggest(name, names), at(reference))
  }
  return compiled
}
