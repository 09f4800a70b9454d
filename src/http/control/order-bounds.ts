// The bounds of an order: weather or an answer that is sent to the control plane, and compiled while others wait.

import { problem } from './replies.ts'
import type { ControlReply } from './route.ts'

/** A longer order is parsed only once: describing a mistake of syntax in other words takes four times as long. */
export const MOST_WORDED = 20_000

/** Each takes up to 40 µs to compile. */
const MOST_EXPRESSIONS = 1000

/** Refuses an order with more expressions. */
export function refuseExpressions(text: string): ControlReply | undefined {
  let count = 0
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at + 2)) count += 1
  if (count <= MOST_EXPRESSIONS) return undefined
  const detail = `there are more than ${MOST_EXPRESSIONS} expressions; put them into the configuration`
  return problem(413, 'payload_too_large', detail)
}
