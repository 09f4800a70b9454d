// Judges the requests of a running gateway by the next contract, after their replies have been sent, and counts the verdicts.

import type { Exchange } from '../../behaviours/exchange.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import { itemsOf, membersOf, type Node } from '../../contract/documents.ts'
import { decodeUtf8, type Reply } from '../../kernel/http.ts'
import { stringifyJson } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { breathe, type Clock } from '../../world/clock.ts'
import { type KeptBody, type KeptExchange, NextJudge } from './judge.ts'
import type { NextReport, NextRow } from './report.ts'
import { NextTally, type TallySnapshot } from './tally.ts'

/** The requests that wait to be judged, and the bytes of a body that are judged. */
const MOST_WAITING = 100
const MOST_JUDGED = 256 * 1024

export class LiveNext {
  readonly #clock: Clock
  readonly #count: (row: Pick<NextRow, 'consumer' | 'operation' | 'verdict'>) => void
  #judge: NextJudge | undefined
  #tally: NextTally | undefined
  #waiting = 0
  /** Reads the counts of other processes; set where several serve. */
  others: () => Promise<readonly TallySnapshot[]> = async () => []

  /** @param count counts a verdict */
  constructor(plan: Plan, clock: Clock, count: (row: Pick<NextRow, 'consumer' | 'operation' | 'verdict'>) => void) {
    this.#clock = clock
    this.#count = count
    this.adopt(plan)
  }

  get snapshot(): TallySnapshot | undefined {
    return this.#tally?.snapshot
  }

  /** Keeps the counts of the operations that are the same in the other plan and in its next contract. */
  adopt(plan: Plan): void {
    const [before, known] = [this.#judge, this.snapshot]
    this.#judge = plan.next && new NextJudge(plan, plan.next)
    this.#tally = this.#judge && new NextTally(this.#judge)
    if (before === undefined || known === undefined || plan.next === undefined) return
    const isSame = (id: string) => {
      const [old, own] = [before.now, plan].map(({ operations }) => operations.find(one => one.operation.id === id))
      if (old === undefined || own === undefined) return false
      const [was, is] = [before.pairOf(old), (this.#judge as NextJudge).pairOf(own)]
      return (
        was.gone?.reason === is.gone?.reason &&
        textWithParts(old.operation, before.now.contract) === textWithParts(own.operation, plan.contract) &&
        textWithParts(was.next, before.next) === textWithParts(is.next, plan.next as Contract)
      )
    }
    const rows = known.rows.filter(({ operation }) => isSame(operation))
    const lost = known.rows.reduce((sum, { calls }) => sum + calls, 0) - rows.reduce((sum, { calls }) => sum + calls, 0)
    this.#tally?.absorb({ ...known, rows, counts: { ...known.counts, requests: known.counts.requests - lost } })
  }

  /** Judges a request later, when its caller has the reply. */
  follow(exchange: Exchange, path: string, reply: Reply, bytes: Uint8Array | undefined): void {
    const tally = this.#tally
    if (tally === undefined) return
    if (this.#waiting >= MOST_WAITING) tally.drop()
    else void this.#judgeLater(tally, [exchange, path, reply, bytes])
  }

  async #judgeLater(tally: NextTally, context: Parameters<typeof this.judge>): Promise<void> {
    this.#waiting += 1
    await breathe()
    if (tally === this.#tally) await this.judge(...context)
    this.#waiting -= 1
  }

  /** Judges a request and counts it. Returns the verdict as a header, `breaks; reason="the operation is gone"`. */
  async judge(
    { request, consumer, operation }: Exchange,
    path: string,
    { status, headers, body, stream }: Reply,
    bytes: Uint8Array | undefined,
  ): Promise<string | undefined> {
    if (operation.id === '') return undefined
    const unread = request.hasBody ? { lost: 'not read' } : undefined
    const judged = await this.#tally?.add({
      ...{ method: request.method, path, query: request.query, status, consumer },
      headers: request.headers as KeptExchange['headers'],
      at: this.#clock.now(),
      body: bytes === undefined ? unread : keptBody(bytes),
      replyHeaders: headers,
      replyBody: stream === undefined ? keptBody(body) : { lost: 'streamed' },
    })
    if (judged === undefined) return undefined
    this.#count(judged)
    const { verdict, reason } = judged
    // A field of a header is ASCII (RFC 9651).
    const text = reason?.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, '?')
    return text === undefined ? verdict : `${verdict}; reason="${text}"`
  }

  /** The report of all processes; `undefined` without a next contract. */
  async report(): Promise<NextReport | undefined> {
    if (this.#judge === undefined) return undefined
    const all = new NextTally(this.#judge)
    for (const one of [this.snapshot, ...(await this.others())]) if (one !== undefined) all.absorb(one)
    return all.report()
  }
}

const keptBody = (body: string | Uint8Array | undefined): KeptBody => {
  if (body === undefined || typeof body === 'string') return body
  if (body.length > MOST_JUDGED) return { lost: 'too long' }
  return decodeUtf8(body) ?? { lost: 'not text' }
}

/** Returns the text of an operation with all that it refers to. */
function textWithParts(operation: Operation | undefined, contract: Contract): string {
  if (operation === undefined) return ''
  const { path, security, node, parameters } = operation
  const parts: unknown[] = [path, security]
  const known = new Set<unknown>()
  const visit = (at: Node, isStart = false) => {
    const target = contract.resolve(at)
    if (isStart || target !== at) {
      if (known.has(target.value)) return
      known.add(target.value)
      parts.push(target.value)
    }
    for (const child of [...itemsOf(target), ...membersOf(target).map(([, one]) => one)]) visit(child)
  }
  for (const one of [node, ...parameters.map(parameter => parameter.node)]) visit(one, true)
  return stringifyJson(parts)
}
