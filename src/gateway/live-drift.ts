// Compares the replies of the real API that pass through a gateway with the contract, after they have been sent, and keeps the
// findings.

import type { Exchange } from '../behaviours/exchange.ts'
import type { Reply } from '../kernel/http.ts'
import type { DriftContext, DriftReport } from '../load/compare/drift-book.ts'
import { DriftBook } from '../load/compare/drift-book.ts'
import { observe } from '../load/compare/observe.ts'
import { addDrift } from '../load/compare/recorded.ts'
import type { Plan } from '../plan/plan.ts'
import { breathe, type Clock } from '../world/clock.ts'
import type { Mask } from './mask.ts'

/** The bytes of a body that are copied for it, and the bodies that are copied at a time. */
const MOST_COPIED = 256 * 1024
const MOST_FOLLOWED = 50

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
  #following = 0
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

  /** Compares a reply. The work is done later, when the caller has its own reply. */
  compare(context: Omit<DriftContext, 'at'>, plan = this.#plan): void {
    if (this.#following >= MOST_FOLLOWED) this.#dropped += 1
    else void this.#compareLater(context, plan)
  }

  async #compareLater(context: Omit<DriftContext, 'at'>, plan: Plan): Promise<void> {
    this.#following += 1
    await breathe()
    this.#following -= 1
    // A finding of a contract that is no longer served has no place.
    if (plan !== this.#plan) return
    this.#compared += 1
    const found = addDrift(this.#book, { ...context, at: this.#clock.now() }, plan)
    for (const { kind } of found) this.#count(context.operation.id, kind)
  }

  /** Returns a streamed reply whose body is copied while it is sent, and compared afterwards. */
  follow(exchange: Exchange, path: string, reply: Reply): Reply {
    const { stream, status, headers } = reply
    if (stream === undefined) return reply
    if (this.#following >= MOST_FOLLOWED) {
      this.#dropped += 1
      return reply
    }
    const plan = this.#plan
    const { operation, consumer, request } = exchange
    const { method, query } = request
    const fields = [...Object.entries(headers), ...stream.fields].flat()
    const end = (parts: readonly Uint8Array[] | undefined) => {
      const observed = observe(status, fields, parts && Buffer.concat(parts))
      this.compare({ operation, consumer, request: { method, path, query }, reply: observed }, plan)
    }
    // These replies have bodies that are never read.
    if (method === 'HEAD' || status === 204 || status === 304) end([])
    return { ...reply, stream: { ...stream, chunks: this.#copying(stream.chunks, end) } }
  }

  async *#copying(
    chunks: AsyncIterable<Uint8Array>,
    end: (parts: readonly Uint8Array[] | undefined) => void,
  ): AsyncIterable<Uint8Array> {
    this.#following += 1
    let parts: Uint8Array[] = []
    let size = 0
    let isWhole = false
    try {
      for await (const chunk of chunks) {
        size += chunk.length
        if (size <= MOST_COPIED) parts.push(chunk)
        else parts = []
        yield chunk
      }
      isWhole = true
    } finally {
      this.#following -= 1
      // A caller that went away has only a part of the body.
      if (isWhole) end(size <= MOST_COPIED ? parts : undefined)
    }
  }
}
