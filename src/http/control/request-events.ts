// Server-sent events: the requests of the journal, to one client that listens.

import { Readable } from 'node:stream'
import { describeEntry } from '../../gateway/journal/entry.ts'
import type { Criterion } from '../../gateway/journal/filter.ts'
import type { JournalEntry } from '../../gateway/journal/kept-request.ts'
import { matches } from '../../gateway/journal/select.ts'
import type { Schema } from '../../kernel/schema.ts'

/** The schema of a stream is that of a text; it describes one event. */
export const eventsSchema: Schema = {
  type: 'string',
  description:
    'Server-sent events. The data of `request` is a request as GET /requests has it; that of `dropped`, `{"count":3}`, is how many were left out because the client reads too slowly.',
}

/** The maximum number of characters that wait for a slow client; more events are dropped, and counted in the stream. */
const MOST_WAITING = 1_000_000
/** Milliseconds between signs of life on a quiet stream. */
const HEARTBEAT = 15_000

/** A stream of the requests that match, as server-sent events. */
export class RequestEvents extends Readable {
  readonly #stop: () => void
  #omitted = 0

  constructor(
    listen: (listener: (entry: JournalEntry) => void) => () => void,
    criteria: readonly Criterion[],
    ended: () => void,
  ) {
    super({ highWaterMark: MOST_WAITING, encoding: 'utf8' })
    const stopListening = listen(entry => {
      if (matches(criteria, entry)) this.tell(describeEntry(entry))
    })
    const heartbeat = setInterval(() => this.push(': \n\n'), HEARTBEAT)
    heartbeat.unref()
    this.#stop = () => {
      stopListening()
      clearInterval(heartbeat)
      ended()
    }
    // The client then knows at once that the stream has begun.
    this.push(': listening\n\n')
  }

  tell(request: { readonly id: number }): void {
    if (this.readableLength >= MOST_WAITING) {
      this.#omitted += 1
      return
    }
    if (this.#omitted > 0) {
      this.push(`event: dropped\ndata: {"count":${this.#omitted}}\n\n`)
      this.#omitted = 0
    }
    this.push(`event: request\nid: ${request.id}\ndata: ${JSON.stringify(request)}\n\n`)
  }

  override _read(): void {}

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stop()
    callback(error)
  }
}
