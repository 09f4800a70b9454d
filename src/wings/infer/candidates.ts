// The ways in which a resource may keep its records: the schema, the field that names a record, and the values that the server
// sets.

import { fieldNode, type Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import type { Assign } from '../../world/records/types.ts'
import { choicesOf } from './list.ts'
import { isIdOf, type RecordReader } from './records.ts'
import { isNumeric, type SchemaReader } from './schema.ts'
import { mayGive } from './writes.ts'

/** A schema that may store the records of a resource, and their id then. */
export interface SchemaCandidate {
  readonly schema: string
  readonly idField: string
  /** Whether the schema has no field for the id, because it is the one of the request: records get one besides. */
  readonly added: boolean
  /** Whether every id has a record. */
  readonly every?: boolean
  readonly assign: Assign
  /** How the server assigns an id if the request has none. */
  readonly byServer: Assign
  /** The field whose text the ids are made of. */
  readonly from?: string | undefined
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
  /** The records in requests to change one. */
  readonly changes?: readonly Node[]
  /** The schema of that request, where no reply describes the records. */
  readonly taken?: Node | undefined
  /** Whether records can be created and read: then each gets an id besides if it says none. */
  readonly isNamed: boolean
  /** The operations that may list the records. */
  readonly lists: readonly (Operation | undefined)[]
}

/** The candidates, the likeliest first. */
export function candidatesOf(facts: CollectionFacts): SchemaCandidate[] {
  const { records, declared, asked, taken, isNamed, lists } = facts
  const { schemas, parameter, known } = records
  const candidates = (taken === undefined ? known : [taken]).flatMap(node =>
    schemas.recordSchemas(node).flatMap((one): SchemaCandidate[] => {
      const shape = schemas.shape(one)
      const schema = schemas.reference(one)
      const idField = findId(records, declared, shape)
      if (schema === undefined) return []
      if (taken !== undefined && !isIdOf(idField, parameter) && !isNameIn(idField, records, shape))
        return [withIdAdded(schema, declared)]
      if (idField === undefined) return []
      // The request may call the id as the path does: `username` for `login`.
      const isAsked = asked && [idField, parameter ?? ''].some(name => mayGive(name, asked, schemas))
      const byServer = assignOf(idField, shape, schemas)
      const filled = filledIn(one, idField, facts, schemas)
      const from = SLUG.test(idField) && byServer === 'generate' ? titleIn(shape, asked, schemas) : undefined
      const assign = isAsked ? 'client' : byServer
      return [{ schema, idField, added: false, assign, byServer, from, filled, defaults: {} }]
    }),
  )
  // Only the reply of the create, or a summary, may name a record, by a field that the record itself does not have.
  const [whole] = known
  const own = whole && isNamed ? schemas.reference(whole) : undefined
  const shown = whole === undefined ? [] : schemas.names(whole)
  // A list may leave out what a request gives and an item shows: the body of a mail.
  const given = shown.filter(name => asked !== undefined && mayGive(name, asked, schemas))
  const isLess = ({ schema }: SchemaCandidate): boolean =>
    known.some(node => {
      const names = schemas.reference(node) === schema ? schemas.names(node) : shown
      const isPart = names.filter(name => shown.includes(name)).length * 2 >= names.length
      return names.length < shown.length || (isPart && !given.every(name => names.includes(name)))
    })
  // A UUID is not a name, though a record may have no other field for it.
  const isUuid = declared !== undefined && schemas.format(declared.schema.node) === 'uuid'
  const isWord = ({ idField }: SchemaCandidate): boolean =>
    isUuid && !isIdOf(idField, parameter) && SPEAKING.includes(plainName(idField))
  if (own !== undefined && candidates.every(one => isLess(one) || isWord(one)))
    candidates.unshift(withIdAdded(own, declared, candidates.find(one => !isWord(one))?.idField))
  // A schema that has the very field of the path is kept before one that has a name only: it may be a part of it.
  const isCertain = ({ idField, added }: SchemaCandidate) => added || isIdOf(idField, parameter)
  candidates.sort((a, b) => Number(isCertain(b)) - Number(isCertain(a)))
  // If the id in a request belongs to another resource, the server makes one.
  const all = candidates.flatMap(one => [one, { ...one, assign: one.byServer }])
  const keys = all.map(({ schema, idField, assign }) => `${schema} ${idField} ${assign}`)
  return all
    .filter((_, i) => keys.indexOf(keys[i] as string) === i)
    .map(one => {
      const record = known.find(node => schemas.reference(node) === one.schema)
      return record === undefined ? one : { ...one, defaults: selectedIn(record, lists, schemas) }
    })
}

/** Whether a required field has the name of the path parameter without that of the records: `name` for `{fileName}`. */
const isNameIn = (field: string | undefined, { form, parameter }: RecordReader, { required }: Shape): boolean =>
  field !== undefined && required.has(field) && plainName(parameter ?? '') === form + plainName(field)

/** The id of records that need none: it is not shown. */
export const ADDED_ID = { idField: '{id}', added: true, assign: 'sequence', byServer: 'sequence' } as const

/** A candidate whose records get an id that their schema does not have. */
function withIdAdded(schema: string, declared: Parameter | undefined, idField = 'id'): SchemaCandidate {
  const assign = declared !== undefined && isNumeric(declared.schema.types) ? 'sequence' : 'generate'
  return { schema, idField, added: true, assign, byServer: assign, filled: [], defaults: {} }
}

const TECHNICAL = ['id', '_id', 'pk', 'entityid', 'uuid', 'guid', 'gid', 'sid', 'key']
const SPEAKING = ['slug', 'key', 'code', 'login', 'username', 'name', 'identifier', 'number', 'token']

/** The field of a record for its path parameter: with the same name, without the name of the collection, or a usual one. */
function findId(
  { schemas, form: one, parameter }: RecordReader,
  declared: Parameter | undefined,
  shape: Shape,
): string | undefined {
  const names = [...shape.properties].filter(([, node]) => isIdNode(node, schemas)).map(([name]) => name)
  // The `{idOrSlug}` of a record is its id.
  const spoken = (parameter ?? 'id').split(/[_-]or[_-]|Or(?=[A-Z])/)
  const given = plainName(spoken.find(one => /id$/i.test(one)) ?? spoken[0] ?? '')
  // The `username` of a user is a word: a login rather than the name of a person.
  const bare = given === 'username' ? 'login' : given.startsWith(one) ? given.slice(one.length) : given.replace(one, '')
  const fits = (name: string): boolean => {
    const node = shape.properties.get(name) as Node
    if (declared === undefined) return true
    return isNumeric(declared.schema.types) ? isNumeric(schemas.types(node)) : schemas.isText(node)
  }
  const asks = /(?:id|uuid|guid|sid|key|identifier)$/.test(given) || parameter === undefined
  const usual = [...TECHNICAL, ...['id', 'uuid', 'key', 'number', 'name', 'code'].map(end => one + end)]
  const tail = plainName(/[a-z\d]+$|[A-Z][a-z\d]*$/.exec(parameter ?? '')?.[0] ?? '')
  // `/customers/{customer}` does not name the field: prefer a textual `id` to a name, which may not be unique.
  const plain = given === one && names.includes('id') && fits('id') ? ['id'] : []
  const likely = [...plain, tail, ...(asks ? [...usual, ...SPEAKING] : [...SPEAKING, ...usual])]
  // A field with the name of the parameter is meant, even if its type differs: untyped path parameters are texts.
  // A number names no text that is merely usual, such as a name: only an `id` that is written as text.
  const isNumber = declared !== undefined && isNumeric(declared.schema.types)
  for (const candidates of [[given, bare], likely]) {
    const other = isNumber && candidates === likely ? (name: string) => isIdOf(name, undefined) : () => true
    for (const accept of [fits, other]) {
      for (const candidate of candidates.filter(text => text !== '')) {
        const found = names.find(name => plainName(name) === plainName(candidate) && accept(name))
        if (found !== undefined) return found
      }
    }
  }
  // The `{rule}` of a path may be the `type` of a rule: both are one of the same values.
  const values = declared && String(schemas.enumOf(declared.schema.node))
  const alike = names.filter(name => values && String(schemas.enumOf(shape.properties.get(name) as Node)) === values)
  if (alike.length === 1) return alike[0]
  return fieldInHead(shape.properties, (name, node) => plainName(name) === given && isIdNode(node, schemas), schemas)
}

/** Names of the object that contains a record's id: `metadata.name` in Kubernetes. */
const HEADS = /^(?:meta|metadata|sys|header|identity|identifier)$/i

/** The first field of that kind in the metadata of a record. */
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

const isIdNode = (node: Node, schemas: SchemaReader): boolean => schemas.isText(node) || isNumeric(schemas.types(node))

/** How the server names a new record. */
function assignOf(field: string, shape: Shape, schemas: SchemaReader): Assign {
  const node = fieldNode(shape, field, schemas.contract)
  if (node === undefined || !schemas.isText(node)) return 'sequence'
  const takesUuid = schemas.format(node) === 'uuid' && schemas.contract.use(node).fits(A_UUID)
  return takesUuid ? 'uuid' : 'generate'
}

/** Names of ids that are made of a title. */
const SLUG = /(?:slug|handle|permalink)$/i
const TITLES = ['title', 'name', 'headline', 'subject', 'label']

/** The title of a record that a request gives. */
const titleIn = ({ properties }: Shape, asked: Node | undefined, schemas: SchemaReader): string | undefined =>
  TITLES.find(name => {
    const node = asked && mayGive(name, asked, schemas) ? properties.get(name) : undefined
    return node !== undefined && schemas.isText(node)
  })

/** Patterns beside the format may refuse its small letters, or its length. */
const A_UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'

/**
 * Returns the fields of a record that the server fills in: those that no request to create one has. Nothing is known of a text
 * that a change may have.
 */
function filledIn(
  record: Node,
  idField: string,
  { asked, changes = [] }: CollectionFacts,
  schemas: SchemaReader,
): string[] {
  if (asked === undefined) return []
  return [...schemas.fields(record)].flatMap(([name, node]) => {
    const isLater = changes.some(one => mayGive(name, one, schemas) && !schemas.areAkin(one, record))
    const isSaid = isLater && (schemas.isText(node) || schemas.isRecord(node))
    return name === idField || isSaid || mayGive(name, asked, schemas) ? [] : [name]
  })
}

/**
 * Returns defaults for the fields that lists select by in any case, as `findByStatus` does, or `?state=` with the default `open`: a
 * record without such a field would be in none of them.
 */
function selectedIn(
  record: Node,
  lists: readonly (Operation | undefined)[],
  schemas: SchemaReader,
): Readonly<Record<string, Json>> {
  const properties = schemas.fields(record)
  const defaults: Record<string, Json> = {}
  for (const parameter of lists.flatMap(one => one?.parameters ?? [])) {
    const { name, in: place, required, default: usual } = parameter
    const node = place === 'query' ? properties.get(name) : undefined
    if (node === undefined || !schemas.isScalar(node) || name in defaults) continue
    const choices = choicesOf(parameter, node, schemas)
    if (!required && (choices === undefined || usual === undefined || usual === choices.all)) continue
    const values = choices?.values ?? schemas.enumOf(node)
    if (values.length === 0) continue
    const [first] = [usual].flat()
    defaults[name] = values.find(value => value === first) ?? (values[0] as Json)
  }
  return defaults
}
