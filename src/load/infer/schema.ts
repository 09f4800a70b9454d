// Reads schemas and paths for inference: the bodies that an operation takes and answers with; what a schema describes, through
// `$ref`, `allOf`, `anyOf` and `null`; and names in any spelling.

import type { Contract, Operation, ResponseSpec } from '../../contract/contract.ts'
import { childOf, itemsOf, type Node } from '../../contract/documents.ts'
import { isJson } from '../../contract/media-types.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import { isObject, type Json, pointer } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'

const UNIONS = ['anyOf', 'oneOf'] as const

export class SchemaReader {
  readonly contract: Contract
  readonly #names: ReadonlyMap<string, string>
  readonly #shapes = new Map<string, Shape>()
  readonly #alternatives = new WeakMap<object, readonly Node[]>()
  readonly #types = new WeakMap<object, ReadonlySet<string>>()
  readonly #kin = new Map<string, ReadonlySet<string>>()

  constructor(contract: Contract) {
    this.contract = contract
    const named = [...contract.schemas].map(([name, { node }]) => [contract.identify(node), name] as const)
    // An alias has the identity of its target: the target's own name, which is read last, is kept.
    const aliases = named.filter(([, name]) => this.#isAlias(name))
    this.#names = new Map([...aliases, ...named.filter(entry => !aliases.includes(entry))])
  }

  #isAlias(name: string): boolean {
    const { value } = this.contract.schemas.get(name)?.node ?? {}
    return isObject(value) && typeof value.$ref === 'string'
  }

  /** The shape of the first alternative that has properties or items, else of the schema as it is written. */
  shape(node: Node): Shape {
    const identity = this.contract.identify(node)
    let shape = this.#shapes.get(identity)
    if (shape === undefined) {
      const shapes = this.alternatives(node).map(one => this.contract.shapeOf(one))
      shape =
        shapes.find(({ properties, items }) => properties.size > 0 || items !== undefined) ??
        shapes[0] ??
        this.contract.shapeOf(node)
      this.#shapes.set(identity, shape)
    }
    return shape
  }

  fields(node: Node): Shape['properties'] {
    return this.shape(node).properties
  }

  names(node: Node): readonly string[] {
    return [...this.fields(node).keys()]
  }

  items(node: Node): Node | undefined {
    return this.shape(node).items
  }

  /** The schemas that a value may have: branches of unions and single `allOf`s taken out, `null` left out. */
  alternatives(node: Node): readonly Node[] {
    const { value } = node
    if (!isObject(value)) return []
    let known = this.#alternatives.get(value)
    if (known === undefined) {
      known = this.#alternativesOf(node, new Set())
      this.#alternatives.set(value, known)
    }
    return known
  }

  #alternativesOf(node: Node, seen: ReadonlySet<string>): readonly Node[] {
    const target = this.contract.resolve(node)
    const { value } = target
    const identity = this.contract.identify(target)
    if (!isObject(value) || seen.has(identity)) return []
    const inner = new Set([...seen, identity])
    const parts = itemsOf(childOf(target, 'allOf'))
    if (value.properties === undefined && parts.length === 1) return this.#alternativesOf(parts[0] as Node, inner)
    const branches = UNIONS.flatMap(keyword => itemsOf(childOf(target, keyword)))
    if (value.properties === undefined && parts.length === 0 && branches.length > 0) {
      return branches.flatMap(branch => this.#alternativesOf(branch, inner))
    }
    return value.type === 'null' ? [] : [target]
  }

  /** The types of a value, those of all alternatives. */
  types(node: Node): ReadonlySet<string> {
    const { value } = node
    let types = isObject(value) ? this.#types.get(value) : undefined
    if (types === undefined) {
      types = new Set(this.alternatives(node).flatMap(one => this.contract.shapeOf(one).types))
      if (isObject(value)) this.#types.set(value, types)
    }
    return types
  }

  isText(node: Node): boolean {
    return this.types(node).has('string')
  }

  format(node: Node): string | undefined {
    return this.alternatives(node)
      .map(one => this.contract.shapeOf(one).format)
      .find(format => format !== undefined)
  }

  /** The values of a text's enum. */
  enumOf(node: Node): readonly Json[] {
    return this.alternatives(node).flatMap(({ value }) => {
      const values = isObject(value) ? value.enum : undefined
      return Array.isArray(values) ? (values as Json[]) : []
    })
  }

  isReadOnly(node: Node): boolean {
    return this.alternatives(node)
      .concat(node)
      .some(({ value }) => isObject(value) && value.readOnly === true)
  }

  /** Whether a value may be `null`. */
  isNullable(node: Node): boolean {
    return this.contract.use(node).types.has('null')
  }

  /** Whether a value may be an object with properties. */
  isRecord(node: Node): boolean {
    return this.fields(node).size > 0
  }

  isScalar(node: Node): boolean {
    const types = [...this.types(node)]
    return types.length > 0 && !types.includes('object') && !types.includes('array')
  }

  /** Whether two schemas describe the same record: one of them is the other, or is made of it. */
  areAkin(a: Node, b: Node): boolean {
    const known = this.#kinOf(b)
    return [...this.#kinOf(a)].some(identity => known.has(identity))
  }

  /** How gateway.yaml names a schema: by its component, else by a JSON Pointer; `undefined` for one in another file. */
  reference(node: Node): string | undefined {
    const target = this.contract.resolve(node)
    const name = this.#names.get(this.contract.identify(target))
    if (name !== undefined) return name
    const text = `#${pointer(target.path).replaceAll('%', '%25')}`
    const found = this.contract.at(text)
    return found !== undefined && this.contract.identify(found) === this.contract.identify(target) ? text : undefined
  }

  /** The schemas that may store a record of this schema, components before inline ones. */
  recordSchemas(node: Node): Node[] {
    const all = this.alternatives(node).flatMap(one => (this.#isNamed(one) ? [one] : [...this.#parts(one), one]))
    const records = all.filter(one => this.contract.shapeOf(one).properties.size > 0)
    return [...records.filter(one => this.#isNamed(one)), ...records.filter(one => !this.#isNamed(one))]
  }

  #isNamed(node: Node): boolean {
    return this.#names.has(this.contract.identify(node))
  }

  /** The components that an `allOf` written in place is made of. */
  #parts(node: Node): Node[] {
    return itemsOf(childOf(node, 'allOf'))
      .flatMap(part => this.alternatives(part))
      .filter(part => this.#isNamed(part))
  }

  #kinOf(node: Node): ReadonlySet<string> {
    const identity = this.contract.identify(node)
    let kin = this.#kin.get(identity)
    if (kin === undefined) {
      const all = this.alternatives(node).flatMap(one => (this.#isNamed(one) ? [one] : [one, ...this.#parts(one)]))
      kin = new Set([identity, ...all.map(one => this.contract.identify(one))])
      this.#kin.set(identity, kin)
    }
    return kin
  }
}

export const isNumeric = (types: ReadonlySet<string>): boolean => types.has('integer') || types.has('number')

/** The schema of the body that a success carries; `undefined` where it carries none. */
export function replySchema(operation: Operation): Node | undefined {
  const { content } = successOf(operation) ?? {}
  const all = [...(content ?? [])].filter(([type]) => isJson(type) || type === '*/*')
  // Some contracts list a type twice, once without a schema: `application/json` and `application/json; charset=utf-8`.
  return (all.find(([, { schema }]) => schema !== undefined) ?? all[0])?.[1].schema?.node
}

/** Whether a success has a documented body of another type than JSON only, or one that an example alone describes. */
export const answersOtherwise = (operation: Operation): boolean =>
  !isSilent(operation) && replySchema(operation) === undefined

/** Whether a success is documented without anything about its body, or as JSON and no more. */
export function isSilent(operation: Operation): boolean {
  const all = [...(successOf(operation)?.content ?? [])]
  return all.every(([type, { schema, examples }]) => isJson(type) && schema === undefined && examples.length === 0)
}

/** Whether a success carries an object without properties. */
export function answersEmpty(whole: Node, schemas: SchemaReader): boolean {
  const { types, properties, items } = schemas.shape(whole)
  return items === undefined && properties.size === 0 && types.every(type => type === 'object')
}

/** The schema of the body that a request carries: JSON, else a form. */
export function requestSchema({ body }: Operation): Node | undefined {
  const types = [...(body?.content ?? [])]
  const json = types.find(([type]) => isJson(type) || type === '*/*')
  return (json ?? types.find(([, { form }]) => form !== undefined))?.[1].schema?.node
}

function successOf({ responses }: Operation): ResponseSpec | undefined {
  const statuses = [...responses.keys()].filter(status => /^2(?:\d\d|XX)$/.test(status)).sort()
  const withBody = statuses.find(status => (responses.get(status)?.content.size ?? 0) > 0)
  return responses.get(withBody ?? statuses[0] ?? 'default')
}

/** The fields of a record, to be found by their other spellings. */
export class FieldReader {
  readonly schemas: SchemaReader
  readonly properties: ReadonlyMap<string, Node>
  readonly #bySpelling = new Map<string, string[]>()
  readonly #byWord = new Map<string, string>()

  constructor(record: Node, schemas: SchemaReader) {
    this.schemas = schemas
    this.properties = schemas.fields(record)
    for (const name of this.properties.keys()) {
      const spelling = plainName(name)
      const known = this.#bySpelling.get(spelling)
      if (known === undefined) this.#bySpelling.set(spelling, [name])
      else known.push(name)
      const word = wordFormOf(name)
      if (!this.#byWord.has(word)) this.#byWord.set(word, name)
    }
  }

  /** The fields of a spelling, in the form that `plainName` gives. */
  spelt(plain: string): readonly string[] {
    return this.#bySpelling.get(plain) ?? []
  }

  /** The first field of the same word, whether singular or plural. */
  called(name: string): string | undefined {
    return this.#byWord.get(wordFormOf(name))
  }
}

/** The names that end in another letter are returned quickly: names are compared very often. */
export const singular = (name: string): string =>
  !name.endsWith('s') && !name.endsWith('S') ? name : withoutPlural(name)

const withoutPlural = (name: string): string =>
  name
    .replace(/ies$/i, 'y')
    .replace(/(ss|x|ch|sh)es$/i, '$1')
    .replace(/([^s])s$/i, '$1')

/** A name in the form that its spellings share, in the singular. */
export const wordFormOf = (name: string): string => plainName(singular(name))

/** Whether two names are the same word, singular or plural. */
export const sameWord = (a: string, b: string): boolean => wordFormOf(a) === wordFormOf(b)

/** The segments of a path without a trailing slash or a suffix: `/things/{id}.json` and `/things/{id}/` are alike. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  const last = segments.pop()
  if (last === undefined) return []
  segments.push(
    last.includes('.') || last.endsWith('{format}')
      ? last.replace(/\.(?:json|xml|ya?ml)$/i, '').replace(/\.?\{format\}$/, '')
      : last,
  )
  return segments
}

export const isExpression = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment)

/** Whether a path names one thing by its last segment. */
export const isItemPath = (path: string): boolean => isExpression(segmentsOf(path).at(-1) ?? '')
