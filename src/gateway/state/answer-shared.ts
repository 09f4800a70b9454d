// Answers a request of a gateway whose state other processes share.

import type { Exchange } from '../../behaviours/exchange.ts'
import type { Reply } from '../../kernel/reply.ts'
import { Unavailable } from '../../state/engine.ts'
import { Outdated } from '../../world/turns.ts'
import type { KeptState } from './kept-state.ts'

/** A request that is answered while the process asks whether others changed the worlds. */
export class EarlyAnswer {
  /** The number of the state that the answer begins with. */
  readonly asOf: number
  readonly #asked: Promise<boolean>

  constructor(state: KeptState, asOf: number) {
    this.asOf = asOf
    this.#asked = state.catchUp().then(() => state.asOf === asOf)
    // The outcome is not needed if the log has taken the changes of the request.
    this.#asked.catch(() => {})
  }

  /** Resolves when the reply may be sent; throws `Outdated` if others had changed the worlds before. */
  async confirm({ position }: Exchange): Promise<void> {
    // The log has taken its changes, and takes none that follow from an older state.
    if (position === undefined && !(await this.#asked)) throw new Outdated()
  }
}

export interface SharedRequest {
  /** Whether it changes the worlds, and may be answered anew if another process did so before. */
  readonly repeatable: boolean
  answer(early?: EarlyAnswer): Promise<Reply>
  refuse(): Promise<Reply>
}

/**
 * Answers once this process has all acknowledged changes of other processes, or refuses if the engine is unavailable.
 * Resolves when other processes would know of the request even if this one were killed.
 */
export async function answerShared(state: KeptState, request: SharedRequest): Promise<Reply> {
  const reply = (await answerEarly(state, request)) ?? (await answerInformed(state, request))
  await state.trail?.left
  return reply
}

/** A write need not wait for the question, since its append answers it. Returns `undefined` where it must. */
async function answerEarly(state: KeptState, { repeatable, answer }: SharedRequest): Promise<Reply | undefined> {
  const { asOf } = state
  if (!repeatable || !state.asks || asOf === undefined) return undefined
  try {
    return await answer(new EarlyAnswer(state, asOf))
  } catch (error) {
    if (error instanceof Outdated || error instanceof Unavailable) return undefined
    throw error
  }
}

async function answerInformed(state: KeptState, { answer, refuse }: SharedRequest): Promise<Reply> {
  let isAvailable = true
  try {
    if (state.asks) await state.catchUp()
  } catch {
    isAvailable = false
  }
  return isAvailable ? answer() : refuse()
}
