// Records of which no reply says anything: they are kept by the schema of the request.

import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { answersEmpty, isSilent, replySchema, requestSchema } from './bodies.ts'
import type { SchemaCandidate } from './inference.ts'
import { singular } from './paths.ts'
import type { Listed } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/**
 * The record that a POST takes, where neither its reply nor that of the item's GET is described: records are kept by the
 * request's schema then. `undefined` where a reply is described.
 */
export function takenBy(
  own: ReadonlyMap<string, Operation>,
  reader: Operation | undefined,
  schemas: SchemaReader,
): Node | undefined {
  const posted = own.get('POST')
  if (posted === undefined || reader === undefined) return undefined
  if (!saysNothing(posted, schemas) || !saysNothing(reader, schemas)) return undefined
  const request = requestSchema(posted)
  return request !== undefined && schemas.isRecord(request) && !schemas.shape(request).items ? request : undefined
}

/** Whether a success is undescribed, or described as an object only. */
function saysNothing(operation: Operation, schemas: SchemaReader): boolean {
  const whole = replySchema(operation)
  return isSilent(operation) || (whole !== undefined && answersEmpty(whole, schemas))
}

/** Whether a list is undescribed, or described as objects only. */
function listsNothing(operation: Operation, schemas: SchemaReader): boolean {
  const whole = replySchema(operation)
  const { items } = whole === undefined ? { items: undefined } : schemas.shape(whole)
  return isSilent(operation) || (items !== undefined && answersEmpty(items, schemas))
}

/** Whether a request's field is surely the id that the path has: another one, such as `name`, need not be. */
export const isIdOf = (field: string | undefined, parameter: string | undefined): boolean =>
  field !== undefined &&
  (plainName(field) === plainName(parameter ?? 'id') || /^_?(?:id|uuid|guid|gid|sid)$/i.test(field))

/** Whether a required field has the name of the path parameter without that of the records: `name` for `{fileName}`. */
export const isNameIn = (
  field: string | undefined,
  parameter: string | undefined,
  word: string,
  { required }: Shape,
): boolean =>
  field !== undefined &&
  required.has(field) &&
  plainName(parameter ?? '') === plainName(singular(word)) + plainName(field)

/** A list whose reply is not described, of records that are taken. */
export const silentList = (
  operation: Operation | undefined,
  taken: Node | undefined,
  schemas: SchemaReader,
): { readonly operation: Operation; readonly listed: Listed } | undefined =>
  operation === undefined || taken === undefined || !listsNothing(operation, schemas)
    ? undefined
    : { operation, listed: { items: taken, whole: taken, keys: [] } }

/** A candidate whose records get an id that their schema does not have. */
export function withIdAdded(schema: string, declared: Parameter | undefined): SchemaCandidate {
  const isNumber = declared?.schema.types.has('integer') === true || declared?.schema.types.has('number') === true
  const assign = isNumber ? 'sequence' : 'generate'
  return { schema, idField: 'id', added: true, assign, byServer: assign, server: { defaults: {}, set: {} } }
}
