// A number of servers, and the line before them: first come, first served. Knows neither time nor HTTP.

export class Servers {
  #busy = 0
  // A set keeps the order in which it was filled, and lets go of one in the middle at once.
  readonly #line = new Set<() => void>()

  get busy(): number {
    return this.#busy
  }

  /** How many stand in line. */
  get waiting(): number {
    return this.#line.size
  }

  /** Takes a server, where one of so many is free and nobody else waits for it. */
  take(servers: number): boolean {
    if (this.#busy >= servers || this.#line.size > 0) return false
    this.#busy += 1
    return true
  }

  /** Stands in line; `turn` is called with a server taken. The answer leaves the line, and says whether it was in time. */
  queue(turn: () => void): () => boolean {
    this.#line.add(turn)
    return () => this.#line.delete(turn)
  }

  /** Gives a server back, and whatever is free of so many to those in line. */
  release(servers: number): void {
    this.#busy -= 1
    for (const turn of this.#line) {
      if (this.#busy >= servers) return
      this.#line.delete(turn)
      this.#busy += 1
      turn()
    }
  }
}
