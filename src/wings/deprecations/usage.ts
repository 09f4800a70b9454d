// Counts the calls of deprecated operations, and the uses of deprecated inputs, by consumer.

/**
 * Whether a call counts as real use: a call to a sandbox, or at another time than the real one, is a rehearsal.
 */
export type TrafficKind = 'live' | 'rehearsed'

/** The calls of one operation by one consumer, or their uses of one of its inputs. */
export interface Usage {
  readonly operation: string
  /** A parameter or a field of the body; empty if the operation itself is deprecated. */
  readonly input: string
  /** Empty for calls without a known consumer. */
  readonly consumer: string
  readonly traffic: TrafficKind
  count: number
  /** The first and the last call by the clocks of their worlds, in milliseconds since the epoch. */
  first: number
  last: number
}

export class Deprecations {
  readonly #usages = new Map<string, Usage>()

  /** Counts a call of an operation, or a use of one of its inputs. */
  count(operation: string, input: string, consumer: string, traffic: TrafficKind, time: number): void {
    const key = `${operation}\n${input}\n${traffic}\n${consumer}`
    const usage = this.#usages.get(key)
    if (usage === undefined) {
      this.#usages.set(key, { operation, input, consumer, traffic, count: 1, first: time, last: time })
      return
    }
    usage.count += 1
    usage.first = Math.min(usage.first, time)
    usage.last = Math.max(usage.last, time)
  }

  /** The totals of all operations, or of all inputs, sorted by the number of calls, most first. */
  all(of: 'operations' | 'inputs'): Usage[] {
    return [...this.#usages.values()]
      .filter(({ input }) => (input === '') === (of === 'operations'))
      .sort((a, b) => b.count - a.count)
  }
}
