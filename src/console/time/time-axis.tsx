// A time axis with a lane for each kind of event. The clock of the world is a line that is dragged, or moved by arrow keys.

import type { TargetedPointerEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CalendarEvent } from '../model/replies.ts'
import { writeMoment } from '../model/wording.ts'
import {
  type AxisMark,
  EVENT_KINDS,
  eventKey,
  kindsOf,
  marksOf,
  momentAt,
  placeInRange,
  rangeAround,
  snap,
  type TimeRange,
  ticksOf,
  zoom,
} from './axis.ts'

export interface TimeAxisProps {
  readonly events: readonly CalendarEvent[]
  readonly range: TimeRange
  /** The time of the world, in milliseconds since the epoch. */
  readonly time: number
  /** Real time, in milliseconds since the epoch. */
  readonly real: number
  readonly selected: CalendarEvent | undefined
  /** Takes the part that is to be shown; `undefined` for all. */
  readonly onRange: (range: TimeRange | undefined) => void
  readonly onTime: (at: number) => Promise<void>
  readonly onSelect: (event: CalendarEvent) => void
}

/** Milliseconds after the last key until the clock is set: keys that repeat set it once. */
const KEY_WAIT = 500

/** Pixels that the label of a tick takes; nearer to the end it would be cut off. */
const LABEL = 52

const percent = (place: number): string => `${(place * 100).toFixed(3)}%`

/** The place of the pointer in an element: 0 at its left, 1 at its right. */
function placeOfPointer({ clientX }: MouseEvent, element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return (clientX - left) / width
}

export function TimeAxis(props: TimeAxisProps) {
  const { events, range, real, onRange } = props
  const track = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(800)
  useEffect(() => {
    const element = track.current as HTMLDivElement
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.altKey) return
    event.preventDefault()
    const center = momentAt(placeOfPointer(event, track.current as HTMLDivElement), range)
    onRange(zoom(range, event.deltaY > 0 ? 1.25 : 0.8, center))
  }
  const marks = marksOf(events, range, width)
  const lanes = kindsOf(events)
  const realPlace = placeInRange(real, range)
  return (
    <div class="time-axis" onWheel={wheel}>
      <div class="lane-names muted" aria-hidden="true">
        {lanes.map(kind => (
          <span key={kind}>{EVENT_KINDS[kind][0]}</span>
        ))}
      </div>
      <div class="axis-track" ref={track}>
        {ticksOf(range, width).map(({ at, label }) => {
          const place = placeInRange(at, range)
          return (
            <span key={at} class="tick muted" style={{ left: percent(place) }} aria-hidden="true">
              {place * width <= width - LABEL && label}
            </span>
          )
        })}
        {lanes.map(kind => (
          <ul key={kind} aria-label={EVENT_KINDS[kind][0]}>
            {marks
              .filter(mark => mark.kind === kind)
              .map(mark => (
                <li key={`${mark.at} ${mark.events.length}`}>
                  <MarkButton {...props} mark={mark} />
                </li>
              ))}
          </ul>
        ))}
        {realPlace >= 0 && realPlace <= 1 && (
          <span class="real-line" style={{ left: percent(realPlace) }} title="Real time" aria-hidden="true" />
        )}
        <ClockLine {...props} width={width} />
      </div>
    </div>
  )
}

function MarkButton({ mark, range, selected, onSelect, onRange }: TimeAxisProps & { readonly mark: AxisMark }) {
  const { kind, events, at, until } = mark
  const first = events[0] as CalendarEvent
  const chosen = selected !== undefined && events.some(event => eventKey(event) === eventKey(selected))
  const place = Math.max(0, placeInRange(at, range))
  const length = until === undefined ? 0 : Math.min(1, placeInRange(until, range)) - place
  const isLong = length > 0.01
  const label =
    events.length === 1
      ? `${first.text}, ${writeMoment(at)}`
      : `${events.length} events from ${writeMoment(at)}: ${first.text}, and more`
  const choose = (): void => {
    onSelect(first)
    // Zooming in separates several events, up to a limit.
    const last = Date.parse((events.at(-1) as CalendarEvent).at)
    if (last > at) onRange(zoom({ from: at, until: last }, 3, (at + last) / 2))
  }
  return (
    <button
      type="button"
      class={`mark tone-${EVENT_KINDS[kind][2]}${chosen ? ' chosen' : ''}${isLong ? ' long' : ''}`}
      style={{ left: percent(place), width: isLong ? percent(length) : undefined }}
      aria-label={label}
      aria-pressed={chosen}
      title={label}
      onClick={choose}
    >
      {events.length > 1 && <span>{events.length}</span>}
    </button>
  )
}

/** Returns how far a key moves the clock, as a part of the range; `undefined` for another key. @param place that of the clock */
function stepOf(key: string, place: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 0.01,
    ArrowUp: 0.01,
    ArrowLeft: -0.01,
    ArrowDown: -0.01,
    PageUp: 0.1,
    PageDown: -0.1,
    Home: -place,
    End: 1 - place,
    Escape: 0,
  }
  return steps[key]
}

/** Starts to drag an element, which then gets the moves of the pointer wherever it goes. */
function grab(event: TargetedPointerEvent<HTMLElement>): void {
  event.preventDefault()
  event.currentTarget.setPointerCapture(event.pointerId)
  event.currentTarget.focus()
}

interface ClockBeyondProps {
  readonly isBefore: boolean
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly onClick: () => void
}

/** Tells that the clock is outside of the shown range; a click shows it. */
const ClockBeyond = ({ isBefore, time, onClick }: ClockBeyondProps) => (
  <button type="button" class={`clock-beyond ${isBefore ? 'before' : 'after'}`} onClick={onClick}>
    {isBefore ? '← ' : ''}The clock shows {writeMoment(Math.round(time / 60_000) * 60_000)}
    {isBefore ? '' : ' →'}
  </button>
)

function ClockLine({ events, range, time, width, onTime, onRange }: TimeAxisProps & { readonly width: number }) {
  /** The time that the line is dragged to, until the clock shows it. */
  const [draft, setDraft] = useState<number | undefined>()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const at = draft ?? time
  const place = placeInRange(at, range)
  const length = range.until - range.from
  const second = Math.round(at / 1000)
  const commit = async (moment: number): Promise<void> => {
    await onTime(moment)
    setDraft(before => (before === moment ? undefined : before))
  }
  const drag = (event: PointerEvent): number => {
    const place = placeOfPointer(event, (event.currentTarget as HTMLElement).parentElement as HTMLElement)
    const moment = snap(momentAt(Math.min(1, Math.max(0, place)), range), events, range, width)
    setDraft(moment)
    return moment
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, place)
    if (step === undefined) return
    event.preventDefault()
    clearTimeout(timer.current)
    if (step === 0) {
      setDraft(undefined)
      return
    }
    // The step is longer than the distance at which the line would snap, so that it never stays.
    const moment = snap(at + step * length * (event.shiftKey ? 10 : 1), [], range, width)
    setDraft(moment)
    const inside = placeInRange(moment, range)
    if (inside < 0 || inside > 1) onRange(rangeAround(moment, length))
    timer.current = setTimeout(() => void commit(moment), KEY_WAIT)
  }
  const showClock = (): void => onRange(rangeAround(time, length))
  if (place < 0 || place > 1) return <ClockBeyond isBefore={place < 0} time={time} onClick={showClock} />
  return (
    <div
      class="clock-line"
      style={{ left: percent(place) }}
      role="slider"
      tabIndex={0}
      aria-label="The clock of the world"
      aria-valuemin={Math.round(range.from / 1000)}
      aria-valuemax={Math.round(range.until / 1000)}
      aria-valuenow={second}
      aria-valuetext={writeMoment(second * 1000)}
      onKeyDown={onKeyDown}
      onPointerDown={grab}
      onPointerMove={event => event.currentTarget.hasPointerCapture(event.pointerId) && drag(event)}
      onPointerUp={event => draft !== undefined && void commit(drag(event))}
      onPointerCancel={() => setDraft(undefined)}
    >
      <span class={`clock-flag${place > 0.75 ? ' left' : ''}`}>{writeMoment(second * 1000)}</span>
    </div>
  )
}
