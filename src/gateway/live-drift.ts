// Compares the replies of the real API that pass through a gateway with the contract, after they have been sent, and keeps the
// findings.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Judgement, Reply } from '../kernel/http.ts'
import { joinFields } from '../kernel/received.ts'
import type { ObservedReply } from '../load/compare/differences.ts'
import { DriftBook, type DriftReport } from '../load/compare/drift-book.ts'
import { addDrift } from '../load/compare/recorded.ts'
import type { Plan } from '../plan/plan.ts'
import { breathe, type Clock } from '../world/clock.ts'
import type { Mask } from './mask.ts'

/** The replies that wait at a time. */
const MOST_WAITING = 50

/** The findings since the configuration was loaded. */
export interface LiveDriftReport extends DriftReport {
  /** The replies that were compared, and those that were not because too many were waiting. */
  readonly compared: number
  readonly dropped: number
}

export class LiveDrift {
  readonly #book = new DriftBook()
  readonly #clock: Clock
  readonly #count: (operation: string, kind: string) => void
  #plan: Plan
  #waiting = 0
  #compared = 0
  #dropped = 0

  /** @param count counts a difference */
  constructor(plan: Plan, clock: Clock, count: (operation: string, kind: string) => void) {
    this.#plan = plan
    this.#clock = clock
    this.#count = count
  }

  /** Forgets the findings: another plan may have another contract. */
  adopt(plan: Plan): void {
    this.#plan = plan
    this.#book.clear()
    this.#compared = 0
    this.#dropped = 0
  }

  report(mask: Mask): LiveDriftReport {
    const { omitted } = this.#book
    return { findings: this.#book.list(mask), omitted, compared: this.#compared, dropped: this.#dropped }
  }

  /** Compares a reply that was passed on. */
  follow(exchange: Exchange, path: string, { status, headers, stream }: Reply, { body }: Judgement): void {
    const fields = [...Object.entries(headers), ...(stream?.fields ?? [])].flat()
    void this.#compare(exchange, path, async () => ({ status, headers: joinFields(fields), body }))
  }

  async #compare(exchange: Exchange, path: string, read: () => Promise<ObservedReply>): Promise<void> {
    if (this.#waiting >= MOST_WAITING) {
      this.#dropped += 1
      return
    }
    const plan = this.#plan
    this.#waiting += 1
    await breathe()
    const reply = await read()
    this.#waiting -= 1
    // A finding of a contract that is no longer served has no place.
    if (plan !== this.#plan) return
    this.#compared += 1
    const { operation, consumer, request } = exchange
    const asked = { method: request.method, path, query: request.query }
    const context = { operation, consumer, request: asked, reply, at: this.#clock.now() }
    const found = await addDrift(this.#book, context, plan, () => undefined)
    for (const { kind } of found) this.#count(operation.id, kind)
  }
}
