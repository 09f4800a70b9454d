// The calendar: a time axis with a lane for each kind of event, the chosen event, and the list of them all.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CalendarEvent, EventKind } from '../../http/control/types.ts'
import { loadCalendar, restoreClock, setClock } from '../model/calendar.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { hrefOf, parameter, setParameters, shownWorld } from '../model/location.ts'
import { DAY, distanceOf, durationOf, momentOf } from '../model/moments.ts'
import { clock, worldTime } from '../model/worlds.ts'
import { attempt } from '../parts/announce.tsx'
import { Badge, type Tone } from '../parts/badges.tsx'
import { CommandLine } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, Show } from '../parts/notices.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { KINDS, keyOf, pan, rangeAround, rangeOver, readRange, type TimeRange, writeRange, zoom } from './axis.ts'
import { TimeAxis } from './time-axis.tsx'

/** Milliseconds between two looks: requests start and stop the timers of records. */
const INTERVAL = 10_000
const MOST = 2000

const TONES: Readonly<Record<EventKind, Tone>> = {
  deprecated: 'warn',
  'brown-out': 'info',
  sunset: 'bad',
  'key-expiry': 'accent',
  state: 'good',
}
const NAMES: Readonly<Record<EventKind, string>> = {
  deprecated: 'deprecation',
  'brown-out': 'brown-out',
  sunset: 'sunset',
  'key-expiry': 'key expiry',
  state: 'record state',
}

export function CalendarPanel() {
  const world = shownWorld.value
  // Set anew, the clock is somewhere else on the calendar: by more than it goes on between two looks.
  const loaded = useLoaded(world, signal =>
    loadCalendar(world, { from: '-3650d', until: '+36500d', limit: MOST }, { signal, quiet: true }),
  )
  usePolling(loaded.reload, INTERVAL)
  return (
    <Show of={loaded}>
      {({ events, omitted }) =>
        events.length === 0 ? (
          <Nothing />
        ) : (
          <Calendar world={world} events={events} omitted={omitted} onChanged={loaded.reload} />
        )
      }
    </Show>
  )
}

const Nothing = () => (
  <EmptyState icon="calendar" title="Nothing is on the calendar">
    <p>
      Deprecations, brown-outs and sunsets of operations, expiries of credentials, and states of records that change by
      themselves appear here. The configuration announces them, for example with
    </p>
    <CommandLine text={'operations: { getThing: { deprecation: { since: 2026-01-01, sunset: 2030-12-05 } } }'} />
  </EmptyState>
)

interface CalendarProps {
  readonly world: string
  readonly events: readonly CalendarEvent[]
  readonly omitted: number
  readonly onChanged: () => void
}

function Calendar({ world, events, omitted, onChanged }: CalendarProps) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const time = worldTime(now) ?? now
  const state = clock.value?.state
  const hidden = parameter('hide').split(',')
  const shown = useMemo(() => events.filter(({ kind }) => !hidden.includes(kind)), [events, parameter('hide')])
  // Without a range in the URL all is shown; the range follows the clock only where it leaves it.
  const [whole, setWhole] = useState(() => rangeOver(events, time))
  useEffect(() => {
    if (time < whole.from || time > whole.until) setWhole(rangeOver(events, time))
  }, [time < whole.from, time > whole.until])
  const range = readRange(parameter('range')) ?? whole
  const setRange = (next: TimeRange | undefined): void =>
    setParameters({ range: next === undefined ? undefined : writeRange(next) })
  const setTime = async (at: number): Promise<void> => {
    await attempt(() => setClock(world, { now: new Date(at).toISOString() }, state), `The clock shows ${momentOf(at)}.`)
    onChanged()
  }
  const selected = shown.find(event => keyOf(event) === parameter('event'))
  const select = (event: CalendarEvent): void => setParameters({ event: keyOf(event) })
  const present = KINDS.filter(({ kind }) => events.some(event => event.kind === kind))
  return (
    <div class="calendar">
      <div class="tools calendar-tools">
        {present.map(({ kind, title }) => (
          <button
            key={kind}
            type="button"
            class="button"
            aria-pressed={!hidden.includes(kind)}
            onClick={() => {
              const next = hidden.includes(kind) ? hidden.filter(one => one !== kind) : [...hidden, kind]
              setParameters({ hide: next.filter(one => one !== '').join(',') })
            }}
          >
            {title}
          </button>
        ))}
        <span class="spring" />
        <div class="tools" role="group" aria-label="The time that is shown">
          <button
            type="button"
            class="button icon-only"
            aria-label="Earlier"
            onClick={() => setRange(pan(range, -0.5))}
          >
            <Icon name="left" />
          </button>
          <button type="button" class="button" onClick={() => setRange(undefined)}>
            All
          </button>
          {(
            [
              ['Year', 366 * DAY],
              ['Month', 31 * DAY],
              ['Day', DAY],
            ] as const
          ).map(([title, length]) => (
            <button key={title} type="button" class="button" onClick={() => setRange(rangeAround(time, length))}>
              {title}
            </button>
          ))}
          <button type="button" class="button icon-only" aria-label="Later" onClick={() => setRange(pan(range, 0.5))}>
            <Icon name="right" />
          </button>
          <button
            type="button"
            class="button icon-only"
            aria-label="Show less time"
            onClick={() => setRange(zoom(range, 0.5, time))}
          >
            <Icon name="plus" />
          </button>
          <button
            type="button"
            class="button icon-only"
            aria-label="Show more time"
            onClick={() => setRange(zoom(range, 2, time))}
          >
            <Icon name="minus" />
          </button>
        </div>
      </div>
      <TimeAxis
        {...{ events: shown, range, time, selected, onRange: setRange, onTime: setTime, onSelect: select }}
        real={now}
      />
      <div class="event-bar">
        {selected === undefined ? (
          <p class="muted">
            Drag the line to set the clock of {world}, or choose an event. By keyboard: the arrow keys move it, with
            Shift by more.
          </p>
        ) : (
          <Chosen event={selected} time={time} onJump={() => setTime(Date.parse(selected.at))} />
        )}
        {state === undefined || state.real ? null : (
          <button
            type="button"
            class="button"
            onClick={async () => {
              await attempt(() => restoreClock(world), 'The clock shows real time.')
              onChanged()
            }}
          >
            <Icon name="clock" />
            Real time
          </button>
        )}
      </div>
      <div class="event-list">
        <VirtualTable
          label="Events on the calendar"
          columns={columnsAt(time)}
          count={shown.length}
          rowAt={index => shown[index]}
          keyOf={keyOf}
          selected={parameter('event')}
          onSelect={select}
          rowClass={({ at }) => (Date.parse(at) <= time ? 'past' : '')}
        />
      </div>
      {omitted === 0 ? null : <p class="status-line">{omitted.toLocaleString('en')} later events are not shown.</p>}
    </div>
  )
}

const columnsAt = (time: number): readonly Column<CalendarEvent>[] => [
  { id: 'at', title: 'When', width: '11rem', cell: ({ at }) => momentOf(Date.parse(at)) },
  {
    id: 'distance',
    title: 'From the clock',
    width: '8.5rem',
    wide: true,
    cell: ({ at }) => <span class="muted">{distanceOf(Date.parse(at) - time)}</span>,
  },
  { id: 'kind', title: 'Kind', width: '7rem', cell: ({ kind }) => <Badge tone={TONES[kind]}>{NAMES[kind]}</Badge> },
  {
    id: 'text',
    title: 'What happens',
    width: 'minmax(9rem, 1fr)',
    cell: ({ text }) => <span title={text}>{text}</span>,
  },
  {
    id: 'length',
    title: 'For',
    width: '6rem',
    wide: true,
    cell: ({ at, until }) => (until === undefined ? '' : durationOf(Date.parse(until) - Date.parse(at))),
  },
]

interface ChosenProps {
  readonly event: CalendarEvent
  readonly time: number
  readonly onJump: () => void
}

const Chosen = ({ event, time, onJump }: ChosenProps) => (
  <div class="chosen-event">
    <Badge tone={TONES[event.kind]}>{NAMES[event.kind]}</Badge>
    <b class="truncate" title={event.text}>
      {event.text}
    </b>
    <span class="muted">
      {momentOf(Date.parse(event.at))}, {distanceOf(Date.parse(event.at) - time)}
    </span>
    <button type="button" class="button primary" onClick={onJump}>
      Set the clock to it
    </button>
    {event.operation === undefined ? null : (
      <a class="button" href={hrefOf('operations', { operation: event.operation })}>
        Open {event.operation}
      </a>
    )}
    {event.record === undefined || event.collection === undefined ? null : (
      <a class="button" href={hrefOf('worlds', { collection: event.collection, record: event.record })}>
        Open the record
      </a>
    )}
  </div>
)
