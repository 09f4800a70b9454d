// The place of the cursor in a YAML text as a path of keys, and the part of a JSON Schema that describes it. A text that is
// being typed is often not sound: lines and indentation are read instead of a syntax tree.

import { unescapeName } from '../model/json-pointer.ts'

/** A part of a JSON Schema 2020-12, as far as an editor reads it. */
export interface SchemaPart {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaPart>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly patternProperties?: Readonly<Record<string, SchemaPart>>
  readonly additionalProperties?: SchemaPart | boolean
  readonly items?: SchemaPart | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly SchemaPart[]
  readonly oneOf?: readonly SchemaPart[]
  readonly allOf?: readonly SchemaPart[]
}

export interface Cursor {
  /** The keys of the path to the mapping or the value at the cursor; an item of a list is `-`. */
  readonly path: readonly string[]
  /** Set where a value is being written: the key that it belongs to is the last of the path. */
  readonly inValue: boolean
  /** The word before the cursor, and where it begins. */
  readonly word: string
  readonly from: number
}

const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#:,{}[\]"'-][^:#,{}[\]]*?|-?[^\s#:,{}[\]"'-][^:#,{}[\]]*?)\s*:(?=\s|$)/

/** Returns the cursor's place in a text. */
export function cursorAt(text: string, position: number): Cursor {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const line = text.slice(start, position)
  const word = /[\w$./ -]*$/.exec(line)?.[0].trimStart() ?? ''
  const from = position - word.length
  const { indent, rest, dashes } = shapeOf(line)
  const path = [...pathAbove(text.slice(0, start), indent, rest === '' && dashes === 0), ...Array(dashes).fill('-')]
  const inline = flowPath(rest)
  const key = inline.key
  return {
    path: [...path, ...inline.path, ...(key === undefined ? [] : [key])],
    inValue: key !== undefined,
    word,
    from,
  }
}

interface LineShape {
  /** Columns before the first character, dashes of list items included. */
  readonly indent: number
  readonly dashes: number
  readonly rest: string
}

function shapeOf(line: string): LineShape {
  let rest = line
  let indent = /^ */.exec(rest)?.[0].length ?? 0
  rest = rest.slice(indent)
  let dashes = 0
  for (let item = /^- +|^-$/.exec(rest); item !== null; item = /^- +|^-$/.exec(rest)) {
    dashes += 1
    indent += item[0].length
    rest = rest.slice(item[0].length)
  }
  return { indent, dashes, rest }
}

/** The keys of the lines above that are indented less, nearest last. */
function pathAbove(text: string, indent: number, isBlank: boolean): string[] {
  const path: string[] = []
  let least = isBlank && indent === 0 ? 0 : indent
  for (const line of text.split('\n').reverse()) {
    if (line.trim() === '' || line.trim().startsWith('#') || least === 0) continue
    const { indent: own, dashes, rest } = shapeOf(line)
    const outer = own - (dashes > 0 ? 2 * dashes : 0)
    if (own < least || (dashes > 0 && own === least)) {
      const key = KEY.exec(rest)?.[1]
      if (own < least && key !== undefined) path.unshift(unquoted(key))
      if (dashes > 0) path.unshift(...Array(dashes).fill('-'))
      least = dashes > 0 ? Math.min(own, Math.max(outer, 0) + 1) : own
      if (dashes > 0 && outer === 0) least = Math.min(least, 1)
    }
  }
  return path
}

/** The path within one line: `defaults: { latency: { p50:` is defaults, latency, p50. */
function flowPath(line: string): { path: string[]; key: string | undefined } {
  const path: string[] = []
  let key: string | undefined
  let rest = line
  while (rest !== '') {
    const found = KEY.exec(rest)
    if (found !== null) {
      key = unquoted(found[1] as string)
      rest = rest.slice(found[0].length)
      continue
    }
    const next = rest[0] as string
    if (next === '{' || next === '[') {
      if (key !== undefined) path.push(key)
      path.push(...(next === '[' ? ['-'] : []))
      key = undefined
    } else if (next === '}' || next === ']') {
      key = path.pop()
      if (key === '-') key = path.pop()
    } else if (next === ',') key = undefined
    const step = /^(?:"[^"]*"|'[^']*'|[^{}[\],"':]+|.)/.exec(rest)?.[0] ?? next
    rest = rest.slice(
      next === '{' || next === '[' || next === ',' ? 1 + (/^\s*/.exec(rest.slice(1))?.[0].length ?? 0) : step.length,
    )
  }
  return { path, key }
}

const unquoted = (key: string): string => key.trim().replace(/^(["'])(.*)\1$/, '$2')

/** Returns the parts of the schema that describe a path: several where it leaves a choice. */
function partsAt(root: SchemaPart, path: readonly string[]): SchemaPart[] {
  let parts = choicesOf(root, root)
  for (const key of path) {
    parts = parts.flatMap(part => childrenOf(part, key)).flatMap(part => choicesOf(part, root))
  }
  return parts
}

function childrenOf(part: SchemaPart, key: string): SchemaPart[] {
  if (key === '-') return typeof part.items === 'object' ? [part.items] : []
  const own = part.properties?.[key]
  if (own !== undefined) return [own]
  const matching = Object.entries(part.patternProperties ?? {}).flatMap(([pattern, child]) =>
    new RegExp(pattern, 'u').test(key) ? [child] : [],
  )
  if (matching.length > 0) return matching
  return typeof part.additionalProperties === 'object' ? [part.additionalProperties] : []
}

/** Follows references and splits alternatives. */
function choicesOf(part: SchemaPart, root: SchemaPart, depth = 0): SchemaPart[] {
  if (depth > 20) return []
  const name = /^#\/\$defs\/(.+)$/.exec(part.$ref ?? '')?.[1]
  const target = name === undefined ? undefined : root.$defs?.[unescapeName(name)]
  const within = [
    ...(part.anyOf ?? []),
    ...(part.oneOf ?? []),
    ...(part.allOf ?? []),
    ...(target === undefined ? [] : [target]),
  ]
  return [part, ...within.flatMap(one => choicesOf(one, root, depth + 1))]
}

export interface Suggestion {
  readonly text: string
  readonly about: string | undefined
}

/** Returns the keys that are allowed at a path. */
export function keysAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const { properties = {} } of partsAt(root, path)) {
    for (const [text, part] of Object.entries(properties)) {
      if (!found.has(text)) found.set(text, { text, about: aboutOf(part, root) })
    }
  }
  return [...found.values()]
}

/** Returns the suggested values of the last key of a path, including examples. */
export function valuesAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const part of partsAt(root, path)) {
    const types = [part.type ?? []].flat()
    const values = [
      ...(part.enum ?? []),
      ...(part.const === undefined ? [] : [part.const]),
      ...(types.includes('boolean') ? [true, false] : []),
      ...(part.examples ?? []),
    ]
    for (const value of values) {
      if (typeof value === 'object' && value !== null) continue
      const text = String(value)
      if (!found.has(text)) found.set(text, { text, about: undefined })
    }
  }
  return [...found.values()]
}

/** Returns the description of the key at the end of a path. */
export function aboutAt(root: SchemaPart, path: readonly string[]): string | undefined {
  return partsAt(root, path).find(({ description }) => description !== undefined)?.description
}

const aboutOf = (part: SchemaPart, root: SchemaPart): string | undefined =>
  choicesOf(part, root).find(({ description }) => description !== undefined)?.description
