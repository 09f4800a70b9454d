// Compares the replies of the real API once they have passed, and asks it beside the stand-in (`shadow`).

import type { Observer } from '../../gateway/observer.ts'
import { upstreamBlock } from '../real-api/settings.ts'
import { LiveDrift } from './live-drift.ts'
import { SHADOWED } from './shadow.ts'

export const driftObserver: Observer<LiveDrift> = {
  name: 'drift',
  open: host => new LiveDrift(host),
  compile(plan, drift) {
    if (plan.world === undefined) drift.adopt(plan)
    if (plan.settings(upstreamBlock) === undefined) return undefined
    return ({ exchange, path, reply }) => {
      drift.answered()
      reply.stream?.judged
        ?.then(judgement => drift.follow({ plan, exchange, path }, reply, judgement))
        .catch(drift.fail)
      if (exchange.get(SHADOWED) !== undefined) drift.shadow({ plan, exchange, path }, reply)
    }
  },
}
