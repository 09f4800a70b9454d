// A Koa application without what Koa does around its middleware.

import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa from 'koa'

/**
 * Runs its middleware and nothing else: the last one writes the response itself, so that Koa's `respond`, which writes
 * `ctx.body`, and its watch over the end of the response have nothing to do. They cost 4 µs of a request that costs 15. The
 * middleware must end or destroy every response and must not throw: a connection whose middleware throws is closed, and the
 * error reported.
 */
export class LeanKoa extends Koa {
  readonly #Context = contextClass(this)
  readonly #failed: (error: unknown) => void

  /** @param failed is called with the error of middleware that throws */
  constructor(failed: (error: unknown) => void) {
    super()
    this.#failed = failed
  }

  /** A context that makes its request, response and state on first use. */
  override createContext<State = Koa.DefaultState>(
    req: IncomingMessage,
    res: ServerResponse,
  ): Koa.ParameterizedContext<State> {
    return new this.#Context(req, res) as unknown as Koa.ParameterizedContext<State>
  }

  override callback(): (req: object, res: object) => Promise<void> {
    const run = compose(this.middleware)
    return async (req, res) => {
      try {
        await run(this.createContext(req as IncomingMessage, res as ServerResponse) as Koa.Context)
      } catch (error) {
        ;(res as ServerResponse).destroy()
        this.#failed(error)
      }
    }
  }
}

/** As `koa-compose`, decided once: a request that passes n middleware functions makes n − 1 closures and no promise. */
function compose(middleware: readonly Koa.Middleware[]): (ctx: Koa.Context) => Promise<unknown> {
  return middleware.reduceRight<(ctx: Koa.Context) => Promise<unknown>>(
    (rest, one) => ctx => one(ctx, () => rest(ctx)),
    () => Promise.resolve(),
  )
}

/** Returns a class whose instances inherit from the application's `context`, as those do that Koa makes. */
function contextClass(app: Koa) {
  class Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly originalUrl: string
    #request: Koa.Request | undefined = undefined
    #response: Koa.Response | undefined = undefined
    #state: object | undefined = undefined

    constructor(req: IncomingMessage, res: ServerResponse) {
      this.req = req
      this.res = res
      this.originalUrl = req.url as string
    }

    get app(): Koa {
      return app
    }

    get request(): Koa.Request {
      if (this.#request === undefined) this.#link()
      return this.#request as Koa.Request
    }

    get response(): Koa.Response {
      if (this.#response === undefined) this.#link()
      return this.#response as Koa.Response
    }

    get state(): object {
      this.#state ??= {}
      return this.#state
    }

    #link(): void {
      const { req, res, originalUrl } = this
      const common = { app, req, res, ctx: this, originalUrl }
      const request = Object.assign(Object.create(app.request), common)
      this.#request = request
      this.#response = Object.assign(Object.create(app.response), common, { request })
      request.response = this.#response
    }
  }
  Object.setPrototypeOf(Context.prototype, app.context)
  return Context
}
