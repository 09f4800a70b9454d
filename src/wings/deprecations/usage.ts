// Counts the calls of deprecated operations, and the uses of deprecated inputs, by consumer.

import { getOrMake } from '../../kernel/memo.ts'

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

/** Counts a call at a time. */
export function countCall(usage: Usage, time: number): void {
  usage.count += 1
  if (time < usage.first) usage.first = time
  if (time > usage.last) usage.last = time
}

export class Deprecations {
  readonly #usages = new Map<string, Usage>()

  /** Returns the calls of an operation, or the uses of one of its inputs; the same object every time. */
  of(operation: string, input: string, consumer: string, traffic: TrafficKind): Usage {
    return getOrMake(this.#usages, `${operation}\n${input}\n${traffic}\n${consumer}`, () => ({
      operation,
      input,
      consumer,
      traffic,
      count: 0,
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
    }))
  }

  /** The totals of all operations, or of all inputs, sorted by the number of calls, most first. */
  all(of: 'operations' | 'inputs'): Usage[] {
    return [...this.#usages.values()]
      .filter(({ input }) => (input === '') === (of === 'operations'))
      .sort((a, b) => b.count - a.count)
  }
}
