// A route of the control plane, declared once as data: the declaration validates requests, documents the route at /openapi.json,
// and holds the code that answers. The routes of worlds find theirs here. Independent of Koa.

import type { Gateway } from '../../gateway/gateway.ts'
import type { ObservingWing } from '../../gateway/observer.ts'
import { Refused, refusedWorld } from '../../gateway/refused.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { WorldFault, Worlds } from '../../gateway/worlds/worlds.ts'
import type { Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import type { Plan } from '../../plan/plan.ts'
import type { World } from '../../world/world.ts'
import { WORLD_NAME } from '../../world/world-name.ts'
import type { Status } from '../status.ts'
import type { ControlPage } from './page.ts'
import { type ControlReply, refused } from './replies.ts'

/** The part of a wing that is served. */
export interface ServedWing extends ObservingWing {
  /** Returns its routes of the control plane. Is called when the control plane is first asked for. */
  routes?(control: Control): readonly ControlRoute[] | Promise<readonly ControlRoute[]>
  /** Returns a call of the simplest operation. */
  firstCall?(plan: Plan, origin: string): Promise<FirstCall | undefined>
  /** A web page beside its routes. */
  readonly page?: ControlPage
  /** The schemas of its replies by name, as `npm run generate` makes them of its `types.ts`. */
  readonly replySchemas?: Readonly<Record<string, Schema>>
}

/** A command of `curl` to paste into a terminal. */
export interface FirstCall {
  readonly command: string
  /** Whether it works unchanged: the configuration publishes the key, or names a variable with it. */
  readonly known: boolean
}

/** The parts that routes control. */
export interface Control {
  readonly gateway: Gateway
  readonly reloader: Reloader
  readonly status: Status
  readonly about: About
  readonly wings: readonly ServedWing[]
}

/** Describes the program. */
interface About {
  readonly version: string
  /** The address of the API, without a base path. */
  readonly api: () => string
  /** How many processes serve the API, where there are several. */
  readonly workers: number | undefined
}

/** Returns the first call of the first wing that has one. */
export async function firstCallOf(
  plan: Plan,
  origin: string,
  wings: readonly ServedWing[],
): Promise<FirstCall | undefined> {
  for (const wing of wings) {
    const call = await wing.firstCall?.(plan, origin)
    if (call !== undefined) return call
  }
  return undefined
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

/** A route without what its group has in common, and without its `operationId`. */
export type PlainRoute = Omit<ControlRoute, 'operation' | 'underWorkers' | 'outsideTurns'>

/** Returns a group of routes, which are given by `operationId`. */
export const under = (
  underWorkers: ControlRoute['underWorkers'],
  routes: Readonly<Record<string, PlainRoute>>,
): ControlRoute[] =>
  Object.entries(routes).map(([operation, route]) => ({
    ...route,
    operation,
    underWorkers,
    handle: call => answerRefused(() => route.handle(call)),
  }))

/** Converts a `Refused` of the gateway to a reply. */
async function answerRefused(handle: () => Answered): Promise<ControlReply> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof Refused) return refused(error)
    throw error
  }
}

/** Returns routes that answer outside the turns: see `ControlRoute.outsideTurns`. */
export const outsideTurns = (routes: readonly ControlRoute[]): ControlRoute[] =>
  routes.map(route => ({ ...route, outsideTurns: true }))

/** The schema of a parameter. */
export interface CallParameter {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
  readonly [keyword: string]: unknown
}

export interface BodySpec {
  readonly description: string
  /** The schema of a JSON body. */
  readonly schema: Schema
  /** The schema in the description, where the body is checked by something else. Default: `schema`. */
  readonly shown?: Schema
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

/** Returns the method and the path template of a route. */
export function routeAddress({ at }: ControlRoute): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = at.split(' ')
  return { method, path }
}

// The parts of schemas in the declarations of routes.

export const string = { type: 'string' } as const
export const flag = { type: 'boolean' } as const
export const integer = { type: 'integer' } as const
export const natural = { type: 'integer', minimum: 0 } as const
export const positive = { type: 'integer', minimum: 1 } as const
export const anyObject = { type: 'object' } as const

/** A schema, that of a text unless another is given, with its description. */
export const described = <Kind extends object = typeof string>(
  description: string,
  schema = string as unknown as Kind,
) => ({
  ...schema,
  description,
})

/** The schema of an object with any names. */
export const mapOf = (values: Schema) => ({ type: 'object', additionalProperties: values })

/** The schema of a JSON object with no other properties; one whose name ends in `?` is optional. */
export const object = (properties: Readonly<Record<string, Schema>>) => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !name.endsWith('?')),
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
})

export const list = (items: Schema) => ({ type: 'array', items }) as const

export const problemSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['title', 'status', 'detail', 'code'],
  properties: {
    title: string,
    status: described('The status of the response.', integer),
    detail: described('A sentence that describes the mistake.'),
    code: described('A stable code in snake_case, for programs.'),
  },
} as const

/** The schema of a type that `types.ts` exports, here or in the folder of a wing. `npm run generate` finds a wrong name. */
export const shape = (type: string): Schema => ({ $ref: `#/components/schemas/${type}` })

/** @param texts media types that the client may prefer */
export const replyWith = (description: string, schema: Schema, ...texts: string[]): ReplySpec => ({
  description,
  content: { 'application/json': schema, ...Object.fromEntries(texts.map(type => [type, string])) },
})

/** The declaration of a problem that has further members. */
export const problemWith = (description: string, more: Readonly<Record<string, Schema>>): ReplySpec => ({
  description,
  content: {
    'application/problem+json': {
      ...problemSchema,
      required: [...problemSchema.required, ...Object.keys(more)],
      properties: { ...problemSchema.properties, ...more },
    },
  },
})

type Answered = ControlReply | Promise<ControlReply>

/** A route below `/worlds/{name}`, with neither the parameter `name` nor the replies where there is no such world. */
export interface WorldRoute extends Omit<PlainRoute, 'handle'> {
  handle(world: World, call: Call): Answered
}

/** For a route that needs an existing world. */
export const noWorld = { 404: 'The world does not exist.' }
/** For a route that creates a missing world. */
export const noNewWorld = { 409: 'The world does not exist, and sandboxes are off.' }
export const nameParameter = {
  name: described('The world.', { ...string, pattern: WORLD_NAME.source }),
} as const

const belowWorld = (
  { replies, parameters, ...route }: WorldRoute,
  absent: WorldRoute['replies'],
  handle: (name: string, call: Call) => Answered,
): PlainRoute => ({
  ...route,
  parameters: { ...nameParameter, ...parameters },
  replies: { ...absent, ...replies },
  handle: call => handle(call.parameters.name as string, call),
})

/** A route that runs on the world in its path, and refuses one that does not exist. */
export const inWorld = (worlds: Worlds, route: WorldRoute): PlainRoute =>
  belowWorld(route, noWorld, (name, call) => {
    const world = worlds.get(name)
    return world === undefined ? refuseWorld('unknown', name, worlds) : route.handle(world, call)
  })

/**
 * A route that runs on the world in its path, and creates the world from the seeds if it is missing, as a request does. A
 * refusal creates none. `handle` may run twice: when another client creates the world in the meantime.
 */
export const inMadeWorld = (worlds: Worlds, route: WorldRoute): PlainRoute =>
  belowWorld(route, noNewWorld, async (name, call) => {
    const existing = worlds.get(name)
    if (existing !== undefined) return route.handle(existing, call)
    const refusal = refuseNewWorld(name, worlds)
    if (refusal !== undefined) return refusal
    const blank = worlds.blank(name)
    const reply = await route.handle(blank, call)
    if (reply.status >= 400) return reply
    const meanwhile = worlds.get(name)
    if (meanwhile !== undefined) return route.handle(meanwhile, call)
    worlds.put(blank)
    return reply
  })

/** Refuses the name of a world that neither exists nor can be created. */
export function refuseNewWorld(name: string, worlds: Worlds): ControlReply | undefined {
  const fault = worlds.get(name) === undefined ? worlds.refuses(name) : undefined
  return fault && refuseWorld(fault, name, worlds)
}

/** The status of each fault is documented by whichever route can have it. */
export const refuseWorld = (fault: WorldFault, name: string, worlds: Worlds): ControlReply =>
  refused(refusedWorld(fault, name, worlds))
