// Sends single requests to a real API, for comparing it with its contract. Bounded in time and size.

import { type Upstream, UpstreamFailure, type UpstreamSettings } from '../behaviours/exchange.ts'
import { receive } from '../kernel/received.ts'
import type { AskUpstream } from '../load/compare/against.ts'
import { MOST_COMPARED, noReply } from '../load/compare/differences.ts'
import { realClock } from '../world/clock.ts'

/** The milliseconds that a whole reply may take. */
const WHOLE_REPLY = 10_000

/** Returns the settings for the API at `base`: those of the configuration, if it names the same API. */
function settingsFor(base: URL, configured: UpstreamSettings | undefined): UpstreamSettings {
  const path = base.pathname.replace(/\/+$/, '')
  const none = new Set<string>()
  const plain = { methods: none, send: none, set: {}, ca: undefined, rewrite: false, world: '' }
  const known = configured?.origin === base.origin ? configured : plain
  return { ...known, origin: base.origin, path, timeout: WHOLE_REPLY }
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
  const settings = settingsFor(base, configured)
  let free = 0
  return async ({ method, path, query, headers, text }) => {
    const now = realClock.now()
    free = Math.max(now, free + pause)
    await realClock.sleep(free - now)
    const below = settings.path !== '' && path.startsWith(basePath) ? path.slice(basePath.length) : path
    const target = `${below || '/'}${query === '' ? '' : `?${query}`}`
    const signal = AbortSignal.timeout(WHOLE_REPLY)
    const body = text === '' ? undefined : Buffer.from(text)
    try {
      const sent = { method, path: target, headers: { ...headers, ...settings.set }, body, signal }
      const reply = await client.send(sent, settings)
      return { status: reply.status, ...(await receive(reply, MOST_COMPARED)) }
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      return noReply(signal.aborted ? `no whole reply within ${WHOLE_REPLY / 1000} s` : error.message)
    }
  }
}
