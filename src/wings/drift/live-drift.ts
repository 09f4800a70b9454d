// Compares replies of the real API with the contract and the stand-in, once the client has its reply: those that pass through a
// gateway, and those to requests that it is asked, too (`shadow`). Keeps the findings.

import type { Exchange } from '../../behaviours/exchange.ts'
import { SKIPPED } from '../../behaviours/judging.ts'
import type { Mask } from '../../gateway/mask.ts'
import { Instrument } from '../../gateway/metrics/families.ts'
import type { Host } from '../../gateway/observer.ts'
import type { Judgement, Reply, Request } from '../../kernel/http.ts'
import { joinFields } from '../../kernel/received.ts'
import type { Plan } from '../../plan/plan.ts'
import { createAside, createIdleTurns } from '../../world/idle-turns.ts'
import { monotonic } from '../../world/real-time.ts'
import { createRunner, type TrialRunner } from '../probe/runner.ts'
import type { ObservedReply } from '../project/differences.ts'
import { upstreamRequest } from '../real-api/forward.ts'
import { realApiObserver } from '../real-api/observe.ts'
import type { UpstreamRequest, UpstreamSettings } from '../real-api/upstream.ts'
import type { DriftBook, DriftReport } from './drift-book.ts'
import type { addDrift } from './recorded.ts'
import { SHADOWED } from './shadow.ts'

/** The replies that are waited for or compared at a time. */
const MOST_WAITING = 50
/** The milliseconds that a request to the real API takes of this process, as measured. */
const ASKING = 0.4

/** The findings since the configuration was loaded. */
export interface LiveDriftReport extends DriftReport {
  /** The replies that were compared. */
  readonly compared: number
  /** The replies that were not compared because there were too many. */
  readonly dropped: number
}

type Later = ReturnType<typeof createAside>

/** An answered request, with the plan that answered it. */
interface Answered {
  readonly plan: Plan
  readonly exchange: Exchange
  /** The path with the base path of the contract. */
  readonly path: string
}

/** The two replies to compare. */
interface Comparison {
  /** Returns the reply of the real API. */
  read(): Promise<ObservedReply>
  readonly ask: Parameters<typeof addDrift>[3]
}

export class LiveDrift {
  readonly fail: Host['fail']
  readonly #clock: Host['clock']
  readonly #counts: Instrument
  /** Made for the first comparison: a gateway without a real API loads no module that compares. */
  #book: DriftBook | undefined
  #plan: Plan | undefined
  #runner: TrialRunner | undefined
  #answered = 0
  #compared = 0
  #dropped = 0
  /** The bodies that were compared; judging keeps the last few. */
  readonly #bodies = new WeakSet<Uint8Array>()
  readonly #aside: Later
  readonly #idle: ReturnType<typeof createIdleTurns>
  readonly #whenIdle: Later

  constructor({ clock, metrics, fail }: Host) {
    this.fail = fail
    this.#clock = clock
    this.#counts = metrics.add(
      new Instrument(
        'understudy_drift_total{operation,kind}',
        'Differences of replies of the real API from the contract, by kind; `dropped`: not compared.',
      ),
    )
    this.#aside = createAside(MOST_WAITING, fail)
    this.#idle = createIdleTurns(clock, ASKING, () => this.#answered)
    this.#whenIdle = createAside(MOST_WAITING, fail, this.#idle.next)
  }

  /** Notes that a request was answered. */
  answered(): void {
    this.#answered += 1
  }

  /** Forgets the findings: another plan may have another contract. */
  adopt(plan: Plan): void {
    this.#plan = plan
    this.#runner = undefined
    this.#book = undefined
    this.#compared = 0
    this.#dropped = 0
  }

  report(mask: Mask): LiveDriftReport {
    const { omitted = 0 } = this.#book ?? {}
    return { findings: this.#book?.list(mask) ?? [], omitted, compared: this.#compared, dropped: this.#dropped }
  }

  /** Compares a reply that was passed on. The stand-in is asked where it may have another answer. */
  follow(answered: Answered, { status, headers, stream }: Reply, judgement: Judgement): void {
    const { exchange } = answered
    const ask = (isNew: boolean) => exchange.refusal ?? (isNew ? this.#askStandIn(answered) : undefined)
    const read = async () => {
      const fields = [...Object.entries(headers), ...(stream?.fields ?? [])].flat()
      return { status, headers: joinFields(fields), body: judgement.body }
    }
    this.#compare(answered, { read, ask }, judgement === SKIPPED ? () => false : this.#aside)
  }

  /** Asks the real API, too, and compares both replies, unless ours is none of the stand-in's. */
  shadow(answered: Answered, reply: Reply): void {
    const { exchange } = answered
    const settings = exchange.get(SHADOWED)
    const client = exchange.state(realApiObserver)?.client
    if (settings === undefined || client === undefined || !isComparable(exchange, reply)) return
    const read = async () => {
      const { askWhole, MOST_COMPARED } = await import('./ask.ts')
      return askWhole(client, await requestAside(exchange, settings, MOST_COMPARED), settings, settings.timeout)
    }
    this.#compare(answered, { read, ask: () => reply }, this.#whenIdle)
  }

  #compare({ plan, exchange, path }: Answered, { read, ask }: Comparison, later: Later): void {
    const { operation, consumer, request } = exchange
    const { method, query } = request
    const judging = exchange.state(realApiObserver)?.judging
    if (plan !== this.#plan || judging === undefined) return
    const drop = () => {
      this.#dropped += 1
      this.#count(operation.id, 'dropped')
    }
    const isTaken = later(async () => {
      const reply = await read()
      const { body } = reply
      // Replies that wait together were all judged before comparing the first of them took its time. The same bytes as before
      // take none.
      if (body instanceof Uint8Array) {
        if (later === this.#aside && !this.#bodies.has(body) && !judging.has()) return drop()
        this.#bodies.add(body)
      }
      const [{ DriftBook }, { addDrift }] = await Promise.all([import('./drift-book.ts'), import('./recorded.ts')])
      const started = monotonic()
      // A finding of a contract that is no longer served has no place.
      if (plan !== this.#plan) return
      this.#compared += 1
      this.#book ??= new DriftBook()
      const context = { operation, consumer, request: { method, path, query }, reply, at: this.#clock.now() }
      for (const { kind } of await addDrift(this.#book, context, plan, ask)) this.#count(operation.id, kind)
      for (const { spend } of [this.#idle, judging]) spend(monotonic() - started)
    })
    if (!isTaken) drop()
  }

  #count(operation: string, kind: string): void {
    this.#counts.series({ operation, kind }).add()
  }

  /** Returns the stand-in's reply to a forwarded request. */
  async #askStandIn({ exchange: { request }, path }: Answered): Promise<Reply | undefined> {
    if (!hasArrived(request) || request.path !== path || this.#plan === undefined) return undefined
    this.#runner ??= createRunner(this.#plan)
    return (await this.#runner.send(request, this.#runner.newWorld())).reply
  }
}

/** Whether the body is there, if the request has one. */
const hasArrived = ({ hasBody, arrived }: Request): boolean => !hasBody || arrived !== false

/** Whether a reply is that of the stand-in, to a request that can be sent to the real API, too. */
const isComparable = ({ fault, choice, request }: Exchange, { stream }: Reply): boolean =>
  (fault ?? choice ?? stream) === undefined && hasArrived(request)

/** The fields of a request about what its client has of the stand-in. */
const CONDITIONAL = /^(?:if-.*|range)$/

/** @param most the bytes of the body that are sent */
async function requestAside(exchange: Exchange, settings: UpstreamSettings, most: number): Promise<UpstreamRequest> {
  const { request } = exchange
  const { headers, ...sent } = upstreamRequest(exchange, settings)
  const own = Object.entries(headers).filter(([name]) => !CONDITIONAL.test(name))
  const read = request.hasBody ? await request.readBody(most) : undefined
  const body = read !== undefined && 'bytes' in read ? (read.raw ?? read.bytes) : undefined
  return { ...sent, headers: Object.fromEntries(own), body }
}
