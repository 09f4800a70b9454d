// Sends requests to a plan in process: those of a self-check, and those that try an inferred state.

import { Exchange } from '../../behaviours/exchange.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Request } from '../../kernel/request.ts'
import type { Plan } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { Collection } from '../../world/records/collection.ts'
import { World } from '../../world/world.ts'

export class TrialRunner {
  readonly plan: Plan
  readonly #seeded: World

  constructor(plan: Plan) {
    const collections = [...plan.collections].map(
      ([name, { options, resource }]) => [name, new Collection(options, resource.seeds)] as const,
    )
    this.plan = plan
    this.#seeded = new World(plan.simulation.seed, realClock, new Map(collections))
  }

  /** A world with the seeds. */
  newWorld(): World {
    return this.#seeded.fork().begin()
  }

  /** Sends a request to the operation that its path reaches. An internal error is a 500. */
  async send(request: Request, world: World): Promise<{ readonly reply: Reply; readonly exchange: Exchange }> {
    const found = this.plan.find(request.method, request.path)
    const { planned, basePath } = found?.target ?? { planned: this.plan.unmatched, basePath: '' }
    const { operation } = planned
    const exchange = new Exchange({ request, world, operation, basePath, segments: found?.segments ?? [] })
    const failed = (error: unknown) => planned.decorate(exchange, refuse(problems.internal_error, String(error)))
    const reply =
      found === undefined
        ? await planned.decorate(exchange, refuse(problems.not_found, 'no operation has this path'))
        : await planned.handle(exchange).catch(failed)
    exchange.release?.()
    return { reply, exchange }
  }
}
