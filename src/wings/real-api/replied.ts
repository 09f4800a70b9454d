// Says on every reply who gave it, where there is a real API.

import type { Behaviour } from '../../behaviours/behaviour.ts'
import { withHeaders } from '../../kernel/http.ts'
import { upstreamBlock } from './settings.ts'

export const replied: Behaviour<never> = {
  name: 'replied',
  decorates: true,
  unmatched: true,
  compile(_, { settings }) {
    if (settings(upstreamBlock) === undefined) return undefined
    return next => async exchange => {
      const reply = await next(exchange)
      const isMarked = reply.headers['understudy-replied'] !== undefined
      return isMarked ? reply : withHeaders(reply, { 'understudy-replied': 'simulation' })
    }
  },
}
