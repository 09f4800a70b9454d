// The common part of the routes of worlds: finds the world in a path, and words refusals.

import type { WorldFault, Worlds } from '../../gateway/worlds/worlds.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../../plan/settings.ts'
import type { World } from '../../world/world.ts'
import { missing, problem } from './replies.ts'
import type { Call, ControlReply, PlainRoute } from './route.ts'
import { stringParameter } from './schemas.ts'

type Answered = ControlReply | Promise<ControlReply>

/** A route below `/worlds/{name}`, with neither the parameter `name` nor the replies where there is no such world. */
export interface WorldRoute extends Omit<PlainRoute, 'handle'> {
  handle(world: World, call: Call): Answered
}

/** For a route that needs an existing world. */
export const noWorld = { 404: 'The world does not exist.' }
/** For a route that creates a missing world. */
export const noNewWorld = { 409: 'The world does not exist, and sandboxes are switched off.' }
export const nameParameter = {
  name: stringParameter('The world.', { pattern: WORLD_NAME.source }),
} as const

/** A route that runs on the world in its path, and refuses one that does not exist. */
export const inWorld = (worlds: Worlds, { handle, replies, parameters, ...route }: WorldRoute): PlainRoute => ({
  ...route,
  parameters: { ...nameParameter, ...parameters },
  replies: { ...noWorld, ...replies },
  handle(call): Answered {
    const name = call.parameters.name as string
    const world = worlds.get(name)
    return world === undefined ? refuseWorld('unknown', name, worlds) : handle(world, call)
  },
})

/**
 * A route that runs on the world in its path, and creates the world from the seeds if it is missing, as a request does. A
 * refusal creates none. `handle` may run twice: when another client creates the world in the meantime.
 */
export const inMadeWorld = (worlds: Worlds, { handle, replies, parameters, ...route }: WorldRoute): PlainRoute => ({
  ...route,
  parameters: { ...nameParameter, ...parameters },
  replies: { ...noNewWorld, ...replies },
  async handle(call): Promise<ControlReply> {
    const name = call.parameters.name as string
    const found = worlds.get(name)
    if (found !== undefined) return handle(found, call)
    const refusal = refuseNewWorld(name, worlds)
    if (refusal !== undefined) return refusal
    const made = worlds.blank(name)
    const reply = await handle(made, call)
    if (reply.status >= 400) return reply
    const meanwhile = worlds.get(name)
    if (meanwhile !== undefined) return handle(meanwhile, call)
    worlds.put(made)
    return reply
  },
})

/** Refuses the name of a world that neither exists nor can be created. */
export function refuseNewWorld(name: string, worlds: Worlds): ControlReply | undefined {
  const fault = worlds.get(name) === undefined ? worlds.refuses(name) : undefined
  return fault && refuseWorld(fault, name, worlds)
}

/** The status of each fault is documented by whichever route can have it. */
export function refuseWorld(fault: WorldFault, name: string, worlds: Worlds): ControlReply {
  switch (fault) {
    case 'bad-name': {
      const detail = `the name of a world must have ${WORLD_NAME_RULE} and must not be a credential`
      return problem(400, 'invalid_request', detail)
    }
    case 'exists':
      return problem(409, 'conflict', `the world ${name} already exists`)
    case 'permanent':
      return problem(409, 'conflict', `the world ${name} is permanent; it can be reset, but not deleted`)
    case 'switched-off':
      return problem(409, 'conflict', 'sandboxes are switched off')
    case 'unknown': {
      const names = worlds.list().map(world => world.name)
      return missing('world', name, names)
    }
    default:
      return fault satisfies never
  }
}
