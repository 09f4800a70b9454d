// Values as XML and XML as values, by the `xml` keywords of their schemas (OpenAPI "XML Object"). The only file that knows
// the XML library.

import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser'
import {
  holdsExact,
  isObject,
  type Json,
  type JsonObject,
  type Parsed,
  parseJson,
  put,
  stringifyJson,
} from '../../kernel/json.ts'
import { type Definitions, propertySchemas, referredBy, type SchemaObject } from '../../sample/schema-parts.ts'

interface XmlKeywords {
  readonly name?: string
  readonly namespace?: string
  readonly prefix?: string
  readonly attribute?: boolean
  readonly wrapped?: boolean
  readonly nodeType?: string
}

/** The schemas of an element, with references and compositions followed: they give its name and its form. */
class ElementForm {
  readonly schemas: readonly SchemaObject[]
  readonly keywords: XmlKeywords
  readonly #definitions: Definitions

  constructor(schemas: readonly unknown[], definitions: Definitions) {
    const seen = new Set<SchemaObject>()
    const add = (schema: unknown): void => {
      if (!isObject(schema) || seen.has(schema)) return
      seen.add(schema)
      for (const part of [referredBy(schema, definitions), schema.allOf, schema.anyOf, schema.oneOf].flat()) add(part)
    }
    schemas.forEach(add)
    this.schemas = [...seen]
    this.keywords = Object.assign({}, ...[...seen].reverse().map(({ xml }) => (isObject(xml) ? xml : {})))
    this.#definitions = definitions
  }

  get items(): ElementForm {
    return new ElementForm(
      this.schemas.flatMap(({ items }) => items ?? []),
      this.#definitions,
    )
  }

  property(key: string): ElementForm {
    return new ElementForm(
      this.schemas.flatMap(schema => propertySchemas(schema, key)),
      this.#definitions,
    )
  }

  get isAttribute(): boolean {
    return this.keywords.attribute === true || this.keywords.nodeType === 'attribute'
  }

  get isText(): boolean {
    return this.keywords.nodeType === 'text' || this.keywords.nodeType === 'cdata'
  }

  nameOf(fallback: string): string {
    const { name = fallback, prefix } = this.keywords
    // Replaces characters that are invalid in XML names.
    const local = name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
    return prefix === undefined ? local : `${prefix}:${local}`
  }

  get namespace(): Record<string, string> {
    const { namespace, prefix } = this.keywords
    if (namespace === undefined) return {}
    return { [`${ATTRIBUTE}xmlns${prefix === undefined ? '' : `:${prefix}`}`]: namespace }
  }
}

const ATTRIBUTE = '@'
const TEXT = '#text'
const NAMES = { ignoreAttributes: false, attributeNamePrefix: ATTRIBUTE, textNodeName: TEXT }
const builder = new XMLBuilder({
  ...NAMES,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
})

/** @param name the outermost element's name if the schema has none */
export function writeXml(value: Json, schema: unknown, definitions: Definitions, name: string, item: string): string {
  const form = new ElementForm([schema], definitions)
  const content = Array.isArray(value) ? writeItems(value, form, item) : writeElement(value, form)
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build({ [form.nameOf(name)]: content })}`
}

/** Returns the content of an element around the items of a list. */
function writeItems(list: readonly Json[], form: ElementForm, fallback: string): Record<string, unknown> {
  const { items } = form
  return { ...form.namespace, [items.nameOf(fallback)]: list.map(one => writeElement(one, items)) }
}

/** Returns the content of an element, including its namespace. */
function writeElement(value: Json, form: ElementForm): unknown {
  const content = isObject(value) ? writeMembers(value as JsonObject, form) : writeText(value)
  if (Object.keys(form.namespace).length === 0) return content
  return isObject(content) ? { ...form.namespace, ...content } : { ...form.namespace, [TEXT]: content }
}

function writeMembers(value: JsonObject, form: ElementForm): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) {
    const inside = form.property(key)
    const name = inside.nameOf(key)
    if (inside.isAttribute) out[ATTRIBUTE + name] = writeText(child)
    else if (inside.isText) out[TEXT] = writeText(child)
    else if (!Array.isArray(child)) out[name] = writeElement(child, inside)
    else if (inside.keywords.wrapped === true) out[name] = writeItems(child, inside, name)
    else {
      const { items } = inside
      out[items.nameOf(name)] = child.map(item => writeElement(item as Json, items))
    }
  }
  return out
}

const writeText = (value: Json): string =>
  value === null ? '' : typeof value === 'object' ? stringifyJson(value) : String(value)

// Entities are decoded here, because the parser would also accept declared ones.
const parser = new XMLParser({
  ...NAMES,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  removeNSPrefix: true,
})

/** Elements within one another that a body may have. */
const DEEPEST = 64
/** Elements and characters that a body may have: the library reads 64 kB in 20 to 60 ms. */
const MOST = 4000
const LONGEST = 65_536

/**
 * Reads XML as the value that its schema describes: attributes, wrapped and repeated elements, numbers digit for digit.
 * Refuses a document type.
 */
export function readXml(text: string, schema: unknown, definitions: Definitions): Parsed {
  if (text.length > LONGEST) return { fault: `must be at most ${LONGEST} characters of XML` }
  if (/<!(?!--|\[CDATA\[)/.test(text)) return { fault: 'must not have a document type or declare entities' }
  const bound = boundOf(text)
  if (bound !== undefined) return { fault: bound }
  const valid = XMLValidator.validate(text)
  if (valid !== true) return { fault: `is not XML: ${valid.err.msg} (line ${valid.err.line})` }
  let elements: unknown
  try {
    elements = parser.parse(text)
  } catch (error) {
    return { fault: `is not XML: ${(error as Error).message}` }
  }
  const root = isObject(elements) ? Object.entries(elements).find(([name]) => name !== TEXT) : undefined
  if (root === undefined) return { fault: 'is not XML: it has no element' }
  const value = readElement(root[1], new ElementForm([schema], definitions))
  return { value, exact: holdsExact(value) }
}

/** Says which bound a text exceeds. */
function boundOf(text: string): string | undefined {
  let depth = 0
  let count = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    const next = text[at + 1]
    if (next === '!' || next === '?') continue
    if (next === '/') depth -= 1
    else {
      count += 1
      const end = text.indexOf('>', at)
      if (end === -1 || text[end - 1] !== '/') depth += 1
    }
    if (depth > DEEPEST) return `must have at most ${DEEPEST} elements within one another`
    if (count > MOST) return `must have at most ${MOST} elements`
  }
  return undefined
}

/** Returns the value of an element: of a text where it has neither attributes nor children. */
function readElement(node: unknown, form: ElementForm): Json {
  const types = new Set<unknown>(form.schemas.flatMap(({ type }) => type ?? []))
  const isList = types.has('array')
  if (typeof node !== 'string') {
    if (isList) return readItems(Object.values(node as object)[0], form.items)
    return readMembers(node as Readonly<Record<string, unknown>>, form)
  }
  const isMap = types.has('object') || form.schemas.some(({ properties }) => properties !== undefined)
  if (node === '' && (isMap || isList)) return isMap ? {} : []
  return isList && !isMap ? [readScalar(node, types)] : readScalar(node, types)
}

function readMembers(node: Readonly<Record<string, unknown>>, form: ElementForm): Json {
  const out: Record<string, Json> = {}
  const read = new Set<string>()
  const declared = form.schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
  for (const key of new Set(declared)) {
    const inside = form.property(key)
    const name = localOf(inside.nameOf(key))
    const { items } = inside
    const isList = !inside.isAttribute && items.schemas.length > 0
    const isWrapped = inside.keywords.wrapped === true
    const inner = localOf(items.nameOf(name))
    const plain = isList && !isWrapped ? inner : name
    const at = inside.isAttribute ? ATTRIBUTE + name : inside.isText ? TEXT : plain
    // Some contracts give the items of a list another name than their clients, who use the name of the property.
    const found = isList && !Object.hasOwn(node, at) ? key : at
    read.add(at).add(found)
    if (!Object.hasOwn(node, found)) continue
    const child = node[found]
    if (!isList) put(out, key, readElement(Array.isArray(child) ? child.at(-1) : child, inside))
    else if (!isWrapped) put(out, key, readItems(child, items))
    else put(out, key, isObject(child) ? readItems(child[inner] ?? Object.values(child)[0], items) : [])
  }
  const anything = new ElementForm([], {})
  for (const [name, child] of Object.entries(node)) {
    if (read.has(name) || (name === TEXT && child === '')) continue
    put(out, name.replace(/^@/, ''), Array.isArray(child) ? readItems(child, anything) : readElement(child, anything))
  }
  return out
}

const readItems = (found: unknown, items: ElementForm): Json =>
  found === undefined ? [] : [found].flat().map(one => readElement(one, items))

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1)

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value of a text, in the first type that it can have. */
function readScalar(raw: string, types: ReadonlySet<unknown>): Json {
  const text = decoded(raw)
  if (text === '' && types.has('null') && !types.has('string')) return null
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text)) {
    const parsed = parseJson(text, true)
    if ('value' in parsed) return parsed.value
  }
  if (types.has('boolean') && /^(?:true|false|1|0)$/.test(text)) return text === 'true' || text === '1'
  return text
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes character references and the predefined entities (XML 1.0 §4.6); others stay as they are. */
const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] as string
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : whole
  })
