// Templates: JSON whose strings may hold `${…}`, compiled at load. Between the braces is a placeholder of the template's
// user, such as `page.total`, or an expression. Alone in a string it keeps the type of its value; in a longer string it
// becomes text.

import { suggest } from '../kernel/diagnostic.ts'
import type { Path } from '../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, put, stringifyJson } from '../kernel/json.ts'
import type { Expression, Scope } from './scope.ts'
import { callNamed } from './syntax-tree.ts'

/** JSON text that is inserted unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A part of a string, in characters. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Reports a mistake in a key, or in a part of the string at a path. */
export type ReportMistake<Part = 'key' | TextSpan> = (
  code: string,
  message: string,
  path: Path,
  hint: string | undefined,
  part: Part,
) => void

/** The data that a template is filled in with. Without a scope, expressions get a sample value of their type. */
export interface TemplateContext {
  readonly scope?: Scope | undefined
}

/** Returns the value of a placeholder. A member or a string whose value is `undefined` is left out. */
export type Fill<Context> = (context: Context) => Json | JsonText | undefined

export interface TemplateOptions<Context> {
  /** The placeholders that an author may write: `page.total`. */
  readonly known?: readonly string[]
  /** The hint about an unknown placeholder, where none is known. */
  readonly hint?: string
  /** Returns the value of a placeholder, known or internal; `undefined` if there is none of this name. */
  readonly field?: (name: string, path: Path, alone: boolean) => Fill<Context> | undefined
  /** Compiles the expression that begins at `start` of the string at a path. Unset: the template has no expressions. */
  readonly compile?: (text: string, path: Path, start: number, alone: boolean) => Expression | undefined
  /** Says whether the value of an expression that fails is null, or empty within a text; or left out. Default: null, with a warning. */
  readonly failing?: 'warn' | 'null' | 'omit'
  /** Repeats a list of one item with a placeholder: an item for each of these. */
  readonly each?: (context: Context) => readonly Context[]
}

/** An expression of a template, and the place of its value. */
export interface Hole {
  /** The path within the template. */
  readonly path: Path
  readonly expression: Expression
  /** Whether the string holds nothing else. */
  readonly alone: boolean
}

export interface Template<Context> {
  /** The expressions. */
  readonly holes: readonly Hole[]
  /** Returns the value. */
  fill(context: Context): Json | JsonText | undefined
  /** Returns the value as JSON text. */
  write(context: Context): string
}

type Bound<Context> = (context: Context) => Json | JsonText | undefined
type BoundTree<Context> =
  | Json
  | Bound<Context>
  | readonly BoundTree<Context>[]
  | { readonly [name: string]: BoundTree<Context> }

/** Compiles a template, and reports all its mistakes with their places. Unknown placeholders stay as they are written. */
export function compileFilling<Context extends TemplateContext>(
  template: Json,
  at: Path,
  report: ReportMistake,
  { known = [], hint, field, compile, failing = 'warn', each }: TemplateOptions<Context> = {},
): Template<Context> {
  const holes: Hole[] = []
  const evaluate = (expression: Expression, scope: Scope, alone: boolean): Json | undefined => {
    try {
      return expression.evaluate(scope)
    } catch (error) {
      if (failing === 'omit') return undefined
      if (failing === 'warn') scope.warn(`${expression.text}: ${(error as Error).message}`)
      return alone ? null : ''
    }
  }
  const bindPart = (part: TemplatePart, path: Path, alone: boolean): string | Bound<Context> => {
    const { text, start, closed } = part
    const whole = wholeOf(part)
    const unknown = (message: string, hint: string | undefined): string => {
      const begin = start - '${'.length
      report('unknown-placeholder', message, [...at, ...path], hint, { start: begin, end: begin + whole.length })
      return whole
    }
    if (!closed) return unknown('"${" has no closing brace', 'write } after the expression')
    const found = field?.(text.trim(), path, alone)
    if (found !== undefined) return found
    if (VARIABLE.test(text)) return whole
    const root = `${text.split('.', 1)[0]}.`
    if (compile === undefined || known.some(name => name.startsWith(root))) {
      const names = known.map(name => `\${${name}}`)
      return unknown(`unknown placeholder ${whole}`, hint ?? suggest(whole, names))
    }
    const expression = compile(text, [...at, ...path], start, alone)
    if (expression === undefined) return whole
    holes.push({ path, expression, alone })
    const sample = SAMPLES[expression.type.replace(/<.*/s, '')] ?? null
    return ({ scope }) => (scope === undefined ? sample : evaluate(expression, scope, alone))
  }
  const bind = (value: Json, path: Path): BoundTree<Context> => {
    if (typeof value === 'string') {
      const parts = splitTemplate(value)
      for (const { whole, name, span } of foreignIn(value, parts)) {
        const isPlaceholder = field?.(name, path, false) !== undefined
        const instead = isPlaceholder || compile === undefined ? name : (callNamed(name) ?? name)
        report('unfilled-template', `${whole} is not filled in`, [...at, ...path], hint ?? `write \${${instead}}`, span)
      }
      const bound = parts.map(part => (typeof part === 'string' ? part : bindPart(part, path, parts.length === 1)))
      const [first] = bound
      if (bound.every(part => typeof part === 'string')) return bound.join('')
      return bound.length === 1 ? (first as Bound<Context>) : joinParts(bound)
    }
    if (Array.isArray(value)) {
      const items = value.map((item: Json, i) => bind(item, [...path, i]))
      const isEach = each !== undefined && items.length === 1 && mentions(value, name => field?.(name, path, true))
      if (!isEach) return items.every((item, i) => item === value[i]) ? value : items
      const item = writer(items[0] as BoundTree<Context>)
      return context => new JsonText(`[${each(context).map(one => item(one))}]`)
    }
    if (!isObject(value)) return value
    let isConstant = true
    const members = Object.entries(value as JsonObject).map(([name, item]) => {
      const key = splitTemplate(name).find(part => typeof part !== 'string')
      if (key !== undefined) {
        const message = `the placeholder ${wholeOf(key)} is not filled in within a key`
        report('unknown-placeholder', message, [...at, ...path, name], 'use it in a value', 'key')
      }
      const bound = bind(item, [...path, name])
      isConstant &&= bound === item
      return [name, bound] as const
    })
    return isConstant ? value : Object.fromEntries(members)
  }
  const tree = bind(template, [])
  return {
    holes,
    fill: tree === template ? () => template : context => filled(tree, context),
    write: writer(tree),
  }
}

function joinParts<Context>(parts: readonly (string | Bound<Context>)[]): Bound<Context> {
  return context => {
    let out = ''
    for (const part of parts) {
      const value = typeof part === 'string' ? part : part(context)
      if (value === undefined) return undefined
      out += textOfFilled(value)
    }
    return out
  }
}

/** Returns a value as a part of a text. */
export const textOfFilled = (value: Json | JsonText | undefined): string =>
  typeof value === 'string' ? value : value instanceof JsonText ? value.text : stringifyJson(value)

function filled<Context>(tree: BoundTree<Context>, context: Context): Json | JsonText | undefined {
  if (typeof tree === 'function') return tree(context)
  if (Array.isArray(tree)) return tree.map(item => (filled(item as BoundTree<Context>, context) as Json) ?? null)
  if (!isObject(tree)) return tree as Json
  const out: Record<string, Json> = {}
  for (const [name, item] of Object.entries(tree)) {
    const value = filled(item as BoundTree<Context>, context)
    if (value !== undefined) put(out, name, value as Json)
  }
  return out
}

/** Compiles a tree into texts and values, so that a request walks over nothing that is constant. */
function writer<Context>(tree: BoundTree<Context>): (context: Context) => string {
  const chunks: (string | Bound<Context>)[] = []
  const text = (piece: string): void => {
    const last = chunks.at(-1)
    if (typeof last === 'string') chunks[chunks.length - 1] = last + piece
    else chunks.push(piece)
  }
  const add = (value: BoundTree<Context>): void => {
    if (typeof value === 'function') chunks.push(value)
    else if (Array.isArray(value) || isObject(value)) {
      const [open, close] = Array.isArray(value) ? '[]' : '{}'
      text(open as string)
      for (const [i, [name, item]] of Object.entries(value).entries()) {
        text(`${i > 0 ? ',' : ''}${Array.isArray(value) ? '' : `${JSON.stringify(name)}:`}`)
        add(item as BoundTree<Context>)
      }
      text(close as string)
    } else text(stringifyJson(value))
  }
  add(tree)
  return context => {
    let out = ''
    for (const chunk of chunks) {
      if (typeof chunk === 'string') out += chunk
      else {
        const value = chunk(context)
        out += value instanceof JsonText ? value.text : stringifyJson(value ?? null)
      }
    }
    return out
  }
}

/** A value of each type, for checking a template at load. */
const SAMPLES: Readonly<Record<string, Json>> = { string: 'text', int: 1, double: 0.5, bool: true, list: [], map: {} }

const wholeOf = ({ text, closed }: TemplatePart): string => `\${${text}${closed ? '}' : ''}`

interface TemplatePart {
  readonly text: string
  /** The index in the string, after `${`. */
  readonly start: number
  readonly closed: boolean
}

/** Splits a string into texts and what is between `${` and `}`. A brace within a literal or a map does not end an expression. */
function splitTemplate(text: string): readonly (string | TemplatePart)[] {
  const parts: (string | TemplatePart)[] = []
  let from = 0
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', from)) {
    if (open > from) parts.push(text.slice(from, open))
    const end = closingBrace(text, open + 2)
    parts.push({ text: text.slice(open + 2, end ?? text.length), start: open + 2, closed: end !== undefined })
    from = (end ?? text.length) + 1
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

function closingBrace(text: string, start: number): number | undefined {
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

/** A placeholder as other templates have it. */
export const FOREIGN = /\{\{ *(.*?) *\}\}/g

/** The placeholders of other templates in a text. @param parts the text in its parts */
function foreignIn(text: string, parts: readonly (string | TemplatePart)[]) {
  const plain = parts.filter(part => typeof part === 'string').join(' ')
  return [...plain.matchAll(FOREIGN)].map(([whole, name = '']) => {
    const start = text.indexOf(whole)
    return { whole, name, span: { start, end: start + whole.length } }
  })
}

/** An environment variable. One that is still here is missing, which has been reported. */
const VARIABLE = /^[A-Z_][A-Z0-9_]*(?::-|$)/

/** Returns the place of each `${…}` in the strings of a template, and what is between its braces. */
export function* placeholdersIn(template: unknown, path: Path = []): Iterable<[Path, string]> {
  if (typeof template === 'string') {
    for (const part of splitTemplate(template)) if (typeof part !== 'string') yield [path, part.text.trim()]
  } else if (Array.isArray(template)) {
    for (const [index, item] of template.entries()) yield* placeholdersIn(item, [...path, index])
  } else if (isObject(template)) {
    for (const [key, item] of Object.entries(template)) yield* placeholdersIn(item, [...path, key])
  }
}

/** Returns whether a template has a placeholder of which `has` says so. */
export function mentions(template: unknown, has: (name: string) => unknown): boolean {
  for (const [, name] of placeholdersIn(template)) if (has(name)) return true
  return false
}

/** Reports each `${…}` of a setting that is no template, in its keys and its values: it would be used as it is written. */
export function reportPlaceholders(setting: unknown, hint: string, report: ReportMistake): void {
  // Few settings have one, and looking costs less than walking with paths.
  if (/\$\{|\{\{/.test(String(stringifyJson(setting)))) compileFilling(setting as Json, [], report, { hint })
}
