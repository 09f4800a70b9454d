// The library face: a gateway inside a test, on free ports, quiet unless asked.

import { silentLog } from './gateway/log.ts'
import { formatReport } from './kernel/diagnostic.ts'
import { stringifyJson } from './kernel/json.ts'
import { loadPlan } from './load/load.ts'
import { loadAside } from './load/load-aside.ts'
import { start } from './start.ts'
import { version } from './version.ts'
import { realClock } from './world/clock.ts'
import { steerWorld, type WorldHandle } from './world-handle.ts'

export type { RecordedRequest } from './gateway/journal/entry.ts'
export type { NearMiss, Times, Verdict } from './gateway/journal/filter.ts'
export type { WorldFilter, WorldHandle } from './world-handle.ts'

export interface StartOptions {
  /**
   * The path of a gateway.yaml or of a bare OpenAPI document, relative to the working directory; or the content of a
   * gateway.yaml, as an object or as a text of more than one line, in which paths are relative to the working directory.
   */
  readonly config: string | object
  /** Default: a free one. */
  readonly port?: number
  /** Default: a free one. */
  readonly controlPort?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** What `${NAME}` in the configuration reads. Default: nothing but the defaults written there. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface RunningGateway {
  /** The address of the API, base path included: `http://127.0.0.1:49152/v1`. */
  readonly url: string
  /** The address of the control plane. */
  readonly control: string
  /** Begins the default world anew from the seeds. */
  reset(): void
  /** A world to steer and to ask, made if there is none of that name yet. Default: the default one. */
  world(name?: string): WorldHandle
  /** Finishes what is under way and frees the ports. */
  close(): Promise<void>
}

/** The configuration cannot be served; the message shows every mistake with its place. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Starts a gateway. Rejects with a `ConfigurationError`, or with the system's error where a port is taken. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { config, environment = {} } = options
  const inline = typeof config === 'object' ? stringifyJson(config) : config.includes('\n') ? config : undefined
  const path = inline === undefined ? (config as string) : 'gateway.yaml'
  const load = (text = inline) => loadPlan(path, '.', environment, { text })
  const reload = (text = inline) => loadAside({ path, home: '.', environment, options: { text } }, () => load(text))
  const loaded = load()
  if (loaded.plan === undefined) throw new ConfigurationError(`\n${formatReport(loaded.report)}`)
  const { gateway, serving, stopWatching } = await start(loaded.plan, loaded, reload, {
    clock: realClock,
    log: silentLog,
    version,
    watch: false,
    listen: {
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      controlHost: '127.0.0.1',
      controlPort: options.controlPort ?? 0,
      controlToken: undefined,
    },
  })
  return {
    url: serving.origin + (gateway.plan.contract.basePaths[0] ?? ''),
    control: serving.controlOrigin,
    reset: () => gateway.reset(),
    world: (name = gateway.worlds.default.name) => steerWorld(gateway, name, serving.origin),
    close: () => {
      stopWatching()
      return serving.close()
    },
  }
}
