// Values as XML and XML as values, by the `xml` keywords of their schemas (OpenAPI "XML Object"). The only file that knows
// the XML library.

import { XMLParser, XMLValidator } from 'fast-xml-parser'
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
import { getOrMake } from '../../kernel/memo.ts'
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
  readonly isAttribute: boolean
  readonly isText: boolean
  readonly #definitions: Definitions
  /** The texts of lists whose items have this form, as far as they are written. */
  readonly written = new Map<readonly Json[], string>()
  // A list has thousands of items with one form.
  readonly #properties = new Map<string, ElementForm>()
  readonly #names = new Map<string, string>()
  #items: ElementForm | undefined

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
    const { attribute, nodeType = '' } = this.keywords
    this.isAttribute = attribute === true || nodeType === 'attribute'
    this.isText = ['text', 'cdata'].includes(nodeType)
    this.#definitions = definitions
  }

  get items(): ElementForm {
    this.#items ??= new ElementForm(
      this.schemas.flatMap(({ items }) => items ?? []),
      this.#definitions,
    )
    return this.#items
  }

  property(key: string): ElementForm {
    const parts = () => this.schemas.flatMap(schema => propertySchemas(schema, key))
    return getOrMake(this.#properties, key, () => new ElementForm(parts(), this.#definitions))
  }

  nameOf(fallback: string): string {
    return getOrMake(this.#names, fallback, () => {
      const { name = fallback, prefix } = this.keywords
      // Replaces characters that are invalid in XML names.
      const local = name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
      return prefix === undefined ? local : `${prefix}:${local}`
    })
  }

  /** The declaration of the namespace, as an attribute. */
  get namespace(): string {
    const { namespace, prefix } = this.keywords
    return namespace === undefined ? '' : ` xmlns${prefix === undefined ? '' : `:${prefix}`}="${writeText(namespace)}"`
  }
}

/** Items of a list that are written in one step: they hold the event loop for some milliseconds. */
const STEP = 500

/**
 * Returns the parts of a text in XML. Other work may have its turn before each: a list may be long, or lists in an object.
 *
 * @param names of the outermost element and of the items of a list, where their schemas have none
 */
export function* writeXml(value: Json, schema: unknown, definitions: Definitions, names: XmlNames): Generator<string> {
  const form = new ElementForm([schema], definitions)
  const members = isObject(value) ? Object.entries(value as JsonObject) : []
  const lists = members.map(([key, child]) => [child, form.property(key), form.property(key).nameOf(key)] as const)
  for (const [list, { items }, fallback] of [[value, form, names[1]] as const, ...lists]) {
    if (!Array.isArray(list)) continue
    let text = ''
    for (let from = 0; from < list.length; from += STEP) {
      yield ''
      text += writeEach(list.slice(from, from + STEP), items, fallback)
    }
    items.written.set(list, text)
  }
  yield '<?xml version="1.0" encoding="UTF-8"?>'
  const root = form.nameOf(names[0])
  if (Array.isArray(value)) yield enclose(root, form.namespace, writeEach(value, form.items, names[1]))
  else yield writeElement(root, value, form)
}

export type XmlNames = readonly [root: string, item: string]

/** Returns the elements of the items of a list. */
function writeEach(list: readonly Json[], form: ElementForm, fallback: string): string {
  const name = form.nameOf(fallback)
  return form.written.get(list) ?? list.map(one => writeElement(name, one, form)).join('')
}

function writeElement(name: string, value: Json, form: ElementForm): string {
  if (!isObject(value)) return enclose(name, form.namespace, writeText(value))
  let attributes = form.namespace
  const content: string[] = []
  for (const [key, child] of Object.entries(value as JsonObject)) {
    const inside = form.property(key)
    const name = inside.nameOf(key)
    if (inside.isAttribute) attributes += ` ${name}="${writeText(child)}"`
    else if (inside.isText) content.push(writeText(child))
    else if (!Array.isArray(child)) content.push(writeElement(name, child, inside))
    else {
      const each = writeEach(child, inside.items, name)
      content.push(inside.keywords.wrapped === true ? enclose(name, inside.namespace, each) : each)
    }
  }
  // A joined text is in one piece, which costs the collector a third of a chain of pieces.
  return enclose(name, attributes, content.join(''))
}

const enclose = (name: string, attributes: string, content: string): string =>
  content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`

function writeText(value: Json): string {
  const text = value === null ? '' : typeof value === 'object' ? stringifyJson(value) : String(value)
  return MARKUP.test(text) ? text.replace(/[<>&"']/g, sign => `&${SIGNS[sign]};`) : text
}

const MARKUP = /[<>&"']/
const SIGNS: Readonly<Record<string, string>> = { '<': 'lt', '>': 'gt', '&': 'amp', '"': 'quot', "'": 'apos' }

const ATTRIBUTE = '@'
const TEXT = '#text'

let parser: XMLParser | undefined

/** Makes the parser at its first use: the library is large, and few contracts have XML. */
const createParser = () =>
  // Entities are decoded here, because the parser would also accept declared ones.
  new XMLParser({
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
    parser ??= createParser()
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
  for (const [tag] of text.matchAll(/<(?![!?])[^<>]*>?/g)) {
    if (!tag.startsWith('</')) count += 1
    if (!tag.endsWith('/>')) depth += tag.startsWith('</') ? -1 : 1
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
