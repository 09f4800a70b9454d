// Compiles a JSON template into a list of texts and fields, so that no value is walked at request time.

import { suggest } from './diagnostic.ts'
import { isObject, type Json, stringifyJson } from './json.ts'
import type { Path } from './source.ts'

/** JSON text that is inserted unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The values that fill a template's fields, by name. */
export type TemplateFields<Context> = Readonly<
  Record<string, (context: Context) => string | number | boolean | null | JsonText>
>

/**
 * Compiles a template whose strings may hold `${NAMESPACE.FIELD}`. A field that is the whole string keeps its type; within a
 * longer string it becomes text. Unknown fields stay unchanged; `unfilled` reports them at load.
 */
export function compileTemplate<Context>(
  template: Json,
  namespace: string,
  fields: TemplateFields<Context>,
): (context: Context) => string {
  const chunks = chunksOf(template, namespace, fields)
  return context => {
    let out = ''
    for (const chunk of chunks) out += typeof chunk === 'string' ? chunk : chunk(context)
    return out
  }
}

type Chunk<Context> = string | ((context: Context) => string)

function chunksOf<Context>(template: Json, namespace: string, fields: TemplateFields<Context>): Chunk<Context>[] {
  const chunks: Chunk<Context>[] = []
  const text = (piece: string) => {
    const last = chunks.at(-1)
    if (typeof last === 'string') chunks[chunks.length - 1] = last + piece
    else chunks.push(piece)
  }
  const add = (value: Json): void => {
    if (typeof value === 'string') addString(value)
    else if (Array.isArray(value)) {
      text('[')
      for (const [index, item] of value.entries()) {
        if (index > 0) text(',')
        add(item)
      }
      text(']')
    } else if (isObject(value)) {
      text('{')
      for (const [index, [key, item]] of Object.entries(value as Record<string, Json>).entries()) {
        text(`${index > 0 ? ',' : ''}${JSON.stringify(key)}:`)
        add(item)
      }
      text('}')
    } else text(stringifyJson(value))
  }
  const addString = (value: string): void => {
    const holes = [...value.matchAll(patternOf(namespace))].filter(([, name]) => Object.hasOwn(fields, name as string))
    const [first] = holes
    if (first === undefined) text(JSON.stringify(value))
    else if (first[0] === value) {
      const field = fields[first[1] as string]!
      chunks.push(context => jsonOf(field(context)))
    } else {
      const fill = compileText(value, namespace, fields)
      chunks.push(context => JSON.stringify(fill(context)))
    }
  }
  add(template)
  return chunks
}

/** The same for a plain text, such as a header's value. */
export function compileText<Context>(
  template: string,
  namespace: string,
  fields: TemplateFields<Context>,
): (context: Context) => string {
  const pattern = patternOf(namespace)
  return context =>
    template.replace(pattern, (whole, name: string) => {
      const value = fields[name]?.(context)
      return value === undefined ? whole : value instanceof JsonText ? value.text : String(value)
    })
}

/** Every `${NAMESPACE.…}` in a template, with its path. */
export function* placeholders(template: unknown, namespace: string, path: Path = []): Iterable<[Path, string]> {
  if (typeof template === 'string') {
    for (const [, name] of template.matchAll(patternOf(namespace))) yield [path, name as string]
  } else if (Array.isArray(template)) {
    for (const [index, item] of template.entries()) yield* placeholders(item, namespace, [...path, index])
  } else if (isObject(template)) {
    for (const [key, item] of Object.entries(template)) yield* placeholders(item, namespace, [...path, key])
  }
}

/** A `${…}` that has no value, or that is part of a key. */
export interface Unfilled {
  readonly path: Path
  readonly part: 'key' | 'value'
  readonly message: string
  readonly hint: string | undefined
}

/**
 * Finds every `${…}` in a template that would be sent as it is written.
 *
 * @param known the fields that have values: `page.items`
 * @param otherwise the hint when no field has a value
 */
export function* unfilled(
  template: unknown,
  known: readonly string[],
  otherwise?: string,
  path: Path = [],
): Iterable<Unfilled> {
  if (path.length === 0 && !mentionsVariable(template)) return
  if (typeof template === 'string') {
    for (const [whole, name = ''] of template.matchAll(new RegExp(ANY, 'g'))) {
      if (whole.endsWith('}') && (known.includes(name) || VARIABLE.test(name))) continue
      const hint =
        known.length === 0
          ? otherwise
          : suggest(
              whole,
              known.map(one => `\${${one}}`),
            )
      yield { path, part: 'value', message: `unknown placeholder ${whole}`, hint }
    }
  } else if (Array.isArray(template)) {
    for (const [index, item] of template.entries()) yield* unfilled(item, known, otherwise, [...path, index])
  } else if (isObject(template)) {
    if (path.length === 0) yield* keysWithHoles(template)
    for (const [key, item] of Object.entries(template)) yield* unfilled(item, known, otherwise, [...path, key])
  }
}

/** Whether a string in a template, or a key, holds `${`: few do, and looking costs less than walking with paths. */
function mentionsVariable(template: unknown): boolean {
  if (typeof template === 'string') return template.includes('${')
  if (Array.isArray(template)) return template.some(mentionsVariable)
  if (!isObject(template)) return false
  for (const key in template) if (key.includes('${') || mentionsVariable(template[key])) return true
  return false
}

/** Finds every `${…}` in a key. Only values are filled in. */
export function* keysWithHoles(template: unknown, path: Path = []): Iterable<Unfilled> {
  if (typeof template !== 'object' || template === null) return
  for (const [key, item] of Object.entries(template)) {
    const at = [...path, Array.isArray(template) ? Number(key) : key]
    const [whole] = ANY.exec(key) ?? []
    if (whole !== undefined) {
      yield {
        path: at,
        part: 'key',
        message: `the placeholder ${whole} is not filled in within a key`,
        hint: 'use it in a value',
      }
    }
    yield* keysWithHoles(item, at)
  }
}

/** An environment variable. One that is still unfilled here is missing, which has been reported. */
export const VARIABLE = /^[A-Z_][A-Z0-9_]*(?::-|$)/

/** A `${` without its `}`, which is sent unchanged too. */
const ANY = /\$\{([^{}]*)\}?/

const patternOf = (namespace: string): RegExp => new RegExp(`\\$\\{${namespace}\\.([^}]*)\\}`, 'g')

const jsonOf = (value: string | number | boolean | null | JsonText): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value)
