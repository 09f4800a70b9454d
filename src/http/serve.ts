// Two listeners around a gateway: start, and stop without losing what is under way.

import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Gateway } from '../gateway/gateway.ts'
import type { Reloader } from '../gateway/reload.ts'
import { type Problem, problems } from '../kernel/problem.ts'
import type { Simulation } from '../plan/settings.ts'
import { checkGuarded } from './control/access.ts'
import { controlRoutes } from './control/index.ts'
import { createDataPlane } from './data-plane.ts'
import { onDemand } from './on-demand.ts'
import { createStatus } from './status.ts'
import { writeRaw, writeReply } from './wire.ts'
import type { Fleet } from './workers.ts'

export interface Listen {
  readonly host: string
  readonly port: number
  readonly controlHost: string
  readonly controlPort: number
  /** What a client of the control plane must show; needed wherever it listens beyond loopback. */
  readonly controlToken: string | undefined
  /** Where several processes serve: a worker has no control plane, and the primary, which has the others, nothing else. */
  readonly workers?: 'worker' | { readonly fleet: Fleet; readonly count: number } | undefined
}

export interface Serving {
  /** `http://127.0.0.1:4010`, without a base path. */
  readonly origin: string
  readonly controlOrigin: string
  /** Stops accepting, waits for what is under way, at most `grace` milliseconds; then cuts what is left. */
  close(grace?: number): Promise<void>
}

const GRACE = 10_000

type Limits = Simulation['limits']

/**
 * Starts both planes; rejects, with nothing left open, when a port cannot be had, and with an `UnguardedControlPlane` when
 * others than this machine could steer.
 */
export async function serve(
  gateway: Gateway,
  reloader: Reloader | undefined,
  listen: Listen,
  version: string,
): Promise<Serving> {
  checkGuarded(listen.controlHost, listen.controlToken)
  const { limits } = gateway.plan.simulation
  let ready = true
  const { workers } = listen
  const fleet = typeof workers === 'object' ? workers.fleet : undefined
  const status = createStatus(gateway, () => ready, fleet && (() => fleet.metrics()))
  const data = createServer({
    maxHeaderSize: limits.headers,
    requestTimeout: limits.request,
    headersTimeout: limits.request,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: Math.min(1000, limits.request),
    // Refused below, in the shape that this API's refusals have.
    requireHostHeader: false,
    noDelay: true,
  })
  gateway.onAdopt(({ simulation }) => applyLimits(data, simulation.limits))
  const handle = createDataPlane(gateway, status)
  data.on('request', handle)
  // Answering 100 is left to whoever wants the body.
  data.on('checkContinue', handle)
  data.on('checkExpectation', async (req, res) => {
    const reply = await gateway.refuse(problems.expectation_failed, 'only 100-continue can be expected')
    // Whether a body follows that was not asked for, nobody can tell.
    res.shouldKeepAlive = false
    writeReply(req, res, reply, gateway.plan.simulation.delivery)
  })
  data.on('connect', async (_, socket) => {
    const reply = await gateway.refuse(problems.not_simulated, 'CONNECT is not supported')
    writeRaw(socket as Socket, reply, gateway.plan.simulation.delivery)
  })
  data.on('clientError', async (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return socket.destroy()
    const reply = await gateway.refuse(...describeClientError(error.code))
    writeRaw(socket as Socket, reply, gateway.plan.simulation.delivery)
  })
  const routes = controlRoutes({ gateway, reloader, status }, version, fleet && (all => fleet.routes(all)))
  const failed = (error: unknown) => gateway.reportFailure(error)
  const steer = onDemand(async () => {
    const { createControlPlane } = await import('./control-plane.ts')
    return createControlPlane(routes, listen.controlToken, failed)
  }, failed)
  const control = createServer({ requestTimeout: limits.request }, steer)
  // Answering 100 is left to whoever wants the body.
  control.on('checkContinue', steer)
  const [dataSockets, controlSockets] = [socketsOf(data), socketsOf(control)]
  let origin = ''
  if (typeof workers === 'object') origin = originOf(listen.host, await workers.fleet.start(workers.count))
  else {
    await listenOn(data, listen.port, listen.host)
    origin = originOf(listen.host, portOf(data))
  }
  const close = async (grace = GRACE) => {
    ready = false
    await fleet?.stop()
    if (data.listening) await stop(data, dataSockets, grace)
    if (control.listening) await stop(control, controlSockets, 0)
  }
  if (workers === 'worker') return { origin, controlOrigin: '', close }
  try {
    await listenOn(control, listen.controlPort, listen.controlHost)
  } catch (error) {
    await close(0)
    throw error
  }
  return { origin, controlOrigin: originOf(listen.controlHost, portOf(control)), close }
}

function describeClientError(code: string | undefined): [Problem, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [problems.header_fields_too_large, 'the request line and headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [problems.request_timeout, 'the request did not arrive in time']
    case 'HPE_INVALID_METHOD':
      return [problems.not_simulated, 'the method is not known']
    default:
      return [problems.invalid_request, 'the request is not well-formed HTTP']
  }
}

const listenOn = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

const portOf = (server: Server): number => (server.address() as AddressInfo).port

const originOf = (host: string, port: number): string => {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** The limits of a plan, from the next connection on; an idle one goes by what it was opened with. */
function applyLimits(server: Server, { headers, request, idle }: Limits): void {
  server.requestTimeout = server.headersTimeout = request
  server.keepAliveTimeout = idle
  // Node reads it for every connection, though its types do not have it.
  Object.assign(server, { maxHeaderSize: headers })
}

/** The connections that are open, from now on. */
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function stop(server: Server, sockets: ReadonlySet<Socket>, grace: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  // A client that never pauses would otherwise be served to the last moment.
  server.prependListener('request', (_, res) => {
    res.shouldKeepAlive = false
  })
  const closeIdle = () => {
    server.closeIdleConnections()
    // Node takes a connection for busy that has not asked for anything yet.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  closeIdle()
  // A connection that falls idle after its last reply would keep the server open until its time-out.
  const idle = setInterval(closeIdle, 50)
  const cut = setTimeout(() => server.closeAllConnections(), grace)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
