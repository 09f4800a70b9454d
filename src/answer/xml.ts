// Values as XML, by the `xml` keywords of their schemas (OpenAPI "XML Object"). The only file that knows the XML library.

import { XMLBuilder } from 'fast-xml-parser'
import { isObject, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts'
import { type Definitions, keyOf, propertySchemas, type SchemaObject } from '../sample/fits.ts'

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

interface XmlKeywords {
  readonly name?: string
  readonly namespace?: string
  readonly prefix?: string
  readonly attribute?: boolean
  readonly wrapped?: boolean
  readonly nodeType?: string
}

/** Returns a schema with its references followed. */
type Facts = readonly SchemaObject[]

class XmlWriter {
  readonly #definitions: Definitions

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  factsOf(...schemas: readonly unknown[]): Facts {
    const seen: SchemaObject[] = []
    const add = (schema: unknown): void => {
      if (!isObject(schema) || seen.includes(schema)) return
      seen.push(schema)
      if (typeof schema.$ref === 'string') add(this.#definitions[keyOf(schema.$ref)])
      for (const part of [schema.allOf, schema.anyOf, schema.oneOf].flat()) add(part)
    }
    for (const schema of schemas) add(schema)
    return seen
  }

  itemsOf(facts: Facts): Facts {
    return this.factsOf(...facts.flatMap(({ items }) => (items === undefined ? [] : [items])))
  }

  #keywordsOf(facts: Facts): XmlKeywords {
    return Object.assign({}, ...[...facts].reverse().map(({ xml }) => (isObject(xml) ? xml : {})))
  }

  nameOf(facts: Facts, fallback: string): string {
    const { name = fallback, prefix } = this.#keywordsOf(facts)
    // Replaces characters that are invalid in XML names.
    const local = name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
    return prefix === undefined ? local : `${prefix}:${local}`
  }

  namespace(facts: Facts): Record<string, string> {
    const { namespace, prefix } = this.#keywordsOf(facts)
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
      const { attribute, wrapped, nodeType } = this.#keywordsOf(inside)
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
