// Parameters (OpenAPI "Parameter Object"): converts text from the wire to typed values by `schema` or `content`, `style` and
// `explode`. Independent of HTTP libraries.

import type { Request } from '../../kernel/http.ts'
import { isObject, parseJson } from '../../kernel/json.ts'
import { childOf, isGiven, membersOf, type Node } from '../documents.ts'
import { isJson } from '../media-types.ts'
import { decodeComponent, expressionsOf } from '../paths.ts'
import { isAssertion } from '../schema/keywords.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import type { ContractReading } from './reading.ts'
import {
  asIs,
  BROKEN,
  compileStyle,
  type Decode,
  type NamedTexts,
  type OtherForm,
  type ParameterRead,
  REPEATED,
  STYLES,
  type StyleReader,
  ValuePlace,
} from './styles.ts'

export type { ParameterRead } from './styles.ts'

export type Location = keyof typeof STYLES

export interface Parameter {
  readonly name: string
  readonly in: Location
  readonly required: boolean
  readonly deprecated: boolean
  readonly schema: SchemaUse
  /** The value of an absent parameter: the schema's `default`. */
  readonly default: unknown
  /** Whether it may be sent without a value (`allowEmptyValue`). */
  readonly allowsEmpty: boolean
  /**
   * Converts the received texts, one per occurrence, decoded if its location requires it. A text that does not have the form
   * of its type stays text, and the schema refuses it.
   */
  read(texts: readonly string[]): ParameterRead
  /** Set if its value is spread over several names of the query. Returns `undefined` if none of them is present. */
  readonly gather?: (query: NamedTexts) => ParameterRead | undefined
  /** Whether a name in the query belongs to it. */
  owns(name: string): boolean
  readonly otherForm?: OtherForm | undefined
  readonly node: Node
}

const LOCATIONS = Object.keys(STYLES)
/** OpenAPI "Parameter Object": definitions of these header parameters shall be ignored. */
const IGNORED = new Set(['accept', 'content-type', 'authorization'])

/** Reads a Parameter Object; `undefined` if there is nothing to validate. */
export function readParameter(node: Node, reading: ContractReading): Parameter | undefined {
  const { value } = node
  if (!isObject(value)) return reading.warn('invalid-parameter', 'a parameter must be an object', node)
  const { in: location } = value
  const name = reading.text(childOf(node, 'name'))
  if (name === undefined || name === '') return reading.warn('invalid-parameter', 'a parameter needs a name', node)
  if (typeof location !== 'string' || !LOCATIONS.includes(location)) {
    const message = `"in" of ${name} must be ${LOCATIONS.join(', ')}; the parameter is ignored`
    return reading.warn('invalid-parameter', message, location === undefined ? node : childOf(node, 'in'))
  }
  if (location === 'header' && IGNORED.has(name.toLowerCase())) {
    return reading.warn('ignored-parameter', `OpenAPI ignores a header parameter named ${name}`, node)
  }
  if (location === 'path' && value.required !== true) {
    reading.warn('optional-path-parameter', `the path parameter ${name} must be required: true`, node)
  }
  const place = location as Location
  const decode = place === 'query' ? decodeQuery : asIs
  const [media] = membersOf(childOf(node, 'content'))
  const written = media === undefined ? schemaOf(node, name, reading) : childOf(media[1], 'schema')
  const schema = reading.schemas.use(written.value === undefined ? { ...written, value: true } : written, 'request')
  const reader =
    media === undefined
      ? styleOf({ node, name, place, schema }, decode, reading)
      : {
          read: contentReader(isJson(media[0]), place, schema, decode),
          owns: (key: string) => key === name,
          // SDKs send the parts of an object in place of its JSON.
          otherForm: isJson(media[0])
            ? compileStyle('form', true, name, new ValuePlace([schema.node], reading), decode).otherForm
            : undefined,
        }
  const mayBeText = schema.types.size > 1 && schema.types.has('string')
  return {
    name,
    in: place,
    required: place === 'path' || reading.flag(childOf(node, 'required')),
    deprecated: reading.flag(childOf(node, 'deprecated')),
    schema,
    default: schema.shape.default,
    allowsEmpty: place === 'query' && value.allowEmptyValue === true,
    node,
    ...reader,
    read: mayBeText ? orText(reader.read, schema, decode) : reader.read,
  }
}

/** Returns the schema of a parameter: its own, or the keywords in Swagger 2.0's place; any text without one. */
function schemaOf(node: Node, name: string, reading: ContractReading): Node {
  const own = childOf(node, 'schema')
  if (isGiven(own)) return own
  const isOfSchema = (key: string) => isAssertion(key) || key === 'items' || key === 'default'
  const written = Object.fromEntries(Object.entries(node.value as object).filter(([key]) => isOfSchema(key)))
  reading.warn('missing-schema', `the parameter ${name} has no schema`, node)
  return { ...node, value: Object.keys(written).length > 0 ? written : { type: 'string' } }
}

/** A parameter without `content`. */
interface Styled {
  readonly node: Node
  readonly name: string
  readonly place: Location
  readonly schema: SchemaUse
}

function styleOf({ node, name, place, schema }: Styled, decode: Decode, reading: ContractReading): StyleReader {
  const { style: written, explode } = node.value as Record<string, unknown>
  const styles: readonly string[] = STYLES[place]
  const [usual = ''] = styles
  const style = written === undefined ? usual : styles.find(one => one === written)
  if (style === undefined) {
    const message = `${name} cannot have this style; ${usual} is used`
    reading.warn('unsupported-parameter', message, childOf(node, 'style'), 'value', `in ${place}: ${styles.join(', ')}`)
  }
  const known = style ?? usual
  const isExploded = typeof explode === 'boolean' ? explode : known === 'form' || known === 'deepObject'
  return compileStyle(known, isExploded, name, new ValuePlace([schema.node], reading), decode)
}

/** Returns a reader of a parameter with `content`: one text in a media type. */
const contentReader =
  (json: boolean, place: Location, schema: SchemaUse, decode: Decode): Parameter['read'] =>
  texts => {
    if (texts.length > 1) return REPEATED
    const text = decode(texts[0] as string)
    if (text === undefined) return BROKEN
    const parsed = json ? parseJson(text) : { value: text, exact: false }
    // Clients write an id in a path without the quotes of JSON.
    if (place !== 'path' || !schema.types.has('string')) return parsed
    const isSound = 'value' in parsed && schema.check(parsed.value, parsed.exact) === undefined
    return isSound ? parsed : { value: text, exact: false }
  }

/** If strings are allowed too, a converted value that the schema refuses is replaced by the text. */
const orText =
  (read: Parameter['read'], schema: SchemaUse, decode: Decode): Parameter['read'] =>
  texts => {
    const first = read(texts)
    if ('fault' in first || typeof first.value === 'string' || texts.length !== 1) return first
    const text = decode(texts[0] as string)
    if (text === undefined || schema.check(first.value, first.exact) === undefined) return first
    return schema.check(text) === undefined ? { value: text, exact: false } : first
  }

/** One component of a query, decoded as `application/x-www-form-urlencoded`; `undefined` if it is malformed. */
export function decodeQuery(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  // On a text of many, `replaceAll` takes twice as long.
  const spaced = text.includes('+') ? text.split('+').join(' ') : text
  return text.includes('%') ? decodeComponent(spaced) : spaced
}

/** Returns the values of each name in a query string, in order. Names are decoded, values are not; a broken name is left out. */
export function splitQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let from = 0
  while (from < query.length) {
    let to = query.indexOf('&', from)
    if (to === -1) to = query.length
    const part = query.slice(from, to)
    const at = part.indexOf('=')
    const name = part === '' ? undefined : decodeQuery(at === -1 ? part : part.slice(0, at))
    const value = at === -1 ? '' : part.slice(at + 1)
    const known = name === undefined ? undefined : values.get(name)
    if (known !== undefined) known.push(value)
    else if (name !== undefined) values.set(name, [value])
    from = to + 1
  }
  return values
}

/** Returns the values of a cookie in a `Cookie` field (RFC 6265 §4.2). */
export function cookieValues(field: string | undefined, name: string): string[] {
  return (field ?? '')
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}

/** A request, with the values of the expressions of its path. */
interface Addressed {
  readonly request: Request
  readonly segments: readonly string[]
}

type ReadTexts = (sent: Addressed, query: ReadonlyMap<string, readonly string[]>) => readonly string[] | undefined

/** Returns a function that reads the texts of a parameter: `undefined` or none if it is absent. @param path of the operation */
export function compileTexts({ name, in: place }: Parameter, path: string): ReadTexts {
  if (place === 'query') return (_, query) => query.get(name)
  if (place === 'cookie') return ({ request }) => cookieValues(request.headers.cookie as string | undefined, name)
  if (place === 'path') {
    const at = expressionsOf(path).indexOf(name)
    return ({ segments }) => [segments[at] as string]
  }
  const field = name.toLowerCase()
  return ({ request }) => [request.headers[field] ?? []].flat()
}
