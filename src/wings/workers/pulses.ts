// Counts the questions of the primary that a worker does not answer: a worker whose event loop is held takes no connections, and
// does not end by itself.

/** After this many unanswered questions in a row a worker is replaced: half a minute, which a reload of a large contract may take. */
const MOST_UNANSWERED = 15

export class Pulses {
  /** How many questions in a row a worker has not answered, by its id. */
  readonly #unanswered = new Map<number, number>()

  /** Takes note of an answer. */
  answered(id: number): void {
    this.#unanswered.delete(id)
  }

  /** Takes note of a question without an answer. Returns whether the worker must be replaced. */
  missed(id: number): boolean {
    const count = (this.#unanswered.get(id) ?? 0) + 1
    this.#unanswered.set(id, count)
    return count >= MOST_UNANSWERED
  }

  /** Why the program is not ready; `undefined` if all workers answer. */
  get unavailable(): string | undefined {
    const { size } = this.#unanswered
    if (size === 0) return undefined
    return size === 1 ? 'a worker does not answer' : `${size} workers do not answer`
  }
}
