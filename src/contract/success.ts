// The documented reply of an operation that succeeds.

import type { Operation, ResponseSpec } from './contract.ts'
import type { Node } from './documents.ts'
import { isJson } from './media-types.ts'

/** Returns the lowest documented success with a body, or else the lowest, or the default. */
export function successOf({ responses }: Operation): ResponseSpec | undefined {
  const statuses = [...responses.keys()].filter(status => /^2(?:\d\d|XX)$/.test(status)).sort()
  const withBody = statuses.find(status => (responses.get(status)?.content.size ?? 0) > 0)
  return responses.get(withBody ?? statuses[0] ?? 'default')
}

/** The schema of the body that a success carries; `undefined` where it carries none. */
export function replySchema(operation: Operation): Node | undefined {
  const { content } = successOf(operation) ?? {}
  const all = [...(content ?? [])].filter(([type]) => isJson(type) || type === '*/*')
  // Some contracts list a type twice, once without a schema: `application/json` and `application/json; charset=utf-8`.
  return (all.find(([, { schema }]) => schema !== undefined) ?? all[0])?.[1].schema?.node
}
