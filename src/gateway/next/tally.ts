// Counts judged exchanges by consumer and operation, and reports them: who breaks on the next contract, and why. The memory is
// bounded by the consumers, the operations and the reasons.

import { placeOf } from '../../contract/documents.ts'
import type { Diagnostic, Place } from '../../kernel/diagnostic.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { requestTo } from '../../load/probe/probe.ts'
import { isoDate, timestamp } from '../../world/clock.ts'
import { Mask } from '../mask.ts'
import { describeAsCurl } from '../send.ts'
import type { Judged, KeptExchange, NextCause, NextJudge } from './judge.ts'

/** `not-judged`: a part of it was not kept. `not-seen`: it would break, or may, but was not called. */
export type NextVerdict = NextCause['verdict'] | 'not-judged' | 'safe' | 'not-seen'

/** A reason for a verdict. */
export interface NextFinding {
  readonly verdict: NextCause['verdict']
  readonly reason: string
  /** The places in the two contracts: `openapi.yaml:12:5`. */
  readonly now: string
  readonly next: string
  readonly calls: number
  readonly last?: string
  /** A command of curl that repeats the first such call; credentials are masked. */
  readonly try?: string
}

/** The verdict on the calls of an operation by a consumer. */
export interface NextRow {
  /** `null` for callers without a known name, and for an operation that was not called. */
  readonly consumer: string | null
  readonly operation: string
  readonly verdict: NextVerdict
  readonly calls: number
  readonly last?: string
  readonly findings: readonly NextFinding[]
  /** The reasons why a part of the calls could not be judged, with their number. */
  readonly unjudged: Readonly<Record<string, number>>
  /** The date until which a deprecated operation is served. */
  readonly sunset?: string
}

export interface NextReport {
  /** Whether the contracts have an operation in common. Without one, there are no rows. */
  readonly related: boolean
  /** The times of the first request and of the last one. */
  readonly since?: string
  readonly until?: string
  readonly requests: number
  /** Requests that the current contract refuses, and to none of its operations. */
  readonly refused: number
  readonly unmatched: number
  readonly consumers: readonly (string | null)[]
  /** Consumers of the configuration without a request. */
  readonly neverSeen: readonly string[]
  readonly rows: readonly NextRow[]
}

/** The most reasons that are kept for one consumer and operation. */
const MOST_REASONS = 50

interface TalliedRow {
  readonly consumer: string | null
  readonly operation: Judged['operation']
  calls: number
  last: number
  readonly findings: Map<string, { readonly cause: NextCause; calls: number; last: number; readonly try: string }>
  readonly unjudged: Map<string, number>
}

export class NextTally {
  readonly #judge: NextJudge
  readonly #mask: Mask
  readonly #rows = new Map<string, TalliedRow>()
  readonly #counts = { requests: 0, refused: 0, unmatched: 0 }
  #first = Number.POSITIVE_INFINITY
  #last = 0

  constructor(judge: NextJudge) {
    this.#judge = judge
    this.#mask = new Mask(judge.now)
  }

  get requests(): number {
    return this.#counts.requests
  }

  /** Judges an exchange and counts it. */
  async add(kept: KeptExchange): Promise<void> {
    this.#counts.requests += 1
    this.#first = Math.min(this.#first, kept.at)
    this.#last = Math.max(this.#last, kept.at)
    const judged = await this.#judge.judge(kept)
    if (typeof judged === 'string') {
      this.#counts[judged] += 1
      return
    }
    const { operation, consumer = null, causes, unjudged } = judged
    const row = getOrMake(this.#rows, `${consumer}\n${operation.index}`, (): TalliedRow => {
      return { consumer, operation, calls: 0, last: 0, findings: new Map(), unjudged: new Map() }
    })
    row.calls += 1
    row.last = Math.max(row.last, kept.at)
    for (const why of unjudged) row.unjudged.set(why, (row.unjudged.get(why) ?? 0) + 1)
    for (const cause of causes) {
      if (row.findings.size >= MOST_REASONS && !row.findings.has(cause.reason)) continue
      const finding = getOrMake(row.findings, cause.reason, () => ({ cause, calls: 0, last: 0, try: this.#curl(kept) }))
      finding.calls += 1
      finding.last = Math.max(finding.last, kept.at)
    }
  }

  #curl({ method, path, query, headers, body }: KeptExchange): string {
    const { listen, worlds } = this.#judge.now.simulation
    const text = typeof body === 'string' ? this.#mask.text(body).replace(SECRET_FIELD, '$1***') : ''
    const requestBody = { text, bytes: text.length, cut: false }
    const call = { method, path, query, headers, world: worlds.default, mask: this.#mask, requestBody }
    return describeAsCurl(call, `http://localhost:${listen.port}`, worlds.default).trimEnd()
  }

  async report(): Promise<NextReport> {
    const { now } = this.#judge
    const rows = [...this.#rows.values()]
    const related = now.operations.some(one => this.#judge.pairOf(one).next !== undefined)
    const seen = new Set(rows.map(({ consumer }) => consumer))
    const called = rows.map(({ consumer, operation, calls, last, findings, unjudged }): NextRow => {
      const own = [...findings.values()].map(one => ({
        ...this.#findingOf(one.cause),
        ...one,
        last: timestamp(one.last),
      }))
      const found = own.map(({ cause: _, ...finding }): NextFinding => finding)
      const known = found.length === 0 && unjudged.size > 0 ? 'not-judged' : 'safe'
      const worst = found.find(({ verdict }) => verdict === 'breaks') ?? found[0]
      const { sunset } = operation.lifecycle ?? {}
      return {
        ...{ consumer, operation: operation.operation.id, verdict: worst?.verdict ?? known, calls },
        ...{ last: timestamp(last), findings: found, unjudged: Object.fromEntries(unjudged) },
        ...(sunset === undefined ? {} : { sunset: isoDate(sunset) }),
      }
    })
    const names = new Set(rows.map(({ operation }) => operation))
    const unseen: NextRow[] = []
    for (const one of related ? now.operations.filter(planned => !names.has(planned)) : []) {
      const findings = (await this.#uncalled(one)).map(cause => this.#findingOf(cause))
      const row = { consumer: null, operation: one.operation.id, verdict: 'not-seen', calls: 0, unjudged: {} } as const
      if (findings.length > 0) unseen.push({ ...row, findings })
    }
    const { requests } = this.#counts
    return {
      related,
      ...(requests === 0 ? {} : { since: timestamp(this.#first), until: timestamp(this.#last) }),
      ...this.#counts,
      consumers: [...seen],
      neverSeen: now.simulation.consumerNames.filter(name => !seen.has(name)),
      rows: related ? [...called, ...unseen] : [],
    }
  }

  /** Returns what would break an operation that was not called: its differences, and how a request of the current contract fares. */
  async #uncalled(planned: Judged['operation']): Promise<readonly NextCause[]> {
    const { gone, differences } = this.#judge.pairOf(planned)
    if (gone !== undefined) return [gone]
    const request = requestTo(planned, this.#judge.now)
    const none = { at: 0, status: 0, replyHeaders: {}, replyBody: undefined, consumer: '' }
    const sent = request && {
      ...none,
      ...request,
      headers: undefined,
      body: request.hasBody ? request.text : undefined,
    }
    const judged = sent && (await this.#judge.judge(sent))
    const causes = typeof judged === 'object' ? judged.causes.filter(({ verdict }) => verdict === 'breaks') : []
    return [...causes, ...differences.map((one): NextCause => ({ verdict: 'may-break', ...one }))]
  }

  #findingOf({ verdict, reason, now, next }: NextCause): NextFinding {
    return { verdict, reason, now: pointText(placeOf(now, 'key')), next: pointText(placeOf(next, 'key')), calls: 0 }
  }
}

/** The most callers and operations that a message names. */
const MOST_NAMED = 5

/** Returns the findings at their places in the next contract. One reason for several operations, as in a shared schema, is one. */
export function diagnosticsOf(rows: readonly NextRow[]): Diagnostic[] {
  const groups = new Map<
    string,
    { readonly row: NextRow; readonly finding: NextFinding; readonly subjects: string[] }
  >()
  for (const row of rows) {
    for (const finding of row.findings) {
      const key = [row.calls > 0, finding.verdict, finding.reason, finding.now, finding.next].join('\n')
      getOrMake(groups, key, () => ({ row, finding, subjects: [] })).subjects.push(subjectOf(row))
    }
  }
  return [...groups.values()].map(({ row, finding, subjects }) => {
    const { verdict, reason, now, next: at } = finding
    const { calls, sunset } = row
    const [column, line, ...file] = at.split(':').reverse()
    const [subject = '', ...others] = subjects
    const seen = calls === 0 ? 'nobody called it' : `${finding.calls} of ${calls} calls, the last ${finding.last}`
    const rest = others.length - MOST_NAMED
    const more =
      others.length === 0
        ? ''
        : `; also ${others.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    return {
      severity: calls > 0 && verdict === 'breaks' ? 'error' : 'warning',
      code: calls > 0 ? verdict : row.verdict,
      subject,
      message: `${reason} (${seen}; now ${now}${sunset === undefined ? '' : `; sunset ${sunset}`}${more})`,
      hint: finding.try,
      place: { file: file.reverse().join(':'), line: Number(line), column: Number(column), length: 1, text: '' },
    }
  })
}

const subjectOf = ({ consumer, operation, calls }: NextRow): string =>
  calls === 0 ? operation : `${consumer ?? 'unknown callers'} ${operation}`

const pointText = ({ file, line, column }: Place): string => `${file}:${line}:${column}`

/** Matches a field of JSON, or of a form, up to a value that its name calls secret. */
const SECRET_FIELD =
  /("[^"]*(?:pass|token|secret|credential|api_?key)[^"]*"\s*:\s*"|[^=&{}]*(?:pass|token|secret|api_?key)[^=&{}]*=)[^"&]*/gi
