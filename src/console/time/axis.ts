// The arithmetic of a time axis: places of moments, ticks, ranges, and events that lie too close to be drawn apart.
// All times are in milliseconds since the epoch.

import type { CalendarEvent, EventKind } from '../../http/control/types.ts'
import { HOUR, MINUTE, MONTH_NAMES, ONE_DAY, type Tone, YEAR } from '../model/wording.ts'

export interface TimeRange {
  readonly from: number
  readonly until: number
}

const SHORTEST = 10 * MINUTE
const LONGEST = 200 * YEAR

/** The kinds of events in the order of their lanes. */
export const EVENT_KINDS: readonly { kind: EventKind; title: string; noun: string; tone: Tone }[] = [
  { kind: 'deprecated', title: 'Deprecations', noun: 'deprecation', tone: 'warn' },
  { kind: 'brown-out', title: 'Brown-outs', noun: 'brown-out', tone: 'info' },
  { kind: 'sunset', title: 'Sunsets', noun: 'sunset', tone: 'bad' },
  { kind: 'key-expiry', title: 'Key expiries', noun: 'key expiry', tone: 'accent' },
  { kind: 'state', title: 'Record states', noun: 'record state', tone: 'good' },
]

/** The place of a moment in a range: 0 at its beginning, 1 at its end. */
export const placeInRange = (at: number, { from, until }: TimeRange): number => (at - from) / (until - from)

export const momentAt = (place: number, { from, until }: TimeRange): number => from + place * (until - from)

/** Returns a range that shows all events and the time of the world, with some room around them. */
export function rangeOver(events: readonly CalendarEvent[], now: number): TimeRange {
  const moments = [now, ...events.flatMap(({ at, until }) => [Date.parse(at), Date.parse(until ?? at)])]
  const from = moments.reduce((a, b) => Math.min(a, b))
  const until = moments.reduce((a, b) => Math.max(a, b))
  const room = Math.max((until - from) * 0.06, HOUR)
  return { from: from - room, until: until + room }
}

export function rangeAround(center: number, length: number): TimeRange {
  const bounded = Math.min(LONGEST, Math.max(SHORTEST, length))
  return { from: center - bounded / 2, until: center + bounded / 2 }
}

/** @param factor below 1 shows less @param center stays where it is */
export function zoom({ from, until }: TimeRange, factor: number, center: number): TimeRange {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (until - from) * factor))
  const place = Math.min(1, Math.max(0, (center - from) / (until - from)))
  return { from: center - place * length, until: center + (1 - place) * length }
}

/** @param part how far, in lengths of the range; negative is earlier */
export function pan({ from, until }: TimeRange, part: number): TimeRange {
  const step = (until - from) * part
  return { from: from + step, until: until + step }
}

/** `2026-01-01T00:00Z~2031-01-01T00:00Z`, as the URL has it. */
export const writeRange = ({ from, until }: TimeRange): string => `${writeRangeEnd(from)}~${writeRangeEnd(until)}`

const writeRangeEnd = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`

/** Returns undefined for a text that is not a range. */
export function readRange(text: string): TimeRange | undefined {
  const [from = Number.NaN, until = Number.NaN] = text.split('~').map(part => Date.parse(part))
  return until - from >= SHORTEST && until - from <= LONGEST * 1.01 ? { from, until } : undefined
}

type AxisTick = { readonly at: number; readonly label: string }

/** Pixels that a tick needs for its label. */
const TICK_WIDTH = 76

const EVEN_STEPS = [1, 5, 15, 60, 180, 360, 720, 1440, 2 * 1440, 7 * 1440, 14 * 1440].map(count => count * MINUTE)
const MONTH_STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600]

/** Returns ticks at round moments, as many as have room. @param width pixels */
export function ticksOf(range: TimeRange, width: number): readonly AxisTick[] {
  const most = Math.max(2, Math.floor(width / TICK_WIDTH))
  const least = (range.until - range.from) / most
  const even = EVEN_STEPS.find(step => step >= least)
  const ticks: AxisTick[] = []
  if (even !== undefined) {
    for (let at = Math.ceil(range.from / even) * even; at <= range.until; at += even) {
      const date = new Date(at)
      const day = `${date.getUTCDate()} ${MONTH_NAMES[date.getUTCMonth()]}`
      ticks.push({ at, label: at % ONE_DAY === 0 ? day : date.toISOString().slice(11, 16) })
    }
    return ticks
  }
  const months = MONTH_STEPS.find(step => (step * YEAR) / 12 >= least) ?? 1200
  const begin = new Date(range.from)
  const first = Math.ceil((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months
  for (let month = first; ; month += months) {
    const year = Math.floor(month / 12)
    const at = Date.UTC(year, month % 12, 1)
    if (at > range.until) return ticks
    if (at >= range.from) ticks.push({ at, label: months >= 12 ? `${year}` : `${MONTH_NAMES[month % 12]} ${year}` })
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
  const last = new Map<EventKind, number>()
  for (const event of events) {
    const at = Date.parse(event.at)
    const until = event.until === undefined ? undefined : Date.parse(event.until)
    if ((until ?? at) < range.from || at > range.until) continue
    const before = last.get(event.kind)
    const mark = before === undefined ? undefined : marks[before]
    if (mark !== undefined && at - mark.at < apart) {
      marks[before as number] = { ...mark, until: undefined, events: [...mark.events, event] }
      continue
    }
    last.set(event.kind, marks.length)
    marks.push({ kind: event.kind, at, until, events: [event] })
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
  let nearest = at
  let distance = SNAP * pixel
  for (const event of events) {
    const moment = Date.parse(event.at)
    if (Math.abs(moment - at) >= distance) continue
    distance = Math.abs(moment - at)
    nearest = moment
  }
  if (nearest !== at) return nearest
  const step = [ONE_DAY, HOUR, MINUTE].find(one => one <= pixel * 3) ?? 1000
  return Math.round(at / step) * step
}

/** Identifies an event in the URL. */
export const eventKey = ({ kind, at, operation, consumer, collection = '', record = '' }: CalendarEvent): string =>
  `${kind} ${operation ?? consumer ?? `${collection}/${record}`} ${at}`
