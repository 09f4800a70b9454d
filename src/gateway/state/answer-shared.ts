// Answers a request of a gateway whose state other processes share.

import type { Reply } from '../../kernel/reply.ts'
import type { KeptState } from './kept-state.ts'

/**
 * Answers once this process has all acknowledged changes of other processes, or refuses if the engine is unavailable.
 * Resolves when other processes would know of the request even if this one were killed.
 */
export async function answerShared(
  state: KeptState,
  answer: () => Promise<Reply>,
  refuse: () => Promise<Reply>,
): Promise<Reply> {
  let isAvailable = true
  try {
    if (state.asks) await state.catchUp()
  } catch {
    isAvailable = false
  }
  const reply = await (isAvailable ? answer() : refuse())
  await state.trail?.left
  return reply
}
