// Reads operations that create and change records: the record that a request gives, and what the reply tells of it.

import { fieldNode, type Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { replySchema } from '../../contract/success.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { participlesOf, plainName, singular } from '../../kernel/names.ts'
import { isIdOf, nest, type RecordReader, type Single } from './records.ts'
import {
  answersEmpty,
  answersOtherwise,
  type FieldReader,
  isSilent,
  requestSchema,
  type SchemaReader,
} from './schema.ts'

/** The record that a POST answers with. */
export function createdBy(posted: Operation, records: RecordReader): Single | undefined {
  const whole = replySchema(posted)
  const one = whole && records.single(whole)
  if (whole === undefined || (one !== undefined && records.isAkin(one.record))) return one
  const request = requestSchema(posted)
  const isAlone = request === undefined || !givesSeveral(request, records)
  return (isAlone ? records.alone(whole) : undefined) ?? one
}

/** Whether a request is a list, or has one in place of a record: `{ users: ["ada"] }`. It adds several records, or known ones. */
function givesSeveral(request: Node, records: RecordReader): boolean {
  const { schemas } = records
  const { items, properties } = schemas.shape(request)
  if (items !== undefined) return true
  const isListed = [...properties].some(([key, node]) => records.isListKey(key) && schemas.items(node) !== undefined)
  return isListed && !records.isLike(request)
}

/** Whether a POST answers with the new record, or without a body. */
export function isCreate(operation: Operation, created: Single | undefined, records: RecordReader): boolean {
  const { schemas, known } = records
  const whole = replySchema(operation)
  if (whole === undefined) return !answersOtherwise(operation)
  if (answersEmpty(whole, schemas)) return true
  if (created === undefined) return false
  const { record } = created
  if (known.length === 0 || records.isLike(record) || records.isBareId(record)) return true
  // A summary that names the record.
  return schemas.names(record).some(name => isIdOf(name, records.parameter) && records.fields.has(name))
}

/** Whether a POST that takes a record answers with no more than a confirmation. */
export function confirmsCreate(operation: Operation, records: RecordReader): boolean {
  const whole = replySchema(operation)
  if (whole === undefined || records.known.length === 0) return false
  const sent = records.sent(operation)
  // The reply `{ docId: 5, task: "parse" }` is about a document of `/documents/{docId}`.
  const isNamed = records.schemas.names(whole).some(name => plainName(name) === plainName(records.parameter ?? ''))
  const isAbout = sent !== undefined && (isNamed || records.isLike(sent.record))
  // The reply to a request with the whole record does not matter.
  return isAbout && records.confirmation(whole, undefined, records.isLike(sent.record)) !== undefined
}

/**
 * The record that each item of a list in a request describes, be the list under a key, `{ "tags": [{…}] }`; `undefined` if the
 * request has no such list, or is a record itself.
 */
export function eachSent(operation: Operation, records: RecordReader): Node | undefined {
  const { schemas } = records
  const request = requestSchema(operation)
  if (request === undefined) return undefined
  const whole = schemas.shape(request)
  const isRecord = (node: Node | undefined): node is Node =>
    node !== undefined && schemas.isRecord(node) && records.isLike(node)
  if (whole.items !== undefined) {
    const reply = replySchema(operation)
    // Recipients may be answered with the calls to them.
    const isAnswered = schemas.isRecord(whole.items) && reply && records.alone(reply)
    return isAnswered || isRecord(whole.items) ? whole.items : undefined
  }
  if ([...whole.properties.keys()].some(name => records.fields.has(name))) return undefined
  const parts = [...whole.properties.values()]
  // A body with a record has a list of something that belongs to it.
  if (parts.some(isRecord)) return undefined
  const lists = parts.map(node => schemas.items(node)).filter(isRecord)
  return lists.length === 1 ? lists[0] : undefined
}

/**
 * The template of the reply to such a request: a list of the new records or of their ids, one of them, or nothing;
 * `undefined` if the reply is about something else.
 */
export function givenForEach(operation: Operation, records: RecordReader): { readonly body?: Json } | undefined {
  const { schemas } = records
  const whole = replySchema(operation)
  if (whole === undefined) return answersOtherwise(operation) ? undefined : {}
  if (answersEmpty(whole, schemas)) return { body: {} }
  const single = records.single(whole)
  if (single !== undefined && records.isLike(single.record)) return templateOf(single)
  const alone = records.alone(whole)
  if (alone !== undefined) return templateOf(alone)
  // The reply `{ batchId: 5, rejected: [] }` is about all of them.
  const told = records.confirmation(whole, undefined, true)
  return told === undefined ? undefined : { body: told }
}

/** The template of a reply that has a record under keys, and its id beside it. */
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

/** The fields that a request gives a new record, in the form that their spellings share; `undefined` if it may give any. */
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

/** The `set` of a change that has no body and names fields in its query: `POST /boats/{id}?name=Ada`. */
export function setByQuery(
  { body, parameters }: Operation,
  { properties, schemas }: FieldReader,
  idField: string,
): Readonly<Record<string, Json>> {
  if (body !== undefined) return {}
  const set = parameters.flatMap(({ in: place, name, schema }) => {
    const field = properties.get(name)
    if (place !== 'query' || field === undefined || name === idField || !schemas.isScalar(field)) return []
    const types = schemas.types(field)
    const isIts = schema.types.size > 0 && [...schema.types].every(type => types.has(type))
    const member = /^[a-z]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    return isIts ? [[name, `\${request.query${member}}`] as const] : []
  })
  return set.length === 0 ? {} : { set: Object.fromEntries(set) }
}

/** Descriptions such as "Only the fields provided in the data block will be updated; any others remain unchanged." */
const CHANGES_SOME =
  /\bonly (?:the |those )?(?:fields|properties|attributes|parameters|values) (?:that|which|you|provided|given|sent|specified|supplied|included|present)|\b(?:remain|left|are) unchanged\b|\bsparse updates?\b|\bpartial(?:ly)? updates?\b|\bmerged? (?:in)?to the existing\b/i

/**
 * Whether a PUT changes only the fields that it is sent, as in several large APIs: its description says so, or it requires
 * nothing of what a request to create requires.
 */
export function isPartial(put: Operation, create: Operation | undefined, records: RecordReader): boolean {
  const { summary, description } = isObject(put.node.value) ? put.node.value : {}
  if (CHANGES_SOME.test(`${summary ?? ''} ${description ?? ''}`)) return true
  const requiredBy = (operation: Operation | undefined) => {
    const single = operation && records.sent(operation)
    return single && records.schemas.shape(single.record).required
  }
  const [needed, given] = [requiredBy(create), requiredBy(put)]
  return needed !== undefined && given !== undefined && needed.size > 0 && ![...needed].some(name => given.has(name))
}

/**
 * Returns the schema of the request of a POST if no reply describes the record: neither its own nor that of the item's GET.
 */
export function takenBy(posted: Operation | undefined, reader: Operation | undefined, schemas: SchemaReader) {
  if (posted === undefined || reader === undefined) return undefined
  const saysNothing = (operation: Operation) => {
    const whole = replySchema(operation)
    return isSilent(operation) || (whole !== undefined && answersEmpty(whole, schemas))
  }
  const request = saysNothing(posted) && saysNothing(reader) ? requestSchema(posted) : undefined
  return request !== undefined && schemas.isRecord(request) && !schemas.items(request) ? request : undefined
}

/** Verbs whose outcome is not the verb with an ending. */
const OUTCOMES: Readonly<Record<string, string>> = {
  pay: 'paid',
  send: 'sent',
  start: 'started running inprogress active',
  begin: 'started running inprogress',
  run: 'running',
  resume: 'resumed running active',
  restart: 'running',
  activate: 'active',
  enable: 'enabled active',
  deactivate: 'inactive deactivated disabled',
  disable: 'disabled inactive',
  finish: 'finished done completed',
  reopen: 'open reopened',
  unarchive: 'active',
  deny: 'denied rejected',
  submit: 'submitted pending',
  hold: 'onhold held',
  finalize: 'finalized open',
}
const STATES = /^(?:.*status|.*state|phase|stage)$/i

/**
 * Returns what an action changes: `POST /orders/{id}/cancel` sets the status that its name says, `POST /posts/{id}/like` sets
 * `liked` and adds to `likes`, and its DELETE takes both back; `undefined` without a fitting field.
 *
 * @param verb the last segment of its path: `cancel`, `mark-as-paid`
 */
export function changesByAction(
  verb: string,
  method: string,
  record: FieldReader,
): { readonly set?: Json; readonly add?: Json } | undefined {
  const word = plainName(verb.replace(/^(?:mark|set)[-_]?(?:as)?[-_]?|^make[-_]?/i, ''))
  const isUndone = method === 'DELETE'
  const set = isUndone ? undefined : setByAction(word, record)
  if (set !== undefined && !Object.values(set).includes(true)) return { set }
  const undone = isUndone ? word : set === undefined ? /^un(.+)/.exec(word)?.[1] : undefined
  const flags = set ?? (undone === undefined ? undefined : setByAction(undone, record))
  const flag = Object.entries(flags ?? {}).find(([, value]) => value === true)?.[0]
  const counter = singular(word) === word ? counterOf(undone ?? word, record) : undefined
  if (flag === undefined && counter === undefined) return undefined
  return {
    ...(flag === undefined ? {} : { set: { [flag]: undone === undefined } }),
    ...(counter === undefined ? {} : { add: { [counter]: undone === undefined ? 1 : -1 } }),
  }
}

/** The field that counts things of a name: `likes`, `favoritesCount`, `num_followers`. */
export function counterOf(word: string, { properties, schemas }: FieldReader): string | undefined {
  const stem = plainName(word).replace(/y$/, '(?:y|ie)')
  const like = new RegExp(`^(?:num|numberof|total)?${stem}(?:e?rs?|gazers|s)?(?:count|counter|total)?$`)
  return [...properties].find(([name, node]) => like.test(plainName(name)) && schemas.types(node).has('integer'))?.[0]
}

function setByAction(word: string, record: FieldReader): Readonly<Record<string, Json>> | undefined {
  const { properties, schemas } = record
  const words = outcomesOf(word)
  const states = [...properties].filter(([name, node]) => STATES.test(name) && schemas.isScalar(node))
  for (const outcome of words) {
    for (const [name, node] of states) {
      const value = schemas.enumOf(node).find(one => typeof one === 'string' && plainName(one) === outcome)
      if (value !== undefined) return { [name]: value }
    }
    // A field that is called as the outcome, and is either so or not.
    const alike = [outcome, `is${outcome}`].flatMap(one => record.spelt(one))
    const flag = alike.find(name => isFlag(properties.get(name) as Node, schemas))
    if (flag !== undefined) return { [flag]: true }
  }
  return undefined
}

const isFlag = (node: Node, schemas: SchemaReader): boolean =>
  schemas.types(node).has('boolean') &&
  !(isObject(node.value) && (node.value.const === false || schemas.enumOf(node).length > 0))

/** Returns the state after an action: `cancel` → `cancelled`, `canceled`. */
const outcomesOf = (verb: string): readonly string[] => [
  ...(OUTCOMES[verb]?.split(' ') ?? []),
  ...participlesOf(verb),
  verb,
]
