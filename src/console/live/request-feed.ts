// Follows the requests of the gateway: those of the journal, then the stream of new ones. Adds them to the list once
// per frame and within a budget of time, so that the page stays quick under load.

import { signal } from '@preact/signals'
import { markLost } from '../model/connection.ts'
import { call, send } from '../model/control-plane.ts'
import { createEventParser } from '../model/event-parser.ts'
import type { Recorded } from '../model/shapes.ts'
import { RequestLog } from './request-log.ts'

/** Rows that the list keeps. */
const MOST_ROWS = 10_000
/** The number of rows of the first request, since a whole journal takes a while to read. */
const FIRST_ROWS = 100
/** Requests that are read at a time, and milliseconds of a frame that reading may take. */
const BATCH = 50
const BUDGET = 6
/** Milliseconds between two batches while the tab is in the background, where browsers draw no frames. */
const HIDDEN_INTERVAL = 500

export type Filter = Readonly<Record<string, string>>

export class RequestFeed {
  readonly log = new RequestLog(MOST_ROWS)
  /** Changes whenever the list does. */
  readonly revision = signal(0)
  readonly paused = signal(false)
  /** Whether the first answer of the journal is still awaited. */
  readonly loading = signal(true)
  readonly error = signal<Error | undefined>(undefined)
  #abort: AbortController | undefined
  #scheduled = false
  /** How often the list was emptied by hand. */
  #clears = 0
  /** The filter that the rows fulfil. */
  #shown = ''

  /** Follows the requests that fulfil the filter, until `stop` or a `start` with another filter. */
  start(filter: Filter): void {
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
    this.#clears += 1
    this.log.clear()
    this.revision.value += 1
  }

  async #follow(filter: Filter, signal: AbortSignal): Promise<void> {
    try {
      // A list that has rows already needs everything since its newest one.
      const page = await this.#ask(filter, this.log.lastId === 0 ? FIRST_ROWS : MOST_ROWS, signal)
      const newest = page.requests.at(-1)?.id ?? 0
      this.log.merge(page.requests, newest)
      this.error.value = undefined
      this.loading.value = false
      this.revision.value += 1
      if (page.more && page.requests.length === FIRST_ROWS) void this.#readOlder(filter, signal)
      await this.#listen({ ...filter, after: `${newest}` }, signal)
    } catch (error) {
      if (signal.aborted) return
      this.#abort = undefined
      this.loading.value = false
      if ((error as Error).name === 'ControlError') this.error.value = error as Error
    }
  }

  /**
   * Adds the requests of the journal before the first rows. If that fails, the connection is lost, and all is read again.
   */
  async #readOlder(filter: Filter, signal: AbortSignal): Promise<void> {
    const clears = this.#clears
    const page = await this.#ask(filter, MOST_ROWS, signal).catch(() => undefined)
    if (page === undefined || signal.aborted || this.#clears !== clears) return
    this.log.addOlder(page.requests)
    this.revision.value += 1
  }

  #ask(filter: Filter, limit: number, signal: AbortSignal): Promise<{ requests: Recorded[]; more: boolean }> {
    return call('GET', '/requests', { query: { ...filter, limit }, signal })
  }

  async #listen(query: Filter, signal: AbortSignal): Promise<void> {
    const reply = await send('GET', '/requests/stream', {
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
    } catch (error) {
      if (signal.aborted) return
      void error
    }
    // A stream ends only when the gateway does; the view starts the feed again when the connection is back.
    if (signal.aborted) return
    this.#abort = undefined
    markLost()
  }

  #schedule(): void {
    if (this.#scheduled || this.log.waiting === 0) return
    this.#scheduled = true
    const flush = (): void => {
      this.#scheduled = false
      this.#flush()
    }
    if (document.hidden) setTimeout(flush, HIDDEN_INTERVAL)
    else requestAnimationFrame(flush)
  }

  #flush(): void {
    if (this.paused.value) {
      this.revision.value += 1
      return
    }
    const end = performance.now() + BUDGET
    while (this.log.waiting > 0 && performance.now() < end) this.log.read(BATCH)
    this.revision.value += 1
    this.#schedule()
  }
}

/** The list outlives the view, so that it is shown again when the view is opened again. */
export const feed = new RequestFeed()
