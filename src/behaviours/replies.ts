// Checks every reply against the contract: responders' replies, chosen replies, refusals and status faults. It is inside
// `errors`, which gives refusals their body, and outside all other behaviours.

import { nonconformanceOf } from '../contract/contract.ts'
import { problems, refuse, withWarning } from '../kernel/http.ts'
import type { Behaviour } from './behaviour.ts'

interface RepliesConfig {
  readonly replies?: 'off' | 'warn' | 'refuse'
}

export const replies: Behaviour<RepliesConfig> = {
  name: 'replies',
  keyOf: 'validate',
  problems: [problems.invalid_reply],
  compile(config, { operation, decorate }) {
    const mode = config?.replies ?? 'off'
    if (mode === 'off') return undefined
    return next => async exchange => {
      const reply = await next(exchange)
      if (reply.status === 0) return reply
      const bare = reply.refusal !== undefined && reply.body === undefined
      const fault = nonconformanceOf(operation, bare ? await decorate(exchange, reply) : reply)
      if (fault === undefined) return reply
      // Any operation may refuse, and may answer 304 to a conditional request; contracts do not document these.
      if (fault.code === 'undocumented-status' && (reply.refusal !== undefined || reply.status === 304)) return reply
      if (mode === 'refuse') return refuse(problems.invalid_reply, `${operation.id} ${fault.message}`)
      return withWarning(reply, fault.message)
    }
  },
  describe: config => config?.replies,
}
