// Reads the values that a server sets: times of creation and of change, and constants such as `object: customer`.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { choicesOf } from './choices.ts'

import type { SchemaReader } from './schema.ts'

export interface ServerSet {
  /** Default values of a new record. */
  readonly defaults: Readonly<Record<string, Json>>
  /** Values that every write sets. */
  readonly set: Readonly<Record<string, Json>>
}

const CREATED = /^(?:date)?(?:created|creation|inserted|registered)(?:at|on|date|time|datetime|timestamp)?$/
const UPDATED =
  /^(?:date)?(?:last)?(?:updated|modified|changed|modification|lastupdate)(?:at|on|date|time|datetime|timestamp)?$/
const NOW = '${now}'

/**
 * @param asked the record in a create request: the client sets those fields
 */
export function serverSetOf(record: Node, asked: Node | undefined, idField: string, schemas: SchemaReader): ServerSet {
  const defaults: Record<string, Json> = {}
  const set: Record<string, Json> = {}
  const given = asked === undefined ? new Map<string, Node>() : schemas.shape(asked).properties
  const { properties, required } = schemas.shape(record)
  for (const [name, node] of properties) {
    const says = given.get(name)
    if (name === idField || (says !== undefined && !schemas.isReadOnly(says))) continue
    const isTime = /^date(?:-time)?$/.test(schemas.format(node) ?? '') && schemas.types(node).has('string')
    if (isTime && CREATED.test(plainName(name))) defaults[name] = NOW
    else if (isTime && UPDATED.test(plainName(name))) set[name] = NOW
    else if (required.has(name)) {
      const constant = constantOf(node, schemas)
      if (constant !== undefined) defaults[name] = constant
    }
  }
  return { defaults, set }
}

/** The one value that a field may have, where it is text, a number or a boolean. */
function constantOf(node: Node, schemas: SchemaReader): Json | undefined {
  const values = schemas.enumOf(node)
  const { value } = schemas.contract.resolve(node)
  const only = isObject(value) && value.const !== undefined ? (value.const as Json) : values[0]
  return values.length > 1 || typeof only === 'object' ? undefined : only
}

/**
 * Adds defaults for the fields that lists select by in any case, as `findByStatus` does, or `?state=` with the default `open`: a record without such a field would be in
 * none of them.
 *
 * @param lists operations that may list the records
 */
export function withSelected(
  server: ServerSet,
  record: Node,
  lists: readonly (Operation | undefined)[],
  schemas: SchemaReader,
): ServerSet {
  const { properties } = schemas.shape(record)
  const defaults: Record<string, Json> = { ...server.defaults }
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
  return { ...server, defaults }
}
