// The newest requests for the list, and the parser of their stream. Counts the requests that the page did not show.

import type { RecordedRequest } from '../../http/control/types.ts'

export interface LoggedRequest extends RecordedRequest {
  /** Unlike the id, it stays unique after a restart of the gateway, which counts from 1 again. */
  readonly key: string
}

/** @param most rows that are kept; also the most texts that wait to be read */
export function createRequestLog(most: number) {
  /** Counts the starts of the gateway that this log has seen. */
  let generation = 1
  let lastId = 0
  /** The time of the newest request, as RFC 3339 text. */
  let lastAt = ''
  const add = (requests: readonly RecordedRequest[]): void => {
    for (const request of requests) {
      if (request.id <= lastId) continue
      lastId = request.id
      lastAt = request.at
      log.added += 1
      log.rows.push({ ...request, key: `${generation === 1 ? '' : `${generation}-`}${request.id}` })
    }
    log.rows.splice(0, log.rows.length - most)
  }
  const log = {
    /** The oldest first. */
    rows: [] as LoggedRequest[],
    /** Texts that wait to be read. */
    waiting: [] as string[],
    /** Requests that never reached the list: the page or the stream was too slow. */
    dropped: 0,
    /** Rows that were ever added. */
    added: 0,
    /** Takes the JSON texts of requests as they arrived; they are parsed by `read`. The oldest give way to the newest. */
    receive(texts: readonly string[]): void {
      log.waiting.push(...texts)
      log.dropped += log.waiting.splice(0, log.waiting.length - most).length
    },
    /** Parses the waiting texts, and adds them. */
    read: (): void => add(log.waiting.splice(0).map(text => JSON.parse(text) as RecordedRequest)),
    /**
     * Adds the journal's requests after a connection was made, except those that are already here. If the journal's count is
     * behind ours, or an id that we have is of a later request, the gateway was restarted and counts anew.
     */
    merge(requests: readonly RecordedRequest[]): void {
      const isBehind = (requests.at(-1)?.id ?? 0) < lastId
      if (isBehind || requests.some(({ id, at }) => id <= lastId && at > lastAt)) {
        generation += 1
        lastId = 0
      }
      add(requests)
    },
    /** Empties the list; later requests are added as before. */
    clear: (): object => Object.assign(log, { rows: [], waiting: [], dropped: 0 }),
    /** Empties the list and forgets its requests, because other ones are selected. */
    restart(): void {
      log.clear()
      lastId = 0
      lastAt = ''
    },
  }
  return log
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
