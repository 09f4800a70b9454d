// A Koa middleware in types of our own: a program that uses the library without Koa needs no types of Koa.

/** The members of Koa's context that most middleware uses. */
export interface KoaContext {
  readonly method: string
  path: string
  readonly originalUrl: string
  status: number
  body: unknown
  /** Unset: Koa writes `body` when all middleware has run. */
  respond?: boolean | undefined
  readonly request: object
  readonly response: object
  readonly req: object
  readonly res: object
  /** Returns a field of the request; empty where it has none. */
  get(field: string): string
  /** Sets a field of the response. */
  set(field: string, value: string): void
}

/** A method, so that a middleware whose context has more members is one too. */
interface Middleware {
  run(context: KoaContext, next: () => Promise<unknown>): unknown
}

/** A middleware for Koa 2 or 3. */
export type KoaMiddleware = Middleware['run']
