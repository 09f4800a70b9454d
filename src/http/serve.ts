// Two listeners around a gateway: starting them, and stopping without losing running requests.

import type { Gateway } from '../gateway/gateway.ts'
import type { Log } from '../gateway/log.ts'
import type { Reloader } from '../gateway/reload.ts'
import type { TlsSettings } from '../plan/settings.ts'
import { checkGuarded } from './control/access.ts'
import { refuseMessage } from './control/replies.ts'
import type { ControlRoute, ServedWing } from './control/route.ts'
import { createDataPlane, type KoaMiddleware } from './data-plane.ts'
import { createListener, type Plane } from './listener.ts'
import { findMessageFault } from './request.ts'
import { createStatus } from './status.ts'
import { writeReply } from './wire.ts'
import type { Fleet } from './workers/fleet.ts'
import { askForCertificate, askForPage, takeConnections, untilPortIsClosed } from './workers/worker.ts'

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
  /** With several processes: a worker has no control plane, and the primary has only the control plane. */
  readonly workers?: 'worker' | { readonly fleet: Fleet; readonly count: number } | undefined
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

/** Answers a call of the control plane in a turn of the worlds; probes do not wait. */
function inTurn(route: ControlRoute, gateway: Gateway): ControlRoute {
  if (route.open) return route
  const handle: ControlRoute['handle'] = route.outsideTurns
    ? async call => {
        await gateway.state?.catchUp()
        return route.handle(call)
      }
    : call => gateway.change(() => route.handle(call), route.at)
  return { ...route, handle }
}

const GRACE = 10_000

/** The time for running control-plane requests after the API has stopped, in milliseconds. */
const CONTROL_GRACE = 250

/** The control plane takes headers of this many bytes, however few the API does. */
const CONTROL_HEADERS = 16_000

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
  let ready = true
  const { workers } = listen
  const fleet = typeof workers === 'object' ? workers.fleet : undefined
  let origin = ''
  let controlOrigin = ''
  const addresses = () => ({ api: origin, control: controlOrigin })
  // Each port shows the whole program.
  const page = async () => (await (workers === 'worker' ? askForPage() : fleet?.metrics())) ?? gateway.metrics.page()
  const unavailable = () => gateway.state?.unavailable ?? fleet?.unavailable()
  const status = createStatus(gateway, () => ready, addresses, page, unavailable)
  const security = await secure(gateway.plan.simulation.tls, listen, fleet)
  const data = createListener(
    {
      handle: createDataPlane(gateway, status, listen.use),
      refuse: (problem, detail) => gateway.refuse(problem, detail),
      limits: () => gateway.plan.simulation.limits,
      delivery: () => gateway.plan.simulation.delivery,
      asksClients: true,
    },
    security,
  )
  const about = { version, api: () => origin, workers: typeof workers === 'object' ? workers.count : undefined }
  const failed = (error: unknown) => gateway.reportFailure(error)
  const loadControlPlane = async () => {
    const { createControlPlane } = await import('./control/control-plane.ts')
    const { controlRoutes } = await import('./control/index.ts')
    const { wings = [] } = listen
    const routes = await controlRoutes({ gateway, reloader, status, about, wings }, fleet && (all => fleet.routes(all)))
    return createControlPlane(
      routes.map(route => inTurn(route, gateway)),
      listen.controlToken,
      failed,
      wings.flatMap(({ page }) => page ?? []),
    )
  }
  let loading: ReturnType<typeof loadControlPlane> | undefined
  const controlPlane: Plane = {
    handle: async (req, res) => {
      const fault = findMessageFault(req, res)
      if (fault !== undefined) return writeReply({ req, res }, await refuseMessage(...fault), controlPlane.delivery())
      try {
        // Loaded for its first request, so that a start pays neither time nor memory for it.
        loading ??= loadControlPlane()
        const handle = await loading
        handle(req, res)
      } catch (error) {
        loading = undefined
        failed(error)
        res.destroy()
      }
    },
    refuse: refuseMessage,
    limits: () => {
      const { limits } = gateway.plan.simulation
      return { ...limits, headers: Math.max(limits.headers, CONTROL_HEADERS) }
    },
    // Pages of other origins are refused: send them no CORS headers.
    delivery: () => ({ ...gateway.plan.simulation.delivery, vary: '', open: false }),
    asksClients: false,
  }
  const control = createListener(controlPlane, security)
  gateway.onAdopt(({ simulation }) => {
    data.apply(simulation.limits)
    control.apply(controlPlane.limits())
    if (simulation.tls !== undefined) security?.renew(simulation.tls)
  })
  const { fingerprint } = security ?? {}
  const originOf = originBy(security === undefined ? 'http' : 'https')
  if (typeof workers === 'object')
    origin = originOf(listen.host, await workers.fleet.start(workers.count, listen.port, listen.host))
  else if (workers === 'worker') {
    takeConnections(socket => data.take(socket))
    origin = originOf(listen.host, listen.port)
  } else {
    await data.listen(listen.port, listen.host)
    origin = originOf(listen.host, data.port())
  }
  // Workers stop together, and the primary logs for them.
  const say = (message: string) => void (workers === 'worker' || log.info({}, message))
  const close: Serving['close'] = async ({ grace = GRACE, drain = 0 } = {}) => {
    ready = false
    data.wane()
    control.wane()
    const stopped = fleet?.stop()
    if (drain > 0) {
      say(`stopping: /readyz answers 503, requests are served for ${drain} ms more`)
      await new Promise(resolve => setTimeout(resolve, drain))
    }
    if (data.busy() > 0) log.info({}, `waiting for ${data.busy()} requests under way, at most ${grace / 1000} s`)
    const cut = await data.close(grace, workers === 'worker' ? untilPortIsClosed : undefined)
    if (cut > 0) log.warn({}, `${cut} connections were cut: their requests took longer than ${grace / 1000} s`)
    await stopped
    await control.close(grace === 0 ? 0 : CONTROL_GRACE)
  }
  if (workers === 'worker') return { origin, controlOrigin: '', fingerprint, close }
  try {
    await control.listen(listen.controlPort, listen.controlHost)
  } catch (error) {
    await close({ grace: 0 })
    throw error
  }
  controlOrigin = originOf(listen.controlHost, control.port())
  return { origin, controlOrigin, fingerprint, close }
}

/** Makes the TLS options of the planes. A self-signed certificate is the same for all processes. */
async function secure(tls: TlsSettings | undefined, listen: Listen, fleet: Fleet | undefined) {
  if (tls === undefined) return undefined
  const { createSecurity } = await import('./tls.ts')
  if (tls.pair !== undefined) return createSecurity(tls, undefined)
  if (listen.workers === 'worker') return createSecurity(tls, await askForCertificate())
  const { makeSelfSigned } = await import('./self-signed.ts')
  const own = await makeSelfSigned([listen.host, listen.controlHost].filter(host => !/^(?:0\.0\.0\.0|::)$/.test(host)))
  fleet?.share(own)
  return createSecurity(tls, own)
}

const originBy =
  (scheme: string) =>
  (host: string, port: number): string => {
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    return `${scheme}://${name}:${port}`
  }
