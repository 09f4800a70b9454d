// From a configuration to a gateway that serves it: what the command line and the library face have in common.

import { Gateway } from './gateway/gateway.ts'
import type { Log } from './gateway/log.ts'
import { Metrics } from './gateway/metrics/metrics.ts'
import { type Load, Reloader } from './gateway/reload.ts'
import { watchMemory } from './gateway/watch-memory.ts'
import { type Listen, type Serving, serve } from './http/serve.ts'
import { Fleet } from './http/workers.ts'
import type { Loaded } from './load/load.ts'
import type { Plan } from './plan/plan.ts'
import { type Clock, watchLoop } from './world/clock.ts'

export interface StartOptions {
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly watch: boolean
  readonly listen: Listen
  /** How many processes serve; or that this is one of them. Unset: this one alone. */
  readonly workers?: number | 'worker' | undefined
  /** Called when memory has run out: the engine is about to end the process. */
  readonly exhausted?: () => void
}

export interface Started {
  readonly gateway: Gateway
  readonly reloader: Reloader
  readonly serving: Serving
  /** Stops watching the files and the memory. */
  readonly stopWatching: () => void
}

/** Returns a gateway that nothing serves yet. */
export function createGateway(
  plan: Plan,
  { clock, log, version }: Pick<StartOptions, 'clock' | 'log' | 'version'>,
): Gateway {
  const gateway = new Gateway(plan, clock, log, worlds => new Metrics(version, worlds))
  gateway.metrics.followLoop(watchLoop())
  return gateway
}

/**
 * @param load loads the configuration anew, or a text in its place; its first answer, `loaded`, is what serving begins
 * with
 */
export async function start(plan: Plan, loaded: Loaded, load: Load, options: StartOptions): Promise<Started> {
  const { log, version, watch, workers } = options
  const gateway = createGateway(plan, options)
  const reloader = new Reloader(gateway, load, loaded, log)
  const fleet = typeof workers === 'number' ? { fleet: new Fleet(gateway, log), count: workers } : workers
  const serving = await serve(gateway, reloader, { ...options.listen, workers: fleet }, version, log)
  const stops = [watchMemory(gateway.worlds, options.exhausted ?? (() => {})), ...(watch ? [reloader.watch()] : [])]
  const stopWatching = () => {
    for (const stop of stops) stop()
  }
  return { gateway, reloader, serving, stopWatching }
}
