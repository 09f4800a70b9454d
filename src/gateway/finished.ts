// A request whose reply is made, as observers see it. Types only.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Reply } from '../kernel/http.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import type { Explanation } from './client-controls.ts'
import type { Mask } from './mask.ts'

export interface Finished {
  readonly plan: Plan
  readonly mask: Mask
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  /** As sent, without the name of a world. */
  readonly path: string
  readonly reply: Reply
  /** When the reply was made, in milliseconds since the epoch, by the real clock. */
  readonly at: number
  /** The time since the request came. */
  readonly milliseconds: number
  readonly explanation: Explanation | undefined
  /** The bytes of the body, where an observer listens to it (see `Observer.listens`) and it was read. */
  readonly requestBody: Uint8Array | undefined
}
