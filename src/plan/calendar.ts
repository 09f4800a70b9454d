// The state of every operation at a moment, and its future changes as a calendar. Pure functions.

import { countRests, type Phase, phaseAt, restAt, restsFrom } from '../behaviours/lifecycle.ts'
import { table } from '../kernel/table.ts'
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
  if (phase === 'gone') return { ...is, phase, refused: afterSunset === 'not-found' ? 404 : 410 }
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

/** The maximum number of brown-outs that a calendar shows for one operation. */
const MOST_RESTS = 20

/** Returns the changes from a moment on by day: deprecations, the next brown-outs of each operation, sunsets. */
export function describeCalendar(plan: Plan, from: number): string {
  const events: { at: number; row: readonly string[] }[] = []
  const notes: string[] = []
  for (const { operation, lifecycle } of plan.operations) {
    if (lifecycle === undefined) continue
    const { since, sunset, brownouts, afterSunset } = lifecycle
    const add = (at: number, what: string, until = '') =>
      events.push({ at, row: [isoDate(at), until, operation.id, what] })
    if (since >= from) add(since, 'deprecated')
    if (sunset !== undefined && sunset >= from) {
      const status = afterSunset === 'not-found' ? 404 : 410
      add(sunset, afterSunset === 'serve' ? 'sunset' : `gone: answers ${status}`)
    }
    if (brownouts === undefined) continue
    let shown = 0
    for (const { start, end } of restsFrom(brownouts, from)) {
      if (shown === MOST_RESTS) {
        const more = countRests(brownouts, from) - shown
        notes.push(`and ${more} more brown-outs of ${operation.id} before its sunset`)
        break
      }
      shown += 1
      add(start, `brown-out for ${lengthOf(end - start)}: answers ${brownouts.answer}`, isoDate(end))
    }
  }
  if (events.length === 0) return `no changes after ${isoDate(from)}\n`
  events.sort((a, b) => a.at - b.at)
  const rows = events.map(({ row }) => row)
  return `${[table([['FROM', 'UNTIL', 'OPERATION', 'WHAT'], ...rows]), ...notes].join('\n')}\n`
}

/** Formats a duration by its two largest units that are not zero: `1h 5m`. */
function lengthOf(milliseconds: number): string {
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
