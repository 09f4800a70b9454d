// A chain of behaviours: composing its wraps, tracing which of them a request reaches, and its end.

import type { Handler, Wrap } from '../behaviours/behaviour.ts'

/** Puts the wraps around a handler; the first is outermost. */
export const compose = (wraps: readonly Wrap[], last: Handler): Handler =>
  wraps.reduceRight((next, wrap) => wrap(next), last)

/** Records that a request reached this behaviour. */
export const trace =
  (name: string, passed: string[]): Wrap =>
  next =>
  exchange => {
    passed.push(name)
    return next(exchange)
  }

// `respond` never calls `next`. Only the chain of unmatched requests ends here; the gateway replies for it.
export const endOfChain: Handler = () => Promise.reject(new Error('the chain has no end'))
