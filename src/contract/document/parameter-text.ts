// Converts text from the wire to typed values. Independent of HTTP libraries and schemas; depends only on the types of a
// value.

import { parseInteger } from '../../kernel/parse-json.ts'

/** The values of each name, in order; a file as one character per byte. */
export type FieldValues = ReadonlyMap<string, readonly string[]>

export type ParameterRead = { readonly value: unknown; readonly exact: boolean } | { readonly fault: string }
export type Types = ReadonlySet<string>

/** The types of a value's parts: of an array's items, and of an object's properties by name. */
export interface PartTypes {
  readonly types: Types
  readonly items: Types
  propertyTypes(name: string): Types
}

export const BROKEN = { fault: 'has a broken percent-encoding' } as const

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * Converts a text to the first type whose form it has. A text without such a form stays text, and the schema refuses it. If
 * the value may also be a string, only a text that converts back unchanged is converted: `007` does not become 7.
 */
export function typed(text: string, types: Types): unknown {
  const value = convert(text, types)
  return types.has('string') && typeof value !== 'boolean' && String(value) !== text ? text : value
}

function convert(text: string, types: Types): unknown {
  if (types.has('integer') || types.has('number')) {
    const integer = parseInteger(text)
    if (integer !== undefined) return integer
    if (types.has('number') && NUMBER.test(text)) return Number(text)
  }
  if (types.has('boolean')) {
    if (text === 'true') return true
    if (text === 'false') return false
  }
  if (types.has('null') && (text === 'null' || (text === '' && !types.has('string')))) return null
  return text
}

/** Returns a reader of a value's parts. Each part is decoded after splitting, so an encoded comma does not separate. */
export class PieceReader {
  readonly #decode: (text: string) => string | undefined
  exact = false
  broken = false

  constructor(decode: (text: string) => string | undefined) {
    this.#decode = decode
  }

  text(piece: string): string {
    const text = this.#decode(piece)
    if (text === undefined) this.broken = true
    return text ?? ''
  }

  value(piece: string, types: Types): unknown {
    const value = typed(this.text(piece), types)
    if (typeof value === 'bigint') this.exact = true
    return value
  }

  done(value: unknown): ParameterRead {
    return this.broken ? BROKEN : { value, exact: this.exact }
  }
}

/** One component of a query, decoded as `application/x-www-form-urlencoded`; `undefined` if it is malformed. */
export function decodeQuery(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  // On a text of many, `replaceAll` takes twice as long.
  const spaced = text.includes('+') ? text.split('+').join(' ') : text
  if (!text.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

export type QueryValues = ReadonlyMap<string, readonly string[]>

/** Returns the values of each name in a query string, in order. Names are decoded, values are not. */
export function splitQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  eachPair(query, (name, value) => {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  })
  return values
}

/** Calls back with each decoded name and its value as it is written. A name that cannot be decoded is passed over. */
function eachPair(query: string, take: (name: string, value: string) => void): void {
  let from = 0
  while (from < query.length) {
    let to = query.indexOf('&', from)
    if (to === -1) to = query.length
    if (to > from) {
      const part = query.slice(from, to)
      const at = part.indexOf('=')
      const name = decodeQuery(at === -1 ? part : part.slice(0, at))
      if (name !== undefined) take(name, at === -1 ? '' : part.slice(at + 1))
    }
    from = to + 1
  }
}

/**
 * Returns the values of documented parameters in a query string, by the index of the parameter. Names are decoded, values
 * are not. Other names go to `others`.
 */
export function readQuery(query: string, places: ReadonlyMap<string, number>, others: string[]): ValueTexts {
  const out: (string[] | undefined)[] = []
  eachPair(query, (name, value) => {
    const place = places.get(name)
    if (place === undefined) {
      others.push(name)
      return
    }
    const known = out[place]
    if (known === undefined) out[place] = [value]
    else known.push(value)
  })
  return out
}

type ValueTexts = readonly (readonly string[] | undefined)[]

/** Returns the values of a cookie in a `Cookie` field (RFC 6265 §4.2). */
export function cookieValues(field: string | undefined, name: string): string[] {
  return (field ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}
