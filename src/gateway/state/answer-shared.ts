// Answers a request of a gateway whose state other processes share.

import type { Reply } from '../../kernel/reply.ts'
import type { KeptState } from './kept-state.ts'

/**
 * Answers once this process has all changes that others acknowledged, or refuses where they cannot be known. Resolves when
 * other processes would know of the request though this one were killed.
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
