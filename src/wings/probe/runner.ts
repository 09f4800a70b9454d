// Sends requests to a plan in process.

import { Exchange } from '../../behaviours/exchange.ts'
import { problems, type Reply, type Request, refuse } from '../../kernel/http.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Clock } from '../../world/clock.ts'
import { realClock } from '../../world/clock.ts'
import { Collection } from '../../world/records/collection.ts'
import { World } from '../../world/world.ts'

export type TrialRunner = ReturnType<typeof createRunner>

/** Sends requests to a plan in process. @param clock that of its worlds */
export function createRunner(plan: Plan, clock: Clock = realClock) {
  const collections = [...plan.collections].map(
    ([name, { options, resource }]) => [name, new Collection(options, resource.seeds)] as const,
  )
  const seeded = new World(plan.simulation.seed, clock, new Map(collections))
  return {
    plan,
    /** A world with the seeds. */
    newWorld: (): World => seeded.fork().begin(),
    /** Sends a request to the operation that its path reaches. An internal error is a 500. */
    async send(request: Request, world: World): Promise<{ readonly reply: Reply; readonly exchange: Exchange }> {
      const found = plan.find(request.method, request.path)
      const { planned, basePath } = found?.target ?? { planned: plan.unmatched, basePath: '' }
      const { operation } = planned
      const exchange = new Exchange({ request, world, operation, basePath, segments: found?.segments ?? [] })
      const failed = (error: unknown) => planned.decorate(exchange, refuse(problems.internal_error, String(error)))
      const reply =
        found === undefined
          ? await planned.decorate(exchange, refuse(problems.not_found, 'no operation has this path'))
          : await planned.handle(exchange).catch(failed)
      exchange.release?.()
      return { reply, exchange }
    },
  }
}
