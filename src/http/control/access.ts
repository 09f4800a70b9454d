// Access to the control plane: programs on this machine, or clients with the token; never foreign web pages.

import { createHash, timingSafeEqual } from 'node:crypto'
import type Koa from 'koa'
import { type ControlReply, problem } from './replies.ts'

/** The control plane would listen where anybody can reach it. */
export class UnguardedControlPlane extends Error {
  override readonly name = 'UnguardedControlPlane'
}

/**
 * Throws if the control plane would be open to other machines without a token, or if no header can carry its token.
 */
export function checkGuarded(host: string, token: string | undefined): void {
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new UnguardedControlPlane(
      'UNDERSTUDY_CONTROL_TOKEN contains a character that a bearer token cannot have; use visible ASCII characters without blanks',
    )
  }
  if (token !== undefined || isLoopback(host)) return
  throw new UnguardedControlPlane(
    `the control plane on ${host} can be reached from other machines: set UNDERSTUDY_CONTROL_TOKEN to a secret that its clients send as a bearer token`,
  )
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/**
 * Returns the refusal of a request, if there is one.
 *
 * @param token the token that a client must send; `undefined` on loopback, where being there is enough
 */
export function compileAccess(
  token: string | undefined,
): (ctx: Koa.Context, open: boolean) => ControlReply | undefined {
  const expected = token === undefined ? undefined : digestToken(token)
  return (ctx, open) => {
    if (isForeignPage(ctx)) {
      return problem(403, 'foreign_origin', 'the control plane does not answer pages of another origin')
    }
    // A foreign name that was rebound to loopback would make a page of another origin look like our own. Where a token
    // is asked for, such a page has none.
    if (expected === undefined) {
      if (isLoopback(ctx.hostname) || ctx.hostname === '') return undefined
      return problem(403, 'foreign_host', 'the Host field must be localhost or an address')
    }
    if (open) return undefined
    const sent = /^bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1]
    if (sent !== undefined && timingSafeEqual(digestToken(sent), expected)) return undefined
    const challenge = `Bearer realm="control plane"${sent === undefined ? '' : ', error="invalid_token"'}`
    const detail = sent === undefined ? 'a bearer token is missing' : 'the bearer token is wrong'
    return { ...problem(401, 'unauthorized', detail), headers: { 'www-authenticate': challenge } }
  }
}

const digestToken = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns whether a page of another origin sent the request, by the headers of browsers. A link may come from any page. */
function isForeignPage(ctx: Koa.Context): boolean {
  const origin = ctx.get('Origin')
  if (origin !== '') return origin !== `${ctx.protocol}://${ctx.host}`
  const site = ctx.get('Sec-Fetch-Site')
  if (site === '' || site === 'same-origin' || site === 'none') return false
  return ctx.get('Sec-Fetch-Mode') !== 'navigate' || ctx.method !== 'GET' || FRAMES.has(ctx.get('Sec-Fetch-Dest'))
}

/** Navigations that a page of another origin causes without a click. */
const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe'])
