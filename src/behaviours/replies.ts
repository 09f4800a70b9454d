// Judges replies by the contract.

import { nonconformanceOf } from '../contract/judge.ts'
import { problems, refuse, withWarning } from '../kernel/http.ts'
import type { Behaviour } from './behaviour.ts'
import { judgeStreamed } from './judging.ts'

/**
 * Checks every reply against the contract: responders' replies, chosen replies, refusals and status faults. It is inside
 * `errors`, which gives refusals their body, and outside all other behaviours.
 */
export const replies: Behaviour<{ readonly replies?: 'off' | 'warn' | 'refuse' }> = {
  name: 'replies',
  keyOf: 'validate',
  compile(config, { operation, decorate, passesOn, maxBody }) {
    const mode = config?.replies ?? (passesOn ? 'warn' : 'off')
    if (mode === 'off') return undefined
    return next => async exchange => {
      const reply = await next(exchange)
      const { stream } = reply
      if (stream?.judging !== undefined) return judgeStreamed({ ...reply, stream }, operation, maxBody, stream.judging)
      if (reply.status === 0 || stream !== undefined) return reply
      const bare = reply.refusal !== undefined && reply.body === undefined
      const fault = nonconformanceOf(operation, bare ? await decorate(exchange, reply) : reply)
      if (fault === undefined) return reply
      // Any operation may refuse; contracts do not document it.
      if (fault.code === 'undocumented-status' && reply.refusal !== undefined) return reply
      if (mode === 'refuse') return refuse(problems.invalid_reply, `${operation.id} ${fault.message}`)
      return withWarning(reply, fault.message)
    }
  },
  describe: (config, { passesOn }) => config?.replies ?? (passesOn ? 'warn' : undefined),
}
