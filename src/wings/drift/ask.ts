// Sends single requests to a real API, for comparing it with its contract. Bounded in time and size.

import { BROKEN_OFF, receive } from '../../kernel/received.ts'
import { realClock } from '../../world/clock.ts'
import { noReply, type ObservedReply } from '../project/differences.ts'
import { type Upstream, UpstreamFailure, type UpstreamRequest, type UpstreamSettings } from '../real-api/upstream.ts'
import type { AskUpstream } from './against.ts'

/** The bytes of a body that are compared, before and after it is decoded. */
export const MOST_COMPARED = 4 * 2 ** 20
/** The milliseconds that a whole reply may take. */
const WHOLE_REPLY = 10_000

/** Returns the whole reply, or why there is none. @param within the milliseconds that it may take */
export async function askWhole(
  client: Upstream,
  request: UpstreamRequest,
  settings: UpstreamSettings,
  within: number,
): Promise<ObservedReply> {
  const signal = AbortSignal.timeout(within)
  const late = `no whole reply within ${within / 1000} s`
  try {
    const reply = await client.send({ ...request, signal }, settings)
    const received = await receive(reply, MOST_COMPARED)
    if (received.body !== BROKEN_OFF) return { status: reply.status, ...received }
    return noReply(signal.aborted ? late : 'the reply broke off')
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    return noReply(signal.aborted ? late : error.message)
  }
}

/**
 * Returns a function that sends a request to the API at `base`. If `base` has a path, it replaces the contract's base path.
 *
 * @param basePath the contract's
 * @param pause the milliseconds between two requests
 */
export function askAt(
  client: Upstream,
  base: URL,
  basePath: string,
  pause: number,
  configured: UpstreamSettings | undefined,
): AskUpstream {
  const { origin, pathname } = base
  // The settings of another API are not for this one.
  const { set = {}, ...known } = configured?.origin === origin ? configured : {}
  const settings = { ...(known as UpstreamSettings), origin, path: pathname.replace(/\/+$/, ''), timeout: WHOLE_REPLY }
  let free = 0
  return async ({ method, path, query, headers, text }) => {
    const now = realClock.now()
    free = Math.max(now, free + pause)
    await realClock.sleep(free - now)
    const below = settings.path !== '' && path.startsWith(basePath) ? path.slice(basePath.length) : path
    const target = `${below || '/'}${query === '' ? '' : `?${query}`}`
    const body = text === '' ? undefined : Buffer.from(text)
    const sent = { method, path: target, headers: { ...headers, ...set }, body }
    return askWhole(client, sent, settings, WHOLE_REPLY)
  }
}
