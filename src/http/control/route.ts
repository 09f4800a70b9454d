// A route of the control plane, declared once as data. The declaration validates requests, documents the route at
// /openapi.json, and holds the code that answers. Independent of Koa.

import type { Readable } from 'node:stream'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { Json } from '../../kernel/json.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Reply } from '../../kernel/reply.ts'
import type { Schema } from '../../kernel/schema.ts'
import type { Status } from '../status.ts'

/** The parts that routes control. */
export interface Control {
  readonly gateway: Gateway
  readonly reloader: Reloader | undefined
  readonly status: Status
  readonly about: About
}

/** Describes the program. */
export interface About {
  readonly version: string
  /** The address of the API, without a base path. */
  readonly api: () => string
  /** How many processes serve the API, where there are several. */
  readonly workers: number | undefined
}

export interface ControlRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** An OpenAPI path template: `/worlds/{name}`. */
  readonly path: string
  /** `operationId`. */
  readonly operation: string
  /** One sentence. */
  readonly summary: string
  /**
   * Every expression of the path and every query parameter; others are refused. `header.*` matches every parameter whose
   * name begins with `header.`.
   */
  readonly parameters?: Readonly<Record<string, CallParameter>>
  readonly body?: BodySpec
  /** By status. The statuses of every route (400 401 403 413 415 500) are added automatically. */
  readonly replies: Readonly<Record<number, ReplySpec>>
  /** Whether it needs no token, for probes. */
  readonly open?: boolean
  /**
   * The availability of the route if several processes serve (`--workers`) and the control plane is in none of them.
   * `always`: it is available. `absent`: it needs the state of a serving process, and is not available. `shared`: it is
   * available if the processes share their state. `reset`: each of them resets as well.
   */
  readonly underWorkers: 'always' | 'absent' | 'shared' | 'reset'
  /**
   * Whether it answers outside the turns in which recorded worlds change: it changes none, it takes long, or it sends
   * requests that take turns themselves.
   */
  readonly outsideTurns?: boolean
  answer(call: Call): ControlReply | Promise<ControlReply>
}

export interface CallParameter {
  /** Its type is string, integer or boolean. */
  readonly schema: { readonly type: 'string' | 'integer' | 'boolean'; readonly [keyword: string]: unknown }
  readonly description: string
}

export interface BodySpec {
  readonly description: string
  /** The schema of a JSON body. */
  readonly schema: Schema
  /** Media types that are handed over as text, unread. */
  readonly texts?: readonly string[]
  /** Default: true. */
  readonly required?: boolean
  /** The largest body in bytes. Default: 1 MB. */
  readonly maxBytes?: number
  /** Whether it contains records, whose decimals keep their digits. Default: false. */
  readonly decimals?: boolean
}

export interface ReplySpec {
  readonly description: string
  /** By media type; none for a reply without a body. A status of 400 or more is a problem unless this says otherwise. */
  readonly content?: Readonly<Record<string, Schema>>
}

/** A request that fits its route's declaration. */
export interface Call {
  /** From path and query, checked, in the types that their schemas have. */
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>
  /** The validated JSON body; `undefined` if there is none or if it is a text. */
  readonly body: Json | undefined
  /** A body of one of the media types of `texts`. */
  readonly text: string | undefined
  /** Whether the client would rather have this media type than JSON. */
  prefers(type: string): boolean
}

export interface ControlReply {
  readonly status: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON unless it is a text or a stream of them. */
  readonly body?: unknown
}

export const json = (body: unknown, status = 200): ControlReply => ({ status, type: 'application/json', body })
export const text = (body: string): ControlReply => ({ status: 200, type: 'text/plain; charset=utf-8', body })
export const stream = (type: string, body: Readable): ControlReply => ({ status: 200, type, body })
export const DONE: ControlReply = { status: 204 }

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

/** A refusal before any route, in the shape of the routes. */
export async function refuseControl({ status, code }: Problem, detail: string): Promise<Reply> {
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

export const problemSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['title', 'status', 'detail', 'code'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer', description: 'The status of the response.' },
    detail: { type: 'string', description: 'A sentence that describes the mistake.' },
    code: { type: 'string', description: 'A stable code in snake_case, for programs.' },
  },
} as const

export const words = { type: 'string' } as const
export const count = { type: 'integer', minimum: 0 } as const

/** The schema of a JSON object all of whose properties are listed; all are required but those in `optional`. */
export const object = (properties: Readonly<Record<string, Schema>>, ...optional: string[]): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !optional.includes(name)),
  additionalProperties: false,
  properties,
})

export const list = (items: Schema) => ({ type: 'array', items }) as const

export const replyWith = (description: string, schema: Schema): ReplySpec => ({
  description,
  content: { 'application/json': schema },
})
