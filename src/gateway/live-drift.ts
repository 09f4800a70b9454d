// Compares replies of the real API with the contract and the stand-in, once the client has its reply: those that pass through a
// gateway, and those to requests that it is asked, too (`shadow`). Keeps the findings.

import type { Exchange, UpstreamRequest, UpstreamSettings } from '../behaviours/exchange.ts'
import { upstreamRequest } from '../behaviours/respond/forward.ts'
import type { Judgement, Reply } from '../kernel/http.ts'
import { joinFields } from '../kernel/received.ts'
import { askWhole, MOST_COMPARED } from '../load/compare/ask.ts'
import type { ObservedReply } from '../load/compare/differences.ts'
import { DriftBook, type DriftReport } from '../load/compare/drift-book.ts'
import { addDrift } from '../load/compare/recorded.ts'
import { createRunner, type TrialRunner } from '../load/probe/probe.ts'
import type { Plan } from '../plan/plan.ts'
import { breathe, type Clock } from '../world/clock.ts'
import type { Mask } from './mask.ts'

/** The replies that are waited for or compared at a time. */
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
  readonly #fail: (error: unknown) => void
  #plan: Plan
  #runner: TrialRunner | undefined
  #waiting = 0
  #compared = 0
  #dropped = 0

  /** @param count counts a difference, and `fail` reports an internal error */
  constructor(
    plan: Plan,
    clock: Clock,
    count: (operation: string, kind: string) => void,
    fail: (error: unknown) => void,
  ) {
    this.#plan = plan
    this.#clock = clock
    this.#count = count
    this.#fail = fail
  }

  /** Forgets the findings: another plan may have another contract. */
  adopt(plan: Plan): void {
    this.#plan = plan
    this.#runner = undefined
    this.#book.clear()
    this.#compared = 0
    this.#dropped = 0
  }

  report(mask: Mask): LiveDriftReport {
    const { omitted } = this.#book
    return { findings: this.#book.list(mask), omitted, compared: this.#compared, dropped: this.#dropped }
  }

  /** Compares a reply that was passed on. The stand-in is asked where it may have another answer. */
  follow(plan: Plan, exchange: Exchange, path: string, reply: Reply, { body }: Judgement): void {
    const { status, headers, stream } = reply
    const fields = [...Object.entries(headers), ...(stream?.fields ?? [])].flat()
    const observed = { status, headers: joinFields(fields), body }
    const ask = (isNew: boolean) => exchange.refusal ?? (isNew ? this.#askStandIn(exchange, path) : undefined)
    this.#compare(plan, exchange, path, async () => observed, ask)
  }

  /** Asks the real API, too, and compares both replies, unless ours is none of the stand-in's. */
  shadow(plan: Plan, exchange: Exchange, path: string, reply: Reply): void {
    const { shadow, upstream, fault, choice } = exchange
    if (shadow === undefined || upstream === undefined || (fault ?? choice ?? reply.stream) !== undefined) return
    const ask = async () => askWhole(upstream, await requestAside(exchange, shadow), shadow, shadow.timeout)
    this.#compare(plan, exchange, path, ask, () => reply)
  }

  /** Returns the stand-in's reply to a forwarded request. */
  async #askStandIn({ request }: Exchange, path: string): Promise<Reply | undefined> {
    const isWhole = !request.hasBody || request.arrived !== false
    if (!isWhole || request.path !== path) return undefined
    this.#runner ??= createRunner(this.#plan)
    return (await this.#runner.send(request, this.#runner.newWorld())).reply
  }

  #compare(
    plan: Plan,
    exchange: Exchange,
    path: string,
    read: () => Promise<ObservedReply>,
    ask: Parameters<typeof addDrift>[3],
  ): void {
    if (plan !== this.#plan) return
    if (this.#waiting >= MOST_WAITING) {
      this.#dropped += 1
      return
    }
    this.#waiting += 1
    const work = async () => {
      await breathe()
      const reply = await read()
      // A finding of a contract that is no longer served has no place.
      if (plan !== this.#plan) return
      this.#compared += 1
      const { operation, consumer, request } = exchange
      const asked = { method: request.method, path, query: request.query }
      const context = { operation, consumer, request: asked, reply, at: this.#clock.now() }
      for (const { kind } of await addDrift(this.#book, context, plan, ask)) this.#count(operation.id, kind)
    }
    work()
      .catch(this.#fail)
      .finally(() => {
        this.#waiting -= 1
      })
  }
}

/** The fields of a request about what its client has of the stand-in. */
const CONDITIONAL = /^(?:if-.*|range)$/

async function requestAside(exchange: Exchange, settings: UpstreamSettings): Promise<UpstreamRequest> {
  const { request } = exchange
  const { headers, ...sent } = upstreamRequest(exchange, settings)
  const own = Object.entries(headers).filter(([name]) => !CONDITIONAL.test(name))
  const read = request.hasBody ? await request.readBody(MOST_COMPARED) : undefined
  const body = read !== undefined && 'bytes' in read ? (read.raw ?? read.bytes) : undefined
  return { ...sent, headers: Object.fromEntries(own), body }
}
