// The calendar of one world: the coming changes of its operations, credentials and records.

import { lifecycleEvents } from '../../plan/describe.ts'
import type { Plan } from '../../plan/plan.ts'
import { parseDate, timestamp } from '../../world/dates.ts'
import type { World } from '../../world/world.ts'
import type { CalendarEvent, WorldCalendar } from './types.ts'

interface FoundEvent extends Omit<CalendarEvent, 'at' | 'until'> {
  readonly at: number
  readonly until?: number
}

/** The maximum number of timers of each collection, and of brown-outs of each operation, in a calendar. */
const MOST_EACH = 1000

/** Returns the events between two moments, in their order; brown-outs that have begun count until they end. */
export function calendarOf(plan: Plan, world: World, from: number, until: number, limit: number): WorldCalendar {
  const now = world.clock.now()
  const all = [...lifecyclesOf(plan, from), ...expiriesOf(plan), ...duesOf(plan, world)].sort((a, b) => a.at - b.at)
  const events = all.filter(({ at, until: end = at }) => end >= from && at <= until)
  const next = all.find(({ at }) => at > now)
  return {
    now: timestamp(now),
    next: next === undefined ? null : describeEvent(next),
    events: events.slice(0, limit).map(describeEvent),
    omitted: Math.max(0, events.length - limit),
  }
}

const describeEvent = ({ at, until, ...rest }: FoundEvent): CalendarEvent => ({
  at: timestamp(at),
  until: until === undefined ? undefined : timestamp(until),
  ...rest,
})

function* lifecyclesOf(plan: Plan, from: number): Iterable<FoundEvent> {
  for (const event of lifecycleEvents(plan, from, MOST_EACH)) {
    const { kind, operation: id, status } = event
    const ending = status === undefined ? `the sunset of ${id}` : `${id} is removed and answers ${status}`
    const text =
      kind === 'sunset'
        ? ending
        : kind === 'deprecated'
          ? `${id} is deprecated`
          : `brown-out of ${id}: answers ${status}`
    yield { ...event, text }
  }
}

function* expiriesOf({ simulation: { file } }: Plan): Iterable<FoundEvent> {
  for (const [consumer, { expires }] of Object.entries(file.consumers ?? {})) {
    const at = expires === undefined ? undefined : parseDate(expires)
    if (at !== undefined) yield { at, kind: 'key-expiry', consumer, text: `the credential of ${consumer} expires` }
  }
}

function* duesOf({ collections }: Plan, world: World): Iterable<FoundEvent> {
  for (const collection of collections.keys()) {
    for (const { id, state, due = Number.NaN, to = '' } of world.collection(collection).upcoming(MOST_EACH)) {
      const text = `${collection} ${id}: ${state} → ${to}`
      yield { at: due, kind: 'state', collection, record: String(id), from: state, to, text }
    }
  }
}
