// Lets pages of other origins in (CORS). The only file that knows @koa/cors.

import cors from '@koa/cors'
import Koa from 'koa'
import { METHODS } from '../contract/paths.ts'
import type { CorsSettings } from '../plan/cors.ts'
import type { Answer } from './on-demand.ts'

/**
 * Returns a handler for requests of origins that `settings` admit: `answer` writes the reply, and its headers are exposed;
 * preflights are answered here.
 */
export function admitOtherOrigins(
  answer: (...exchange: Parameters<Answer>) => Promise<void>,
  settings: () => CorsSettings | undefined,
): Answer {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    return next()
  })
  app.use(
    cors({
      // A wildcard admits no credentials, so the origin is named.
      origin: ctx => ctx.get('Origin'),
      credentials: () => settings()?.credentials ?? false,
      allowMethods: [...METHODS],
      maxAge: 600,
      privateNetworkAccess: true,
    }) as never,
  )
  app.use(ctx => {
    ctx.respond = false
    return answer(ctx.req, ctx.res)
  })
  return app.callback()
}
