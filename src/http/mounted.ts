// The gateway as a middleware of another Koa application.

import type { Context } from 'koa'
import type { Gateway } from '../gateway/gateway.ts'
import { servesPath } from '../gateway/unmatched.ts'
import { giveReply } from './give-reply.ts'
import type { KoaContext, KoaMiddleware } from './middleware.ts'
import { compileLateBodyReader } from './parsed-body.ts'
import { createStandIn } from './stand-in.ts'
import { createStatus } from './status.ts'

/** Refuses requests to paths that the contract does not have, or passes them on to the next middleware. */
export type Unmatched = 'refuse' | 'next'

/** Returns a middleware that answers as the API; it passes every request on once `closed` says so. */
export function mountStandIn(gateway: Gateway, unmatched: Unmatched, closed: () => boolean): KoaMiddleware {
  const standIn = createStandIn(
    gateway,
    createStatus(
      gateway,
      () => true,
      () => ({ api: '', control: '' }),
    ),
    {
      write: giveReply,
      // The server of the application has answered `Expect: 100-continue` already.
      compileBodyReader: maxBytes => compileLateBodyReader(maxBytes, false),
      prefixOf: ({ path, originalUrl }) => prefixOf(path, originalUrl),
    },
  )
  return (context: KoaContext, next) => {
    const passed = closed() || (unmatched === 'next' && !servesPath(gateway.plan, context.path))
    return passed ? next() : standIn(context as Context)
  }
}

/** The part of a URL's path that a router such as koa-mount has taken off: `/mock` of `/mock/v1/books?limit=2`. */
function prefixOf(path: string, originalUrl: string): string {
  const end = originalUrl.indexOf('?')
  const sent = end === -1 ? originalUrl : originalUrl.slice(0, end)
  return sent.endsWith(path) ? sent.slice(0, sent.length - path.length) : ''
}
