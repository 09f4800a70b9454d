// What is loaded when it is first needed: what nobody asks for takes neither time to start nor memory.

import type { IncomingMessage, ServerResponse } from 'node:http'

export type Answer = (req: IncomingMessage, res: ServerResponse) => void

/** Makes a thing at the first call, and keeps it. What could not be made is tried again at the next. */
export function atFirstUse<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let making: Promise<Made> | undefined
  return () => {
    making ??= make().catch(error => {
      making = undefined
      throw error
    })
    return making
  }
}

/**
 * A handler that is made for the first request; requests wait for it.
 *
 * @param failed is told why it could not be made, or why it broke: the connection of the request is all that can be ended
 */
export function onDemand(make: () => Promise<Answer>, failed: (error: unknown) => void): Answer {
  const load = atFirstUse(make)
  let answer: Answer | undefined
  return (req, res) => {
    if (answer !== undefined) {
      answer(req, res)
      return
    }
    load()
      .then(made => {
        answer = made
        made(req, res)
      })
      .catch(error => {
        failed(error)
        res.destroy()
      })
  }
}
