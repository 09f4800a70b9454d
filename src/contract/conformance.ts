// Checks a reply against the contract of its operation.

import { parseJson } from '../kernel/parse-json.ts'
import type { Reply } from '../kernel/reply.ts'
import { essenceOf, isJson, type Operation, responseFor } from './contract.ts'
import { compileMediaTypes } from './media-types.ts'
import { readSequence } from './sequences.ts'

export interface Nonconformance {
  readonly code: 'undocumented-status' | 'undocumented-type' | 'invalid-body'
  /** The rest of a sentence that begins with "the operation". */
  readonly message: string
}

/** Returns the mistake of a reply: its status, media type or body; `undefined` if it is in contract. */
export function nonconformanceOf(operation: Operation, { status, headers, body }: Reply): Nonconformance | undefined {
  const documented = responseFor(operation, status)
  if (documented === undefined) {
    return { code: 'undocumented-status', message: `answered ${status}, which is not documented` }
  }
  if (body === undefined || body.length === 0 || documented.content.size === 0) return undefined
  const type = essenceOf(headers['content-type'] ?? '')
  const media = compileMediaTypes(documented.content)(headers['content-type'] ?? '')
  if (media === undefined) {
    return { code: 'undocumented-type', message: `answered ${status} as ${type || 'no type'}, which is not documented` }
  }
  if (media.schema === undefined) return undefined
  const text = () => (typeof body === 'string' ? body : Buffer.from(body).toString())
  const parsed =
    media.sequence !== undefined ? readSequence(text(), media.sequence) : isJson(type) ? parseJson(text()) : undefined
  if (parsed === undefined) return undefined
  if ('fault' in parsed) return { code: 'invalid-body', message: `answered ${status} with a body that ${parsed.fault}` }
  const [violation] = media.schema.check(parsed.value, parsed.exact) ?? []
  if (violation === undefined) return undefined
  const what = `${violation.pointer || 'the body'} ${violation.message}`
  return { code: 'invalid-body', message: `answered ${status} with a body that breaks its schema: ${what}` }
}
