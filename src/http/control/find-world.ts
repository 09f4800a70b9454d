// The common part of the routes of worlds: finds the world in a path, and words refusals.

import type { WorldFault, Worlds } from '../../gateway/worlds/worlds.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../../plan/settings.ts'
import type { World } from '../../world/world.ts'
import { problem } from './replies.ts'
import type { Call, ControlReply } from './route.ts'

export const nameParameter = {
  name: { schema: { type: 'string', pattern: WORLD_NAME.source }, description: 'The world.' },
} as const

/** Answers for an existing world. */
export const inWorld =
  (worlds: Worlds, answer: (world: World, call: Call) => ControlReply | Promise<ControlReply>) =>
  (call: Call): ControlReply | Promise<ControlReply> => {
    const name = call.parameters.name as string
    const world = worlds.get(name)
    return world === undefined ? refuseWorld('unknown', name, worlds) : answer(world, call)
  }

/**
 * Answers for a world, which is made from the seeds where there is none of that name, as a request makes it. A refusal
 * makes none. `answer` may run twice: when another client makes the world in the meantime.
 */
export const inMadeWorld =
  (worlds: Worlds, answer: (world: World, call: Call) => ControlReply | Promise<ControlReply>) =>
  async (call: Call): Promise<ControlReply> => {
    const name = call.parameters.name as string
    const found = worlds.get(name)
    if (found !== undefined) return answer(found, call)
    const fault = worlds.refuses(name)
    if (fault !== undefined) return refuseWorld(fault, name, worlds)
    const made = worlds.blank(name)
    const reply = await answer(made, call)
    if (reply.status >= 400) return reply
    const meanwhile = worlds.get(name)
    if (meanwhile !== undefined) return answer(meanwhile, call)
    worlds.put(made)
    return reply
  }

/** The status of each fault is documented by whichever route can have it. */
export function refuseWorld(fault: WorldFault, name: string, worlds: Worlds): ControlReply {
  switch (fault) {
    case 'bad-name':
      return problem(
        400,
        'invalid_request',
        `the name of a world must have ${WORLD_NAME_RULE} and must not be a credential`,
      )
    case 'exists':
      return problem(409, 'conflict', `the world ${name} already exists`)
    case 'permanent':
      return problem(409, 'conflict', `the world ${name} is permanent; it can be reset, but not deleted`)
    case 'switched-off':
      return problem(409, 'conflict', 'sandboxes are switched off')
    case 'unknown': {
      const names = worlds.list().map(world => world.name)
      const hint = suggest(name, names)
      return problem(404, 'not_found', `there is no world ${name}${hint === undefined ? '' : `; ${hint}`}`)
    }
    default:
      return fault satisfies never
  }
}

/** For routes that make the world they change. */
export const noNewWorld = { 409: { description: 'The world does not exist, and sandboxes are switched off.' } } as const

export const noSuchWorld = { 404: { description: 'The world does not exist.' } } as const
