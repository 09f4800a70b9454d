// The arithmetic of a time axis: places of moments, ticks, ranges, and events that lie too close to be drawn apart.
// All times are in milliseconds since the epoch.

import type { CalendarEvent, EventKind } from '../model/replies.ts'
import { HOUR, MINUTE, ONE_DAY, type Tone, writeDay, YEAR } from '../model/wording.ts'

export interface TimeRange {
  readonly from: number
  readonly until: number
}

const SHORTEST = 10 * MINUTE
const LONGEST = 200 * YEAR

/** The kinds of events in the order of their lanes: their title, the noun of one event, and their colour. */
export const EVENT_KINDS: Readonly<Record<EventKind, readonly [title: string, noun: string, tone: Tone]>> = {
  deprecated: ['Deprecations', 'deprecation', 'warn'],
  'brown-out': ['Brown-outs', 'brown-out', 'info'],
  sunset: ['Sunsets', 'sunset', 'bad'],
  'key-expiry': ['Key expiries', 'key expiry', 'accent'],
  state: ['Record states', 'record state', 'good'],
}

/** Returns the kinds of these events. */
export const kindsOf = (events: readonly CalendarEvent[]): readonly EventKind[] =>
  (Object.keys(EVENT_KINDS) as EventKind[]).filter(kind => events.some(event => event.kind === kind))

/** The place of a moment in a range: 0 at its beginning, 1 at its end. */
export const placeInRange = (at: number, { from, until }: TimeRange): number => (at - from) / (until - from)

export const momentAt = (place: number, { from, until }: TimeRange): number => from + place * (until - from)

/** Returns a range that shows all events and the time of the world, with some room around them. */
export function rangeOver(events: readonly CalendarEvent[], now: number): TimeRange {
  const moments = [now, ...events.flatMap(({ at, until = at }) => [Date.parse(at), Date.parse(until)])]
  const [from, until] = [Math.min(...moments), Math.max(...moments)]
  const room = Math.max((until - from) * 0.06, HOUR)
  return { from: from - room, until: until + room }
}

const boundedLength = (length: number): number => Math.min(LONGEST, Math.max(SHORTEST, length))

export function rangeAround(center: number, length: number): TimeRange {
  const half = boundedLength(length) / 2
  return { from: center - half, until: center + half }
}

/** @param factor below 1 shows less @param center stays where it is */
export function zoom(range: TimeRange, factor: number, center: number): TimeRange {
  const length = boundedLength((range.until - range.from) * factor)
  const from = center - Math.min(1, Math.max(0, placeInRange(center, range))) * length
  return { from, until: from + length }
}

/** @param part how far, in lengths of the range; negative is earlier */
export const pan = (range: TimeRange, part: number): TimeRange => ({
  from: momentAt(part, range),
  until: momentAt(1 + part, range),
})

/** `2026-01-01T00:00Z~2031-01-01T00:00Z`, as the URL has it. */
export const writeRange = ({ from, until }: TimeRange): string =>
  [from, until].map(at => `${new Date(at).toISOString().slice(0, 16)}Z`).join('~')

/** Returns undefined for a text that is not a range. */
export function readRange(text: string): TimeRange | undefined {
  const [from = 0, until = 0] = text.split('~').map(part => Date.parse(part))
  return until - from >= SHORTEST && until - from <= LONGEST * 1.01 ? { from, until } : undefined
}

type AxisTick = { readonly at: number; readonly label: string }

/** Pixels that a tick needs for its label. */
const TICK_WIDTH = 76

const EVEN_STEPS = [1, 5, 15, 60, 180, 360, 720, 1440, 2 * 1440, 7 * 1440, 14 * 1440].map(count => count * MINUTE)
const MONTH_STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600]

/** Returns ticks at round moments, as many as have room. @param width pixels */
export function ticksOf({ from, until }: TimeRange, width: number): readonly AxisTick[] {
  const least = (until - from) / Math.max(2, Math.floor(width / TICK_WIDTH))
  const even = EVEN_STEPS.find(step => step >= least)
  const months = MONTH_STEPS.find(step => (step * YEAR) / 12 >= least) ?? 1200
  const first = new Date(from)
  const begin = even ? Math.ceil(from / even) : Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months)
  const ticks: AxisTick[] = []
  for (let i = begin; ; i++) {
    const at = even ? i * even : Date.UTC(2000, i * months - 24_000)
    if (at > until) return ticks
    const day = writeDay(at)
    const label = even
      ? at % ONE_DAY === 0
        ? day.slice(0, -5)
        : new Date(at).toISOString().slice(11, 16)
      : day.slice(months >= 12 ? -4 : -8)
    if (at >= from) ticks.push({ at, label })
  }
}

export interface AxisMark {
  readonly kind: EventKind
  readonly at: number
  /** The end of a brown-out that is long enough to be drawn. */
  readonly until: number | undefined
  readonly events: readonly CalendarEvent[]
}

/** The minimum distance of two marks in pixels. */
const APART = 14

/** Returns the marks of a range: events of one kind that lie too close together are one mark. @param width pixels */
export function marksOf(events: readonly CalendarEvent[], range: TimeRange, width: number): readonly AxisMark[] {
  const apart = ((range.until - range.from) * APART) / Math.max(1, width)
  const marks: AxisMark[] = []
  for (const event of events) {
    const at = Date.parse(event.at)
    const until = event.until === undefined ? undefined : Date.parse(event.until)
    if ((until ?? at) < range.from || at > range.until) continue
    const last = marks.findLastIndex(({ kind }) => kind === event.kind)
    const mark = marks[last]
    if (mark !== undefined && at - mark.at < apart) {
      marks[last] = { ...mark, until: undefined, events: [...mark.events, event] }
    } else marks.push({ kind: event.kind, at, until, events: [event] })
  }
  return marks
}

/** Pixels within which the clock snaps to an event. */
const SNAP = 6

/**
 * Returns the moment that a dragged clock is to show: an event nearby, else a round one.
 *
 * @param width pixels of the range
 */
export function snap(at: number, events: readonly CalendarEvent[], range: TimeRange, width: number): number {
  const pixel = (range.until - range.from) / Math.max(1, width)
  const distanceTo = (moment: number): number => Math.abs(moment - at)
  const [nearest = at] = events
    .map(event => Date.parse(event.at))
    .filter(moment => distanceTo(moment) < SNAP * pixel)
    .sort((a, b) => distanceTo(a) - distanceTo(b))
  if (nearest !== at) return nearest
  const step = [ONE_DAY, HOUR, MINUTE].find(unit => unit <= pixel * 3) ?? 1000
  return Math.round(at / step) * step
}

/** Identifies an event in the URL. */
export const eventKey = ({ kind, at, operation, consumer, collection = '', record = '' }: CalendarEvent): string =>
  `${kind} ${operation ?? consumer ?? `${collection}/${record}`} ${at}`
