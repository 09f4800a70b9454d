// The state of every operation at a moment, and its future changes as a calendar. Pure functions.

import type { Lifecycle } from '../behaviours/behaviour.ts'
import { countRests, type Phase, phaseAt, restAt, restsFrom } from '../behaviours/deprecation.ts'
import { table } from '../kernel/text/terminal.ts'
import { isoDate } from '../world/clock.ts'
import type { Plan, PlannedOperation } from './plan.ts'

export interface OperationOnADay {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly phase: Phase
  /** The status of its refusals at this moment. */
  readonly refused?: number
  /** The end of the current brown-out, if there is one. */
  readonly until?: string
  /** The next change, and its time. */
  readonly next?: { readonly what: string; readonly at: string }
}

/** Returns the state of every operation at a moment. */
export const describeDay = (plan: Plan, time: number): OperationOnADay[] =>
  plan.operations.map(planned => onADay(planned, time))

function onADay({ operation, route, lifecycle }: PlannedOperation, time: number): OperationOnADay {
  const { id, method, deprecated } = operation
  const is = { operation: id, method, path: route }
  if (lifecycle === undefined) return { ...is, phase: deprecated ? 'deprecated' : 'active' }
  const { since, sunset, brownouts, afterSunset } = lifecycle
  const phase = phaseAt(lifecycle, time)
  if (phase === 'active') return { ...is, phase, next: { what: 'deprecated', at: isoDate(since) } }
  if (phase === 'gone') return { ...is, phase, refused: statusAfter(lifecycle) as number }
  if (sunset === undefined || phase === 'past its sunset') return { ...is, phase }
  const rest = brownouts && restAt(brownouts, time)
  const end = { what: afterSunset === 'serve' ? 'sunset' : 'gone', at: isoDate(sunset) }
  if (brownouts !== undefined && rest !== undefined) {
    return { ...is, phase, refused: brownouts.answer, until: isoDate(rest.end), next: end }
  }
  const [coming] = brownouts === undefined ? [] : restsFrom(brownouts, time)
  return { ...is, phase, next: coming === undefined ? end : { what: 'brown-out', at: isoDate(coming.start) } }
}

/** Formats it for people. */
export function describeDayWhole(plan: Plan, time: number): string {
  const rows = describeDay(plan, time).map(({ method, path, operation, phase, refused, until, next }) => {
    const now = [
      ...(refused === undefined ? [] : [`answers ${refused}`]),
      ...(until === undefined ? [] : [`until ${until}`]),
    ]
    return [method, path, operation, phase, now.join(' ') || '·', next === undefined ? '·' : `${next.what} ${next.at}`]
  })
  const head = ['METHOD', 'PATH', 'OPERATION', 'PHASE', 'NOW', 'NEXT']
  return `on ${isoDate(time)}\n\n${table([head, ...rows])}\n`
}

/** The status after the sunset; `undefined` if the operation is served on. */
const statusAfter = ({ afterSunset }: Lifecycle): number | undefined =>
  afterSunset === 'serve' ? undefined : afterSunset === 'not-found' ? 404 : 410

export interface LifecycleEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The end of a brown-out. */
  readonly until?: number
  readonly kind: 'deprecated' | 'brown-out' | 'sunset'
  readonly operation: string
  /** The status of the operation then. */
  readonly status?: number
}

/** Finds the events of all life-cycles. @param most the maximum number of brown-outs of an operation from the moment on */
export function* lifecycleEvents({ operations }: Plan, from: number, most: number): Iterable<LifecycleEvent> {
  for (const { operation, lifecycle } of operations) {
    if (lifecycle === undefined) continue
    const { id } = operation
    const { since, sunset, brownouts } = lifecycle
    yield { at: since, kind: 'deprecated', operation: id }
    if (sunset !== undefined) {
      const status = statusAfter(lifecycle)
      yield { at: sunset, kind: 'sunset', operation: id, ...(status === undefined ? {} : { status }) }
    }
    if (brownouts === undefined) continue
    let seen = 0
    for (const { start, end } of restsFrom(brownouts, from)) {
      if (seen++ === most) break
      yield { at: start, until: end, kind: 'brown-out', operation: id, status: brownouts.answer }
    }
  }
}

/** The maximum number of brown-outs that a calendar shows for one operation. */
const MOST_RESTS = 20

/** Returns the changes from a moment on by day: deprecations, the next brown-outs of each operation, sunsets. */
export function describeCalendar(plan: Plan, from: number): string {
  const events = [...lifecycleEvents(plan, from, MOST_RESTS)]
    .filter(({ at, until }) => until !== undefined || at >= from)
    .sort((a, b) => a.at - b.at)
  if (events.length === 0) return `no changes after ${isoDate(from)}\n`
  const rows = events.map(({ at, until, kind, operation, status }) => {
    const answers = status === undefined ? '' : `: answers ${status}`
    if (until === undefined) return [isoDate(at), '', operation, (status === undefined ? kind : 'gone') + answers]
    return [isoDate(at), isoDate(until), operation, `brown-out for ${wordsFor(until - at)}${answers}`]
  })
  const notes = plan.operations.flatMap(({ operation, lifecycle }) => {
    const more = lifecycle?.brownouts === undefined ? 0 : countRests(lifecycle.brownouts, from) - MOST_RESTS
    return more > 0 ? [`and ${more} more brown-outs of ${operation.id} before its sunset`] : []
  })
  return `${[table([['FROM', 'UNTIL', 'OPERATION', 'WHAT'], ...rows]), ...notes].join('\n')}\n`
}

/** Formats a duration by its two largest units that are not zero: `1h 5m`. */
function wordsFor(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}
