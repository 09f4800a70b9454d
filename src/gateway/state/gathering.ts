// The moment at which a process asks where the log ends and leaves its notes: once for all requests that arrived together, and
// in one write where the engine is a server.

import { breathe } from '../../world/clock.ts'

/** How often the event loop looks for more requests. A third look finds few, and delays all. */
const MOST_LOOKS = 2

export class Gathering {
  #arrived = 0
  #ready: Promise<void> | undefined

  /** Takes note of a request: where one has arrived, others may follow. */
  arrived(): void {
    this.#arrived += 1
  }

  /** Resolves, for all waiting requests, when the event loop has looked for more requests and found none. */
  ready(): Promise<void> {
    this.#ready ??= this.#look()
    return this.#ready
  }

  async #look(): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const before = this.#arrived
      await breathe()
      if (this.#arrived === before) break
    }
    this.#ready = undefined
  }
}
