// The library face: a gateway inside a test, on free ports, or a middleware inside a Koa application.

import type { Gateway } from './gateway/gateway.ts'
import { silentLog } from './gateway/log.ts'
import type { Load } from './gateway/reload.ts'
import { watchMemory } from './gateway/worlds/memory.ts'
import { type KoaMiddleware, mountStandIn } from './http/data-plane.ts'
import { createFetch, type Fetch } from './http/fetch.ts'
import { stringifyJson } from './kernel/json.ts'
import { formatReport } from './kernel/report.ts'
import { type Loaded, type LoadOptions, loadPlan } from './load/load.ts'
import type { Plan } from './plan/plan.ts'
import { createGateway as openGateway, start } from './start.ts'
import { steerWings, WINGS, type WingSteering } from './wings.ts'
import { realClock } from './world/clock.ts'
import { steerWorld, type WorldHandle } from './world-handle.ts'

export type { RecordedRequest } from './gateway/journal/entry.ts'
export type { NearMiss, Times, Verdict } from './gateway/journal/filter.ts'
export type { RewindTarget, Rewound } from './gateway/rewind.ts'
export type { KoaContext, KoaMiddleware } from './http/data-plane.ts'
export type { Fetch } from './http/fetch.ts'
export type * from './wings.ts'
export type { Snapshot } from './world/snapshot.ts'
export type { WorldAnswer, WorldFilter, WorldHandle, WorldRecords } from './world-handle.ts'

/** The configuration of a gateway. */
export interface GatewayOptions {
  /**
   * The path of a gateway.yaml or of a bare OpenAPI document, relative to the working directory; or the content of a
   * gateway.yaml, as an object or as a text of more than one line, in which paths are relative to the working directory.
   */
  readonly config: string | object
  /** The values of `${NAME}` in the configuration. Default: none but the defaults written there. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface StartOptions extends GatewayOptions {
  /** Default: a free one. */
  readonly port?: number
  /** Default: a free one. */
  readonly controlPort?: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Koa middleware that runs in front of the gateway, in this order. Default: none. */
  readonly use?: readonly KoaMiddleware[]
}

export interface UnderstudyOptions extends GatewayOptions {
  /**
   * Refuses a request to a path that the contract does not have (404), or passes it on to the next middleware.
   * Default: `refuse`.
   */
  readonly unmatched?: 'refuse' | 'next'
}

/** A Koa middleware that answers as the API does, and the means to steer it. */
export interface Understudy extends KoaMiddleware, WingSteering {
  /** Resets the default world to the seeds. */
  reset(): void
  /**
   * A handle of a world, which is created if it does not exist. Default: the default world. Its `baseUrl` is a path
   * below the place where the middleware is mounted.
   */
  world(name?: string): WorldHandle
  /** From now on requests are passed on to the next middleware. */
  close(): void
}

/** A gateway without a port. */
export interface PortlessGateway extends WingSteering {
  /** An address of the API for `fetch`, which takes any other host, too: `http://localhost/v1`. */
  readonly url: string
  /** Answers a request as a served API would, latency and faults included: a reset connection is a rejected promise. */
  readonly fetch: Fetch
  /** Resets the default world to the seeds. */
  reset(): void
  /** A handle of a world, which is created if it does not exist. Default: the default world. */
  world(name?: string): WorldHandle
  /** From now on `fetch` rejects. */
  close(): void
}

export interface RunningGateway extends WingSteering {
  /** The address of the API, base path included: `http://127.0.0.1:49152/v1`. */
  readonly url: string
  /** Answers a request without the port, whatever its host: see `PortlessGateway.fetch`. */
  readonly fetch: Fetch
  /** The address of the control plane. */
  readonly control: string
  /** Resets the default world to the seeds. */
  reset(): void
  /** A handle of a world, which is created if it does not exist. Default: the default world. */
  world(name?: string): WorldHandle
  /** Finishes running requests and closes the ports. */
  close(): Promise<void>
}

/** The configuration cannot be served; the message shows every mistake with its place. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Starts a gateway. Rejects with a `ConfigurationError`, or with the system's error where a port is taken. */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const { loaded, plan, reload } = read(options)
  const { gateway, serving, close } = await start(plan, loaded, reload, {
    ...QUIET,
    environment: options.environment,
    watch: false,
    listen: {
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      controlHost: '127.0.0.1',
      controlPort: options.controlPort ?? 0,
      controlToken: undefined,
      use: options.use,
    },
  })
  return {
    url: serving.origin + (gateway.plan.contract.basePaths[0] ?? ''),
    control: serving.controlOrigin,
    fetch: createFetch(gateway),
    ...steering(gateway, serving.origin),
    close: () => close(),
  }
}

/** Returns a gateway that opens no port. Throws a `ConfigurationError` if the configuration is invalid. */
export function createGateway(options: GatewayOptions): PortlessGateway {
  const { gateway, close, isClosed } = open(options, 'a gateway without a port')
  const answer = createFetch(gateway)
  return {
    url: PORTLESS + (gateway.plan.contract.basePaths[0] ?? ''),
    ...steering(gateway, PORTLESS),
    fetch: async (input, init) => {
      if (isClosed()) throw new TypeError('fetch failed', { cause: new Error('the gateway is closed') })
      return answer(input, init)
    },
    close,
  }
}

const PORTLESS = 'http://localhost'

/**
 * Returns the gateway as a middleware for a Koa application. Throws a `ConfigurationError` if the configuration is invalid.
 * Ports, TLS, CORS and time-outs are those of the application.
 */
export function understudy(options: UnderstudyOptions): Understudy {
  const { gateway, close, isClosed } = open(options, 'a middleware')
  const middleware = mountStandIn(gateway, options.unmatched ?? 'refuse', isClosed)
  return Object.assign(middleware, { ...steering(gateway, ''), close })
}

/** Opens a gateway in this process alone. @param kind the gateway, for the mistake of one that would have to keep its state */
function open(options: GatewayOptions, kind: string) {
  const { plan } = read(options)
  if (plan.simulation.state !== undefined) {
    throw new ConfigurationError(`${kind} keeps its state in memory; remove "state", or serve with startGateway`)
  }
  const gateway = openGateway(plan, { ...QUIET, environment: options.environment })
  let closed = false
  const stopWatching = watchMemory(gateway.worlds, () => {})
  return {
    gateway,
    isClosed: () => closed,
    close: () => {
      closed = true
      stopWatching()
    },
  }
}

/** Returns the members that all faces have. @param origin where the API listens */
const steering = (gateway: Gateway, origin: string) => ({
  reset: () => gateway.reset(),
  ...steerWings(gateway),
  world: (name = gateway.worlds.default.name) => steerWorld(gateway, name, origin),
})

const QUIET = { clock: realClock, log: silentLog, wings: WINGS }

/** Reads a configuration; throws a `ConfigurationError` where it cannot be served. */
function read({ config, environment = {} }: GatewayOptions): { loaded: Loaded; plan: Plan; reload: Load } {
  const inline = typeof config === 'object' ? stringifyJson(config) : config.includes('\n') ? config : undefined
  const path = inline === undefined ? (config as string) : 'gateway.yaml'
  const load = (options: LoadOptions) => loadPlan(path, '.', environment, { ...options, wings: WINGS })
  const reload: Load = ({ text = inline, lacking, worlds }) => {
    return load({ text, lacking, worlds })
  }
  const loaded = load({ text: inline })
  if (loaded.plan === undefined) throw new ConfigurationError(`\n${formatReport(loaded.report)}`)
  return { loaded, plan: loaded.plan, reload }
}
