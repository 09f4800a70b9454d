// The place of the cursor in a YAML or JSON text as a path of keys, and the part of a JSON Schema that describes it. A text
// that is being typed is often not sound: lines and indentation are read instead of a syntax tree.

import { unescapeKey } from '../../kernel/json.ts'

/** A part of a JSON Schema 2020-12, as far as the console reads it. */
export interface SchemaPart {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaPart>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly patternProperties?: Readonly<Record<string, SchemaPart>>
  readonly additionalProperties?: SchemaPart | boolean
  readonly required?: readonly string[]
  readonly items?: SchemaPart | boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly anyOf?: readonly SchemaPart[]
  readonly oneOf?: readonly SchemaPart[]
  readonly allOf?: readonly SchemaPart[]
}

interface TextCursor {
  /** The keys of the path to the mapping or the value at the cursor; an item of a list is `-`. */
  readonly path: readonly string[]
  /** Set where a value is being written: the key that it belongs to is the last of the path. */
  readonly inValue: boolean
  /** The word before the cursor, and where it begins. */
  readonly word: string
  readonly from: number
}

const KEY = /^(?:("(?:[^"\\]|\\.)*"|'[^']*')\s*:|(-?[^\s#:,{}[\]"'-][^:#,{}[\]]*?)\s*:(?=\s|$))/

/** Returns whether a text is JSON and not YAML in lines. */
export const isJsonText = (text: string): boolean => /^\s*[[{]/.test(text)

/** Returns the cursor's place in a text. */
export function cursorAt(text: string, position: number): TextCursor {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const line = text.slice(start, position)
  const word = /[\w$./ -]*$/.exec(line)?.[0].trimStart() ?? ''
  const { indent, rest, dashes } = partsOfLine(line)
  const above = pathAbove(text.slice(0, start), indent, rest === '' && dashes === 0)
  const inline = flowPath(isJsonText(text) ? text.slice(0, position).trimStart() : rest)
  const outer = isJsonText(text) ? [] : [...above, ...Array(dashes).fill('-')]
  const key = inline.key === undefined ? [] : [inline.key]
  return { path: [...outer, ...inline.path, ...key], inValue: key.length > 0, word, from: position - word.length }
}

/** @returns `indent`: columns before the first character, dashes of list items included */
function partsOfLine(line: string): { indent: number; dashes: number; rest: string } {
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

/** Returns the keys of the lines above that are indented less, nearest last. */
function pathAbove(text: string, indent: number, isBlank: boolean): string[] {
  const path: string[] = []
  let least = isBlank && indent === 0 ? 0 : indent
  for (const line of text.split('\n').reverse()) {
    if (line.trim() === '' || line.trim().startsWith('#') || least === 0) continue
    const { indent: own, dashes, rest } = partsOfLine(line)
    if (own > least || (own === least && dashes === 0)) continue
    const key = keyAtStart(rest)
    if (own < least && key !== undefined) path.unshift(key.name)
    if (dashes > 0) path.unshift(...Array(dashes).fill('-'))
    const outer = own - 2 * dashes
    least = dashes === 0 ? own : Math.min(own, Math.max(outer, 0) + 1)
  }
  return path
}

/** The path within one text of flow style: `defaults: { latency: { p50:` is defaults, latency, p50. */
function flowPath(text: string): { path: string[]; key: string | undefined } {
  const path: string[] = []
  let key: string | undefined
  let rest = text
  while (rest !== '') {
    const found = keyAtStart(rest)
    if (found !== undefined) {
      key = found.name
      rest = rest.slice(found.length)
      continue
    }
    const next = rest[0] as string
    if (next === '{' || next === '[') {
      if (key !== undefined) path.push(key)
      if (next === '[') path.push('-')
      key = undefined
    } else if (next === '}' || next === ']') {
      key = path.pop()
      if (key === '-') key = path.pop()
    } else if (next === ',') key = undefined
    const step = /^(?:[{[,]\s*|"(?:[^"\\]|\\.)*"|'[^']*'|[^{}[\],"':]+|[\s\S])/.exec(rest)?.[0] ?? next
    rest = rest.slice(step.length)
  }
  return { path, key }
}

function keyAtStart(text: string): { name: string; length: number } | undefined {
  const [whole, quoted, plain] = KEY.exec(text) ?? []
  if (whole === undefined) return undefined
  return { name: quoted === undefined ? (plain ?? '').trim() : quoted.slice(1, -1), length: whole.length }
}

/** Returns the parts of the schema that describe a path: several where it joins parts or leaves a choice. */
export function partsAt(root: SchemaPart, path: readonly string[]): readonly SchemaPart[] {
  const below = (parts: SchemaPart[], key: string): SchemaPart[] =>
    parts.flatMap(part => partsBelow(part, key)).flatMap(part => alternativesOf(part, root))
  return path.reduce(below, alternativesOf(root, root))
}

function partsBelow(part: SchemaPart, key: string): SchemaPart[] {
  if (key === '-') return typeof part.items === 'object' ? [part.items] : []
  const own = part.properties?.[key]
  if (own !== undefined) return [own]
  const matching = Object.entries(part.patternProperties ?? {}).flatMap(([pattern, child]) =>
    new RegExp(pattern, 'u').test(key) ? [child] : [],
  )
  if (matching.length > 0) return matching
  return typeof part.additionalProperties === 'object' ? [part.additionalProperties] : []
}

/** Follows references, and splits joined parts and alternatives. */
function alternativesOf(part: SchemaPart, root: SchemaPart, depth = 0): SchemaPart[] {
  if (depth > 20) return []
  const name = /^#(?:\/\$defs\/(.+))?$/.exec(part.$ref ?? '')
  const target = name === null ? undefined : name[1] === undefined ? root : root.$defs?.[unescapeKey(name[1])]
  const within = [part.anyOf, part.oneOf, part.allOf, target].flatMap(one => one ?? [])
  return [part, ...within.flatMap(one => alternativesOf(one, root, depth + 1))]
}

/** Returns the keywords of a path; the first part that has one gives its value. */
export const keywordsAt = (root: SchemaPart, path: readonly string[] = []): SchemaPart =>
  Object.assign({}, ...[...partsAt(root, path)].reverse()) as SchemaPart

export interface Suggestion {
  readonly value: unknown
  readonly about?: string | undefined
}

/** Returns the keys that are allowed at a path. */
export function keysAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const names = partsAt(root, path).flatMap(({ properties = {} }) => Object.keys(properties))
  return [...new Set(names)].map(value => ({ value, about: aboutAt(root, [...path, value]) }))
}

/** Returns the suggested values of the last key of a path, including examples. */
export function valuesAt(root: SchemaPart, path: readonly string[]): Suggestion[] {
  const values = partsAt(root, path).flatMap(part => [
    ...(part.enum ?? []),
    ...(part.const === undefined ? [] : [part.const]),
    ...([part.type].flat().includes('boolean') ? [true, false] : []),
    ...[part.default, part.example].filter(value => value !== undefined),
    ...(part.examples ?? []),
  ])
  const simple = values.filter(value => typeof value !== 'object' || value === null)
  return [...new Set(simple)].map(value => ({ value }))
}

/** Returns the description of the key at the end of a path, and the limits of its values. */
export function aboutAt(root: SchemaPart, path: readonly string[]): string | undefined {
  const parts = partsAt(root, path)
  const description = parts.find(part => part.description !== undefined)?.description
  const typed = parts.filter(({ type }) => type !== undefined && type !== 'null')
  // Limits of alternatives would not hold together.
  const limits = typed.length === 1 ? limitsInWords(typed[0] as SchemaPart) : ''
  return [description, limits].filter(text => text !== undefined && text !== '').join('\n') || undefined
}

function limitsInWords(part: SchemaPart): string {
  const { type, format, minimum, maximum, minLength = 0, maxLength, pattern, readOnly } = part
  const parts = [
    format ?? [type].flat().join(' or '),
    readOnly ? 'read only' : '',
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    pattern === undefined ? '' : `matches ${pattern}`,
  ]
  return parts.filter(part => part !== '').join(' · ')
}
