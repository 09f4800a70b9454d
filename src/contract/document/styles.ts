// The styles of parameters (OpenAPI "Style Values", after RFC 6570): convert text to a value, an array or an object.

import { put } from '../../kernel/json.ts'
import { BROKEN, type ParameterRead, type PartTypes, PieceReader, type QueryValues } from './parameter-text.ts'

export const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
} as const satisfies Record<string, readonly string[]>

export interface StyleReader {
  /** Converts the texts under the parameter's own name, one per occurrence. */
  read(texts: readonly string[]): ParameterRead
  /** Set if the value is spread over several names. Returns `undefined` if none of them is present. */
  readonly gather: ((query: QueryValues) => ParameterRead | undefined) | undefined
  /** Whether a name in the query belongs to the parameter. */
  owns(name: string): boolean
}

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /\||%7C/i,
}

type Decode = (text: string) => string | undefined

/** @param decode decodes a part after splitting */
export function compileStyle(
  style: string,
  explode: boolean,
  name: string,
  parts: PartTypes,
  decode: Decode,
): StyleReader {
  const { types } = parts
  const isArray = types.has('array')
  const isObject = types.has('object')
  const isPlain = !isArray && !isObject
  const owns = (key: string): boolean => key === name
  if (style === 'deepObject' && !isPlain) {
    return {
      read: texts => readTexts(texts, parts, decode),
      gather: query => gatherDeep(query, name, parts, decode),
      owns: key => key === name || key.startsWith(`${name}[`),
    }
  }
  if (style === 'form' && explode && isObject) {
    // The properties are separate parameters and cannot be distinguished from other ones.
    return {
      read: texts => readTexts(texts, parts, decode),
      gather: query => gatherProperties(query, name, parts, decode),
      owns: key => key === name || parts.propertyTypes(key).size > 0,
    }
  }
  const cut = (text: string): string[] => (text === '' ? [] : text.split(SEPARATORS[style] ?? ','))
  const repeated = explode && (style === 'form' || style === 'cookie' || style in SEPARATORS)
  const read = (texts: readonly string[]): ParameterRead => {
    const reader = new PieceReader(decode)
    if (style === 'label' || style === 'matrix') {
      const pieces = unprefix(texts[0] ?? '', style, explode, name, isPlain)
      if (pieces === undefined) return { fault: `must begin with "${style === 'label' ? '.' : ';'}"` }
      if (isPlain) return readOne(pieces, parts, reader)
      if (isObject && looksLikeObject(pieces, explode)) return readObject(pieces, explode, parts, reader)
      return readArray(pieces, parts, reader)
    }
    if (isPlain) return readOne(texts, parts, reader)
    const pieces = repeated && (texts.length > 1 || !isObject) ? texts : texts.flatMap(cut)
    if (isArray && isObject && !looksLikeObject(pieces, explode)) return readArray(pieces, parts, reader)
    return isObject
      ? readObject(pieces, explode && style === 'simple', parts, reader)
      : readArray(pieces, parts, reader)
  }
  // If a plain value is allowed too, one text without a separator is a plain value.
  const mixed = !isPlain && [...types].some(type => type !== 'array' && type !== 'object' && type !== 'null')
  const plain = (texts: readonly string[]) => texts.length === 1 && cut(texts[0] as string).length <= 1 && !repeated
  return {
    read: mixed ? texts => (plain(texts) ? readOne(texts, parts, new PieceReader(decode)) : read(texts)) : read,
    gather: undefined,
    owns,
  }
}

function readOne(texts: readonly string[], { types }: PartTypes, reader: PieceReader): ParameterRead {
  if (texts.length > 1) return { fault: 'must not be repeated' }
  return reader.done(reader.value(texts[0] ?? '', types))
}

function readArray(pieces: readonly string[], { items }: PartTypes, reader: PieceReader): ParameterRead {
  return reader.done(pieces.map(piece => reader.value(piece.trim(), items)))
}

/** `R=100,G=200` exploded, `R,100,G,200` otherwise. */
function readObject(pieces: readonly string[], explode: boolean, parts: PartTypes, reader: PieceReader): ParameterRead {
  const value: Record<string, unknown> = {}
  if (explode) {
    for (const piece of pieces) {
      const at = piece.indexOf('=')
      const key = reader.text(at === -1 ? piece : piece.slice(0, at)).trim()
      put(value, key, reader.value(at === -1 ? '' : piece.slice(at + 1), parts.propertyTypes(key)))
    }
    return reader.done(value)
  }
  if (pieces.length % 2 === 1) return { fault: 'must be a list of names and values' }
  for (let i = 0; i < pieces.length; i += 2) {
    const key = reader.text(pieces[i] as string).trim()
    put(value, key, reader.value(pieces[i + 1] as string, parts.propertyTypes(key)))
  }
  return reader.done(value)
}

const looksLikeObject = (pieces: readonly string[], explode: boolean): boolean =>
  explode ? pieces.every(piece => piece.includes('=')) : pieces.length % 2 === 0

/** Converts a single text of an object or array for which several names were expected. */
function readTexts(texts: readonly string[], parts: PartTypes, decode: Decode): ParameterRead {
  const reader = new PieceReader(decode)
  if (parts.types.has('array') || texts.length > 1) return readArray(texts, parts, reader)
  return reader.done(reader.value(texts[0] ?? '', parts.types))
}

/** Returns the parts behind a `.` or `;name=` (RFC 6570 §3.2.5, §3.2.7); `undefined` without the prefix. */
function unprefix(
  text: string,
  style: 'label' | 'matrix',
  explode: boolean,
  name: string,
  plain: boolean,
): string[] | undefined {
  if (style === 'label') {
    if (!text.startsWith('.')) return undefined
    if (plain) return [text.slice(1)]
    return text.slice(1).split(explode ? '.' : /[.,]/)
  }
  if (!text.startsWith(';')) return undefined
  const own = (piece: string) => (piece.startsWith(`${name}=`) ? piece.slice(name.length + 1) : piece)
  if (plain) return [text.slice(1) === name ? '' : own(text.slice(1))]
  return explode ? text.slice(1).split(';').map(own) : own(text.slice(1)).split(',')
}

/** An exploded object has no name on the wire, so `color=…` is not accepted. */
function gatherProperties(
  query: QueryValues,
  name: string,
  parts: PartTypes,
  decode: Decode,
): ParameterRead | undefined {
  const reader = new PieceReader(decode)
  const value: Record<string, unknown> = {}
  let found = false
  for (const [key, texts] of query) {
    const types = parts.propertyTypes(key)
    if (types.size === 0 || key === name) continue
    found = true
    put(value, key, types.has('array') ? texts.map(text => reader.text(text)) : reader.value(texts[0] as string, types))
  }
  return found ? reader.done(value) : undefined
}

const DEEPEST = 16
const MOST_ITEMS = 1000

type NestedValue = { [name: string]: NestedValue | unknown[] | unknown }

/** `color[R]=100`, and as deep as clients nest it: `filter[a][b]=1`, `filter[ids][]=1`. */
function gatherDeep(query: QueryValues, name: string, parts: PartTypes, decode: Decode): ParameterRead | undefined {
  const reader = new PieceReader(decode)
  const value: NestedValue = {}
  let found = false
  for (const [key, texts] of query) {
    if (!key.startsWith(`${name}[`) || !key.endsWith(']')) continue
    const keys = key.slice(name.length + 1, -1).split('][')
    if (keys.length > DEEPEST) return { fault: 'is nested too deeply' }
    found = true
    const [property = '', ...rest] = keys
    const types = parts.propertyTypes(property)
    if (rest.length === 0) {
      const many = texts.length > 1 || types.has('array')
      put(value, property, many ? texts.map(text => reader.text(text)) : reader.value(texts[0] as string, types))
      continue
    }
    let at = value
    for (const [depth, step] of keys.slice(0, -1).entries()) {
      if (typeof at[step] !== 'object' || at[step] === null || !Object.hasOwn(at, step)) put(at, step, {})
      at = at[step] as NestedValue
      if (depth > DEEPEST) break
    }
    const last = keys.at(-1) as string
    const written = texts.map(text => reader.text(text))
    if (last === '') for (const [i, text] of written.slice(0, MOST_ITEMS).entries()) put(at, String(i), text)
    else put(at, last, written[0])
  }
  if (!found) return undefined
  if (reader.broken) return BROKEN
  return reader.done(asArrays(value))
}

/** Converts an object with the keys 0, 1, 2 … to a list. */
function asArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, asArrays(item)] as const)
  if (entries.length > 0 && entries.every(([key], index) => key === String(index)))
    return entries.map(([, item]) => item)
  return Object.fromEntries(entries)
}
