// Reads what a POST on a collection answers with: the new record, its id, or something else.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { fieldNode } from '../../contract/field-node.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { answersEmpty, answersOtherwise, replySchema, requestSchema } from './bodies.ts'
import { confirmationOf } from './confirmation.ts'
import { sameWord } from './paths.ts'
import { aloneIn, FIRST, isLike, isListKey, listedIn, nest, type Single, singleIn } from './reply.ts'
import type { SchemaReader } from './schema.ts'
import { isIdOf } from './taken.ts'

/** Whether a reply says no more of a record than its id. */
export function isBareId(record: Node, parameter: string | undefined, schemas: SchemaReader): boolean {
  const names = [...schemas.shape(record).properties.keys()]
  return names.length === 1 && isIdOf(names[0], parameter)
}

/** The record that a POST answers with. */
export function createdBy(
  posted: Operation,
  word: string,
  known: readonly Node[],
  schemas: SchemaReader,
): Single | undefined {
  const whole = replySchema(posted)
  const one = whole && singleIn(whole, word, known, schemas)
  if (one !== undefined && known.some(record => schemas.areAkin(record, one.record))) return one
  return alone(posted, word, known, schemas) ?? one
}

function alone(operation: Operation, word: string, known: readonly Node[], schemas: SchemaReader): Single | undefined {
  const whole = replySchema(operation)
  const request = requestSchema(operation)
  if (whole === undefined || (request !== undefined && givesSeveral(request, word, known, schemas))) return undefined
  return aloneIn(whole, word, known, schemas)
}

/** Whether a request is a list, or has one in place of a record: `{ users: ["ada"] }`. It adds several records, or known ones. */
function givesSeveral(request: Node, word: string, known: readonly Node[], schemas: SchemaReader): boolean {
  const { items, properties } = schemas.shape(request)
  if (items !== undefined) return true
  const isListed = [...properties].some(
    ([key, node]) => (sameWord(key, word) || isListKey(key)) && schemas.shape(node).items !== undefined,
  )
  return isListed && !isLike(request, known, schemas)
}

/** Whether a POST answers with the new record, or without a body. */
export function isCreate(
  operation: Operation,
  created: Single | undefined,
  known: readonly Node[],
  parameter: string | undefined,
  schemas: SchemaReader,
): boolean {
  const whole = replySchema(operation)
  if (whole === undefined) return !answersOtherwise(operation)
  if (answersEmpty(whole, schemas)) return true
  if (created === undefined) return false
  if (known.length === 0 || isLike(created.record, known, schemas)) return true
  if (isBareId(created.record, parameter, schemas)) return true
  // A summary that names the record as its path does.
  const isNamed = (node: Node) =>
    [...schemas.shape(node).properties.keys()].some(name => plainName(name) === plainName(parameter ?? ''))
  return isNamed(created.record) && known.some(isNamed)
}

/** Whether a request may give a field. */
export function isGiven(field: string, request: Node, schemas: SchemaReader): boolean {
  const node = fieldNode(schemas.shape(request), field, schemas.contract)
  return node !== undefined && !schemas.isReadOnly(node)
}

/**
 * The record that each item of a list in a request describes, be the list under a key, `{ "tags": [{…}] }`; `undefined` if the
 * request has no such list, or is a record itself.
 */
export function eachSent(operation: Operation, known: readonly Node[], schemas: SchemaReader): Node | undefined {
  const request = requestSchema(operation)
  if (request === undefined) return undefined
  const whole = schemas.shape(request)
  const fits = (items: Node | undefined): items is Node =>
    items !== undefined && schemas.isRecord(items) && isLike(items, known, schemas)
  if (whole.items !== undefined) return fits(whole.items) ? whole.items : undefined
  const fields = new Set(known.flatMap(one => [...schemas.shape(one).properties.keys()]))
  if ([...whole.properties.keys()].some(name => fields.has(name))) return undefined
  const parts = [...whole.properties.values()]
  // A body with a record has a list of something that belongs to it.
  if (parts.some(node => schemas.isRecord(node) && isLike(node, known, schemas))) return undefined
  const lists = parts.map(node => schemas.shape(node).items).filter(fits)
  return lists.length === 1 ? lists[0] : undefined
}

/**
 * The template of the reply to such a request: a list of the new records or of their ids, one of them, or nothing;
 * `undefined` if the reply is about something else.
 */
export function givenForEach(
  operation: Operation,
  word: string,
  known: readonly Node[],
  parameter: string | undefined,
  schemas: SchemaReader,
): { readonly body?: Json } | undefined {
  const whole = replySchema(operation)
  if (whole === undefined) return answersOtherwise(operation) ? undefined : {}
  if (answersEmpty(whole, schemas)) return { body: {} }
  const single = singleIn(whole, word, known, schemas)
  if (single !== undefined && isLike(single.record, known, schemas)) {
    return single.keys.length === 0 ? {} : { body: nest(single.keys, '${record.value}') }
  }
  const listed = aloneIn(whole, word, known, schemas)
  if (listed !== undefined) return { body: nest(listed.keys, '${record.value}') }
  const ids = listedIn(whole, word, schemas)
  const isIds = ids !== undefined && isBareId(ids.items, parameter, schemas)
  const [name = ''] = isIds ? schemas.shape(ids.items).properties.keys() : []
  if (isIds) return { body: nest([...ids.keys, FIRST], { [name]: '${record.id}' }) }
  const told = confirmationOf(whole, { word, ids: [parameter] }, schemas)
  return told === undefined ? undefined : { body: told }
}
