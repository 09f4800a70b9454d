// The names and forms that schemas give their XML (OpenAPI "XML Object").

import { isObject } from '../../kernel/json.ts'
import { keyOf } from '../../kernel/reached-schema.ts'
import type { Definitions, SchemaObject } from '../../sample/schema-parts.ts'

interface XmlKeywords {
  readonly name?: string
  readonly namespace?: string
  readonly prefix?: string
  readonly attribute?: boolean
  readonly wrapped?: boolean
  readonly nodeType?: string
}

/** Returns a schema with its references followed. */
export type Facts = readonly SchemaObject[]

/** The names and forms that schemas give their XML. */
export class XmlForm {
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

  keywordsOf(facts: Facts): XmlKeywords {
    return Object.assign({}, ...[...facts].reverse().map(({ xml }) => (isObject(xml) ? xml : {})))
  }

  nameOf(facts: Facts, fallback: string): string {
    const { name = fallback, prefix } = this.keywordsOf(facts)
    // Replaces characters that are invalid in XML names.
    const local = name.replace(/[^\w.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
    return prefix === undefined ? local : `${prefix}:${local}`
  }
}
