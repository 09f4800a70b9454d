// The processes of `serve --workers`: whether this one is the primary or a worker, and which configurations they can serve.

import cluster from 'node:cluster'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Log } from '../../gateway/log.ts'
import type { Reloader } from '../../gateway/reload.ts'
import type { Processes, SharedService } from '../../http/processes.ts'
import type { Loaded } from '../../load/load.ts'
import type { Plan } from '../../plan/plan.ts'
import { Fleet } from './fleet.ts'
import { obey, workerService } from './worker.ts'

export class WorkerProcesses implements Processes {
  readonly isLed = cluster.isWorker
  readonly #count: number
  /** Whether the processes share no state; unset before they serve. */
  #isApart: boolean | undefined

  constructor(count: number) {
    this.#count = count
  }

  accept(loaded: Loaded): Loaded {
    const { plan, report } = loaded
    if (plan === undefined) return loaded
    const { source, state } = plan.simulation
    const isShared = state?.engine.isShared === true
    if (!sharesState(plan) || (isShared && this.#isApart !== true)) {
      this.#isApart ??= !isShared
      return loaded
    }
    const message = 'several processes (--workers) share records, limits and kept replies through Redis only'
    const hint = isShared ? 'restart the program' : 'serve without --workers, or set state: { redis: … }'
    report.error('shared-state', message, source.locate([]), hint)
    return { ...loaded, plan: undefined }
  }

  join(gateway: Gateway, log: Log): SharedService {
    return this.isLed ? workerService : new Fleet(gateway, log, this.#count)
  }

  follow(gateway: Gateway, reloader: Reloader, stop: () => void): void {
    if (this.isLed) obey(gateway, reloader, stop)
  }

  leave(): void {
    if (cluster.worker?.isConnected()) cluster.worker.disconnect()
  }
}

const isCall = ({ kind }: { readonly kind: string }): boolean => kind === 'operation'

/** Whether requests of the plan share state: records, quotas, kept replies, counted rules. */
function sharesState({ collections, operations, simulation }: Plan): boolean {
  if (collections.size > 0) return true
  const remembering = simulation.house.behaviours.filter(({ remembers }) => remembers).map(({ name }) => name)
  return operations.some(
    ({ chain, rules = [] }) =>
      chain.some(({ name }) => remembering.includes(name)) ||
      rules.some(({ when, times }) => times !== undefined || when?.roots.has('nth') || when?.references.some(isCall)),
  )
}
