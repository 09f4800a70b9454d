// The part of a chain that may change a recorded world, in its turn.

import type { Reply } from '../kernel/http.ts'
import { Interrupt } from '../world/changes.ts'
import { latestOf } from '../world/world.ts'
import type { Exchange, Wrap } from './exchange.ts'

/** Runs the rest of a chain in its turn (see `Recorder`), and again after each interruption, once its wait is over. */
export function inTurns(
  maxBody: number,
  resources: ReadonlyMap<string, { readonly source: object | undefined }>,
): Wrap {
  const mayWait = [...resources.values()].some(({ source }) => source !== undefined)
  return next => exchange => {
    const { request, world } = exchange
    const { recorder } = latestOf(world)
    // A world of a future time, which is not recorded.
    if (recorder === undefined) return next(exchange)
    const run = () => {
      const restart = recorder.repeats ? exchange.mark() : undefined
      const work = () => {
        restart?.()
        exchange.enter(latestOf(exchange.world))
        return next(exchange)
      }
      return recorder.run(work, exchange)
    }
    const begin = mayWait ? () => untilDone(run, exchange) : run
    // No turn waits for the network.
    return request.hasBody ? request.readBody(maxBody).then(begin) : begin()
  }
}

async function untilDone(run: () => Promise<Reply>, exchange: Exchange): Promise<Reply> {
  for (;;) {
    const restart = exchange.mark()
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Interrupt)) throw error
      const { overlay } = exchange
      restart()
      exchange.overlay = overlay
      await exchange.pause(error.wait())
    }
  }
}
