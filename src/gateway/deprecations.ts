// Who still calls what is deprecated: counted as it happens, told as a report. Knows no HTTP.

import type { Plan } from '../plan/compile.ts'
import { table } from '../plan/describe.ts'
import { DAY, isoDate } from '../world/clock.ts'

/** The calls of one operation by one consumer. */
export interface Usage {
  readonly operation: string
  /** Empty for calls that named no known consumer. */
  readonly consumer: string
  count: number
  /** The earliest and the latest, by the clocks of the worlds they reached: milliseconds since the epoch. */
  first: number
  last: number
}

/** Counts a call. */
export type Count = (consumer: string | undefined, time: number) => void

export class Deprecations {
  readonly #usages = new Map<string, Map<string, Usage>>()

  /** Looks an operation up once, at load. */
  bind(operation: string): Count {
    let usages = this.#usages.get(operation)
    if (usages === undefined) {
      usages = new Map()
      this.#usages.set(operation, usages)
    }
    const byConsumer = usages
    return (consumer = '', time) => {
      const usage = byConsumer.get(consumer)
      if (usage === undefined) {
        byConsumer.set(consumer, { operation, consumer, count: 1, first: time, last: time })
        return
      }
      usage.count += 1
      if (time < usage.first) usage.first = time
      if (time > usage.last) usage.last = time
    }
  }

  of(operation: string): Usage[] {
    return [...(this.#usages.get(operation)?.values() ?? [])]
  }

  all(): Usage[] {
    return [...this.#usages.values()].flatMap(usages => [...usages.values()])
  }
}

export interface DeprecatedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly since?: string
  readonly sunset?: string
  /** Whole days until the sunset, begun ones counted; negative after it. */
  readonly daysLeft?: number
  readonly calls: number
  readonly consumers: readonly {
    /** `null` for calls that named no known consumer. */
    readonly consumer: string | null
    readonly calls: number
    readonly firstSeen: string
    readonly lastSeen: string
  }[]
}

export interface DeprecationReport {
  readonly at: string
  readonly operations: readonly DeprecatedOperation[]
}

/** Every deprecated operation of the plan, those that nobody calls included; whoever calls most stands first. */
export function describeDeprecations(plan: Plan, deprecations: Deprecations, now: number): DeprecationReport {
  const operations = plan.operations
    .filter(({ operation, lifecycle }) => operation.deprecated || lifecycle !== undefined)
    .map(({ operation, route, lifecycle }): DeprecatedOperation => {
      const usages = deprecations.of(operation.id).sort((a, b) => b.count - a.count)
      const { since, sunset } = lifecycle ?? {}
      return {
        operation: operation.id,
        method: operation.method,
        path: route,
        ...(since === undefined ? {} : { since: isoDate(since) }),
        ...(sunset === undefined ? {} : { sunset: isoDate(sunset), daysLeft: daysUntil(sunset, now) }),
        calls: usages.reduce((sum, { count }) => sum + count, 0),
        consumers: usages.map(({ consumer, count, first, last }) => ({
          consumer: consumer === '' ? null : consumer,
          calls: count,
          firstSeen: isoDate(first),
          lastSeen: isoDate(last),
        })),
      }
    })
  return { at: isoDate(now), operations }
}

// Adding 0 makes 0 of -0.
const daysUntil = (sunset: number, now: number): number => Math.ceil((sunset - now) / DAY) + 0

/** The report as a table: one line for each consumer of each operation. */
export function formatDeprecations({ operations }: DeprecationReport): string {
  if (operations.length === 0) return 'nothing is deprecated\n'
  const rows = operations.flatMap(({ operation, sunset = '·', daysLeft, consumers }) => {
    const life = [sunset, daysLeft === undefined ? '·' : `${daysLeft}`]
    if (consumers.length === 0) return [[operation, ...life, 'nobody', '0', '·', '·']]
    return consumers.map(({ consumer, calls, firstSeen, lastSeen }) => [
      ...[operation, ...life, consumer ?? '(unknown)', `${calls}`],
      ...[firstSeen.slice(0, 10), lastSeen.slice(0, 10)],
    ])
  })
  return `${table([['OPERATION', 'SUNSET', 'DAYS LEFT', 'CONSUMER', 'CALLS', 'FIRST SEEN', 'LAST SEEN'], ...rows])}\n`
}
