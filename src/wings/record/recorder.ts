// Records what passes on its way to the real API: a copy of each exchange is appended to a recording, masked, and forgotten.

import { counted } from '../../cli/command.ts'
import { nonconformanceOf } from '../../contract/judge.ts'
import { entryOf, type HarMessage } from '../../gateway/journal/har.ts'
import { decodeUtf8, type Headers, type Unread } from '../../kernel/http.ts'
import { decodeBody, joinFields, unread, withCopy } from '../../kernel/received.ts'
import type { Plan } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { monotonic } from '../../world/real-time.ts'
import type { Blanks } from '../project/blanks.ts'
import type { HarFile } from '../project/har.ts'
import { findRecorded } from '../project/recorded-state.ts'
import type { Upstream, UpstreamReply, UpstreamRequest, UpstreamSettings } from '../real-api/upstream.ts'

/** The bytes of a body that are kept. */
export const MOST_RECORDED = 2 ** 20
/** The names of operations that are counted without a contract. */
const MOST_OPERATIONS = 1000

export interface RecordingCounts {
  exchanges: number
  /** Bodies that are not in the recording, because they are longer than `MOST_RECORDED`, or broke off. */
  cut: number
  /** Replies that break the contract. */
  breaking: number
  /** Exchanges that could not be written. */
  lost: number
  readonly operations: Set<string>
}

/** The recording to add exchanges to. */
export interface RecordingTarget {
  readonly path: string
  /** The names of fields to blank beside those of credentials. */
  readonly personal: readonly string[]
  /** That of the contract, if there is one. */
  readonly plan: Plan | undefined
}

export class Recorder {
  readonly counts: RecordingCounts = { exchanges: 0, cut: 0, breaking: 0, lost: 0, operations: new Set() }
  readonly #har: Pick<HarFile, 'append'>
  readonly #blanks: Blanks
  readonly #plan: Plan | undefined
  readonly #told: (error?: Error) => void
  #written = Promise.resolve()

  /**
   * @param plan that of the contract, if there is one
   * @param told is called after each exchange; with the error of the first one that could not be written
   */
  constructor(har: Pick<HarFile, 'append'>, blanks: Blanks, plan: Plan | undefined, told: (error?: Error) => void) {
    this.#har = har
    this.#blanks = blanks
    this.#plan = plan
    this.#told = told
  }

  /** Resolves when the exchanges up to now are written. */
  get written(): Promise<void> {
    return this.#written
  }

  get summary(): string {
    const { exchanges, operations, breaking } = this.counts
    const broken = this.#plan === undefined ? '' : `, ${breaking} of the replies break the contract`
    return `${counted(exchanges, 'exchange')}, ${counted(operations.size, 'operation')}${broken}`
  }

  /** Returns a client that records what another one sends and receives. */
  through(client: Upstream): Upstream {
    return {
      close: () => client.close(),
      send: (request, settings) => this.#send(client, request, settings),
    }
  }

  async #send(client: Upstream, request: UpstreamRequest, settings: UpstreamSettings): Promise<UpstreamReply> {
    const at = realClock.now()
    const started = monotonic()
    let sent: Uint8Array | Unread = request.body === undefined ? NOTHING : unread('was not read')
    // Without a body, a request may be repeated.
    const body = request.body && withCopy(request.body, MOST_RECORDED, copy => (sent = copy))
    const reply = await client.send({ ...request, body }, settings)
    const latency = monotonic() - started
    const end = (copy: Uint8Array | Unread): void => {
      const headers = joinFields(reply.fields)
      const [path, query] = `${settings.path}${request.path}`.split(/\?(.*)/s) as [string, string?]
      this.#written = this.#written.then(async () =>
        this.#write({
          at,
          latency,
          method: request.method,
          origin: settings.origin,
          path,
          query: query ?? '',
          request: await recordedMessage(headersSent(request), sent),
          reply: { ...(await recordedMessage(headers, copy)), status: reply.status },
        }),
      )
    }
    return { ...reply, whole: undefined, body: withCopy(reply.body, MOST_RECORDED, end) }
  }

  #write(exchange: Parameters<typeof entryOf>[0]): void {
    const { counts } = this
    const { request, reply } = exchange
    for (const { isPartial } of [request, reply]) if (isPartial) counts.cut += 1
    const failure = this.#append(exchange)
    this.#count(exchange)
    this.#told(failure)
  }

  /** Returns the error if this is the first exchange that cannot be written. */
  #append(exchange: Parameters<typeof entryOf>[0]): Error | undefined {
    // A disk that was full once may have lost a part: what follows would not belong together.
    if (this.counts.lost > 0) {
      this.counts.lost += 1
      return undefined
    }
    try {
      this.#har.append(entryOf(this.#blanks.inNewExchange(exchange)))
      this.counts.exchanges += 1
      return undefined
    } catch (error) {
      this.counts.lost = 1
      return error as Error
    }
  }

  #count({ method, path, reply }: Parameters<typeof entryOf>[0]): void {
    const { counts } = this
    const operation = this.#plan && findRecorded(method, path, this.#plan)?.target.planned.operation
    if (operation !== undefined && !reply.isPartial && nonconformanceOf(operation, reply)) counts.breaking += 1
    const name = operation?.id ?? `${method} ${path.replace(/\/[^/]*\d{2}[^/]*|\/\d+/g, '/{}')}`
    if (counts.operations.size < MOST_OPERATIONS) counts.operations.add(name)
  }
}

const NOTHING = new Uint8Array()

/** The fields of a request without those that were added on the way. */
const headersSent = ({ headers: { via: _, ...headers } }: UpstreamRequest): Headers => headers

async function recordedMessage(headers: Headers, sent: Uint8Array | Unread): Promise<HarMessage> {
  const body = await decodeBody(sent, headers['content-encoding'], MOST_RECORDED)
  if ('why' in body) return { headers, body: undefined, isPartial: true }
  return { headers, body: body.length === 0 ? undefined : (decodeUtf8(body) ?? body), isPartial: false }
}
