// The ways in which a resource may keep its records: the schema, the field that names a record, and the values that the server
// sets.

import { isOfLater } from '../../behaviours/respond/record.ts'
import { fieldNode, type Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import type { Assign } from '../../world/records/types.ts'
import { everythingOf } from './list.ts'
import { isIdOf, type RecordReader } from './records.ts'
import { isNumeric, type SchemaReader } from './schema.ts'
import { mayGive } from './writes.ts'

/** A schema that may store the records of a resource, and their id then. */
export interface SchemaCandidate {
  readonly schema: string
  readonly idField: string
  readonly assign: Assign
  /** The fields of a new record that the server fills in. */
  readonly filled: readonly string[]
  /** Default values of a new record. */
  readonly defaults: Readonly<Record<string, Json>>
}

/** The facts about a collection that its candidates follow from. */
interface CollectionFacts {
  readonly records: RecordReader
  /** The path parameter that names an item, as the contract declares it. */
  readonly declared: Parameter | undefined
  /** The record in a request to create one. */
  readonly asked?: Node | undefined
  /** The operations that may list the records. */
  readonly lists: readonly (Operation | undefined)[]
}

/** Returns the candidates, the likeliest first. */
export function candidatesOf({ records, declared, asked, lists }: CollectionFacts): SchemaCandidate[] {
  const { schemas, parameter } = records
  const candidates = records.known.flatMap(known =>
    schemas.recordSchemas(known).flatMap((node): SchemaCandidate[] => {
      const shape = schemas.shape(node)
      const schema = schemas.reference(node)
      const idField = findId(records, declared, shape)
      if (schema === undefined || idField === undefined) return []
      // The request may call the id as the path does: `username` for `login`.
      const isAsked = asked && [idField, parameter ?? ''].some(name => mayGive(name, asked, schemas))
      const byServer = assignOf(idField, shape, schemas)
      const filled = filledIn(node, idField, asked, schemas)
      const candidate = { schema, idField, filled, defaults: selectedIn(node, lists, schemas) }
      // If the id in a request belongs to another resource, the server makes one.
      const ways: readonly Assign[] = isAsked ? ['client', byServer] : [byServer]
      return ways.map(assign => ({ ...candidate, assign }))
    }),
  )
  // A schema that has the very field of the path is kept before one that has a name only: it may be a part of it.
  candidates.sort((a, b) => Number(isIdOf(b.idField, parameter)) - Number(isIdOf(a.idField, parameter)))
  const keys = candidates.map(({ schema, idField, assign }) => `${schema} ${idField} ${assign}`)
  return candidates.filter((_, i) => keys.indexOf(keys[i] as string) === i)
}

const TECHNICAL = ['id', '_id', 'pk', 'uuid', 'guid', 'gid', 'sid', 'key']
const SPEAKING = ['slug', 'key', 'code', 'login', 'username', 'name', 'identifier', 'number', 'token']

/**
 * Returns the field that a path parameter names a record by: that of the same name (`sku`), without the name of the records (`id`
 * for `bookId`), or a usual one.
 */
function findId(
  { schemas, form, parameter }: RecordReader,
  declared: Parameter | undefined,
  { properties }: Shape,
): string | undefined {
  const isNumber = declared !== undefined && isNumeric(declared.schema.types)
  const isIdNode = (node: Node) => schemas.isText(node) || schemas.isNumber(node)
  const names = [...properties].filter(([, node]) => isIdNode(node)).map(([name]) => name)
  const wanted = plainName(parameter ?? 'id')
  // The `username` of a user is a word: a login rather than the name of a person.
  const bare = wanted === 'username' ? 'login' : wanted.replace(form, '')
  // The `{customer}` of `/customers/{customer}` does not name the field: prefer an `id` to a name, which may not be unique.
  const asksForId = wanted === form || /(?:id|uuid|guid|sid|key|identifier)$/.test(wanted)
  const usual = [...TECHNICAL, ...['id', 'uuid', 'key', 'number', 'name', 'code'].map(end => form + end)]
  const likely = asksForId ? [...usual, ...SPEAKING] : [...SPEAKING, ...usual]
  const fits = (name: string): boolean => {
    const node = properties.get(name) as Node
    return declared === undefined || (isNumber ? schemas.isNumber(node) : schemas.isText(node))
  }
  // Untyped path parameters are texts, so that the field may be a number; but a number names no text other than an `id`.
  const anyType = () => true
  const attempts: readonly (readonly [readonly string[], (name: string) => boolean])[] = [
    [[wanted, bare], fits],
    [[wanted, bare], anyType],
    [likely, fits],
    [likely, isNumber ? name => isIdOf(name, undefined) : anyType],
  ]
  for (const [words, accept] of attempts) {
    for (const word of words.map(plainName).filter(text => text !== '')) {
      const field = names.find(name => plainName(name) === word && accept(name))
      if (field !== undefined) return field
    }
  }
  return fieldInHead(properties, (name, node) => plainName(name) === wanted && isIdNode(node), schemas)
}

/** Names of the object that contains a record's id: `metadata.name` in Kubernetes. */
const HEADS = /^(?:meta|metadata|sys|header)$/i

/** Returns the first field of that kind in the metadata of a record. */
export function fieldInHead(
  properties: ReadonlyMap<string, Node>,
  isMeant: (name: string, node: Node, path: string) => boolean,
  schemas: SchemaReader,
): string | undefined {
  for (const [key, node] of properties) {
    if (!HEADS.test(key) || !schemas.isRecord(node)) continue
    const inner = [...schemas.fields(node)].find(([name, child]) => isMeant(name, child, `${key}.${name}`))
    if (inner !== undefined) return `${key}.${inner[0]}`
  }
  return undefined
}

/** Patterns beside the format may refuse its small letters, or its length. */
const A_UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'

/** Returns how the server names a new record. */
function assignOf(field: string, shape: Shape, schemas: SchemaReader): Assign {
  const node = fieldNode(shape, field, schemas.contract)
  if (node === undefined || !schemas.isText(node)) return 'sequence'
  const takesUuid = schemas.format(node) === 'uuid' && schemas.contract.use(node).fits(A_UUID)
  return takesUuid ? 'uuid' : 'generate'
}

/** Returns the fields of a record that no request to create one has, and that are known from the beginning. */
export function filledIn(record: Node, idField: string, asked: Node | undefined, schemas: SchemaReader): string[] {
  if (asked === undefined) return []
  return schemas.names(record).filter(name => name !== idField && !isOfLater(name) && !mayGive(name, asked, schemas))
}

/**
 * Returns defaults for the fields that a list selects by in any case, as `findByStatus` does, or `?state=` with the default `open`:
 * a record without such a field would be in none of its pages.
 */
function selectedIn(
  record: Node,
  lists: readonly (Operation | undefined)[],
  schemas: SchemaReader,
): Readonly<Record<string, Json>> {
  const properties = schemas.fields(record)
  const defaults: Record<string, Json> = {}
  for (const parameter of lists.flatMap(list => list?.parameters ?? [])) {
    const { name, in: place, required, default: usual } = parameter
    const node = place === 'query' && (required || usual !== undefined) ? properties.get(name) : undefined
    if (node === undefined || !schemas.isScalar(node) || name in defaults) continue
    const all = everythingOf(parameter, node, schemas)
    const [first] = [usual].flat() as (Json | undefined)[]
    const values = schemas.enumOf(node)
    if (first !== undefined && all !== undefined && first !== all) defaults[name] = first
    else if (required && values.length > 0)
      defaults[name] = values.find(value => value === first) ?? (values[0] as Json)
  }
  return defaults
}
