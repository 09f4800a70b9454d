// The request life-cycle, outermost first. Adding a behaviour is one file and one line here.

import type { Reply } from '../kernel/http.ts'
import { Interrupt } from '../world/turns.ts'
import { latestOf } from '../world/world.ts'
import { authenticate } from './authenticate.ts'
import type { Behaviour, Exchange } from './behaviour.ts'
import { deprecatedInputs, deprecation, stability } from './deprecation.ts'
import { errors } from './errors.ts'
import { fault } from './fault.ts'
import { latency } from './latency.ts'
import { capacity, rateLimit } from './limits.ts'
import { prefer } from './prefer.ts'
import { replied } from './replied.ts'
import { respond } from './respond/index.ts'
import { conditional, idempotency } from './safe-writes.ts'
import { shadow } from './shadow.ts'
import { replies, validate } from './validate/index.ts'

/**
 * Runs the part of the chain that may change a recorded world in its turn (see `Turns`). Without recorded worlds it is not in
 * the chain.
 */
const state: Behaviour<never> = {
  name: 'state',
  compile(_, { recorded, maxBody, forwards, resources }) {
    // No turn waits for the real API, whose replies change nothing here.
    if (!recorded || forwards) return undefined
    const mayWait = [...resources.values()].some(({ base }) => base !== undefined)
    return next => exchange => {
      const { request, world } = exchange
      const { turns } = latestOf(world)
      // A world of a future time, which is not recorded.
      if (turns === undefined) return next(exchange)
      const run = () => {
        const restart = turns.repeats ? exchange.mark() : undefined
        const work = () => {
          restart?.()
          exchange.enter(latestOf(exchange.world))
          return next(exchange)
        }
        return turns.run(work, exchange)
      }
      const begin = mayWait ? () => untilDone(run, exchange) : run
      // No turn waits for the network.
      return request.hasBody ? request.readBody(maxBody).then(begin) : begin()
    }
  },
}

/** Runs work again after each interruption, once its wait is over. */
async function untilDone(run: () => Promise<Reply>, exchange: Exchange): Promise<Reply> {
  for (;;) {
    const restart = exchange.mark()
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Interrupt)) throw error
      const { staging } = exchange
      restart()
      exchange.staging = staging
      await exchange.pause(error.wait())
    }
  }
}

// Each behaviour's schema has checked its configuration, so the list need not know its type.
export const behaviours = [
  errors, //       every refusal in the shape of this API
  replies, //      500 or a warning for a reply that breaks the contract
  replied, //      Understudy-Replied, where there is a real API
  shadow, //       chooses requests that the real API is asked, too
  stability, //    X-Stability
  deprecation, //  headers; brown-outs; 410 after the sunset
  capacity, //     limits concurrent requests, queues others; 503
  latency, //      waits by the world's clock
  fault, //        an error status, or a fault of the connection
  prefer, //       the reply that the client chose; 404 if it is not documented
  authenticate, // 401
  state, //        runs the rest in a turn, if changes of worlds are recorded
  rateLimit, //    429
  deprecatedInputs, // counts deprecated inputs; Understudy-Warning
  validate, //     400 404 413 415
  idempotency, //  409 422; the first reply again
  conditional, //  304 412 428
  respond, //      list · create · read · replace · update · delete · fixed · example · forward
] as readonly Behaviour<unknown>[]
