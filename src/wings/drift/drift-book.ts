// The differences between contract, stand-in and real API that were found, each kept once with its counts, and the baseline: the
// list of those that are accepted.

import type { Operation } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import type { Diagnostic, Place } from '../../kernel/diagnostic.ts'
import type { Reply } from '../../kernel/http.ts'
import type { DateTime } from '../../kernel/units.ts'
import { timestamp } from '../../world/dates.ts'
import { answerAt, nameOfPart, type ObservedReply, type ReplyDifference } from '../project/differences.ts'
import type { AskedRequest } from '../project/page-differences.ts'

/** A difference with the three answers, and who met it. */
export interface DriftFinding {
  readonly operation: string
  /** In kebab-case, such as `missing-field`. */
  readonly kind: string
  /** The part of the contract, independent of lines: `api.yaml#/components/schemas/Book/properties/title`. */
  readonly part: string
  /** The part's place: `api.yaml:12:7`. */
  readonly place: string
  /** The place in the reply: `status`, `header NAME`, or a JSON Pointer in which `*` is any item. */
  readonly where: string
  /** The claim of the contract. */
  readonly contract: string
  /** Absent where the stand-in was not asked. */
  readonly standIn?: string | undefined
  /** The answer of the real API. */
  readonly upstream: string
  readonly consumers: readonly string[]
  readonly count: number
  readonly firstSeen: DateTime
  readonly lastSeen: DateTime
  /** A request that met it, without its credentials, and the status. */
  readonly example: string
}

/** Findings, and the number of those that were not kept. */
export interface DriftReport {
  readonly findings: readonly DriftFinding[]
  /** The differences that are not kept because there are too many. */
  readonly omitted: number
}

/** The circumstances of a difference. */
export interface DriftContext {
  readonly operation: Operation
  readonly request: AskedRequest
  readonly reply: ObservedReply
  readonly standIn?: Pick<Reply, 'status' | 'headers' | 'body'> | undefined
  readonly consumer?: string | undefined
  /** In milliseconds. */
  readonly at: number
}

/** Functions that replace credentials in parts of a request. */
type Masking = Readonly<Record<'text' | 'path' | 'query', (sent: string) => string>>
const UNMASKED: Masking = { text: text => text, path: path => path, query: query => query }

/** The findings that are kept; further ones are counted. */
const MOST_FINDINGS = 1000
/** The consumers that a finding names. */
const MOST_CONSUMERS = 20

/** A finding as it is kept: without bodies and header fields. */
interface KeptFinding extends Pick<DriftContext, 'operation' | 'at'> {
  readonly request: AskedRequest
  readonly status: number
  readonly difference: ReplyDifference
  readonly consumers: Set<string>
  readonly standIn: string | undefined
  count: number
  last: number
}

export class DriftBook {
  readonly #kept = new Map<string, KeptFinding>()
  /** The number of findings that are not kept. */
  omitted = 0

  add(context: DriftContext, differences: readonly ReplyDifference[]): void {
    const { operation, consumer, at, standIn, reply } = context
    for (const difference of differences) {
      const key = keyOfDifference(operation, difference)
      let kept = this.#kept.get(key)
      if (kept === undefined) {
        if (this.#kept.size >= MOST_FINDINGS) {
          this.omitted += 1
          continue
        }
        const { method, path, query } = context.request
        // A reply with another status has another schema.
        const isSame = standIn?.status === reply.status
        const answered = standIn && (isSame ? answerAt(standIn, difference) : `${standIn.status}`)
        const about = { operation, request: { method, path, query }, status: reply.status, at, difference }
        kept = { ...about, consumers: new Set(), standIn: answered, count: 0, last: at }
        this.#kept.set(key, kept)
      }
      kept.count += 1
      kept.last = at
      if (consumer !== undefined && kept.consumers.size < MOST_CONSUMERS) kept.consumers.add(consumer)
    }
  }

  has(operation: Operation, difference: ReplyDifference): boolean {
    return this.#kept.has(keyOfDifference(operation, difference))
  }

  /** Returns the findings, sorted by operation and part. */
  list(mask: Masking = UNMASKED): DriftFinding[] {
    const sorted = [...this.#kept].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([, { operation, request, status, at, difference, consumers, standIn, count, last }]) => {
      const { kind, where, contract, upstream } = difference
      const { file, line, column } = placeOf(difference.node, 'key')
      const query = request.query === '' ? '' : `?${mask.query(request.query)}`
      return {
        operation: operation.id,
        kind,
        part: nameOfPart(difference),
        place: `${file}:${line}:${column}`,
        where,
        contract,
        standIn,
        upstream: mask.text(upstream),
        consumers: [...consumers].sort(),
        count,
        firstSeen: timestamp(at),
        lastSeen: timestamp(last),
        example: `${request.method} ${mask.path(request.path)}${query} → ${status || 'no reply'}`,
      }
    })
  }

  /** Returns the places of the findings, by their lines in a baseline. */
  get places(): ReadonlyMap<string, Place> {
    return new Map([...this.#kept].map(([key, { difference }]) => [key, placeOf(difference.node, 'key')]))
  }
}

const keyOfFinding = (operation: string, kind: string, part: string): string => `${operation} ${kind} ${part}`

const keyOfDifference = ({ id }: Operation, difference: ReplyDifference): string =>
  keyOfFinding(id, difference.kind, nameOfPart(difference))

/** Returns the line of a finding in a baseline. */
export const baselineLine = ({ operation, kind, part }: DriftFinding): string => keyOfFinding(operation, kind, part)

/** Returns a finding as a mistake in a file of the contract. */
export function diagnosticOf(finding: DriftFinding, place: Place | undefined): Diagnostic {
  const { kind, operation, example } = finding
  const [, file = finding.place, line = 1, column = 1] = /^(.*):(\d+):(\d+)$/.exec(finding.place) ?? []
  return {
    severity: 'error',
    code: kind,
    subject: operation,
    message: sentenceOfFinding(finding),
    place: place ?? { file, line: Number(line), column: Number(column), length: 1, text: '' },
    hint: `${example}; correct the API or the contract, or accept it with --baseline FILE --accept`,
  }
}

const sentenceOfFinding = ({ where, contract, standIn, upstream }: DriftFinding): string => {
  const answers = [`contract: ${contract}`, ...(standIn === undefined ? [] : [`stand-in: ${standIn}`])]
  return `${where === '' ? 'the body' : where}: ${[...answers, `upstream: ${upstream}`].join(' · ')}`
}

/** Reads a baseline: a finding a line; blank lines and those that begin with `#` are skipped. */
export const readBaseline = (text: string): ReadonlySet<string> =>
  new Set(text.split('\n').flatMap(line => /^\s*([^#\s].*?)\s*$/.exec(line)?.[1] ?? []))

/** Writes a baseline, sorted. */
export const writeBaseline = (findings: readonly DriftFinding[]): string =>
  [...new Set(findings.map(one => `${baselineLine(one)}\n`))].sort().join('')
