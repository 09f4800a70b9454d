// Schemas of a contract, in the one dialect the validator speaks (JSON Schema 2020-12): OpenAPI 3.0's differences are
// translated, OpenAPI's annotations left out, references kept as references, so that circles stay finite.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, type Json } from '../kernel/json.ts'
import { type Check, type Schema, Schemas } from '../kernel/schema.ts'
import { childOf, type Documents, entriesOf, identityOf, itemsOf, type Node, placeOf } from './document.ts'

const ONE = ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties', 'additionalItems']
const ONE_MORE = ['unevaluatedItems', 'unevaluatedProperties', 'contentSchema']
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const MAP = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
const ASSERTIONS = [
  ...['type', 'enum', 'const', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength'],
  ...['maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains', 'minProperties'],
  ...['maxProperties', 'required', 'dependentRequired', 'format'],
]
/** What says nothing about validity, and something about what a value looks like. */
const KEPT = [
  ...['title', 'default', 'example', 'examples', 'readOnly', 'writeOnly', 'xml', 'discriminator', 'contentEncoding'],
  ...['contentMediaType', 'deprecated'],
]
const ANNOTATIONS = [...KEPT, 'description', 'nullable', 'externalDocs', '$comment', '$schema']
const KNOWN = new Set(['$ref', 'items', ...ONE, ...ONE_MORE, ...LIST, ...MAP, ...ASSERTIONS, ...ANNOTATIONS])
const SCHEMA_VALUED = new Set([...ONE, ...ONE_MORE])

/** What a schema says of an object, gathered through `$ref` and `allOf`. */
export interface Shape {
  readonly types: readonly string[]
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<string>
  /** Whether properties beside the declared ones are spoken for: `additionalProperties` or `patternProperties`. */
  readonly open: boolean
  readonly format: string | undefined
  readonly default: Json | undefined
  readonly items: Node | undefined
}

/** A schema of the contract, ready to check with and to ask about. */
export interface SchemaUse {
  readonly node: Node
  /** Its key in `definitions`. */
  readonly key: string
  /** All schemas of the contract in the validator's dialect, annotations kept: a `$ref` in them is `#/$defs/KEY`. */
  readonly definitions: Readonly<Record<string, Schema>>
  readonly shape: Shape
  readonly check: Check
}

/** All the schemas a contract uses. `use` while reading; checks compile on first use, or all at once with `compile`. */
export class SchemaBook {
  readonly #documents: Documents
  readonly #report: Diagnostics
  readonly #legacy: boolean
  readonly #keys = new Map<string, string>()
  readonly #defs: Record<string, Schema> = {}
  readonly #uses = new Map<string, SchemaUse & { compile(): void }>()
  #schemas: Schemas | undefined

  /** @param legacy whether the schemas are of OpenAPI 3.0, with `nullable` and boolean bounds */
  constructor(documents: Documents, legacy: boolean, report: Diagnostics) {
    this.#documents = documents
    this.#legacy = legacy
    this.#report = report
  }

  use(node: Node): SchemaUse {
    const key = this.#keyOf(node)
    let use = this.#uses.get(key)
    if (use === undefined) {
      use = this.#makeUse(node, key)
      this.#uses.set(key, use)
    }
    return use
  }

  #makeUse(node: Node, key: string): SchemaUse & { compile(): void } {
    const documents = this.#documents
    let check: Check | undefined
    let shape: Shape | undefined
    const compile = () => {
      this.#schemas ??= new Schemas(this.#defs)
      check ??= this.#schemas.compileKey(key)
      return check
    }
    return {
      node,
      key,
      definitions: this.#defs,
      get shape() {
        shape ??= shapeOf(node, documents)
        return shape
      },
      check: (value, exact) => (check ?? compile())(value, exact),
      compile,
    }
  }

  /** Compiles everything in use; a schema that cannot be is an error at its place. */
  compile(): void {
    for (const { node, compile } of this.#uses.values()) {
      try {
        compile()
      } catch (error) {
        const why = (error as Error).message
          .replace(/^schema is invalid: /, '')
          .replace(/contract#\/\$defs\/\w+/g, 'it')
        this.#report.error('invalid-schema', `this schema cannot be compiled: ${why}`, placeOf(node, 'key'))
      }
    }
  }

  #keyOf(node: Node): string {
    const identity = identityOf(node)
    let key = this.#keys.get(identity)
    if (key === undefined) {
      key = `s${this.#keys.size}`
      this.#keys.set(identity, key)
      this.#defs[key] = true // holds the place while a circle closes
      this.#defs[key] = this.#translate(node)
    }
    return key
  }

  #translate(node: Node): Schema {
    const { value } = node
    if (typeof value === 'boolean') return value
    if (!isObject(value)) {
      this.#report.error('invalid-schema', 'a schema must be an object', placeOf(node))
      return true
    }
    const { $ref } = value
    if (typeof $ref === 'string') {
      const target = this.#documents.resolve(node)
      if (target === undefined) return true
      const reference = { $ref: `#/$defs/${this.#keyOf(target)}` }
      // Beside a reference OpenAPI 3.0 ignores whatever else is there; 3.1 has it hold as well.
      return this.#legacy ? reference : { ...this.#keywords(node, '$ref'), ...reference }
    }
    return this.#legacy ? modernise(value, this.#keywords(node)) : this.#keywords(node)
  }

  #keywords(node: Node, except?: string): Record<string, unknown> {
    const out: Record<string, unknown> = {}
    for (const [keyword, child] of entriesOf(node)) {
      if (keyword === except || keyword.startsWith('x-')) continue
      if (!KNOWN.has(keyword)) {
        const hint = suggest(keyword, KNOWN) ?? 'extensions begin with x-'
        this.#report.warning('unknown-keyword', `"${keyword}" is not a keyword of schemas`, placeOf(child, 'key'), hint)
      } else if (keyword === 'items') out.items = this.#items(child)
      else if (SCHEMA_VALUED.has(keyword)) out[keyword] = this.#translate(child)
      else if (LIST.includes(keyword)) out[keyword] = itemsOf(child).map(item => this.#translate(item))
      else if (MAP.includes(keyword)) {
        out[keyword] = Object.fromEntries(entriesOf(child).map(([name, schema]) => [name, this.#translate(schema)]))
      } else if (ASSERTIONS.includes(keyword)) out[keyword] = withoutBigInt(child.value)
      else if (KEPT.includes(keyword)) out[keyword] = child.value
    }
    return out
  }

  #items(node: Node): unknown {
    return Array.isArray(node.value) ? itemsOf(node).map(item => this.#translate(item)) : this.#translate(node)
  }
}

/** OpenAPI 3.0 (JSON Schema Wright 00) as 2020-12. */
function modernise(from: Record<string, unknown>, out: Record<string, unknown>): Record<string, unknown> {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof from[flag] !== 'boolean') continue
    delete out[flag]
    if (from[flag] && out[bound] !== undefined) {
      out[flag] = out[bound]
      delete out[bound]
    }
  }
  if (from.nullable !== true) return out
  if (typeof out.type !== 'string') return { anyOf: [out, { type: 'null' }] }
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null]
  return { ...out, type: [out.type, 'null'] }
}

// The validator reads bounds as doubles; format int64 keeps the true range.
const withoutBigInt = (value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : Array.isArray(value) ? value.map(withoutBigInt) : value

/** What a schema says of an object, gathered through `$ref` and `allOf`. */
export function shapeOf(start: Node, documents: Documents): Shape {
  const properties = new Map<string, Node>()
  const required = new Set<string>()
  const seen = new Set<string>()
  let types: string[] = []
  let open = false
  let format: string | undefined
  let fallback: Json | undefined
  let items: Node | undefined
  const gather = (node: Node): void => {
    const identity = identityOf(node)
    if (seen.has(identity) || !isObject(node.value)) return
    seen.add(identity)
    const { type, $ref } = node.value
    if (typeof $ref === 'string') {
      const target = documents.resolve(node)
      if (target !== undefined) gather(target)
    }
    for (const part of itemsOf(childOf(node, 'allOf'))) gather(part)
    for (const [name, schema] of entriesOf(childOf(node, 'properties'))) properties.set(name, schema)
    for (const name of itemsOf(childOf(node, 'required'))) required.add(String(name.value))
    if (type !== undefined) types = [type].flat().map(String)
    const { additionalProperties, patternProperties } = node.value
    if (patternProperties !== undefined || additionalProperties === true || isObject(additionalProperties)) open = true
    // A union may speak of any property: none of them is unknown.
    if (node.value.oneOf !== undefined || node.value.anyOf !== undefined) open = true
    if (typeof node.value.format === 'string') format = node.value.format
    if (node.value.default !== undefined) fallback = node.value.default as Json
    if (node.value.items !== undefined) items = childOf(node, 'items')
  }
  gather(start)
  return { types, properties, required, open, format, default: fallback, items }
}
