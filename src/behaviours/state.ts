// Runs the part of the chain that may change a recorded world in its turn (see `Turns`). Without recorded worlds it is not
// in the chain.

import type { World } from '../world/world.ts'
import type { Behaviour } from './behaviour.ts'
import { draftOf } from './exchange.ts'
import { KeptBody } from './kept-body.ts'

export const state: Behaviour<never> = {
  name: 'state',
  compile(_, { recorded, maxBody }) {
    if (!recorded) return undefined
    return next => async exchange => {
      const { turns } = latest(exchange.world)
      // A world of the future, which nothing lasts in.
      if (turns === undefined) return next(exchange)
      if (exchange.request.hasBody) {
        // No turn waits for the network.
        draftOf(exchange, 'state').request = new KeptBody(exchange.request, await exchange.request.readBody(maxBody))
      }
      const cause = causeOf(exchange)
      const restart = exchange.mark()
      try {
        return await turns.run(() => {
          restart()
          exchange.enter(latest(exchange.world))
          return next(exchange)
        }, cause)
      } finally {
        draftOf(exchange, 'state').position = cause.position
      }
    }
  },
}

/** The world that has the place of a world now: another one after a reset. */
function latest(world: World): World {
  let at = world
  while (at.successor !== undefined) at = at.successor
  return at
}

const causeOf = ({
  request: { method, path },
}: {
  readonly request: { readonly method: string; readonly path: string }
}) => ({
  text: `${method} ${path}`,
  position: undefined as number | undefined,
})
