// A route of the control plane, declared once as data. The declaration validates requests, documents the route at
// /openapi.json, and holds the code that answers. Independent of Koa.

import type { Gateway } from '../../gateway/gateway.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import type { Json } from '../../kernel/value/json.ts'
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
  /** The method and an OpenAPI path template: `GET /worlds/{name}`. */
  readonly at: `${'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'} /${string}`
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
  /**
   * By status; a text describes a problem, or a reply without a body. The statuses of every route (400 401 403 413 415 500)
   * are added automatically.
   */
  readonly replies: Readonly<Record<number, ReplySpec | string>>
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
  handle(call: Call): ControlReply | Promise<ControlReply>
}

/** A route of a subject; `underWorkers` may be that of the others. */
export type PlainRoute = Omit<ControlRoute, 'underWorkers'> & Partial<Pick<ControlRoute, 'underWorkers'>>

/** Returns the routes of a subject, with what those have in common that do not say so themselves. */
export const under = (underWorkers: ControlRoute['underWorkers'], routes: readonly PlainRoute[]): ControlRoute[] =>
  routes.map(route => ({ underWorkers, ...route }))

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
  readonly content: Readonly<Record<string, Schema>>
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

/** Returns the method and the path template of a route. */
export function routeAddress({ at }: ControlRoute): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = at.split(' ')
  return { method, path }
}
