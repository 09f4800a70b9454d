// Starts a gateway that serves a configuration: the common part of the command line and the library.

import { readFileSync } from 'node:fs'
import { Gateway } from './gateway/gateway.ts'
import type { Log } from './gateway/log.ts'
import { type Load, Reloader } from './gateway/reload.ts'
import { createState } from './gateway/state-host.ts'
import { watchMemory } from './gateway/worlds/memory.ts'
import type { ServedWing } from './http/control/route.ts'
import type { Processes } from './http/processes.ts'
import { type Listen, type Serving, serve } from './http/serve.ts'
import { isRunning, thisProcess } from './http/this-process.ts'
import type { Loaded } from './load/load.ts'
import type { Plan } from './plan/plan.ts'
import type { Surroundings } from './state/surroundings.ts'
import type { Clock } from './world/clock.ts'
import { watchLoop } from './world/process-watch.ts'
import { breathe, every } from './world/real-time.ts'

/** The version of this package, from the one place that states it. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

export interface ServiceOptions {
  /** Default: none. */
  readonly wings?: readonly ServedWing[] | undefined
  readonly clock: Clock
  readonly log: Log
  /** Names the proxies to other servers. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  readonly watch: boolean
  readonly listen: Listen
  /** Set if several processes serve. */
  readonly processes?: Processes | undefined
  /** The switches of `serve`: some let the control plane change fixed blocks; see `Block.fixed`. Default: none. */
  readonly switches?: ReadonlySet<string>
  /** Is called before the ports are opened: requests may arrive from then on. */
  readonly opening?: (reloader: Reloader) => void
  /** Called when memory has run out: the engine is about to end the process. */
  readonly exhausted?: () => void
}

export interface Started {
  readonly gateway: Gateway
  readonly reloader: Reloader
  readonly serving: Serving
  /** Stops watching, ends the serving, and writes down the state. */
  readonly close: Serving['close']
}

/** Returns a gateway without a server. */
export function createGateway(
  plan: Plan,
  { clock, log, environment = {}, wings }: Pick<ServiceOptions, 'clock' | 'log' | 'environment' | 'wings'>,
): Gateway {
  const gateway = new Gateway(plan, clock, log, version, { wings, environment })
  gateway.metrics.followProcess()
  gateway.metrics.followLoop(watchLoop())
  return gateway
}

/**
 * @param loaded the configuration that is served first
 * @param load loads the configuration again, or a text instead of it
 */
export async function start(plan: Plan, loaded: Loaded, load: Load, options: ServiceOptions): Promise<Started> {
  const { log, watch, wings = [] } = options
  const gateway = createGateway(plan, options)
  const reloader = new Reloader(gateway, load, loaded, log)
  if (options.switches !== undefined) reloader.permissions = options.switches
  const shared = options.processes?.join(gateway, log)
  await keepState(gateway, options)
  options.opening?.(reloader)
  const listen = { ...options.listen, wings, shared }
  const serving = await serve(gateway, reloader, listen, version, log).catch(async (error: unknown) => {
    await gateway.state?.close()
    throw error
  })
  const stops = [watchMemory(gateway.worlds, options.exhausted ?? (() => {}))]
  if (watch) stops.push(reloader.watch())
  const close: Serving['close'] = async how => {
    for (const stop of stops) stop()
    await serving.close(how)
    await gateway.close()
    await gateway.state?.close()
  }
  return { gateway, reloader, serving, close }
}

const surroundingsOf = ({ clock, log }: ServiceOptions): Surroundings => ({
  owner: thisProcess(),
  isRunning,
  now: () => clock.now(),
  every,
  breathe,
  sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
  warn: (message, fields = {}) => log.warn(fields, message),
})

/** Has an engine keep the state of a gateway, if its plan says so; rejects where the state cannot be read. */
async function keepState(gateway: Gateway, options: ServiceOptions): Promise<void> {
  const { log, processes, switches = new Set() } = options
  const settings = gateway.plan.simulation.state
  // Several processes share a state through an engine for that, and through nothing else.
  if (settings === undefined || (processes !== undefined && !settings.engine.isShared)) return
  const around = surroundingsOf(options)
  const state = createState(gateway, await settings.engine.make(around, switches), settings, around, log)
  try {
    await state.open()
  } catch (error) {
    // An open connection would keep the process alive.
    await state.close().catch(() => {})
    throw error
  }
  gateway.state = state
}
