// Judges each request by the next contract, and answers a request for the verdict with it.

import { type Behaviour, Slot } from '../../behaviours/behaviour.ts'
import { isAsked } from '../../gateway/client-controls.ts'
import type { Observer } from '../../gateway/observer.ts'
import { withHeaders } from '../../kernel/http.ts'
import { nextBlock } from './block.ts'
import { LiveNext } from './live-next.ts'

export const nextObserver: Observer<LiveNext> = {
  name: 'next',
  open: host => new LiveNext(host),
  listens: plan => (plan.settings(nextBlock) === undefined ? undefined : () => true),
  compile(plan, next) {
    if (plan.world === undefined) next.adopt(plan)
    if (plan.settings(nextBlock) === undefined) return undefined
    return ({ exchange, path, reply, requestBody }) => {
      const isOurs = exchange.operation.wing === undefined
      if (isOurs && exchange.get(JUDGED) === undefined) next.follow(exchange, path, reply, requestBody)
    }
  },
  shared: { read: next => next.snapshot },
}

/** The header by which a client asks for the verdict, and reads it. */
export const CONTROL = 'Understudy-Next'
const FIELD = CONTROL.toLowerCase()

/** Set where the verdict is in the reply, which has waited for it. */
const JUDGED = new Slot<true>('judged')

/** Adds the verdict to the reply of a client that asks for it. */
export const verdict: Behaviour<never> = {
  name: 'next',
  compile(_, { settings, clientControls }) {
    if (settings(nextBlock) === undefined || !clientControls) return undefined
    return handle => async exchange => {
      const reply = await handle(exchange)
      const next = isAsked(exchange.request.headers[FIELD]) ? exchange.state(nextObserver) : undefined
      if (next === undefined) return reply
      exchange.set(JUDGED, true)
      const text = await next.judge(exchange, exchange.path, reply, exchange.bytes)
      return text === undefined ? reply : withHeaders(reply, { [FIELD]: text })
    }
  },
}
