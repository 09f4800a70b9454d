// Reads schemas and paths for inference: the bodies that an operation takes and answers with; what a schema describes, through
// `$ref`, `allOf`, `anyOf` and `null`; and names in any spelling.

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

/** Reads what the schemas of a contract describe. */
export function readSchemas(contract: Contract) {
  // An alias has the identity of its target: the target's own name, which is read last, is kept.
  const isOwn = ([name, { node }]: [string, SchemaUse]) => ownName(contract.resolve(node)) === name
  const named = [...contract.schemas].sort((a, b) => Number(isOwn(a)) - Number(isOwn(b)))
  const componentNames = new Map(named.map(([name, { node }]) => [contract.identify(node), name] as const))

  /** Inference asks the same of a schema very often. */
  const remember = <Value>(make: (node: Node) => Value) => {
    const known = new Map<string, Value>()
    return (node: Node): Value => getOrMake(known, contract.identify(node), () => make(node))
  }

  /** The schemas that a value may have: branches of unions and single `allOf`s taken out, `null` left out. */
  const alternatives = remember((node): readonly Node[] => alternativesOf(node, new Set()))

  /** The types of a value, those of all alternatives. */
  const types = remember(
    (node): ReadonlySet<string> => new Set(alternatives(node).flatMap(one => contract.shapeOf(one).types)),
  )

  /** The shape of the first alternative that has properties or items, else of the schema as it is written. */
  const shape = remember((node): Shape => {
    const all = alternatives(node).map(one => contract.shapeOf(one))
    const filled = all.find(one => one.properties.size > 0 || one.items !== undefined)
    return filled ?? all[0] ?? contract.shapeOf(node)
  })

  /** The identities of a schema and of the components that it is made of. */
  const kinOf = remember((node): ReadonlySet<string> => {
    const all = alternatives(node).flatMap(one => (isNamed(one) ? [one] : [one, ...parts(one)]))
    return new Set([node, ...all].map(one => contract.identify(one)))
  })

  function fields(node: Node): Shape['properties'] {
    return shape(node).properties
  }

  function names(node: Node): readonly string[] {
    return [...fields(node).keys()]
  }

  function items(node: Node): Node | undefined {
    return shape(node).items
  }

  function alternativesOf(node: Node, seen: ReadonlySet<string>): readonly Node[] {
    const target = contract.resolve(node)
    const { value } = target
    const identity = contract.identify(target)
    if (!isObject(value) || seen.has(identity)) return []
    const inner = new Set([...seen, identity])
    const parts = itemsOf(childOf(target, 'allOf'))
    if (value.properties === undefined && parts.length === 1) return alternativesOf(parts[0] as Node, inner)
    const branches = branchesIn(target)
    if (value.properties === undefined && parts.length === 0 && branches.length > 0) {
      return branches.flatMap(branch => alternativesOf(branch, inner))
    }
    return value.type === 'null' ? [] : [target]
  }

  function isText(node: Node): boolean {
    return types(node).has('string')
  }

  function format(node: Node): string | undefined {
    return alternatives(node)
      .map(one => contract.shapeOf(one).format)
      .find(format => format !== undefined)
  }

  /** The values of a text's enum. */
  function enumOf(node: Node): readonly Json[] {
    return alternatives(node).flatMap(({ value }) => {
      const values = isObject(value) ? value.enum : undefined
      return Array.isArray(values) ? (values as Json[]) : []
    })
  }

  function isReadOnly(node: Node): boolean {
    return alternatives(node)
      .concat(node)
      .some(({ value }) => isObject(value) && value.readOnly === true)
  }

  /** Whether a value may be an object with properties. */
  function isRecord(node: Node): boolean {
    return fields(node).size > 0
  }

  function isScalar(node: Node): boolean {
    const all = types(node)
    return all.size > 0 && !all.has('object') && !all.has('array')
  }

  /** Whether two schemas describe the same record: one of them is the other, or is made of it. */
  function areAkin(a: Node, b: Node): boolean {
    const known = kinOf(b)
    return [...kinOf(a)].some(identity => known.has(identity))
  }

  /** How gateway.yaml names a schema: by its name, else by a JSON Pointer, with the file if that is not the contract's own. */
  function reference(node: Node): string | undefined {
    const target = contract.resolve(node)
    const name = componentNames.get(contract.identify(target))
    if (name !== undefined) return name
    const [own = ''] = contract.files
    const { file } = target.document
    const text = `${file === own ? '' : relative(dirname(own), file)}#${pointer(target.path).replaceAll('%', '%25')}`
    const found = contract.at(text)
    return found !== undefined && contract.identify(found) === contract.identify(target) ? text : undefined
  }

  /** The schemas that may store a record of this schema, components before inline ones. */
  function recordSchemas(node: Node): Node[] {
    const all = alternatives(node).flatMap(one => (isNamed(one) ? [one] : [...parts(one), one]))
    const records = all.filter(one => contract.shapeOf(one).properties.size > 0)
    return [...records.filter(one => isNamed(one)), ...records.filter(one => !isNamed(one))]
  }

  function isNamed(node: Node): boolean {
    return componentNames.has(contract.identify(node))
  }

  /** The components that an `allOf` written in place is made of. */
  function parts(node: Node): Node[] {
    return itemsOf(childOf(node, 'allOf'))
      .flatMap(part => alternatives(part))
      .filter(part => isNamed(part))
  }

  return {
    ...{ contract, shape, fields, names, items, alternatives, types, isText, format, enumOf, isReadOnly },
    ...{ isRecord, isScalar, areAkin, reference, recordSchemas },
  }
}

export type SchemaReader = ReturnType<typeof readSchemas>

export const isNumeric = (types: ReadonlySet<string>): boolean => types.has('integer') || types.has('number')

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

/** The fields of a record, to be found by their other spellings. */
export function readFields(record: Node, schemas: SchemaReader) {
  const properties = schemas.fields(record)
  const bySpelling = new Map<string, string[]>()
  const byWord = new Map<string, string>()
  for (const name of properties.keys()) {
    getOrMake(bySpelling, plainName(name), () => []).push(name)
    getOrMake(byWord, wordFormOf(name), () => name)
  }
  return {
    schemas,
    properties,
    /** The fields of a spelling, in the form that `plainName` gives. */
    spelt: (plain: string): readonly string[] => bySpelling.get(plain) ?? [],
    /** The first field of the same word, whether singular or plural. */
    called: (name: string): string | undefined => byWord.get(wordFormOf(name)),
  }
}

export type FieldReader = ReturnType<typeof readFields>

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
