// Admits pages of other origins (CORS). The only file that imports @koa/cors.

import cors from '@koa/cors'
import type { Middleware } from 'koa'
import { METHODS } from '../contract/paths.ts'
import type { CorsSettings } from '../plan/settings.ts'

/**
 * Returns a middleware that answers the preflights of origins that `settings` admit, and opens the replies to them. Every
 * other request passes it.
 */
export function admitOtherOrigins(settings: () => CorsSettings | undefined): Middleware {
  const admit = cors({
    // A wildcard admits no credentials, so the origin is named.
    origin: ctx => ctx.get('Origin'),
    credentials: () => settings()?.credentials ?? false,
    allowMethods: [...METHODS],
    maxAge: 600,
    privateNetworkAccess: true,
  }) as unknown as Middleware
  return (ctx, next) => {
    const { origin } = ctx.req.headers
    if (origin === undefined || settings()?.admits(origin) !== true) return next()
    ctx.set('Cache-Control', 'no-store')
    return admit(ctx, next).then(() => {
      if (isPreflight(ctx.req)) ctx.res.end()
    })
  }
}

const isPreflight = ({ method, headers }: { method?: string; headers: object }): boolean =>
  method === 'OPTIONS' && Boolean((headers as Record<string, unknown>)['access-control-request-method'])
