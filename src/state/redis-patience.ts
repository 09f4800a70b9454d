// How long calls wait for Redis. One timer looks after all of them and counts ticks, so that a process that was busy itself
// does not take the server for slow.

/** How often waiting calls are looked after, in milliseconds: limits are counted in these. */
export const TICK = 250

interface Limited {
  ticks: number
  expire(): void
}

export class Patience {
  readonly #limited = new Set<Limited>()

  /** Waits for a reply for this many ticks; then calls `expired` and rejects with its result. */
  limit<Reply>(reply: Promise<Reply>, ticks: number, expired: () => Error): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const limited: Limited = { ticks, expire: () => reject(expired()) }
      this.#limited.add(limited)
      reply.then(resolve, reject).finally(() => this.#limited.delete(limited))
    })
  }

  tick(): void {
    for (const limited of [...this.#limited]) {
      limited.ticks -= 1
      if (limited.ticks > 0) continue
      this.#limited.delete(limited)
      limited.expire()
    }
  }
}
