// The newest requests for the list, and the parser of their stream. Counts the requests that the page did not show.

import type { RecordedRequest } from '../../http/control/types.ts'

export interface LoggedRequest extends RecordedRequest {
  /** Unlike the id, it stays unique after a restart of the gateway, which counts from 1 again. */
  readonly key: string
}

export class RequestLog {
  readonly #most: number
  /** The oldest first. */
  rows: LoggedRequest[] = []
  /** Texts that wait to be read. */
  waiting: string[] = []
  /** Requests that never reached the list: the page or the stream was too slow. */
  dropped = 0
  /** Rows that were ever added. */
  added = 0
  /** Counts the starts of the gateway that this log has seen. */
  #generation = 1
  #lastId = 0
  /** The time of the newest request, as RFC 3339 text. */
  #lastAt = ''

  /** @param most rows that are kept; also the most texts that wait to be read */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes the JSON texts of requests as they arrived; they are parsed by `read`. The oldest give way to the newest. */
  receive(texts: readonly string[]): void {
    this.waiting.push(...texts)
    this.dropped += this.waiting.splice(0, this.waiting.length - this.#most).length
  }

  /** Parses the waiting texts, and adds them. */
  read(): void {
    this.#add(this.waiting.splice(0).map(text => JSON.parse(text) as RecordedRequest))
  }

  /**
   * Adds the journal's requests after a connection was made, except those that are already here. If the journal's count is
   * behind ours, or an id that we have is of a later request, the gateway was restarted and counts anew.
   */
  merge(requests: readonly RecordedRequest[]): void {
    const isBehind = (requests.at(-1)?.id ?? 0) < this.#lastId
    if (isBehind || requests.some(({ id, at }) => id <= this.#lastId && at > this.#lastAt)) {
      this.#generation += 1
      this.#lastId = 0
    }
    this.#add(requests)
  }

  /** Empties the list; later requests are added as before. */
  clear(): void {
    this.rows = []
    this.waiting = []
    this.dropped = 0
  }

  /** Empties the list and forgets its requests, because other ones are selected. */
  restart(): void {
    this.clear()
    this.#lastId = 0
    this.#lastAt = ''
  }

  #add(requests: readonly RecordedRequest[]): void {
    for (const request of requests) {
      if (request.id <= this.#lastId) continue
      this.#lastId = request.id
      this.#lastAt = request.at
      this.added += 1
      this.rows.push({ ...request, key: `${this.#generation === 1 ? '' : `${this.#generation}-`}${request.id}` })
    }
    this.rows.splice(0, this.rows.length - this.#most)
  }
}

interface ServerEvent {
  /** The event's name; `message` where it has none. */
  readonly name: string
  readonly data: string
}

/**
 * Returns a function that takes the next piece of a stream of server-sent events and returns the events that it completes. A
 * field that spans several lines is not supported: JSON never does.
 */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = ''
  return piece => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() as string
    return blocks.flatMap(block => {
      const [, name = 'message'] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: ([^\n]*)/m.exec(block) ?? []
      return data === undefined ? [] : [{ name, data }]
    })
  }
}
