// Makes the replies of the control plane.

import type { Readable } from 'node:stream'
import { type RefusalCode, type Refused, unknownName, withHint } from '../../gateway/refused.ts'
import type { Problem, Reply } from '../../kernel/http.ts'
import { parseMoment } from '../../world/dates.ts'

export interface ControlReply {
  readonly status: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON unless it is a text or a stream of them. */
  readonly body?: unknown
}

export const json = (body: unknown, status = 200): ControlReply => ({ status, type: 'application/json', body })
export const text = (body: string, type = 'text/plain'): ControlReply => ({
  status: 200,
  type: `${type}; charset=utf-8`,
  body,
})
export const stream = (type: string, body: Readable): ControlReply => ({ status: 200, type, body })
export const DONE: ControlReply = { status: 204 }
/** The declaration of `DONE`. */
export const done = { 204: 'Done.' } as const

/**
 * A refusal (RFC 9457).
 *
 * @param code stable, snake_case, for programs
 * @param more further members of the problem
 */
export function problem(status: number, code: string, detail: string, more: object = {}): ControlReply {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
  return { status, type: 'application/problem+json', body: { title, status, detail, code, ...more } }
}

/** Refuses a call whose parameters or body are well-formed, but make no sense. */
export const badRequest = (detail: string): ControlReply => problem(400, 'invalid_request', detail)

/** Returns the moment that a parameter names, or refuses it. @param now milliseconds since the epoch */
export const momentNamed = (parameter: string, text: string, now: number): number | ControlReply =>
  parseMoment(text, now) ??
  badRequest(`"${parameter}" must be a date, a timestamp or an offset such as +30d, not "${text}"`)

export const refuseConflict = (detail: string): ControlReply => problem(409, 'conflict', detail)
export const refuseAbsent = (detail: string): ControlReply => problem(404, 'not_found', detail)

/** Refuses a name that is not among the known ones. @param kind of what: `collection` */
export const missing = (kind: string, name: string, known: Iterable<string>): ControlReply =>
  refused(unknownName(kind, name, known))

/** The status of each refusal of the gateway. */
const STATUSES: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  not_found: 404,
  conflict: 409,
  not_recorded: 409,
  out_of_reach: 409,
  invalid_record: 422,
  invalid_snapshot: 422,
  invalid_answer: 422,
  invalid_configuration: 422,
}

/** Answers with a refusal of the gateway. */
export const refused = ({ code, message, more }: Refused): ControlReply => problem(STATUSES[code], code, message, more)

/** A refusal before any route, in the shape of the routes. */
export async function refuseMessage({ status, code }: Problem, detail: string): Promise<Reply> {
  const { type = '', body } = problem(status, code, detail)
  return { status, headers: { ...GUARD_HEADERS, 'content-type': type }, body: JSON.stringify(body) }
}

/** Fields of every reply. */
export const GUARD_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // No page may show the control plane in a frame.
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
}

export { withHint }
