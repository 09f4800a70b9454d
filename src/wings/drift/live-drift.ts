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
import { askWhole, MOST_COMPARED } from './ask.ts'
import { DriftBook, type DriftReport } from './drift-book.ts'
import { addDrift } from './recorded.ts'
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

export type LiveDrift = ReturnType<typeof createLiveDrift>

export function createLiveDrift({ clock, metrics, fail }: Host) {
  const counts = metrics.add(
    new Instrument(
      'understudy_drift_total{operation,kind}',
      'Differences of replies of the real API from the contract, by kind; `dropped`: not compared.',
    ),
  )
  const count = (operation: string, kind: string): void => counts.series({ operation, kind }).add()
  const book = new DriftBook()
  let current: Plan | undefined
  /** The number of requests up to now. */
  let answeredCount = 0
  let runner: TrialRunner | undefined
  let [compared, dropped] = [0, 0]
  /** The bodies that were compared; judging keeps the last few. */
  const bodies = new WeakSet<Uint8Array>()
  const aside = createAside(MOST_WAITING, fail)
  const idle = createIdleTurns(clock, ASKING, () => answeredCount)
  const whenIdle = createAside(MOST_WAITING, fail, idle.next)

  /** Returns the stand-in's reply to a forwarded request. */
  async function askStandIn({ request }: Exchange, path: string): Promise<Reply | undefined> {
    if (!hasArrived(request) || request.path !== path) return undefined
    if (current === undefined) return undefined
    runner ??= createRunner(current)
    return (await runner.send(request, runner.newWorld())).reply
  }

  function compare(
    plan: Plan,
    exchange: Exchange,
    path: string,
    read: () => Promise<ObservedReply>,
    ask: Parameters<typeof addDrift>[3],
    later = aside,
  ): void {
    const { operation, consumer, request } = exchange
    const { method, query } = request
    const judging = exchange.state(realApiObserver)?.judging
    if (plan !== current || judging === undefined) return
    const drop = () => {
      dropped += 1
      count(operation.id, 'dropped')
    }
    const isTaken = later(async () => {
      const reply = await read()
      const { body } = reply
      // Replies that wait together were all judged before comparing the first of them took its time. The same bytes as before
      // take none.
      if (body instanceof Uint8Array) {
        if (later === aside && !bodies.has(body) && !judging.has()) return drop()
        bodies.add(body)
      }
      const started = monotonic()
      // A finding of a contract that is no longer served has no place.
      if (plan !== current) return
      compared += 1
      const context = { operation, consumer, request: { method, path, query }, reply, at: clock.now() }
      for (const { kind } of await addDrift(book, context, plan, ask)) count(operation.id, kind)
      for (const { spend } of [idle, judging]) spend(monotonic() - started)
    })
    if (!isTaken) drop()
  }

  return {
    fail,

    /** Notes that a request was answered. */
    answered(): void {
      answeredCount += 1
    },

    /** Forgets the findings: another plan may have another contract. */
    adopt(plan: Plan): void {
      current = plan
      runner = undefined
      book.clear()
      compared = dropped = 0
    },

    report: (mask: Mask): LiveDriftReport => ({ findings: book.list(mask), omitted: book.omitted, compared, dropped }),

    /** Compares a reply that was passed on. The stand-in is asked where it may have another answer. */
    follow(plan: Plan, exchange: Exchange, path: string, reply: Reply, judgement: Judgement): void {
      const { status, headers, stream } = reply
      const ask = (isNew: boolean) => exchange.refusal ?? (isNew ? askStandIn(exchange, path) : undefined)
      const read = async () => {
        const fields = [...Object.entries(headers), ...(stream?.fields ?? [])].flat()
        return { status, headers: joinFields(fields), body: judgement.body }
      }
      compare(plan, exchange, path, read, ask, judgement === SKIPPED ? () => false : aside)
    },

    /** Asks the real API, too, and compares both replies, unless ours is none of the stand-in's. */
    shadow(plan: Plan, exchange: Exchange, path: string, reply: Reply): void {
      const settings = exchange.get(SHADOWED)
      const client = exchange.state(realApiObserver)?.client
      if (settings === undefined || client === undefined || !isComparable(exchange, reply)) return
      const ask = async () => askWhole(client, await requestAside(exchange, settings), settings, settings.timeout)
      compare(plan, exchange, path, ask, () => reply, whenIdle)
    },
  }
}

/** Whether the body is there, if the request has one. */
const hasArrived = ({ hasBody, arrived }: Request): boolean => !hasBody || arrived !== false

/** Whether a reply is that of the stand-in, to a request that can be sent to the real API, too. */
const isComparable = ({ fault, choice, request }: Exchange, { stream }: Reply): boolean =>
  (fault ?? choice ?? stream) === undefined && hasArrived(request)

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
