// The order in which readers append to a log: one may reserve the next append, and the others wait.

export class AppendLine {
  #holder: object | undefined
  readonly #waiting: (() => void)[] = []

  /** Resolves when no other reader has reserved the next append. */
  async turn(reader: object | undefined): Promise<void> {
    while (this.#isTaken(reader)) await this.#released()
  }

  /** Reserves the next append, once no other reader has. */
  async reserve(reader: object): Promise<void> {
    // Nothing is awaited between the last look and the reservation: two readers would both have it.
    while (this.#isTaken(reader)) await this.#released()
    this.#holder = reader
  }

  #isTaken(reader: object | undefined): boolean {
    return this.#holder !== undefined && this.#holder !== reader
  }

  #released(): Promise<void> {
    return new Promise(resolve => void this.#waiting.push(resolve))
  }

  /** Ends the reservation of a reader, if it has one. */
  release(reader: object | undefined): void {
    if (reader === undefined || this.#holder !== reader) return
    this.#holder = undefined
    // All of them: one that has gone meanwhile would keep the others waiting.
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
