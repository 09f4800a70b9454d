// Two listeners around a gateway: starting them, and stopping without losing running requests.

import type { Gateway } from '../gateway/gateway.ts'
import type { Log } from '../gateway/log.ts'
import type { Reloader } from '../gateway/reload.ts'
import type { TlsSettings } from '../plan/settings.ts'
import { checkGuarded } from './control/access.ts'
import type { Control, ServedWing } from './control/route.ts'
import { ControlPort, loadControlPlane } from './control-port.ts'
import { createDataPlane, type KoaMiddleware } from './data-plane.ts'
import { Listener, type Plane } from './listener.ts'
import type { SharedService } from './processes.ts'
import { createStatus, type Status } from './status.ts'
import type { Security } from './tls.ts'

export interface Listen {
  readonly host: string
  readonly port: number
  readonly controlHost: string
  readonly controlPort: number
  /** The token of the control plane; required if it listens beyond loopback. */
  readonly controlToken: string | undefined
  /** The wings whose routes the control plane has. */
  readonly wings?: readonly ServedWing[]
  /** Koa middleware that runs in front of the gateway. */
  readonly use?: readonly KoaMiddleware[] | undefined
  /** Set if several processes serve: one that is led has no control plane, and the leader has only the control plane. */
  readonly shared?: SharedService | undefined
}

export interface Serving {
  /** `http://127.0.0.1:4010`, without a base path. */
  readonly origin: string
  readonly controlOrigin: string
  /** SHA-256, of a certificate that was made at start. */
  readonly fingerprint: string | undefined
  /**
   * Says at /readyz that it stops, serves on for `drain` milliseconds, then accepts no more connections and waits for the
   * requests under way, at most `grace` milliseconds; cuts what is left.
   */
  close(options?: { readonly grace?: number; readonly drain?: number }): Promise<void>
}

/** How long requests under way are waited for by default, in milliseconds. */
const GRACE = 10_000

/** The time for running control-plane requests after the API has stopped, in milliseconds. */
const CONTROL_GRACE = 250

/**
 * Starts both planes; rejects, with nothing left open, when a port cannot be had, and with an `UnguardedControlPlane` when
 * others than this machine could steer.
 */
export async function serve(
  gateway: Gateway,
  reloader: Reloader,
  listen: Listen,
  version: string,
  log: Log,
): Promise<Serving> {
  checkGuarded(listen.controlHost, listen.controlToken)
  const security = await secure(gateway.plan.simulation.tls, listen)
  const service = new Service({ gateway, reloader, listen, version, log }, security)
  await service.open()
  return service
}

interface ServiceParts {
  readonly gateway: Gateway
  readonly reloader: Reloader
  readonly listen: Listen
  readonly version: string
  readonly log: Log
}

/** Both planes around a gateway. */
class Service implements Serving {
  origin = ''
  controlOrigin = ''
  readonly fingerprint: string | undefined
  readonly #gateway: Gateway
  readonly #listen: Listen
  readonly #log: Log
  readonly #data: Listener
  readonly #control: Listener
  readonly #scheme: 'http' | 'https'
  #isReady = true

  constructor(parts: ServiceParts, security: Security | undefined) {
    const { gateway, listen, log } = parts
    this.#gateway = gateway
    this.#listen = listen
    this.#log = log
    this.#scheme = security === undefined ? 'http' : 'https'
    this.fingerprint = security?.fingerprint
    const status = this.#createStatus()
    const dataPlane: Plane = {
      handle: createDataPlane(gateway, status, listen.use),
      refuse: (problem, detail) => gateway.refuse(problem, detail),
      limits: () => gateway.plan.simulation.limits,
      delivery: () => gateway.plan.simulation.delivery,
      asksClients: true,
    }
    const control = this.#controlOf(parts, status)
    const controlPort = new ControlPort(gateway, () =>
      loadControlPlane(control, listen.controlToken, routes => listen.shared?.routes?.(routes) ?? routes),
    )
    this.#data = new Listener(dataPlane, security)
    this.#control = new Listener(controlPort, security)
    gateway.onAdopt(({ simulation }) => {
      this.#data.apply(simulation.limits)
      this.#control.apply(controlPort.limits())
      if (simulation.tls !== undefined) security?.renew(simulation.tls)
    })
  }

  get #shared(): SharedService | undefined {
    return this.#listen.shared
  }

  #createStatus(): Status {
    const gateway = this.#gateway
    return createStatus(gateway, {
      ready: () => this.#isReady,
      addresses: () => ({ api: this.origin, control: this.controlOrigin }),
      // Each port shows the whole program.
      page: async () => (await this.#shared?.page()) ?? gateway.metrics.page(),
      unavailable: () => gateway.state?.unavailable ?? this.#shared?.unavailable,
    })
  }

  #controlOf({ gateway, reloader, listen, version }: ServiceParts, status: Status): Control {
    const { shared, wings = [] } = listen
    const about = { version, api: () => this.origin, workers: shared?.count }
    return { gateway, reloader, status, about, wings }
  }

  /** Opens the ports. Rejects, with nothing left open, when one cannot be had. */
  async open(): Promise<void> {
    const { host, controlHost, controlPort } = this.#listen
    this.origin = this.#originOf(host, await this.#openData())
    if (this.#shared?.isLed) return
    try {
      await this.#control.listen(controlPort, controlHost)
    } catch (error) {
      await this.close({ grace: 0 })
      throw error
    }
    this.controlOrigin = this.#originOf(controlHost, this.#control.port)
  }

  /** Serves the API. Resolves with its port. */
  async #openData(): Promise<number> {
    const { shared, host, port } = this.#listen
    if (shared !== undefined) return shared.open(port, host, socket => this.#data.take(socket))
    await this.#data.listen(port, host)
    return this.#data.port
  }

  #originOf(host: string, port: number): string {
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    return `${this.#scheme}://${name}:${port}`
  }

  async close({ grace = GRACE, drain = 0 }: Parameters<Serving['close']>[0] = {}): Promise<void> {
    this.#isReady = false
    this.#data.wane()
    this.#control.wane()
    const shared = this.#shared
    const stopped = shared?.stop?.()
    if (drain > 0) {
      // The processes stop together, and the leader logs for them.
      if (!shared?.isLed) this.#log.info({}, `stopping: /readyz answers 503, requests are served for ${drain} ms more`)
      await new Promise(resolve => setTimeout(resolve, drain))
    }
    // Not before: a client that connects again would be refused, where a closed port lets it try on.
    this.#gateway.stop()
    const { busyCount } = this.#data
    if (busyCount > 0) {
      this.#log.info({}, `waiting for ${busyCount} requests under way, at most ${grace / 1000} s`)
    }
    const cut = await this.#data.close(grace, shared?.untilPortIsClosed)
    if (cut > 0) {
      this.#log.warn({}, `${cut} connections were cut: their requests took longer than ${grace / 1000} s`)
    }
    await stopped
    await this.#control.close(grace === 0 ? 0 : CONTROL_GRACE)
  }
}

/** Makes the TLS options of the planes. A self-signed certificate is the same for all processes. */
async function secure(tls: TlsSettings | undefined, listen: Listen): Promise<Security | undefined> {
  if (tls === undefined) return undefined
  const { Security } = await import('./tls.ts')
  if (tls.pair !== undefined) return new Security(tls)
  const hosts = [listen.host, listen.controlHost].filter(host => !/^(?:0\.0\.0\.0|::)$/.test(host))
  const make = async () => (await import('./self-signed.ts')).makeSelfSigned(hosts)
  return new Security(tls, await (listen.shared?.certificate(make) ?? make()))
}
