// Judges the requests of a running gateway by the next contract, after their replies have been sent, and counts the verdicts.

import type { Exchange } from '../../behaviours/exchange.ts'
import { Instrument } from '../../gateway/metrics/families.ts'
import type { Host, Peers } from '../../gateway/observer.ts'
import { decodeUtf8, type Reply } from '../../kernel/http.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Clock } from '../../world/clock.ts'
import { createAside } from '../../world/idle-turns.ts'
import { nextBlock } from './block.ts'
import type { KeptBody, KeptExchange } from './judge.ts'
import type { NextReport } from './report.ts'
import type { NextTally, TallySnapshot } from './tally.ts'

/** The requests that wait to be judged, and the bytes of a body that are judged. */
const MOST_WAITING = 100
const MOST_JUDGED = 256 * 1024

export class LiveNext {
  readonly #clock: Clock
  readonly #counts: Instrument
  readonly #fail: (error: unknown) => void
  readonly #peers: Peers
  #tally: NextTally | undefined
  /** Resolves when the last plan is adopted: the modules that judge are loaded for the first plan with a next contract. */
  #adopted = Promise.resolve()
  readonly #aside: ReturnType<typeof createAside>

  constructor({ clock, metrics, fail, peers }: Host) {
    this.#clock = clock
    this.#fail = fail
    this.#peers = peers('next')
    this.#aside = createAside(MOST_WAITING, fail)
    this.#counts = metrics.add(
      new Instrument(
        'understudy_next_total{consumer,operation,verdict}',
        'Requests that were judged by the next contract, by verdict.',
      ),
    )
  }

  get snapshot(): TallySnapshot | undefined {
    return this.#tally?.snapshot
  }

  /** Keeps the counts of the operations that are the same in the other plan and in its next contract. */
  adopt(plan: Plan): void {
    this.#adopted = this.#adopted.then(() => this.#adopt(plan)).catch(this.#fail)
  }

  async #adopt(plan: Plan): Promise<void> {
    const before = this.#tally
    const next = plan.settings(nextBlock)
    this.#tally = undefined
    if (next === undefined) return
    const [{ NextJudge }, { NextTally }] = await Promise.all([import('./judge.ts'), import('./tally.ts')])
    const judge = new NextJudge(plan, next)
    this.#tally = new NextTally(judge)
    if (before === undefined) return
    const { counts, ...known } = before.snapshot
    const rows = known.rows.filter(({ operation: id }) => judge.textOf(id) === before.judge.textOf(id))
    const callsOf = (list: typeof rows) => list.reduce((sum, { calls }) => sum + calls, 0)
    const requests = counts.requests - callsOf([...known.rows]) + callsOf(rows)
    this.#tally.absorb({ ...known, rows, counts: { ...counts, requests } })
  }

  /** Judges a request later, when its caller has the reply. That of a real API is judged when it has passed. */
  follow(exchange: Exchange, path: string, reply: Reply, bytes: Uint8Array | undefined): void {
    const { stream, ...rest } = reply
    const later = (whole: Reply) => this.#judgeLater([exchange, path, whole, bytes])
    if (stream?.judged === undefined) later(reply)
    else
      stream.judged.then(({ body }) => later(body instanceof Uint8Array ? { ...rest, body } : reply)).catch(this.#fail)
  }

  #judgeLater(context: Parameters<typeof this.judge>): void {
    const adopted = this.#adopted
    const isTaken = this.#aside(async () => {
      if (adopted === this.#adopted) await this.judge(...context)
    })
    if (!isTaken) adopted.then(() => this.#tally?.drop()).catch(this.#fail)
  }

  /** Judges a request and counts it. Returns the verdict as a header, `breaks; reason="the operation is gone"`. */
  async judge(
    { request, consumer, operation }: Exchange,
    path: string,
    { status, headers, body, stream }: Reply,
    bytes: Uint8Array | undefined,
  ): Promise<string | undefined> {
    if (operation.id === '') return undefined
    await this.#adopted
    const unread = request.hasBody ? { lost: 'not read' } : undefined
    const judging = this.#tally?.add({
      method: request.method,
      path,
      query: request.query,
      status,
      consumer,
      headers: request.headers as KeptExchange['headers'],
      at: this.#clock.now(),
      body: bytes === undefined ? unread : keptBody(bytes),
      replyHeaders: headers,
      replyBody: stream === undefined ? keptBody(body) : { lost: 'streamed' },
    })
    const judged = await judging?.catch(this.#fail)
    if (typeof judged !== 'object') return undefined
    const { consumer: caller, operation: judgedOperation } = judged
    this.#counts.series({ consumer: caller ?? '', operation: judgedOperation, verdict: judged.verdict }).add()
    const { verdict, reason } = judged
    // A field of a header is ASCII (RFC 9651).
    const text = reason?.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, '?')
    return text === undefined ? verdict : `${verdict}; reason="${text}"`
  }

  /** The report of all processes; `undefined` without a next contract. @param api the address of the API */
  async report(api?: string): Promise<NextReport | undefined> {
    await this.#adopted
    if (this.#tally === undefined) return undefined
    const { NextTally } = await import('./tally.ts')
    const all = new NextTally(this.#tally.judge)
    for (const one of [this.snapshot, ...((await this.#peers.read()) as readonly TallySnapshot[])])
      if (one !== undefined) all.absorb(one)
    return all.report(api)
  }
}

const keptBody = (body: string | Uint8Array | undefined): KeptBody => {
  if (body === undefined || typeof body === 'string') return body
  if (body.length > MOST_JUDGED) return { lost: 'too long' }
  return decodeUtf8(body) ?? { lost: 'not text' }
}
