// The newest requests for the list, in an array that grows in batches. Counts dropped requests for the page.

import type { Recorded } from '../model/shapes.ts'

export interface LoggedRequest extends Recorded {
  /** Unlike the id, it stays unique after a restart of the gateway, which counts from 1 again. */
  readonly key: string
}

export class RequestLog {
  readonly #most: number
  #rows: LoggedRequest[] = []
  /** Rows before this index are given up; they are cut off now and then. */
  #start = 0
  #waiting: string[] = []
  /** Counts the starts of the gateway that this log has seen. */
  #generation = 1
  #lastId = 0
  /** The time of the newest request, as RFC 3339 text. */
  #lastAt = ''
  /** Requests that never reached the list: the page or the stream was too slow. */
  dropped = 0
  /** Rows that were ever added. */
  added = 0

  /** @param most rows that are kept; also the most texts that wait to be read */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#rows.length - this.#start
  }

  get lastId(): number {
    return this.#lastId
  }

  /** How many texts wait to be read. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The row at an index, the newest first. */
  at(index: number): LoggedRequest | undefined {
    return index < this.size ? this.#rows[this.#rows.length - 1 - index] : undefined
  }

  find(key: string): LoggedRequest | undefined {
    for (let i = this.#rows.length - 1; i >= this.#start; i--) if (this.#rows[i]?.key === key) return this.#rows[i]
    return undefined
  }

  /** Takes the JSON texts of requests as they arrived; they are parsed by `read`. The oldest give way to the newest. */
  receive(texts: readonly string[]): void {
    for (const text of texts) this.#waiting.push(text)
    const above = this.#waiting.length - this.#most
    if (above <= 0) return
    this.#waiting.splice(0, above)
    this.dropped += above
  }

  /** Parses the next waiting texts, up to this many, and adds them. Returns their number. */
  read(most: number): number {
    const texts = this.#waiting.splice(0, most)
    for (const text of texts) this.#append(JSON.parse(text) as Recorded)
    this.#cut()
    return texts.length
  }

  /**
   * Adds the journal's requests after a connection was made, except those that are already here. If the journal's count is
   * behind ours, or an id that we have is of a later request, the gateway was restarted and counts anew.
   */
  merge(requests: readonly Recorded[], newest: number): void {
    if (newest < this.#lastId || requests.some(({ id, at }) => id <= this.#lastId && at > this.#lastAt)) {
      this.#generation += 1
      this.#lastId = 0
    }
    for (const request of requests) this.#append(request)
    this.#cut()
  }

  /** Adds the journal's requests that are older than the oldest row. */
  addOlder(requests: readonly Recorded[]): void {
    const oldest = this.#rows[this.#start]?.id ?? Number.POSITIVE_INFINITY
    const older = requests.filter(({ id }) => id < oldest).map(request => this.#rowOf(request))
    this.#rows = [...older, ...this.#rows.slice(this.#start)]
    this.#start = 0
    this.#cut()
  }

  /** Empties the list; later requests are added as before. */
  clear(): void {
    this.#rows = []
    this.#start = 0
    this.#waiting = []
    this.dropped = 0
  }

  /** Empties the list and forgets its requests, because other ones are selected. */
  restart(): void {
    this.clear()
    this.#lastId = 0
    this.#lastAt = ''
  }

  #append(request: Recorded): void {
    if (request.id <= this.#lastId) return
    this.#lastId = request.id
    this.#lastAt = request.at
    this.#rows.push(this.#rowOf(request))
    this.added += 1
  }

  #rowOf(request: Recorded): LoggedRequest {
    return { ...request, key: this.#generation === 1 ? `${request.id}` : `${this.#generation}-${request.id}` }
  }

  #cut(): void {
    this.#start = Math.max(this.#start, this.#rows.length - this.#most)
    if (this.#start < this.#most / 2) return
    this.#rows = this.#rows.slice(this.#start)
    this.#start = 0
  }
}
