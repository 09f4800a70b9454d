// How the server makes ids that are text: in the form of an example of the contract (`cus_9s6XKzkNRiz8i3`), as a UUID, by
// format or pattern. An id must fit the record's schema, and every path parameter that names a record by it.

import { fitsIds, type Resource } from '../../behaviours/resource.ts'
import { shownBranches } from '../../behaviours/respond/shape.ts'
import { type Contract, fieldNode, type Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf, nameless } from '../../contract/paths.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { replySchema } from '../../contract/success.ts'
import { isObject, type Json, pointer } from '../../kernel/json.ts'
import { Chance, hashOf } from '../../sample/chance.ts'
import { drawUuid } from '../../world/draws.ts'
import type { Id, NewId } from '../../world/records/types.ts'
import { withId } from '../../world/records/values.ts'

/** The records that are given ids. */
interface Named {
  readonly name: string
  readonly schema: SchemaUse
  /** A field that the schema need not have: then only the paths limit its values. */
  readonly idField: string
  /** The operations that name a record by the last parameter of their path. */
  readonly readers: readonly Operation[]
  /** The operations that add records. Default: none. */
  readonly creators?: readonly Operation[]
}

/**
 * @param seed the same seed, the same ids
 * @returns `undefined` where no text was found that could be an id
 */
export function compileNewId(
  { name, schema, idField, readers, creators = [] }: Named,
  contract: Contract,
  seed: number,
): NewId | undefined {
  const node = fieldNode(schema.shape, idField, contract)
  const field = node && describeField(idField, contract.use(node))
  const parameters = namingParameters(readers)
  const inside = parametersBelow(readers, contract)
  const hash = (ordinal: number) => hashOf(`${name}\n${seed}\n${ordinal}`)
  const uuid: NewId = ordinal => drawUuid(seed, name, ordinal)
  const examples = shownIds(contract.resolve(schema.node).value, idField, field?.example, parameters, readers)
  const generated =
    (one: Field): NewId =>
    ordinal =>
      String(one.generate(hash(ordinal) | 1, true) ?? '')
  const candidates: NewId[] = [
    ...([...creators, ...readers].some(one => showsNumber(one, idField, contract)) ? [numbered] : []),
    ...examples.flatMap(example => (UUID.test(example) ? uuid : (alike(example, hash) ?? []))),
    uuid,
    // Patterns of GUIDs often allow capitals only: `^[0-9A-F]{8}-…`.
    ordinal => uuid(ordinal).toUpperCase(),
    ...(field === undefined ? [] : [generated(field)]),
    ...parameters.map(one => generated(describeField(one.name, one.schema))),
    numbered,
    String,
  ]
  const fits = (id: string, named: readonly Parameter[]) =>
    id !== '' && field?.allows(id) !== false && named.every(parameter => isReadBack(parameter, [id]))
  const find = (named: readonly Parameter[]) =>
    candidates.find(make => [1, 2, 3].every(ordinal => fits(make(ordinal), named)) && make(1) !== make(2))
  // The paths below a record may ask for more than its own: for a number where the record has a text.
  return find([...parameters, ...inside]) ?? find(parameters)
}

/** The path parameters that name a record in the paths below it: `{boatId}` of `/boats/{boatId}/oars` for `/boats/{id}`. */
export function parametersBelow(readers: readonly Operation[], { operations }: Contract): Parameter[] {
  const paths = new Set(readers.map(({ path }) => path))
  return [...paths].flatMap(path => {
    const names = expressionsOf(path)
    const begins = path.slice(0, path.indexOf('{'))
    const above = `${nameless(path).replace(/(?:\.\w+|\/)$/, '')}/`
    return operations
      .filter(one => one.path.startsWith(begins) && nameless(one.path).startsWith(above))
      .flatMap(one => inPath(one, expressionsOf(one.path)[names.length - 1]))
  })
}

const numbered: NewId = ordinal => String(10_000 + ordinal)

/** Whether a reply shows the id, which is text in the record, as a number. */
function showsNumber(operation: Operation, idField: string, contract: Contract): boolean {
  const whole = replySchema(operation)
  const node = whole && contract.shapeOf(whole).properties.get(idField)
  const types = node === undefined ? new Set<string>() : contract.use(node).types
  return types.has('integer') && !types.has('string')
}

/** The path parameters by which operations name a record. */
export const namingParameters = (readers: readonly Operation[]): Parameter[] =>
  readers.flatMap(one => inPath(one, expressionsOf(one.path).at(-1)))

/** Returns the example of the path parameter that names a record, if every such path takes it. */
export function shownId(readers: readonly Operation[], { schema, idField, ids }: Resource): Id | undefined {
  const parameters = namingParameters(readers)
  const examples = parameters.flatMap(({ node, schema: { node: inner } }) =>
    [node, inner].map(({ value }) => (isObject(value) ? value.example : undefined)),
  )
  const fits = (id: unknown): id is Id =>
    fitsIds(id, { ids }) &&
    parameters.every(parameter => isReadBack(parameter, [String(id)])) &&
    !schema.check(withId(idField, id as Id, {}))?.some(({ pointer: at }) => at === pointer(idField.split('.')))
  return examples.find(fits)
}

/** The path parameter of a name; none where it is not declared. */
const inPath = ({ parameters }: Operation, name: string | undefined): Parameter[] =>
  parameters.filter(one => one.in === 'path' && one.name === name).slice(0, 1)

/** Whether a parameter takes these texts, or what was read of them. */
export function isReadBack({ read, schema }: Parameter, texts: readonly string[], value = read(texts)): boolean {
  return 'value' in value && schema.check(value.value, value.exact) === undefined
}

/** Ids that the contract shows: at the field, in examples of the record, at the path parameter, in examples of replies. */
function shownIds(
  schema: unknown,
  idField: string,
  own: Json | undefined,
  parameters: readonly Parameter[],
  readers: readonly Operation[],
): string[] {
  const { example, examples } = isObject(schema) ? schema : {}
  const records: Record<string, unknown>[] = [example, ...(Array.isArray(examples) ? examples : [])].filter(isObject)
  const shown = readers.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ content }) =>
      [...content.values()].flatMap(media => media.examples.map(({ value }) => value)),
    ),
  )
  const named = parameters.flatMap(({ node }) => (isObject(node.value) ? [node.value.example] : []))
  const ids: unknown[] = [
    own,
    ...[...records, ...shown.flatMap(one => objectsIn(one))].map(record => record[idField]),
    ...named,
  ]
  return ids.filter((id): id is string => typeof id === 'string')
}

/** A value, and those inside it: a wrapped record, or the records of a list. */
const objectsIn = (value: unknown, depth = 2): Record<string, unknown>[] => {
  const inner = depth === 0 ? [] : Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return [...(isObject(value) ? [value] : []), ...inner.flatMap(one => objectsIn(one, depth - 1))]
}

/** The properties of the objects that `objectsIn` finds. */
function fieldsWithin(node: Node, contract: Contract, depth = 2): ReadonlyMap<string, Node>[] {
  return shownBranches(node, contract).flatMap(branch => {
    const { properties, items } = contract.shapeOf(branch)
    const inner = depth === 0 ? [] : items === undefined ? [...properties.values()] : [items]
    return [properties, ...inner.flatMap(one => fieldsWithin(one, contract, depth - 1))]
  })
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Writes more texts like an id: the same prefix, then as many characters of the same kinds; `undefined` for a word. */
function alike(example: string, hash: (ordinal: number) => number): NewId | undefined {
  const [, prefix = '', tail = ''] = /^((?:.*[^A-Za-z\d])?)([A-Za-z\d]+)$/.exec(example) ?? []
  const letters = /[A-Za-z]/.test(tail)
  const digits = /\d/.test(tail)
  const mixed = digits || (/[a-z]/.test(tail) && /[A-Z]/.test(tail.slice(1)))
  // A value that may be a word or a short number does not show the form of an id.
  const telling = prefix === '' ? tail.length >= 8 && mixed : tail.length >= 4 && (mixed || /_$/.test(prefix))
  if (!telling || tail.length > 64) return undefined
  const alphabet = alphabetOf(tail)
  const count = letters ? tail.length : Math.max(tail.length, 6)
  return ordinal => {
    const chance = new Chance(hash(ordinal))
    let id = prefix
    for (let i = 0; i < count; i++) {
      const drawn = alphabet[chance.between(0, alphabet.length - 1)] as string
      id += i === 0 && drawn === '0' && !letters ? '1' : drawn
    }
    return id
  }
}

const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

function alphabetOf(text: string): string {
  if (/^[\da-f]+$/.test(text) && /\d/.test(text) && /[a-f]/.test(text)) return `${DIGITS}abcdef`
  if (/^[\dA-F]+$/.test(text) && /\d/.test(text) && /[A-F]/.test(text)) return `${DIGITS}ABCDEF`
  const parts = [/\d/.test(text) ? DIGITS : '', /[a-z]/.test(text) ? LETTERS : '']
  return [...parts, /[A-Z]/.test(text) ? LETTERS.toUpperCase() : ''].join('')
}

/**
 * Returns the ids that a contract's example requests create records under: no generated record may have one, or the documented
 * request would be a conflict on a fresh server.
 *
 * @param creators the operations that create records of the resource
 */
export function exampleIds(creators: readonly Operation[], idField: string, contract: Contract): ReadonlySet<unknown> {
  const ids = new Set<unknown>()
  const add = (value: unknown): void => {
    for (const { [idField]: id } of objectsIn(value)) if (id !== undefined) ids.add(id)
  }
  for (const { body } of creators) {
    for (const { schema, examples } of body?.content.values() ?? []) {
      for (const { value } of examples) add(value)
      if (schema === undefined) continue
      add(describeField('', schema).example)
      for (const fields of fieldsWithin(schema.node, contract)) {
        const node = fields.get(idField)
        const field = node && describeField(idField, contract.use(node))
        for (const id of [field?.example, field?.default]) add({ [idField]: id })
      }
    }
  }
  return ids
}
