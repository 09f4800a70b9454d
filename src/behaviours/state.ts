// Runs the part of the chain that may change a recorded world in its turn (see `Turns`). Without recorded worlds it is not
// in the chain.

import type { Reply } from '../kernel/http.ts'
import type { Cause, Turns } from '../world/turns.ts'
import { latestOf } from '../world/world.ts'
import type { Behaviour } from './behaviour.ts'
import { type Exchange, type Handler, writable } from './exchange.ts'

export const state: Behaviour<never> = {
  name: 'state',
  compile(_, { recorded, maxBody }) {
    if (!recorded) return undefined
    return next => exchange => {
      const { turns } = latestOf(exchange.world)
      // A world of a future time, which is not recorded.
      if (turns === undefined) return next(exchange)
      const { request } = exchange
      if (!request.hasBody) return runInTurn(turns, exchange, next)
      // No turn waits for the network.
      return request.readBody(maxBody).then(() => runInTurn(turns, exchange, next))
    }
  },
}

function runInTurn(turns: Turns, exchange: Exchange, next: Handler): Promise<Reply> {
  const restart = turns.repeats ? exchange.mark() : undefined
  const work = () => {
    restart?.()
    exchange.enter(latestOf(exchange.world))
    return next(exchange)
  }
  return turns.run(work, new RequestCause(exchange))
}

class RequestCause implements Cause {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get text(): string {
    const { method, path } = this.#exchange.request
    return `${method} ${path}`
  }

  set position(position: number) {
    writable(this.#exchange, 'state').position = position
  }
}
