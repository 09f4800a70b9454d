// A number of servers and a first-come-first-served queue. Independent of time and HTTP.

export class Servers {
  busy = 0
  // A set keeps the order in which it was filled, and lets go of one in the middle at once.
  readonly #line = new Set<() => void>()

  /** The length of the queue. */
  get waiting(): number {
    return this.#line.size
  }

  /** Takes a server, if one of this many is free and the queue is empty. */
  take(servers: number): boolean {
    if (this.busy >= servers || this.#line.size > 0) return false
    this.busy += 1
    return true
  }

  /**
   * Enters the queue; `served` is called when it has a server. Returns a function that leaves the queue, and returns whether
   * it was in time.
   */
  queue(served: () => void): () => boolean {
    this.#line.add(served)
    return () => this.#line.delete(served)
  }

  /** Returns a server, and gives free ones of this many to the queue. */
  release(servers: number): void {
    this.busy -= 1
    for (const served of this.#line) {
      if (this.busy >= servers) return
      this.#line.delete(served)
      this.busy += 1
      served()
    }
  }
}
