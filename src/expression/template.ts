// JSON whose strings may hold `${EXPRESSION}`, compiled. Alone in a string, an expression keeps the type of its value;
// within a longer one it becomes part of the text.

import { suggest } from '../kernel/diagnostic.ts'
import { isObject, type Json, put, stringifyJson } from '../kernel/json.ts'
import type { Path } from '../kernel/source.ts'
import { type Expression, ExpressionFailure, type Mistake } from './expression.ts'
import type { Language } from './language.ts'
import type { Scope } from './scope.ts'

/** An expression of a template, and the place of its value. */
export interface Hole {
  readonly path: Path
  readonly expression: Expression
  /** Whether the string holds nothing else. */
  readonly alone: boolean
  /** The index of the expression in the string. */
  readonly start: number
}

export interface Template {
  readonly holes: readonly Hole[]
  /**
   * Throws an `ExpressionFailure`, or rejects with one, unless the template is lenient.
   *
   * @param given the values of the names that were known when it was compiled
   */
  fill(scope: Scope, given?: GivenValues): Json | Promise<Json>
}

export type GivenValues = Readonly<Record<string, Json>>

export interface TemplateOptions {
  /** Names, such as `problem.code`, whose values are given when the template is filled in. */
  readonly known?: readonly string[]
  /** Whether an expression that fails is null. */
  readonly lenient?: boolean
}

/** Called for each mistake, whose `start` and `end` count from the beginning of the string at `path`. */
export type ReportMistake = (path: Path, mistake: Mistake) => void

type Fill = (scope: Scope, given: GivenValues) => Json | Promise<Json>

/** Compiles a template, and reports all its mistakes. */
export function compileTemplate(
  template: Json,
  language: Language,
  report: ReportMistake,
  { known = [], lenient = false }: TemplateOptions = {},
): Template {
  const holes: Hole[] = []
  const fillExpression = (expression: Expression): Fill =>
    lenient ? scope => orNull(() => expression.evaluate(scope)) : scope => expression.evaluate(scope)
  const fillText = (text: string, path: Path): Json | Fill => {
    const parts = partsOf(text)
    const fills: (string | Fill)[] = []
    for (const part of parts) {
      if (typeof part === 'string') {
        fills.push(part)
        continue
      }
      if (part.closed === false) {
        const message = '"${" has no closing brace'
        const end = part.start + part.text.length
        report(path, { code: 'unknown-placeholder', message, hint: undefined, start: part.start - 2, end })
        continue
      }
      if (known.includes(part.text)) {
        fills.push((_, given) => given[part.text] as Json)
        continue
      }
      const namespace = part.text.split('.', 1)[0]
      if (known.some(name => name.startsWith(`${namespace}.`))) {
        const message = `unknown placeholder \${${part.text}}`
        const hint = suggest(
          `\${${part.text}}`,
          known.map(name => `\${${name}}`),
        )
        report(path, {
          code: 'unknown-placeholder',
          message,
          hint,
          start: part.start - 2,
          end: part.start + part.text.length + 1,
        })
        continue
      }
      const compiled = language.compile(part.text, 'any')
      if ('code' in compiled) {
        report(path, { ...compiled, start: part.start + compiled.start, end: part.start + compiled.end })
        continue
      }
      holes.push({ path, expression: compiled, alone: parts.length === 1, start: part.start })
      fills.push(fillExpression(compiled))
    }
    const [first] = fills
    if (fills.every(fill => typeof fill === 'string')) return fills.join('')
    if (fills.length === 1 && typeof first === 'function') return first
    return (scope, given) => {
      const values = fillEach(fills, scope, given)
      return values.some(isPromise) ? Promise.all(values).then(joined) : joined(values as Json[])
    }
  }
  const compile = (value: Json, path: Path): Json | Fill => {
    if (typeof value === 'string') return fillText(value, path)
    if (Array.isArray(value)) {
      const items = value.map((item, i) => compile(item, [...path, i]))
      return items.some(isFill) ? (scope, given) => all(items, scope, given, values => values) : value
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value as Record<string, Json>)
    const members = entries.map(([name, member]) => compile(member, [...path, name]))
    if (!members.some(isFill)) return value
    return (scope, given) =>
      all(members, scope, given, values => {
        const out: Record<string, Json> = {}
        for (const [i, [name]] of entries.entries()) put(out, name, values[i] as Json)
        return out
      })
  }
  const compiled = compile(template, [])
  return { holes, fill: isFill(compiled) ? (scope, given = {}) => compiled(scope, given) : () => compiled }
}

/** Fills in every part and makes one value of them. */
function all(
  parts: readonly (Json | Fill)[],
  scope: Scope,
  given: GivenValues,
  make: (values: Json[]) => Json,
): Json | Promise<Json> {
  const values = fillEach(parts, scope, given)
  return values.some(isPromise) ? Promise.all(values).then(make) : make(values as Json[])
}

/** If one throws, nothing awaits those that have begun: handle their rejections. */
function fillEach(parts: readonly (Json | Fill)[], scope: Scope, given: GivenValues): (Json | Promise<Json>)[] {
  const values: (Json | Promise<Json>)[] = []
  try {
    for (const part of parts) values.push(isFill(part) ? part(scope, given) : part)
  } catch (error) {
    for (const value of values) if (isPromise(value)) value.catch(() => {})
    throw error
  }
  return values
}

/** An outage is passed on. */
function orNull(evaluate: () => Json | Promise<Json>): Json | Promise<Json> {
  const failed = (error: unknown): null => {
    if (error instanceof ExpressionFailure) return null
    throw error
  }
  try {
    const value = evaluate()
    return isPromise(value) ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

const isFill = (value: Json | Fill): value is Fill => typeof value === 'function'

const isPromise = (value: Json | Promise<Json>): value is Promise<Json> => value instanceof Promise

const joined = (values: readonly Json[]): string =>
  values.map(value => (typeof value === 'string' ? value : stringifyJson(value))).join('')

export interface TemplatePart {
  readonly text: string
  /** The index of the expression in the string. */
  readonly start: number
  readonly closed: boolean
}

/** The texts and expressions of a string, in turn. A brace within a literal or a map does not end an expression. */
export function partsOf(text: string): readonly (string | TemplatePart)[] {
  const parts: (string | TemplatePart)[] = []
  let from = 0
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', from)) {
    if (open > from) parts.push(text.slice(from, open))
    const end = endOf(text, open + 2)
    parts.push({ text: text.slice(open + 2, end ?? text.length), start: open + 2, closed: end !== undefined })
    from = (end ?? text.length) + 1
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Returns the index of the brace that closes an expression. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0
  let quote = ''
  for (let i = start; i < text.length; i++) {
    const character = text[i] as string
    if (quote !== '') {
      if (character === '\\') i += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '{') depth += 1
    else if (character === '}') {
      if (depth === 0) return i
      depth -= 1
    }
  }
  return undefined
}
