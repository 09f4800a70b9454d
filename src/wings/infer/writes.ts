// Reads operations that create and change records: the record that a request gives, and what the reply tells of it.

import { fieldNode, type Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { replySchema } from '../../contract/success.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { participlesOf, plainName } from '../../kernel/names.ts'
import { isIdOf, nest, type RecordReader, type Single } from './records.ts'
import {
  answersEmpty,
  answersOtherwise,
  type FieldReader,
  requestSchema,
  type SchemaReader,
  sameWord,
} from './schema.ts'

/** A POST that creates a record, or each record of a list. */
export interface Creation {
  readonly operation: Operation
  /** The record in its reply; `undefined` where the reply does not show it. */
  readonly single: Single | undefined
}

/** Returns the POST of a collection, if it creates a record, or each of a list. */
export function creationOf(operation: Operation, records: RecordReader): Creation | undefined {
  const each = eachSent(operation, records)
  if (each !== undefined)
    return templateForEach(operation, records) === undefined ? undefined : { operation, single: undefined }
  const single = shownBy(operation, records)
  if (answersWithRecord(operation, single, records)) return { operation, single }
  return confirmsRecord(operation, records) ? { operation, single: undefined } : undefined
}

/** Returns the record that a POST answers with. */
function shownBy(posted: Operation, records: RecordReader): Single | undefined {
  const whole = replySchema(posted)
  const single = whole && records.single(whole)
  if (whole === undefined || (single !== undefined && records.isAkin(single.record))) return single
  const request = requestSchema(posted)
  const isOfOne = request === undefined || !givesSeveral(request, records)
  return (isOfOne ? records.alone(whole) : undefined) ?? single
}

/** Whether a request is a list, or has one in place of a record: `{ users: ["ada"] }` adds several records, or known ones. */
function givesSeveral(request: Node, records: RecordReader): boolean {
  const { items, properties } = records.schemas.shape(request)
  if (items !== undefined) return true
  const lists = [...properties].filter(([key, node]) => sameWord(key, records.word) && records.schemas.items(node))
  return lists.length > 0 && !records.isLike(request)
}

/** Whether a POST answers with the new record, or without a body. */
function answersWithRecord(operation: Operation, shown: Single | undefined, records: RecordReader): boolean {
  const { schemas } = records
  const whole = replySchema(operation)
  if (whole === undefined) return !answersOtherwise(operation)
  if (answersEmpty(whole, schemas)) return true
  if (shown === undefined) return false
  const { record } = shown
  if (records.known.length === 0 || records.isLike(record) || records.isBareId(record)) return true
  // A summary that names the record.
  return schemas.names(record).some(name => isIdOf(name, records.parameter) && records.fields.has(name))
}

/** Whether a POST that takes a record answers with no more than a confirmation. */
function confirmsRecord(operation: Operation, records: RecordReader): boolean {
  const whole = replySchema(operation)
  const sent = records.sent(operation)
  if (whole === undefined || sent === undefined || !records.isLike(sent.record)) return false
  return records.confirmation(whole, undefined, true) !== undefined
}

/**
 * Returns the record that each item of a request describes, be it a list or a list under a key, `{ "tags": [{…}] }`; `undefined` if
 * the request has no such list, or is a record itself.
 */
export function eachSent(operation: Operation, records: RecordReader): Node | undefined {
  const { schemas } = records
  const request = requestSchema(operation)
  if (request === undefined) return undefined
  const isRecord = (node: Node | undefined): node is Node =>
    node !== undefined && schemas.isRecord(node) && records.isLike(node)
  const { items, properties } = schemas.shape(request)
  if (items !== undefined) return isRecord(items) ? items : undefined
  const parts = [...properties.values()]
  // A body with a record, or its fields, has a list of something that belongs to it.
  if ([...properties.keys()].some(name => records.fields.has(name)) || parts.some(isRecord)) return undefined
  const lists = parts.map(node => schemas.items(node)).filter(isRecord)
  return lists.length === 1 ? lists[0] : undefined
}

/**
 * Returns the template of the reply to such a request: a list of the new records, or nothing; `undefined` if the reply is about
 * something else.
 */
export function templateForEach(operation: Operation, records: RecordReader): { readonly body?: Json } | undefined {
  const whole = replySchema(operation)
  if (whole === undefined) return answersOtherwise(operation) ? undefined : {}
  if (answersEmpty(whole, records.schemas)) return { body: {} }
  const single = records.single(whole)
  const shown = single !== undefined && records.isLike(single.record) ? single : records.alone(whole)
  return shown && templateOf(shown)
}

/** Returns the template of a reply that has a record under keys, and its id beside it. */
export const templateOf = ({ keys }: Single, hasId = false): { readonly body?: Json } => {
  const body = nest(keys, '${record.value}')
  return keys.length === 0
    ? {}
    : { body: hasId && isObject(body) ? { id: '${record.id}', ...(body as JsonObject) } : body }
}

/** Whether a request may give a field. */
export function mayGive(field: string, request: Node, schemas: SchemaReader): boolean {
  const node = fieldNode(schemas.shape(request), field, schemas.contract)
  return node !== undefined && !schemas.isReadOnly(node)
}

/** Returns the fields that a request gives a new record, in the form of `plainName`; `undefined` if it may give any. */
export function fieldsGiven(operation: Operation, records: RecordReader): ReadonlySet<string> | undefined {
  const { schemas } = records
  const single = records.sent(operation)
  if (single === undefined) return undefined
  const fields = [...schemas.fields(single.record)].filter(([, node]) => !schemas.isReadOnly(node))
  return new Set(fields.map(([name]) => plainName(name)))
}

/** Whether a request says which record it is about: its path does not, and its body may. */
export function namesInBody(operation: Operation, idField: string, records: RecordReader): boolean {
  const { schemas } = records
  // A list, which has no single record, changes several at once.
  const single = expressionsOf(operation.path).length === 0 ? records.sent(operation) : undefined
  return single !== undefined && fieldNode(schemas.shape(single.record), idField, schemas.contract) !== undefined
}

const STATES = /^(?:.*status|.*state|phase|stage)$/i

/**
 * Returns what an action sets: `POST /orders/{id}/cancel` sets the status `cancelled`, `POST /posts/{id}/archive` sets `archived`
 * to true; `undefined` without such a value or field.
 *
 * @param verb the last segment of its path
 */
export function setByAction(verb: string, { properties, schemas }: FieldReader): JsonObject | undefined {
  const word = plainName(verb)
  const outcomes = [...participlesOf(word), word]
  const fields = [...properties]
  for (const [name, node] of fields.filter(([name, node]) => STATES.test(name) && schemas.isScalar(node))) {
    const value = schemas.enumOf(node).find(text => typeof text === 'string' && outcomes.includes(plainName(text)))
    if (value !== undefined) return { [name]: value }
  }
  const flag = fields.find(([name, node]) => outcomes.includes(plainName(name)) && schemas.types(node).has('boolean'))
  return flag && { [flag[0]]: true }
}
