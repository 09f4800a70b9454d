// Converts text from the wire to values, typed by a schema: single texts, the styles of parameters (OpenAPI "Style Values",
// after RFC 6570), and names that spell a path in brackets. Independent of HTTP libraries.

import { isObject, parseInteger, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { childOf, type Documents, membersOf, type Node } from '../documents.ts'
import { layersOf, typesOf } from '../schema/shape.ts'

/** The texts of each name, in order; a file as one character per byte. */
export type NamedTexts = ReadonlyMap<string, readonly string[]>

/** Reads the fields of a form, texts decoded and files as bytes, as an object of their types. */
export type FormReader = (fields: NamedTexts) => ParameterRead

export type ParameterRead = { readonly value: unknown; readonly exact: boolean } | { readonly fault: string }

export const BROKEN = { fault: 'has a broken percent-encoding' } as const
export const REPEATED = { fault: 'must not be repeated' } as const

type Types = ReadonlySet<string>

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * Converts a text to the first type whose form it has. A text without such a form stays text, and the schema refuses it. If
 * the value may also be a string, only a text that converts back unchanged is converted: `007` does not become 7.
 */
function typed(text: string, types: Types): unknown {
  const mayBeText = types.has('string')
  const isNumber = types.has('number')
  if (isNumber || types.has('integer')) {
    const number = parseInteger(text) ?? (isNumber && NUMBER.test(text) ? Number(text) : undefined)
    if (number !== undefined) return mayBeText && String(number) !== text ? text : number
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return types.has('null') && (text === 'null' || (text === '' && !mayBeText)) ? null : text
}

/** Decodes a text; `undefined` if it is malformed. */
export type Decode = (text: string) => string | undefined

export const asIs: Decode = text => text

/** Reads the one text of a value. */
export function readOne(texts: readonly string[], types: Types, decode: Decode): ParameterRead {
  if (texts.length > 1) return REPEATED
  const text = decode(texts[0] ?? '')
  if (text === undefined) return BROKEN
  const value = typed(text, types)
  return { value, exact: typeof value === 'bigint' }
}

/** A place in a schema, with the keywords that any branch of its unions has there. */
export class ValuePlace {
  readonly types: Types
  readonly #layers: readonly Node[]
  readonly #documents: Documents
  readonly #properties = new Map<string, ValuePlace>()
  #names: ReadonlySet<string> | undefined
  #items: ValuePlace | undefined
  #additional: ValuePlace | undefined

  constructor(nodes: readonly Node[], documents: Documents) {
    this.types = typesOf(nodes, documents)
    this.#layers = layersOf(nodes, documents)
    this.#documents = documents
  }

  get items(): ValuePlace {
    this.#items ??= this.#below('items')
    return this.#items
  }

  /** The names of the declared properties. */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(
      this.#layers.flatMap(layer => membersOf(childOf(layer, 'properties')).map(([name]) => name)),
    )
    return this.#names
  }

  property(name: string): ValuePlace {
    if (!this.names.has(name)) {
      this.#additional ??= this.#below('additionalProperties')
      return this.#additional
    }
    return getOrMake(this.#properties, name, () => this.#below('properties', name))
  }

  /** Whether a property of this name is expected: declared, covered by a schema for all, or none is declared. */
  expects(name: string): boolean {
    const { names } = this
    return names.has(name) || names.size === 0 || this.#nodes('additionalProperties').length > 0
  }

  #below(...keys: readonly string[]): ValuePlace {
    return new ValuePlace(this.#nodes(...keys), this.#documents)
  }

  #nodes(...keys: readonly string[]): Node[] {
    return this.#layers.map(layer => childOf(layer, ...keys)).filter(({ value }) => isObject(value))
  }
}

/** Reads the parts of one value. Each part is decoded after splitting, so an encoded comma does not separate. */
class PartReader {
  readonly #decode: Decode
  #exact = false
  #broken = false

  constructor(decode: Decode) {
    this.#decode = decode
  }

  text(piece: string): string {
    const text = this.#decode(piece)
    if (text === undefined) this.#broken = true
    return text ?? ''
  }

  value(piece: string, { types }: ValuePlace): unknown {
    const value = typed(this.text(piece), types)
    if (typeof value === 'bigint') this.#exact = true
    return value
  }

  /** Reads the texts of one name: as a list if there are several, or if the value can only be a list. */
  values(texts: readonly string[], place: ValuePlace): unknown {
    const { types, items } = place
    if (types.has('array') && (texts.length > 1 || !types.has('string')))
      return texts.map(one => this.value(one, items))
    return texts.length > 1 ? texts.map(one => this.text(one)) : this.value(texts[0] ?? '', place)
  }

  done(value: unknown): ParameterRead {
    return this.#broken ? BROKEN : { value, exact: this.#exact }
  }
}

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
  readonly gather?: (query: NamedTexts) => ParameterRead | undefined
  /** Whether a name in the query belongs to the parameter. */
  owns(name: string): boolean
  /** Set for a list or an object: the names by which clients spell its parts, whatever the contract documents. */
  readonly otherForm?: OtherForm | undefined
}

/** `colors[]`, `colors[0]`, `filter[level]`, `filter.level`. */
export interface OtherForm {
  /** Whether a name spells a part of the value in this way. */
  spells(name: string): boolean
  read(query: NamedTexts): ParameterRead | undefined
}

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /\||%7C/i,
}

/** @param decode decodes a part after splitting */
export function compileStyle(
  style: string,
  explode: boolean,
  name: string,
  place: ValuePlace,
  decode: Decode,
): StyleReader {
  const { types } = place
  const isArray = types.has('array')
  const isMap = types.has('object')
  const isPlain = !isArray && !isMap
  const isDeep = style === 'deepObject' && !isPlain
  const otherForm = isPlain ? undefined : otherFormOf(name, isDeep, place, decode)
  if (isDeep || (style === 'form' && explode && isMap)) {
    return {
      read: texts => {
        const reader = new PartReader(decode)
        return reader.done(reader.values(texts, place))
      },
      gather: query =>
        isDeep ? readBracketed(name, query, place, decode) : gatherProperties(name, query, place, decode),
      owns: key => key === name || (isDeep ? keysBehind(name, key) !== undefined : place.expects(key)),
      otherForm,
    }
  }
  const owns = (key: string): boolean => key === name
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : undefined
  if (isPlain && prefix === undefined) return { read: texts => readOne(texts, types, decode), owns }
  const isRepeated = explode && prefix === undefined && style !== 'simple'
  const isPaired = explode && !isRepeated
  const cut = (text: string): string[] => (text === '' ? [] : text.split(SEPARATORS[style] ?? ','))
  // If a plain value is allowed too, one text without a separator is a plain value.
  const isMixed =
    !isRepeated && prefix === undefined && [...types].some(one => one !== 'array' && one !== 'object' && one !== 'null')
  return {
    read(texts) {
      if (isMixed && texts.length === 1 && cut(texts[0] as string).length <= 1) return readOne(texts, types, decode)
      const pieces =
        prefix !== undefined
          ? splitPrefixed(texts[0] ?? '', prefix, explode, name, isPlain)
          : isRepeated && (texts.length > 1 || !isMap)
            ? texts
            : texts.flatMap(cut)
      if (pieces === undefined) return { fault: `must begin with "${prefix}"` }
      if (isPlain) return readOne(pieces, types, decode)
      const reader = new PartReader(decode)
      const hasPairs = isPaired ? pieces.every(piece => piece.includes('=')) : pieces.length % 2 === 0
      if (isMap && hasPairs) return readPairs(pieces, isPaired, place, reader)
      if (isMap && !isArray) return { fault: 'must be a list of names and values' }
      return reader.done(pieces.map(piece => reader.value(piece.trim(), place.items)))
    },
    owns,
    otherForm,
  }
}

function otherFormOf(name: string, isDeep: boolean, place: ValuePlace, decode: Decode): OtherForm {
  // The names of a deep object are documented in brackets.
  const keysOf: typeof keysBehind = (before, field) =>
    isDeep && keysBehind(before, field) !== undefined ? undefined : keysSpelt(before, field)
  return {
    spells: field => keysOf(name, field) !== undefined,
    read: query => readBracketed(name, query, place, decode, keysOf),
  }
}

/** Returns the keys behind `name`, in brackets or behind dots; `undefined` for a field of another name. */
function keysSpelt(name: string, field: string): string[] | undefined {
  if (!field.startsWith(name) || !/^(?:\[[^[\]]*\]|\.[^.[\]]+)+$/.test(field.slice(name.length))) return undefined
  const keys = [...field.slice(name.length).matchAll(/\[([^\]]*)\]|\.([^.[]+)/g)].map(
    ([, key, dotted]) => dotted ?? key ?? '',
  )
  return keys.length > DEEPEST ? undefined : keys
}

/** Reads `R=100,G=200` if paired, `R,100,G,200` otherwise. */
function readPairs(pieces: readonly string[], isPaired: boolean, place: ValuePlace, reader: PartReader): ParameterRead {
  const value: Record<string, unknown> = {}
  for (let i = 0; i < pieces.length; i += isPaired ? 1 : 2) {
    const [, name = '', text = ''] = isPaired
      ? (/^([^=]*)=?(.*)$/s.exec(pieces[i] as string) ?? [])
      : [undefined, pieces[i], pieces[i + 1]]
    const key = reader.text(name).trim()
    put(value, key, reader.value(text, place.property(key)))
  }
  return reader.done(value)
}

/** Returns the parts behind a `.` or `;name=` (RFC 6570 §3.2.5, §3.2.7); `undefined` without the prefix. */
function splitPrefixed(
  text: string,
  prefix: '.' | ';',
  explode: boolean,
  name: string,
  isPlain: boolean,
): string[] | undefined {
  if (!text.startsWith(prefix)) return undefined
  const rest = text.slice(1)
  if (prefix === '.') return isPlain ? [rest] : rest.split(explode ? '.' : /[.,]/)
  const own = (piece: string) => (piece.startsWith(`${name}=`) ? piece.slice(name.length + 1) : piece)
  if (isPlain) return [rest === name ? '' : own(rest)]
  return explode ? rest.split(';').map(own) : own(rest).split(',')
}

/** Reads an exploded object. It has no name on the wire, so `color=…` is not accepted. */
function gatherProperties(
  name: string,
  query: NamedTexts,
  place: ValuePlace,
  decode: Decode,
): ParameterRead | undefined {
  const reader = new PartReader(decode)
  const value: Record<string, unknown> = {}
  for (const [key, texts] of query) {
    if (key !== name && place.expects(key) && keysSpelt(name, key) === undefined)
      put(value, key, reader.values(texts, place.property(key)))
  }
  return Object.keys(value).length === 0 ? undefined : reader.done(value)
}

/** The texts of names in brackets, by their keys. */
interface KeyTree {
  readonly texts: string[]
  readonly children: Map<string, KeyTree>
}

const emptyTree = (): KeyTree => ({ texts: [], children: new Map() })

/** More brackets than any schema has: such a name is an ordinary one. */
const DEEPEST = 32
const INDEX = /^\d{1,6}$/

/** Returns the keys in the brackets behind `name`; `undefined` for a field of another name. */
export function keysBehind(name: string, field: string): string[] | undefined {
  if (!field.startsWith(`${name}[`) || !field.endsWith(']')) return undefined
  const keys = field.slice(name.length + 1, -1).split('][')
  return keys.length > DEEPEST || keys.some(key => /[[\]]/.test(key)) ? undefined : keys
}

/**
 * Reads the fields whose names spell a path behind `name`: `items[0][price]=1`, `tags[]=a`, `filter[a][b]=c`. The schema gives
 * the types, and says which part is a list. Returns `undefined` if there are none.
 */
export function readBracketed(
  name: string,
  fields: NamedTexts,
  place: ValuePlace,
  decode: Decode,
  keysOf = keysBehind,
): ParameterRead | undefined {
  const root = emptyTree()
  for (const [field, texts] of fields) {
    const keys = keysOf(name, field)
    if (keys === undefined) continue
    let at = root
    for (const key of keys) at = getOrMake(at.children, key, emptyTree)
    for (const text of texts) at.texts.push(text)
  }
  if (root.children.size === 0) return undefined
  const reader = new PartReader(decode)
  return reader.done(readTree(root, place, reader))
}

function readTree({ texts, children }: KeyTree, place: ValuePlace, reader: PartReader): unknown {
  if (children.size === 0) return reader.values(texts, place)
  const isList = place.types.has('array') || !place.types.has('object')
  if (isList && [...children.keys()].every(key => key === '' || INDEX.test(key))) {
    return [...children]
      .sort(([a], [b]) => Number(a) - Number(b))
      .flatMap(([key, child]) => (key === '' ? repeatedItems(child) : [child]))
      .map(item => readTree(item, place.items, reader))
  }
  const value: Record<string, unknown> = {}
  for (const [key, child] of children) put(value, key, readTree(child, place.property(key), reader))
  return value
}

/** Returns the items that `tags[]` or `items[][name]` repeat: the n-th text of each field belongs to the n-th item. */
function repeatedItems({ texts, children }: KeyTree): KeyTree[] {
  if (children.size === 0) return texts.map(text => ({ ...emptyTree(), texts: [text] }))
  const items: KeyTree[] = []
  for (const [key, child] of children) {
    for (const [i, item] of repeatedItems(child).entries()) {
      items[i] ??= emptyTree()
      items[i].children.set(key, item)
    }
  }
  return items
}
