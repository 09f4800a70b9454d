// Lets pages of other origins in (CORS). The only file that knows @koa/cors.

import cors from '@koa/cors'
import Koa from 'koa'
import { METHODS } from '../contract/paths.ts'
import type { Answer } from './on-demand.ts'

const EXPOSED = [
  ...['Deprecation', 'Sunset', 'Link', 'Link-Template', 'Location', 'Retry-After', 'WWW-Authenticate', 'Allow', 'ETag'],
  ...['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['X-Stability', 'Understudy-Explanation', 'Understudy-Warning', 'Idempotent-Replayed', 'Preference-Applied'],
]

/** The same answers, readable for pages of every origin; preflights are answered here. */
export function admitOtherOrigins(answer: (...exchange: Parameters<Answer>) => Promise<void>): Answer {
  const app = new Koa()
  app.silent = true
  // Reflecting the origin, with credentials, is what lets every page in: a stand-in guards nothing.
  app.use(
    cors({
      origin: ctx => ctx.get('Origin'),
      credentials: true,
      exposeHeaders: EXPOSED,
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
