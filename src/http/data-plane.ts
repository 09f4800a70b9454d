// The API's own port: one Koa application, which every request passes.

import type { Gateway } from '../gateway/gateway.ts'
import { LeanKoa } from './lean-koa.ts'
import type { Answer } from './listener.ts'
import { admitOtherOrigins } from './other-origins.ts'
import { createStandIn } from './stand-in.ts'
import type { Status } from './status.ts'
import { writeReply } from './wire.ts'

/** The handler of the API's port. `status` answers for the paths that are exposed beside the API. */
export function createDataPlane(gateway: Gateway, status: Status): Answer {
  const app = new LeanKoa()
  app.use(admitOtherOrigins(() => gateway.plan.simulation.listen.cors))
  app.use(createStandIn(gateway, status, ({ req, res }, reply, delivery) => writeReply(req, res, reply, delivery)))
  return app.callback()
}
