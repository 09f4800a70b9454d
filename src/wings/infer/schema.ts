// Reads schemas and paths for inference: what a schema describes, through `$ref`, `allOf`, `anyOf` and `null`; the bodies that an
// operation takes and answers with; and names in any spelling.

import { dirname, relative } from 'node:path'
import type { Contract, Operation } from '../../contract/contract.ts'
import { branchesIn, childOf, itemsOf, type Node, ownName } from '../../contract/documents.ts'
import { isJson } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import { replySchema, successOf } from '../../contract/success.ts'
import { isObject, type Json, pointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { plainName, wordFormOf } from '../../kernel/names.ts'

/** Reads what the schemas of a contract describe. Inference asks the same of a schema very often, so answers are kept. */
export class SchemaReader {
  readonly contract: Contract
  /** The names of components by the identity of their schema. */
  readonly #componentNames: ReadonlyMap<string, string>

  constructor(contract: Contract) {
    this.contract = contract
    // An alias has the identity of its target: the target's own name, which is read last, is kept.
    const hasOwnName = ([name, { node }]: [string, SchemaUse]) => ownName(contract.resolve(node)) === name
    const named = [...contract.schemas].sort((a, b) => Number(hasOwnName(a)) - Number(hasOwnName(b)))
    this.#componentNames = new Map(named.map(([name, { node }]) => [contract.identify(node), name] as const))
  }

  /** Returns the schemas that a value may have: branches of unions and single `allOf`s taken out, `null` left out. */
  readonly alternatives = this.#remember((node): readonly Node[] => this.#alternativesOf(node, new Set()))

  /** Returns the types of a value, those of all alternatives. */
  readonly types = this.#remember(
    (node): ReadonlySet<string> => new Set(this.alternatives(node).flatMap(part => this.contract.shapeOf(part).types)),
  )

  /** Returns the shape of the first alternative that has properties or items, else of the schema as it is written. */
  readonly shape = this.#remember((node): Shape => {
    const shapes = this.alternatives(node).map(part => this.contract.shapeOf(part))
    const described = shapes.find(({ properties, items }) => properties.size > 0 || items !== undefined)
    return described ?? shapes[0] ?? this.contract.shapeOf(node)
  })

  /** Returns the identities of a schema and of the components that it is made of. */
  readonly #kinOf = this.#remember((node): ReadonlySet<string> => {
    const parts = this.alternatives(node).flatMap(part =>
      this.#isNamed(part) ? [part] : [part, ...this.#componentsOf(part)],
    )
    return new Set([node, ...parts].map(part => this.contract.identify(part)))
  })

  fields(node: Node): Shape['properties'] {
    return this.shape(node).properties
  }

  names(node: Node): readonly string[] {
    return [...this.fields(node).keys()]
  }

  items(node: Node): Node | undefined {
    return this.shape(node).items
  }

  isText(node: Node): boolean {
    return this.types(node).has('string')
  }

  isNumber(node: Node): boolean {
    return isNumeric(this.types(node))
  }

  format(node: Node): string | undefined {
    return this.alternatives(node)
      .map(part => this.contract.shapeOf(part).format)
      .find(format => format !== undefined)
  }

  /** Returns the values of an enum. */
  enumOf(node: Node): readonly Json[] {
    return this.alternatives(node).flatMap(({ value }) => {
      const values = isObject(value) ? value.enum : undefined
      return Array.isArray(values) ? (values as Json[]) : []
    })
  }

  isReadOnly(node: Node): boolean {
    return [...this.alternatives(node), node].some(({ value }) => isObject(value) && value.readOnly === true)
  }

  /** Whether a value may be an object with properties. */
  isRecord(node: Node): boolean {
    return this.fields(node).size > 0
  }

  isScalar(node: Node): boolean {
    const types = this.types(node)
    return types.size > 0 && !types.has('object') && !types.has('array')
  }

  /** Whether two schemas describe the same record: one of them is the other, or is made of it. */
  areAkin(a: Node, b: Node): boolean {
    const kin = this.#kinOf(b)
    return [...this.#kinOf(a)].some(identity => kin.has(identity))
  }

  /** Returns how gateway.yaml names a schema: by its name, else by a JSON Pointer, with the file if that is not the contract's. */
  reference(node: Node): string | undefined {
    const { contract } = this
    const target = contract.resolve(node)
    const name = this.#componentNames.get(contract.identify(target))
    if (name !== undefined) return name
    const [main = ''] = contract.files
    const { file } = target.document
    const text = `${file === main ? '' : relative(dirname(main), file)}#${pointer(target.path).replaceAll('%', '%25')}`
    const named = contract.at(text)
    return named !== undefined && contract.identify(named) === contract.identify(target) ? text : undefined
  }

  /** Returns the schemas that may store a record of this schema, components before inline ones. */
  recordSchemas(node: Node): Node[] {
    const parts = this.alternatives(node).flatMap(part =>
      this.#isNamed(part) ? [part] : [...this.#componentsOf(part), part],
    )
    const records = parts.filter(part => this.contract.shapeOf(part).properties.size > 0)
    return [...records.filter(part => this.#isNamed(part)), ...records.filter(part => !this.#isNamed(part))]
  }

  #remember<Value>(make: (node: Node) => Value): (node: Node) => Value {
    const answers = new Map<string, Value>()
    return node => getOrMake(answers, this.contract.identify(node), () => make(node))
  }

  #alternativesOf(node: Node, above: ReadonlySet<string>): readonly Node[] {
    const target = this.contract.resolve(node)
    const { value } = target
    const identity = this.contract.identify(target)
    if (!isObject(value) || above.has(identity)) return []
    const inner = new Set([...above, identity])
    const parts = itemsOf(childOf(target, 'allOf'))
    if (value.properties === undefined && parts.length === 1) return this.#alternativesOf(parts[0] as Node, inner)
    const branches = branchesIn(target)
    if (value.properties === undefined && parts.length === 0 && branches.length > 0) {
      return branches.flatMap(branch => this.#alternativesOf(branch, inner))
    }
    return value.type === 'null' ? [] : [target]
  }

  #isNamed(node: Node): boolean {
    return this.#componentNames.has(this.contract.identify(node))
  }

  /** Returns the components that an `allOf` written in place is made of. */
  #componentsOf(node: Node): Node[] {
    return itemsOf(childOf(node, 'allOf'))
      .flatMap(part => this.alternatives(part))
      .filter(part => this.#isNamed(part))
  }
}

export const isNumeric = (types: ReadonlySet<string>): boolean => types.has('integer') || types.has('number')

/** Whether a success has a documented body of another type than JSON only, or one that an example alone describes. */
export const answersOtherwise = (operation: Operation): boolean =>
  !isSilent(operation) && replySchema(operation) === undefined

/** Whether a success is documented without anything about its body, or as JSON and no more. */
export function isSilent(operation: Operation): boolean {
  const media = [...(successOf(operation)?.content ?? [])]
  return media.every(([type, { schema, examples }]) => isJson(type) && schema === undefined && examples.length === 0)
}

/** Whether a success carries an object without properties. */
export function answersEmpty(whole: Node, schemas: SchemaReader): boolean {
  const { types, properties, items } = schemas.shape(whole)
  return items === undefined && properties.size === 0 && types.every(type => type === 'object')
}

/** Returns the schema of the body that a request carries: JSON, else a form. */
export function requestSchema({ body }: Operation): Node | undefined {
  const types = [...(body?.content ?? [])]
  const json = types.find(([type]) => isJson(type) || type === '*/*')
  return (json ?? types.find(([, { form }]) => form !== undefined))?.[1].schema?.node
}

/** Finds the fields of a record by their other spellings. */
export class FieldReader {
  readonly schemas: SchemaReader
  readonly properties: Shape['properties']

  constructor(record: Node, schemas: SchemaReader) {
    this.schemas = schemas
    this.properties = schemas.fields(record)
  }

  /** Returns the fields of a spelling, in the form that `plainName` gives. */
  spelt(plain: string): readonly string[] {
    return [...this.properties.keys()].filter(name => plainName(name) === plain)
  }

  /** Returns the first field of the same word, whether singular or plural. */
  called(name: string): string | undefined {
    return [...this.properties.keys()].find(field => sameWord(field, name))
  }
}

/** Whether two names are the same word, singular or plural. */
export const sameWord = (a: string, b: string): boolean => wordFormOf(a) === wordFormOf(b)

/** Returns the segments of a path without a trailing slash or a suffix: `/things/{id}.json` and `/things/{id}/` are alike. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  const last = segments.pop()
  if (last === undefined) return []
  const hasSuffix = last.includes('.') || last.endsWith('{format}')
  segments.push(hasSuffix ? last.replace(/\.(?:json|xml|ya?ml)$/i, '').replace(/\.?\{format\}$/, '') : last)
  return segments
}

export const isExpression = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment)

/** Whether a path names one thing by its last segment. */
export const isItemPath = (path: string): boolean => isExpression(segmentsOf(path).at(-1) ?? '')
