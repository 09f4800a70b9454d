// Observes which parts of the contract requests touch. Requests are looked at in batches, off the path of their replies.

import type { Observer } from '../../gateway/observer.ts'
import { Coverage, type CoverageFilter } from './coverage.ts'

/** Requests that are observed together. */
const BATCH = 32
/** The length of a body in bytes from which a request is observed at once, so that the body is not kept for long. */
const LARGE = 16_000

export const coverageObserver: Observer<Coverage> = {
  name: 'coverage',
  open: host => new Coverage(host.peers('coverage')),
  compile(plan, coverage) {
    if (plan.world === undefined) coverage.adopt(plan)
    return ({ exchange, reply }) => {
      const { request } = exchange
      const { 'content-length': length = request.hasBody ? LARGE : 0 } = request.headers
      // Nor are the connections of a reply that is passed on.
      const isLarge = reply.stream !== undefined || Number(length) >= LARGE || (reply.body?.length ?? 0) >= LARGE
      if (coverage.add(exchange, reply) >= BATCH || isLarge) coverage.settle()
    }
  },
  shared: {
    read: (coverage, filter) => coverage.report(filter as CoverageFilter | undefined, false),
    reset: coverage => coverage.resetOwn(),
  },
}
