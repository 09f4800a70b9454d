// Values as XML and XML as values, by the `xml` keywords of their schemas (OpenAPI "XML Object"). The only file that knows
// the XML library.

import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser'
import { holdsExact, isObject, type Json, type JsonObject, put, stringifyJson } from '../../kernel/json.ts'
import { type Parsed, parseSent } from '../../kernel/parse-json.ts'
import { type Definitions, propertySchemas } from '../../sample/schema-parts.ts'
import { type Facts, XmlForm } from './xml-form.ts'

const ATTRIBUTE = '@'
const TEXT = '#text'
const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE,
  textNodeName: TEXT,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
})

/** @param name the outermost element's name if the schema has none */
export function writeXml(value: Json, schema: unknown, definitions: Definitions, name: string, item: string): string {
  const writer = new XmlWriter(definitions)
  const facts = writer.factsOf(schema)
  const root = writer.nameOf(facts, name)
  const items = writer.itemsOf(facts)
  const content = Array.isArray(value)
    ? { ...writer.namespace(facts), [writer.nameOf(items, item)]: value.map(one => writer.element(one, items)) }
    : writer.element(value, facts)
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build({ [root]: content })}`
}

// Entities are decoded here, because the parser would also accept declared ones.
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE,
  textNodeName: TEXT,
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
  const roots = isObject(elements) ? Object.entries(elements).filter(([name]) => name !== TEXT) : []
  const [root] = roots
  if (root === undefined) return { fault: 'is not XML: it has no element' }
  const reader = new XmlReader(definitions)
  const value = reader.element(root[1], reader.factsOf(schema))
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

class XmlWriter extends XmlForm {
  namespace(facts: Facts): Record<string, string> {
    const { namespace, prefix } = this.keywordsOf(facts)
    if (namespace === undefined) return {}
    return { [`${ATTRIBUTE}xmlns${prefix === undefined ? '' : `:${prefix}`}`]: namespace }
  }

  /** Returns the content of an element, including its namespace. */
  element(value: Json, facts: Facts): unknown {
    const space = this.namespace(facts)
    const content = isObject(value) ? this.#members(value as JsonObject, facts) : textOf(value)
    if (Object.keys(space).length === 0) return content
    return isObject(content) ? { ...space, ...content } : { ...space, [TEXT]: content }
  }

  #members(value: JsonObject, facts: Facts): Record<string, unknown> {
    const out: Record<string, unknown> = {}
    for (const [key, child] of Object.entries(value)) {
      const inside = this.factsOf(...facts.flatMap(schema => propertySchemas(schema, key)))
      const { attribute, wrapped, nodeType } = this.keywordsOf(inside)
      const name = this.nameOf(inside, key)
      if (attribute === true || nodeType === 'attribute') out[ATTRIBUTE + name] = textOf(child)
      else if (nodeType === 'text' || nodeType === 'cdata') out[TEXT] = textOf(child)
      else if (Array.isArray(child)) {
        const items = this.itemsOf(inside)
        const list = child.map(item => this.element(item as Json, items))
        if (wrapped === true) out[name] = { ...this.namespace(inside), [this.nameOf(items, name)]: list }
        else out[this.nameOf(items, name)] = list
      } else out[name] = this.element(child, inside)
    }
    return out
  }
}

const textOf = (value: Json): string =>
  value === null ? '' : typeof value === 'object' ? stringifyJson(value) : String(value)

class XmlReader extends XmlForm {
  /** The value of an element: of a text where it has neither attributes nor children. */
  element(node: unknown, facts: Facts): Json {
    const types = new Set(facts.flatMap(({ type }) => [type].flat()).filter(type => typeof type === 'string'))
    if (types.has('array') && !isText(node)) return this.#list(Object.values(node as object)[0], this.itemsOf(facts))
    if (isText(node) && (types.has('object') || facts.some(({ properties }) => properties !== undefined))) {
      return node === '' ? {} : scalar(node, types)
    }
    if (types.has('array')) return node === '' ? [] : [scalar(node as string, types)]
    if (isText(node)) return scalar(node, types)
    return this.#members(node as Readonly<Record<string, unknown>>, facts)
  }

  #members(node: Readonly<Record<string, unknown>>, facts: Facts): Json {
    const out: Record<string, Json> = {}
    const read = new Set<string>()
    const names = new Set(facts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])))
    for (const key of names) {
      const inside = this.factsOf(...facts.flatMap(schema => propertySchemas(schema, key)))
      const { attribute, wrapped, nodeType } = this.keywordsOf(inside)
      const name = localOf(this.nameOf(inside, key))
      const items = this.itemsOf(inside)
      const isAttribute = attribute === true || nodeType === 'attribute'
      const isList = !isAttribute && items.length > 0
      const inner = localOf(this.nameOf(items, name))
      const at = isAttribute
        ? ATTRIBUTE + name
        : nodeType === 'text' || nodeType === 'cdata'
          ? TEXT
          : isList && wrapped !== true
            ? inner
            : name
      read.add(at)
      // Some contracts give the items of a list another name than their clients, who use the name of the property.
      const other = isList && !Object.hasOwn(node, at) ? key : at
      read.add(other)
      const found = Object.hasOwn(node, other) ? node[other] : undefined
      if (found === undefined) continue
      if (!isList) put(out, key, this.element(Array.isArray(found) ? found.at(-1) : found, inside))
      else if (wrapped !== true) put(out, key, this.#list(found, items))
      else put(out, key, isObject(found) ? this.#list(found[inner] ?? Object.values(found)[0], items) : [])
    }
    for (const [name, child] of Object.entries(node)) {
      if (read.has(name) || (name === TEXT && child === '')) continue
      put(out, name.replace(/^@/, ''), Array.isArray(child) ? this.#list(child, []) : this.element(child, []))
    }
    return out
  }

  #list(found: unknown, items: Facts): Json {
    if (found === undefined) return []
    return (Array.isArray(found) ? found : [found]).map(one => this.element(one, items))
  }
}

const isText = (node: unknown): node is string => typeof node === 'string'
const localOf = (name: string): string => name.slice(name.indexOf(':') + 1)

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value of a text, in the first type that it can have. */
function scalar(raw: string, types: ReadonlySet<unknown>): Json {
  const text = decoded(raw)
  if (text === '' && types.has('null') && !types.has('string')) return null
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text)) {
    const parsed = parseSent(text)
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
