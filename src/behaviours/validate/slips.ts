// Says which undocumented names look like misspelt documented ones.

import { slipOf } from '../../kernel/diagnostic.ts'
import type { Exchange } from '../behaviour.ts'

/** Bounds the cost of looking for misspelt names. */
export const MOST_SLIPS = 10

/**
 * Warns a client of undocumented names that look like misspelt documented ones, which would be ignored in silence.
 *
 * @param isKnown whether the contract has the name nevertheless, or the request the meant one
 */
export function warnOfSlips(
  exchange: Exchange,
  kind: 'query parameter' | 'body field',
  names: Iterable<string>,
  known: { keys(): Iterable<string> },
  isKnown: (name: string, meant: string) => boolean,
): void {
  let looked = 0
  for (const name of names) {
    if (++looked > MOST_SLIPS) return
    const meant = slipOf(name, known.keys())
    if (meant === undefined || isKnown(name, meant)) continue
    exchange.warn(`the contract has no ${kind} "${name}"; did you mean "${meant}"?`)
  }
}
