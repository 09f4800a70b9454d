// The API's own port: one Koa application, which every request passes.

import Koa, { type Middleware } from 'koa'
import type { Gateway } from '../gateway/gateway.ts'
import { giveReply } from './give-reply.ts'
import { LeanKoa } from './lean-koa.ts'
import type { RequestListener } from './listener.ts'
import { compileFaultFinder } from './message-fault.ts'
import type { KoaMiddleware } from './middleware.ts'
import { admitOtherOrigins } from './other-origins.ts'
import { compileLateBodyReader } from './parsed-body.ts'
import { createStandIn, LAST } from './stand-in.ts'
import type { Status } from './status.ts'
import { watchDelivery } from './wire.ts'

/**
 * Returns the handler of the API's port.
 *
 * @param status answers for the paths that are exposed beside the API
 * @param use middleware in front of the gateway: Koa then writes `ctx.body`, which the middleware may have changed
 */
export function createDataPlane(gateway: Gateway, status: Status, use: readonly KoaMiddleware[] = []): RequestListener {
  const origins = admitOtherOrigins(() => gateway.plan.simulation.listen.cors)
  const deliveryOf = () => gateway.plan.simulation.delivery
  if (use.length === 0) {
    const app = new LeanKoa(error => gateway.reportFailure(error))
    app.use(origins)
    app.use(createStandIn(gateway, status, LAST))
    return app.callback()
  }
  const app = new Koa()
  const faultOf = compileFaultFinder()
  app.on('error', (error: { expose?: boolean; headerSent?: boolean }) => {
    // Not a client's mistake, nor a connection that the client has closed.
    if (error.expose !== true && error.headerSent !== true) gateway.reportFailure(error)
  })
  app.use(origins)
  app.use(async (ctx, next) => {
    const fault = faultOf(ctx.req, ctx.res)
    if (fault === undefined) return next()
    giveReply(ctx, await gateway.refuse(...fault), deliveryOf())
  })
  app.use(async (_, next) => {
    try {
      await next()
    } catch (error) {
      // Koa takes nothing that is thrown for no error, and would leave the client without a reply.
      throw error ?? new Error(`a middleware threw ${error}`)
    }
  })
  for (const middleware of use) app.use(middleware as Middleware)
  app.use(
    createStandIn(gateway, status, {
      ...LAST,
      write: giveReply,
      compileBodyReader: maxBytes => compileLateBodyReader(maxBytes, true),
    }),
  )
  const answer = app.callback()
  return async (req, res) => {
    await answer(req, res)
    watchDelivery(req, res, deliveryOf().patience)
  }
}
