// From a configuration to a gateway that serves it: what the command line and the library face have in common.

import { Gateway } from './gateway/gateway.ts'
import type { Log } from './gateway/log.ts'
import { Metrics } from './gateway/metrics.ts'
import { Reloader } from './gateway/reload.ts'
import { type Listen, type Serving, serve } from './http/serve.ts'
import type { Plan } from './plan/compile.ts'
import type { Loaded } from './plan/load.ts'
import type { Clock } from './world/clock.ts'

export interface Started {
  readonly gateway: Gateway
  readonly serving: Serving
  readonly stopWatching: () => void
}

/**
 * @param load loads the configuration anew, or a text in its place; its first answer, `loaded`, is what serving begins
 * with
 */
export async function start(
  plan: Plan,
  loaded: Loaded,
  load: (text?: string) => Loaded,
  { clock, log, version, watch, listen }: { clock: Clock; log: Log; version: string; watch: boolean; listen: Listen },
): Promise<Started> {
  const gateway = new Gateway(plan, clock, log, worlds => new Metrics(version, worlds))
  const reloader = new Reloader(gateway, load, loaded, log)
  const serving = await serve(gateway, reloader, listen, version)
  return { gateway, serving, stopWatching: watch ? reloader.watch() : () => {} }
}
