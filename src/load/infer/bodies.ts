// Finds the schemas of the bodies that an operation takes and answers with.

import { isJson, type Operation, type ResponseSpec } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import type { SchemaReader } from './schema.ts'

/** The schema of the body that a success carries; `undefined` where it carries none. */
export function replySchema(operation: Operation): Node | undefined {
  const { content } = successOf(operation) ?? {}
  const all = [...(content ?? [])].filter(([type]) => isJson(type) || type === '*/*')
  // Some contracts list a type twice, once without a schema: `application/json` and `application/json; charset=utf-8`.
  return (all.find(([, { schema }]) => schema !== undefined) ?? all[0])?.[1].schema?.node
}

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

function successOf({ responses }: Operation): ResponseSpec | undefined {
  const statuses = [...responses.keys()].filter(status => /^2(?:\d\d|XX)$/.test(status)).sort()
  const withBody = statuses.find(status => (responses.get(status)?.content.size ?? 0) > 0)
  return responses.get(withBody ?? statuses[0] ?? 'default')
}
