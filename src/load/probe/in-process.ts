// Requests that do not come from a socket, and a runner that sends them to a plan: those of a self-check, and those that try an
// inferred state.

import { Exchange } from '../../behaviours/exchange.ts'
import { type ClientCertificate, NO_HEADERS, problems, type Reply, type Request, refuse } from '../../kernel/http.ts'
import type { Plan } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { Collection } from '../../world/records/collection.ts'
import { World } from '../../world/world.ts'

/** The parts of a request that is sent in process. */
interface RequestParts {
  readonly method: string
  /** Base path included. */
  readonly path: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly certificate?: ClientCertificate | undefined
}

export interface InProcessRequest extends Request {
  /** Its body; empty if it has none. */
  readonly text: string
}

export function inProcess({ query = '', body, ...parts }: RequestParts): InProcessRequest {
  const bytes = new TextEncoder().encode(body ?? '')
  return {
    ...parts,
    query,
    text: body ?? '',
    address: '127.0.0.1',
    hasBody: body !== undefined,
    async readBody(maxBytes) {
      if (bytes.length <= maxBytes) return { bytes }
      const detail = `the body is larger than ${maxBytes} bytes`
      return { problem: problems.payload_too_large, detail, headers: NO_HEADERS }
    },
  }
}

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
