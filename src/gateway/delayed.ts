// Delays an operation by the time that a client wants.

import type { Exchange } from '../behaviours/behaviour.ts'
import type { Reply } from '../kernel/reply.ts'
import type { PlannedOperation } from '../plan/plan.ts'

/** Returns the operation with an additional delay. */
export const delayed = (planned: PlannedOperation, delay: number): PlannedOperation => {
  const wait =
    (run: (exchange: Exchange, passed: string[]) => Promise<Reply>) =>
    async (exchange: Exchange, passed: string[] = []): Promise<Reply> => {
      const reply = await run(exchange, passed)
      exchange.note(`delay: ${delay} ms`)
      await exchange.wait(delay)
      return reply
    }
  return { ...planned, handle: wait(planned.handle), trace: wait(planned.trace) }
}
