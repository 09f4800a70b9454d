// A time axis with a lane for each kind of event. The clock of the world is a line that is dragged, or moved by arrow keys.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { CalendarEvent } from '../../http/control/types.ts'
import { type Tone, writeMoment } from '../model/wording.ts'
import {
  type AxisMark,
  EVENT_KINDS,
  eventKey,
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

export function TimeAxis(props: TimeAxisProps) {
  const { events, range, time, real, selected, onRange, onSelect } = props
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
    const box = (track.current as HTMLDivElement).getBoundingClientRect()
    onRange(zoom(range, event.deltaY > 0 ? 1.25 : 0.8, momentAt((event.clientX - box.left) / box.width, range)))
  }
  const marks = marksOf(events, range, width)
  const lanes = EVENT_KINDS.filter(({ kind }) => events.some(event => event.kind === kind))
  const ticks = ticksOf(range, width)
  const realPlace = placeInRange(real, range)
  return (
    <div class="time-axis" onWheel={wheel}>
      <div class="lane-names muted" aria-hidden="true">
        {lanes.map(({ kind, title }) => (
          <span key={kind}>{title}</span>
        ))}
      </div>
      <div class="axis-track" ref={track}>
        {ticks.map(({ at, label }) => (
          <span key={at} class="tick muted" style={{ left: percent(placeInRange(at, range)) }} aria-hidden="true">
            {placeInRange(at, range) * width > width - LABEL ? '' : label}
          </span>
        ))}
        {lanes.map(({ kind, title, tone }) => (
          <ul key={kind} aria-label={title}>
            {marks
              .filter(mark => mark.kind === kind)
              .map(mark => (
                <li key={`${mark.at} ${mark.events.length}`}>
                  <MarkButton {...{ mark, tone, range, selected, onSelect, onRange }} />
                </li>
              ))}
          </ul>
        ))}
        {realPlace < 0 || realPlace > 1 ? null : (
          <span class="real-line" style={{ left: percent(realPlace) }} title="Real time" aria-hidden="true" />
        )}
        <ClockLine {...props} time={time} width={width} track={() => track.current as HTMLDivElement} />
      </div>
    </div>
  )
}

interface MarkButtonProps extends Pick<TimeAxisProps, 'range' | 'selected' | 'onSelect' | 'onRange'> {
  readonly mark: AxisMark
  readonly tone: Tone
}

function MarkButton({ mark: { events, at, until }, tone, range, selected, onSelect, onRange }: MarkButtonProps) {
  const first = events[0] as CalendarEvent
  const chosen = selected !== undefined && events.some(event => eventKey(event) === eventKey(selected))
  const place = Math.max(0, placeInRange(at, range))
  const length = until === undefined ? 0 : Math.min(1, placeInRange(until, range)) - place
  const label =
    events.length === 1
      ? `${first.text}, ${writeMoment(at)}`
      : `${events.length} events from ${writeMoment(at)}: ${first.text}, and more`
  const choose = (): void => {
    onSelect(first)
    // Zooming in separates several events, up to a limit.
    const last = Date.parse((events.at(-1) as CalendarEvent).at)
    if (events.length > 1 && last > at) onRange(zoom({ from: at, until: last }, 3, (at + last) / 2))
  }
  return (
    <button
      type="button"
      class={`mark tone-${tone}${chosen ? ' chosen' : ''}${length > 0.01 ? ' long' : ''}`}
      style={{ left: percent(place), ...(length > 0.01 ? { width: percent(length) } : {}) }}
      aria-label={label}
      aria-pressed={chosen}
      title={label}
      onClick={choose}
    >
      {events.length > 1 && <span>{events.length}</span>}
    </button>
  )
}

interface ClockLineProps extends TimeAxisProps {
  /** Pixels. */
  readonly width: number
  readonly track: () => HTMLDivElement
}

function ClockLine({ events, range, time, width, track, onTime, onRange }: ClockLineProps) {
  /** The time that the line is dragged to, until the clock shows it. */
  const [draft, setDraft] = useState<number | undefined>()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const at = draft ?? time
  const place = placeInRange(at, range)
  const length = range.until - range.from
  const commit = async (moment: number): Promise<void> => {
    await onTime(moment)
    setDraft(before => (before === moment ? undefined : before))
  }
  const drag = (event: PointerEvent): number => {
    const box = track().getBoundingClientRect()
    const inside = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
    const moment = snap(momentAt(inside, range), events, range, width)
    setDraft(moment)
    return moment
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowRight: 0.01, ArrowUp: 0.01, ArrowLeft: -0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 },
      ...{ Home: -place, End: 1 - place, Escape: 0 },
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    clearTimeout(timer.current)
    // The step is longer than the distance at which the line would snap, so that it never stays.
    const moment = snap(at + step * length * (event.shiftKey ? 10 : 1), [], range, width)
    setDraft(step === 0 ? undefined : moment)
    if (step === 0) return
    const inside = placeInRange(moment, range)
    if (inside < 0 || inside > 1) onRange(rangeAround(moment, length))
    timer.current = setTimeout(() => void commit(moment), KEY_WAIT)
  }
  if (place < 0 || place > 1) {
    return (
      <button
        type="button"
        class={`clock-beyond ${place < 0 ? 'before' : 'after'}`}
        onClick={() => onRange(rangeAround(time, length))}
      >
        {place < 0 ? '← ' : ''}The clock shows {writeMoment(Math.round(time / 60_000) * 60_000)}
        {place > 0 ? ' →' : ''}
      </button>
    )
  }
  return (
    <div
      class="clock-line"
      style={{ left: percent(place) }}
      role="slider"
      tabIndex={0}
      aria-label="The clock of the world"
      aria-valuemin={Math.round(range.from / 1000)}
      aria-valuemax={Math.round(range.until / 1000)}
      aria-valuenow={Math.round(at / 1000)}
      aria-valuetext={writeMoment(Math.round(at / 1000) * 1000)}
      onKeyDown={onKeyDown}
      onPointerDown={event => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
      }}
      onPointerMove={event => event.currentTarget.hasPointerCapture(event.pointerId) && drag(event)}
      onPointerUp={event => draft !== undefined && void commit(drag(event))}
      onPointerCancel={() => setDraft(undefined)}
    >
      <span class={`clock-flag${place > 0.75 ? ' left' : ''}`}>{writeMoment(Math.round(at / 1000) * 1000)}</span>
    </div>
  )
}
