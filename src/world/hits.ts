// How often each rule that has a number of times has held in a world.

export class Hits {
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Counts one more, if that is still within `times`. Nothing happens between looking and counting. */
  take(times: number): boolean {
    if (this.#count >= times) return false
    this.#count += 1
    return true
  }

  resume(count: number): void {
    this.#count = count
  }
}
