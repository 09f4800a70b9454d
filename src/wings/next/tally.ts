// Counts judged exchanges by consumer and operation: who breaks on the next contract, and why. The memory is bounded by the
// consumers, the operations and the reasons.

import { type Node, placeOf } from '../../contract/documents.ts'
import { Mask } from '../../gateway/mask.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { pointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { PlannedOperation } from '../../plan/plan.ts'
import { isoDate, timestamp } from '../../world/dates.ts'
import { breatheWhenDue } from '../../world/real-time.ts'
import { describeAsCurl } from '../probe/curl.ts'
import { blankSecrets } from '../project/secrets.ts'
import type { KeptExchange, NextCause, NextJudge } from './judge.ts'
import type { NextFinding, NextReport, NextRow, NextVerdict } from './report.ts'

/** The most reasons that are kept for one consumer and operation. */
const MOST_REASONS = 50
/** The length of a body up to which a request can be tried again. */
const LONGEST_TRY = 10_000

/** A reason with its number. The parts of the contracts are references: `/api.yaml#%2Fpaths`. */
interface TalliedCause extends Omit<NextCause, 'now' | 'next'> {
  readonly now: string
  readonly next: string
  calls: number
  last: number
  readonly try?: string | undefined
}

/** The calls of an operation by a consumer, as plain data. */
interface TalliedRow {
  readonly consumer: string | null
  readonly operation: string
  calls: number
  last: number
  readonly causes: Record<string, TalliedCause>
  readonly unjudged: Record<string, number>
}

/** The counts as plain data, for another process or another plan. */
export interface TallySnapshot {
  readonly counts: Readonly<Record<'requests' | 'refused' | 'unmatched' | 'dropped', number>>
  readonly first: number
  readonly last: number
  readonly rows: readonly TalliedRow[]
}

export class NextTally {
  readonly judge: NextJudge
  readonly #mask: Mask
  readonly #rows = new Map<string, TalliedRow>()
  readonly #counts = { requests: 0, refused: 0, unmatched: 0, dropped: 0 }
  #first = Number.MAX_VALUE
  #last = 0

  constructor(judge: NextJudge) {
    this.judge = judge
    this.#mask = new Mask(judge.now)
  }

  get requests(): number {
    return this.#counts.requests
  }

  get snapshot(): TallySnapshot {
    return { counts: this.#counts, first: this.#first, last: this.#last, rows: [...this.#rows.values()] }
  }

  /** Counts an exchange that was not judged because too many were waiting. */
  drop(): void {
    this.#counts.dropped += 1
  }

  /** Adds what another tally has counted. */
  absorb({ counts, first, last, rows }: TallySnapshot): void {
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) this.#counts[name] += counts[name]
    this.#first = Math.min(this.#first, first)
    this.#last = Math.max(this.#last, last)
    for (const { consumer, operation, ...more } of rows) {
      const row = this.#rowOf(consumer, operation)
      addCalls(row, more)
      for (const [why, count] of Object.entries(more.unjudged)) row.unjudged[why] = (row.unjudged[why] ?? 0) + count
      for (const [reason, cause] of Object.entries(more.causes)) {
        const known = row.causes[reason]
        if (known === undefined) row.causes[reason] = { ...cause }
        else addCalls(known, cause)
      }
    }
  }

  #rowOf(consumer: string | null, operation: string): TalliedRow {
    return getOrMake(this.#rows, `${consumer}\n${operation}`, (): TalliedRow => {
      return { consumer, operation, calls: 0, last: 0, causes: {}, unjudged: {} }
    })
  }

  /** Judges an exchange and counts it. Returns its row with the verdict on it alone; `undefined` where there is none. */
  async add(
    kept: KeptExchange,
  ): Promise<(Pick<NextRow, 'consumer' | 'operation' | 'verdict'> & { reason?: string }) | undefined> {
    this.#counts.requests += 1
    this.#first = Math.min(this.#first, kept.at)
    this.#last = Math.max(this.#last, kept.at)
    const judged = await this.judge.judge(kept)
    if (typeof judged === 'string') {
      this.#counts[judged] += 1
      return undefined
    }
    const { consumer = null, causes, unjudged } = judged
    const { id } = judged.operation.operation
    const row = this.#rowOf(consumer, id)
    const call = { calls: 1, last: kept.at }
    addCalls(row, call)
    for (const why of unjudged) row.unjudged[why] = (row.unjudged[why] ?? 0) + 1
    for (const { verdict, reason, now, next } of causes) {
      const known = row.causes[reason]
      if (known !== undefined) addCalls(known, call)
      else if (Object.keys(row.causes).length < MOST_REASONS)
        row.causes[reason] = {
          verdict,
          reason,
          now: referenceTo(now),
          next: referenceTo(next),
          ...call,
          try: this.#curl(kept),
        }
    }
    return { consumer, operation: id, ...worstOf(causes, unjudged.length) }
  }

  #curl({ method, path, query, headers, body }: KeptExchange): string | undefined {
    const { worlds } = this.judge.now.simulation
    if (typeof body === 'string' && body.length > LONGEST_TRY) return undefined
    const text = typeof body === 'string' ? blankSecrets(this.#mask.text(body), MASKED) : ''
    const requestBody = { text, bytes: text.length, cut: false }
    const call = { method, path, query, headers: tried(headers), world: worlds.default, mask: this.#mask, requestBody }
    return describeAsCurl(call, ANY_API, worlds.default).trimEnd()
  }

  #described({ last, causes, ...row }: TalliedRow, sunset: number | undefined, api: string): NextRow {
    const { now, next } = this.judge
    const listed = Object.values(causes)
    return {
      ...row,
      verdict: worstOf(listed, Object.keys(row.unjudged).length).verdict,
      last: timestamp(last),
      findings: listed.map(
        (cause): NextFinding => ({
          ...cause,
          now: placeText(now.contract.at(cause.now), cause.now),
          next: placeText(next.at(cause.next), cause.next),
          last: timestamp(cause.last),
          ...(cause.try === undefined ? {} : { try: cause.try.replaceAll(ANY_API, api) }),
        }),
      ),
      ...(sunset === undefined ? {} : { sunset: isoDate(sunset) }),
    }
  }

  /** Returns the operations that would break if they were called. */
  async #unseen(uncalled: readonly PlannedOperation[]): Promise<readonly NextRow[]> {
    const breathe = breatheWhenDue()
    const rows: NextRow[] = []
    for (const planned of uncalled) {
      const findings = (await this.judge.judgeUncalled(planned)).map((cause): NextFinding => {
        return { ...cause, now: placeText(cause.now), next: placeText(cause.next), calls: 0 }
      })
      if (findings.length > 0) {
        rows.push({
          consumer: null,
          operation: planned.operation.id,
          verdict: 'not-seen',
          calls: 0,
          unjudged: {},
          findings,
        })
      }
      await breathe()
    }
    return rows
  }

  /** @param api the address of the API, for commands that repeat a call */
  async report(api = `http://localhost:${this.judge.now.simulation.listen.port}`): Promise<NextReport> {
    const { now, next } = this.judge
    const rows = [...this.#rows.values()]
    const related = now.operations.some(one => this.judge.pairOf(one).next !== undefined)
    const seen = new Set(rows.map(({ consumer }) => consumer))
    const operations = new Map(now.operations.map(one => [one.operation.id, one]))
    const called = rows.map(row => this.#described(row, operations.get(row.operation)?.lifecycle?.sunset, api))
    const names = new Set(rows.map(({ operation }) => operation))
    const uncalled = related
      ? now.operations.filter(({ operation: { id, wing } }) => wing === undefined && !names.has(id))
      : []
    const unseen = await now.contract.walking(() => next.walking(() => this.#unseen(uncalled)))
    const changed = new Set(called.flatMap(one => (one.findings.length > 0 ? one.operation : [])))
    const notSeen = now.simulation.consumerNames.flatMap(name => {
      const own = new Set(called.flatMap(({ consumer, operation }) => (consumer === name ? operation : [])))
      const others = [...changed].filter(operation => !own.has(operation))
      return own.size > 0 && others.length > 0 ? [[name, others] as const] : []
    })
    const { requests } = this.#counts
    return {
      related,
      ...(requests === 0 ? {} : { since: timestamp(this.#first), until: timestamp(this.#last) }),
      ...this.#counts,
      consumers: [...seen],
      neverSeen: now.simulation.consumerNames.filter(name => !seen.has(name)),
      notSeen: Object.fromEntries(notSeen),
      rows: related ? [...called, ...unseen] : [],
    }
  }
}

/** The verdict on calls: that of the worst reason. @param unjudged how many parts of them are not known */
function worstOf(
  causes: readonly Pick<NextCause, 'verdict' | 'reason'>[],
  unjudged: number,
): { readonly verdict: NextVerdict; readonly reason?: string } {
  const { verdict, reason } = causes.find(one => one.verdict === 'breaks') ?? causes[0] ?? {}
  if (verdict === undefined) return { verdict: unjudged > 0 ? 'not-judged' : 'safe' }
  return { verdict, ...(reason === undefined ? {} : { reason }) }
}

function addCalls(
  to: { calls: number; last: number },
  { calls, last }: { readonly calls: number; readonly last: number },
) {
  to.calls += calls
  to.last = Math.max(to.last, last)
}

/** Returns the reference to a part of a contract, for `Contract.at`. */
const referenceTo = ({ document, path }: Node): string => `${document.file}#${encodeURIComponent(pointer(path))}`

/** Returns the place of a part; of one that a reload has removed, its file. */
function placeText(node: Node | undefined, reference = ''): string {
  const { file, line, column } = node === undefined ? placeOfFile(reference.replace(/#.*/, '')) : placeOf(node, 'key')
  return `${file}:${line}:${column}`
}

/** Stands for the address of the API until a report is made: it may listen at another port then. */
const ANY_API = 'http://api.invalid'

/** Returns the headers of a call that is tried again, without those that curl sends anyway. */
function tried(headers: KeptExchange['headers']): KeptExchange['headers'] {
  if (headers === undefined) return undefined
  const isUsual = (name: string) => name === 'user-agent' || (name === 'accept' && headers[name] === '*/*')
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isUsual(name)))
}

const MASKED = { blank: () => '***' }
