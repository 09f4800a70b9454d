// Handlers that are loaded when they are first needed: what nobody asks for takes neither time to start nor memory.

import type { IncomingMessage, ServerResponse } from 'node:http'

export type Answer = (req: IncomingMessage, res: ServerResponse) => void

/** A handler that is made for the first request; requests wait for it. */
export function onDemand(make: () => Promise<Answer>): Answer {
  let making: Promise<void> | undefined
  let answer: Answer | undefined
  return (req, res) => {
    if (answer !== undefined) {
      answer(req, res)
      return
    }
    making ??= make().then(made => {
      answer = made
    })
    making.then(() => answer?.(req, res)).catch(() => res.destroy())
  }
}
