// Parameters: text on the wire to typed values, as `schema`, `style` and `explode` have it. Knows no HTTP library.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject, parseInteger } from '../kernel/json.ts'
import type { SchemaBook, SchemaUse, Shape } from './dialect.ts'
import { childOf, type Node, placeOf } from './document.ts'

export type Location = 'path' | 'query' | 'header' | 'cookie'

export interface Parameter {
  readonly name: string
  readonly in: Location
  readonly required: boolean
  readonly deprecated: boolean
  readonly schema: SchemaUse
  /** The value of an absent parameter: the schema's `default`. */
  readonly default: unknown
  /**
   * Types the texts that arrived, one per occurrence, decoded where their place asks for it. What has not the form of
   * its type stays text, for the schema to refuse.
   */
  read(texts: readonly string[]): ParameterRead
  readonly node: Node
}

export type ParameterRead = { readonly value: unknown; readonly exact: boolean } | { readonly fault: string }

const STYLES: Record<Location, readonly string[]> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited'],
  header: ['simple'],
  cookie: ['form'],
}
const SEPARATORS: Record<string, string | RegExp> = {
  simple: ',',
  form: ',',
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /\||%7C/i,
}

/** Reads a Parameter Object; `undefined` once it has reported what cannot be honoured. */
export function readParameter(node: Node, schemas: SchemaBook, report: Diagnostics): Parameter | undefined {
  const { value } = node
  const fail = (code: string, message: string, at: Node, part: 'key' | 'value' = 'value', hint?: string): undefined =>
    void report.error(code, message, placeOf(at, part), hint)
  if (!isObject(value)) return fail('invalid-parameter', 'a parameter must be an object', node)
  const { name, in: location } = value
  if (typeof name !== 'string') return fail('invalid-parameter', 'a parameter needs a name', node)
  if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie') {
    return fail('invalid-parameter', `"in" of ${name} must be path, query, header or cookie`, childOf(node, 'in'))
  }
  if (location === 'path' && value.required !== true) {
    report.warning('optional-path-parameter', `a path parameter is always required: ${name}`, placeOf(node))
  }
  if (value.content !== undefined) {
    return fail('unsupported-parameter', `${name} has content instead of a schema`, childOf(node, 'content'), 'key')
  }
  if (value.schema === undefined) return fail('invalid-parameter', `the parameter ${name} has no schema`, node)
  const style = value.style ?? STYLES[location][0]
  if (typeof style !== 'string' || !STYLES[location].includes(style)) {
    const hint = `in ${location}: ${STYLES[location].join(', ')}`
    return fail(
      'unsupported-parameter',
      `${name} has a style that is not supported`,
      childOf(node, 'style'),
      'value',
      hint,
    )
  }
  const schema = schemas.use(childOf(node, 'schema'))
  const { types } = schema.shape
  if (types.includes('object')) {
    return fail('unsupported-parameter', `${name} is an object, which is not supported`, childOf(node, 'schema'), 'key')
  }
  const explode = value.explode ?? style === 'form'
  const decode = location === 'query' ? decodeQuery : (text: string) => text
  const isArray = types.includes('array')
  const itemTypes = isArray && schema.shape.items ? schemas.use(schema.shape.items).shape.types : types
  const separator = SEPARATORS[style] as string | RegExp
  return {
    name,
    in: location,
    required: location === 'path' || value.required === true,
    deprecated: value.deprecated === true,
    schema,
    default: schema.shape.default,
    node,
    read: isArray
      ? texts =>
          readArray(explode === true && style === 'form' ? texts : texts.flatMap(split(separator)), itemTypes, decode)
      : texts => readOne(texts, types, decode),
  }
}

const split = (separator: string | RegExp) => (text: string) => (text === '' ? [] : text.split(separator))

function readOne(
  texts: readonly string[],
  types: Shape['types'],
  decode: (text: string) => string | undefined,
): ParameterRead {
  if (texts.length > 1) return { fault: 'must be given once' }
  const text = decode(texts[0] as string)
  if (text === undefined) return { fault: 'has a broken percent-encoding' }
  const value = typed(text, types)
  return { value, exact: typeof value === 'bigint' }
}

function readArray(
  texts: readonly string[],
  types: Shape['types'],
  decode: (text: string) => string | undefined,
): ParameterRead {
  const value: unknown[] = []
  for (const raw of texts) {
    const text = decode(raw)
    if (text === undefined) return { fault: 'has a broken percent-encoding' }
    value.push(typed(text.trim(), types))
  }
  return { value, exact: value.some(item => typeof item === 'bigint') }
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** The text as the first of the types whose form it has; as it stands where it has none. */
function typed(text: string, types: Shape['types']): unknown {
  for (const type of types) {
    if (type === 'integer') {
      const integer = parseInteger(text)
      if (integer !== undefined) return integer
    } else if (type === 'number') {
      if (NUMBER.test(text)) return Number(text)
    } else if (type === 'boolean') {
      if (text === 'true') return true
      if (text === 'false') return false
    } else if (type === 'null') {
      if (text === 'null') return null
    }
  }
  return text
}

/** One component of a query, decoded as `application/x-www-form-urlencoded`; `undefined` where it cannot be. */
export function decodeQuery(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The values of each name in a query string, in order, names decoded and values not yet. */
export function splitQuery(query: string): Map<string, string[]> {
  const names = new Map<string, number>()
  const others: string[] = []
  readQuery(query, names, others)
  for (const name of others) if (!names.has(name)) names.set(name, names.size)
  const values = readQuery(query, names, [])
  return new Map([...names].map(([name, place]) => [name, values[place] as string[]]))
}

/**
 * The values of documented parameters in a query string, each at the place of its parameter: in order, names decoded and
 * values not yet. Other names go to `others`.
 */
export function readQuery(query: string, places: ReadonlyMap<string, number>, others: string[]): Texts {
  const out: (string[] | undefined)[] = []
  let from = 0
  while (from < query.length) {
    let to = query.indexOf('&', from)
    if (to === -1) to = query.length
    if (to > from) {
      const part = query.slice(from, to)
      const at = part.indexOf('=')
      const name = decodeQuery(at === -1 ? part : part.slice(0, at))
      const value = at === -1 ? '' : part.slice(at + 1)
      const place = name === undefined ? undefined : places.get(name)
      if (place !== undefined) {
        const known = out[place]
        if (known === undefined) out[place] = [value]
        else known.push(value)
      } else if (name !== undefined) others.push(name)
    }
    from = to + 1
  }
  return out
}

type Texts = readonly (readonly string[] | undefined)[]

/** The values of a cookie in a `Cookie` field (RFC 6265 §4.2). */
export function cookieValues(field: string | undefined, name: string): string[] {
  return (field ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}
