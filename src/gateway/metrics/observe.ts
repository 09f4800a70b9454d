// The first observer: counts each request in the metrics of its operation.

import type { PlannedOperation } from '../../plan/plan.ts'
import type { Host, Observe, Observer } from '../observer.ts'
import type { Meter } from './families.ts'

export const metricsObserver: Observer<Host> = {
  name: 'metrics',
  open: host => host,
  compile(plan, { metrics, clock }) {
    if (plan.world === undefined) metrics.adopted(clock.now())
    // Bound at the first request, so that an operation without calls has no series. The index of unmatched requests is -1.
    const meters: (Meter | undefined)[] = []
    const bind = (planned: PlannedOperation): Meter => {
      const meter = metrics.bind(planned)
      meters[planned.index + 1] = meter
      return meter
    }
    const observe: Observe = done => {
      const { planned, exchange, reply, milliseconds } = done
      const { injected, awaited, fault } = exchange
      const meter = meters[planned.index + 1] ?? bind(planned)
      meter.observe(
        exchange.request.method,
        reply.status,
        milliseconds / 1000,
        (injected + awaited) / 1000,
        injected / 1000,
      )
      if (exchange.queued) meter.queued()
      if (reply.refusal !== undefined) meter.refused(reply.refusal.problem.code)
      if (fault !== undefined) meter.struck(fault)
    }
    return observe
  },
}
