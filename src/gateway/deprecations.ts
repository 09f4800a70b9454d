// Who still calls what is deprecated: counted as it happens, told as a report. Knows no HTTP.

import type { Plan } from '../plan/compile.ts'
import { table } from '../plan/describe.ts'
import { DAY, isoDate } from '../world/clock.ts'

/** The calls of one operation by one consumer, or their uses of one of its inputs. */
export interface Usage {
  readonly operation: string
  /** A parameter or a field of the body; empty where it is the operation itself that is deprecated. */
  readonly input: string
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

  /** Looks an operation up once, when it is first called; or an input of it, when it is used. */
  bind(operation: string, input = ''): Count {
    const key = keyOf(operation, input)
    let usages = this.#usages.get(key)
    if (usages === undefined) {
      usages = new Map()
      this.#usages.set(key, usages)
    }
    const byConsumer = usages
    return (consumer = '', time) => {
      const usage = byConsumer.get(consumer)
      if (usage === undefined) {
        byConsumer.set(consumer, { operation, input, consumer, count: 1, first: time, last: time })
        return
      }
      usage.count += 1
      if (time < usage.first) usage.first = time
      if (time > usage.last) usage.last = time
    }
  }

  /** Whoever calls most stands first. */
  of(operation: string): Usage[] {
    return ranked([...(this.#usages.get(keyOf(operation, ''))?.values() ?? [])])
  }

  /** Of all operations. */
  all(): Usage[] {
    return this.#list(({ input }) => input === '')
  }

  /** Of all inputs. */
  inputs(): Usage[] {
    return this.#list(({ input }) => input !== '')
  }

  #list(wanted: (usage: Usage) => boolean): Usage[] {
    return ranked([...this.#usages.values()].flatMap(usages => [...usages.values()]).filter(wanted))
  }
}

const keyOf = (operation: string, input: string): string => `${operation}\n${input}`
const ranked = (usages: Usage[]): Usage[] => usages.sort((a, b) => b.count - a.count)

export interface DeprecatedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly since?: string
  readonly sunset?: string
  /** Whole days until the sunset, begun ones counted; negative after it. */
  readonly daysLeft?: number
  readonly calls: number
  readonly consumers: readonly Caller[]
}

export interface Caller {
  /** `null` for calls that named no known consumer. */
  readonly consumer: string | null
  readonly calls: number
  readonly firstSeen: string
  readonly lastSeen: string
}

export interface DeprecationReport {
  readonly at: string
  readonly operations: readonly DeprecatedOperation[]
  /** Deprecated parameters and fields, as far as anybody used them. */
  readonly inputs: readonly (Caller & { readonly operation: string; readonly input: string })[]
}

/** Every deprecated operation of the plan, those that nobody calls included; whoever calls most stands first. */
export function describeDeprecations(plan: Plan, deprecations: Deprecations, now: number): DeprecationReport {
  const operations = plan.operations
    .filter(({ operation, lifecycle }) => operation.deprecated || lifecycle !== undefined)
    .map(({ operation, route, lifecycle }): DeprecatedOperation => {
      const usages = deprecations.of(operation.id)
      const { since, sunset } = lifecycle ?? {}
      return {
        operation: operation.id,
        method: operation.method,
        path: route,
        ...(since === undefined ? {} : { since: isoDate(since) }),
        ...(sunset === undefined ? {} : { sunset: isoDate(sunset), daysLeft: daysUntil(sunset, now) }),
        calls: usages.reduce((sum, { count }) => sum + count, 0),
        consumers: usages.map(describeCaller),
      }
    })
  const inputs = deprecations.inputs().map(usage => {
    const { operation, input } = usage
    return { operation, input, ...describeCaller(usage) }
  })
  return { at: isoDate(now), operations, inputs }
}

const describeCaller = ({ consumer, count, first, last }: Usage): Caller => ({
  consumer: consumer === '' ? null : consumer,
  calls: count,
  firstSeen: isoDate(first),
  lastSeen: isoDate(last),
})

// Adding 0 makes 0 of -0.
const daysUntil = (sunset: number, now: number): number => Math.ceil((sunset - now) / DAY) + 0

/** The report as a table: one line for each consumer of each operation, then one for each of each input. */
export function formatDeprecations({ operations, inputs }: DeprecationReport): string {
  const rows = operations.flatMap(({ operation, sunset = '·', daysLeft, consumers }) => {
    const life = [operation, sunset, daysLeft === undefined ? '·' : `${daysLeft}`]
    if (consumers.length === 0) return [[...life, 'nobody', '0', '·', '·']]
    return consumers.map(caller => [...life, ...cellsOf(caller)])
  })
  const parts = [
    ...(rows.length === 0 ? [] : [table([['OPERATION', 'SUNSET', 'DAYS LEFT', ...CALLER], ...rows])]),
    ...(inputs.length === 0
      ? []
      : [
          table([['OPERATION', 'INPUT', ...CALLER], ...inputs.map(one => [one.operation, one.input, ...cellsOf(one)])]),
        ]),
  ]
  return parts.length === 0 ? 'nothing is deprecated\n' : `${parts.join('\n\n')}\n`
}

const CALLER = ['CONSUMER', 'CALLS', 'FIRST SEEN', 'LAST SEEN']
const cellsOf = ({ consumer, calls, firstSeen, lastSeen }: Caller): string[] => [
  ...[consumer ?? '(unknown)', `${calls}`, firstSeen.slice(0, 10), lastSeen.slice(0, 10)],
]
