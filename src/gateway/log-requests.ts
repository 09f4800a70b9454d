// The third observer: a line of the log for each request, if requests are logged, and for each condition that could not be evaluated.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Finished } from './finished.ts'
import { thousandths } from './journal/entry.ts'
import type { Log } from './log.ts'
import type { Mask } from './mask.ts'
import type { Observer } from './observer.ts'

export const logObserver: Observer<Log> = {
  name: 'log',
  open: ({ log }) => log,
  compile(_, log) {
    const logged = new Set<string>()
    return done => {
      const { failures } = done.exchange
      if (failures.length > 0) logFailures(failures, done.mask, logged, log)
      if (log.requests) logRequest(done, log)
    }
  },
}

/** Logs conditions that could not be evaluated: each once, for one reason. */
function logFailures(failures: Exchange['failures'], mask: Mask, logged: Set<string>, log: Log): void {
  for (const [condition, reason] of failures) {
    // The rest of a reason may be a part of a request.
    const key = `${condition} ${reason.split(/[:'"\d]/, 1)}`
    if (!logged.has(key)) log.warn({}, `a condition could not be evaluated: ${condition}: ${mask.text(reason)}`)
    logged.add(key)
  }
}

function logRequest({ planned, exchange, reply, milliseconds, mask }: Finished, log: Log): void {
  const { request, consumer, world, trace, weather, fault, injected } = exchange
  const { refusal, status } = reply
  const fields = {
    operation: planned.operation.id || undefined,
    consumer,
    world: world.name,
    trace,
    status,
    ms: thousandths(milliseconds),
    refused: refusal?.problem.code,
    reason: refusal === undefined ? undefined : mask.text(refusal.detail),
    weather,
    fault,
    waited: injected === 0 ? undefined : thousandths(injected),
  }
  log.info(fields, `${request.method} ${mask.path(request.path)}`)
}
