// JSON with holes, compiled: a list of texts and of fields, so that nothing is walked while a request waits.

import { isObject, type Json, stringifyJson } from './json.ts'
import type { Path } from './source.ts'

/** JSON that is text already: put in as it stands. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a hole can be filled with, by name. */
export type Fields<Context> = Readonly<
  Record<string, (context: Context) => string | number | boolean | null | JsonText>
>

/**
 * Compiles a template whose strings may hold `${NAMESPACE.FIELD}`. Alone in a string, a field keeps its type; within a
 * longer one it becomes part of the text. Unknown fields stay as they are written: `placeholders` finds them at load.
 */
export function compileTemplate<Context>(
  template: Json,
  namespace: string,
  fields: Fields<Context>,
): (context: Context) => string {
  const chunks = chunksOf(template, namespace, fields)
  return context => {
    let out = ''
    for (const chunk of chunks) out += typeof chunk === 'string' ? chunk : chunk(context)
    return out
  }
}

type Chunk<Context> = string | ((context: Context) => string)

function chunksOf<Context>(template: Json, namespace: string, fields: Fields<Context>): Chunk<Context>[] {
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
  fields: Fields<Context>,
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

/** Every `${…}` in a template that speaks of another namespace, with its path: nothing will fill it in. */
export function* strangers(template: unknown, namespace: string): Iterable<[Path, string]> {
  const other = `(?!${namespace}\\.)[\\w-]+`
  for (const [path] of placeholders(template, other)) {
    const text = path.reduce((at, key) => (at as Record<string, unknown>)[key], template)
    for (const [whole] of String(text).matchAll(patternOf(other))) yield [path, whole]
  }
}

const patternOf = (namespace: string): RegExp => new RegExp(`\\$\\{${namespace}\\.([^}]*)\\}`, 'g')

const jsonOf = (value: string | number | boolean | null | JsonText): string =>
  value instanceof JsonText ? value.text : JSON.stringify(value)
