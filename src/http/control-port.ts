// The control plane as the plane of a listener.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gateway } from '../gateway/gateway.ts'
import type { Delivery, Simulation } from '../plan/settings.ts'
import { refuseMessage } from './control/replies.ts'
import type { Control, ControlRoute } from './control/route.ts'
import type { Plane, RequestListener } from './listener.ts'
import { findMessageFault } from './request.ts'
import { writeReply } from './wire.ts'

/** The control plane takes headers of this many bytes, however few the API does. */
const HEADERS = 16_000

/** Loads the control plane with its first request, so that a start pays neither time nor memory for it. */
export class ControlPort implements Plane {
  readonly asksClients = false
  readonly refuse = refuseMessage
  readonly #gateway: Gateway
  readonly #load: () => Promise<RequestListener>
  #loading: Promise<RequestListener> | undefined

  constructor(gateway: Gateway, load: () => Promise<RequestListener>) {
    this.#gateway = gateway
    this.#load = load
  }

  readonly handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const fault = findMessageFault(req, res)
    if (fault !== undefined) return writeReply({ req, res }, await refuseMessage(...fault), this.delivery())
    try {
      this.#loading ??= this.#load()
      const handle = await this.#loading
      handle(req, res)
    } catch (error) {
      this.#loading = undefined
      this.#gateway.reportFailure(error)
      res.destroy()
    }
  }

  limits(): Simulation['limits'] {
    const { limits } = this.#gateway.plan.simulation
    return { ...limits, headers: Math.max(limits.headers, HEADERS) }
  }

  /** Pages of other origins are refused: they get no CORS headers. */
  delivery(): Delivery {
    return { ...this.#gateway.plan.simulation.delivery, vary: '', open: false }
  }
}

/**
 * Loads the control plane.
 *
 * @param token the token that a client must send; `undefined` on loopback
 * @param select leaves out routes
 */
export async function loadControlPlane(
  control: Control,
  token: string | undefined,
  select?: (routes: readonly ControlRoute[]) => readonly ControlRoute[],
): Promise<RequestListener> {
  const { createControlPlane } = await import('./control/control-plane.ts')
  const { controlRoutes } = await import('./control/index.ts')
  const { gateway, wings } = control
  const routes = await controlRoutes(control, select)
  return createControlPlane(
    routes.map(route => inTurn(route, gateway)),
    token,
    gateway.reportFailure,
    wings.flatMap(({ page }) => page ?? []),
  )
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
