// Follows the requests of the gateway: those of the journal, then the stream of new ones, which are added to the list ten times
// a second.

import { signal } from '@preact/signals'
import type { RecordedRequest } from '../../http/control/types.ts'
import { ControlError, call, callForReply, markLost } from '../model/control-plane.ts'
import { createEventParser, RequestLog } from './request-log.ts'

/** Rows that the list keeps. */
const MOST_ROWS = 10_000
/** Milliseconds between two updates of the list. */
const INTERVAL = 100

type JournalQuery = Readonly<Record<string, string>>

class RequestFeed {
  readonly log = new RequestLog(MOST_ROWS)
  /** Changes whenever the list does. */
  readonly revision = signal(0)
  readonly paused = signal(false)
  /** Whether the first answer of the journal is still awaited. */
  readonly loading = signal(true)
  readonly error = signal<Error | undefined>(undefined)
  #abort: AbortController | undefined
  #scheduled = false
  /** The filter that the rows fulfil. */
  #shown = ''

  /** Follows the requests that fulfil the filter, until `stop` or a `start` with another filter. */
  start(filter: JournalQuery): void {
    const key = JSON.stringify(filter)
    if (this.#abort !== undefined && key === this.#shown) return
    this.stop()
    if (key !== this.#shown) {
      this.log.restart()
      this.loading.value = true
      this.revision.value += 1
    }
    this.#shown = key
    this.#abort = new AbortController()
    void this.#follow(filter, this.#abort.signal)
  }

  stop(): void {
    this.#abort?.abort()
    this.#abort = undefined
  }

  pause(paused: boolean): void {
    this.paused.value = paused
    this.#schedule()
  }

  clear(): void {
    this.log.clear()
    this.revision.value += 1
  }

  async #follow(filter: JournalQuery, signal: AbortSignal): Promise<void> {
    try {
      const query = { ...filter, limit: MOST_ROWS }
      const { requests } = await call<{ requests: RecordedRequest[] }>('GET', '/requests', { query, signal })
      this.log.merge(requests)
      this.error.value = undefined
      this.loading.value = false
      this.revision.value += 1
      await this.#listen({ ...filter, after: `${requests.at(-1)?.id ?? 0}` }, signal)
    } catch (error) {
      if (signal.aborted) return
      this.#abort = undefined
      this.loading.value = false
      if (error instanceof ControlError) this.error.value = error
    }
  }

  async #listen(query: JournalQuery, signal: AbortSignal): Promise<void> {
    const reply = await callForReply('GET', '/requests/stream', {
      query: { ...query, headers: true },
      accept: 'text/event-stream',
      signal,
      quiet: true,
    })
    const reader = (reply.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
    const parse = createEventParser()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        const events = parse(value)
        for (const { name, data } of events) if (name === 'dropped') this.log.dropped += JSON.parse(data).count
        this.log.receive(events.filter(({ name }) => name === 'request').map(({ data }) => data))
        this.#schedule()
      }
    } catch {
      // The connection was lost, or the feed was stopped.
    }
    // A stream ends only when the gateway does; the view starts the feed again when the connection is back.
    if (signal.aborted) return
    this.#abort = undefined
    markLost()
  }

  #schedule(): void {
    if (this.#scheduled || this.log.waiting === 0) return
    this.#scheduled = true
    setTimeout(() => {
      this.#scheduled = false
      if (!this.paused.value) this.log.read()
      this.revision.value += 1
    }, INTERVAL)
  }
}

/** The list outlives the view, so that it is shown again when the view is opened again. */
export const feed = new RequestFeed()
