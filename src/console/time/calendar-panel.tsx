// The calendar: a time axis with a lane for each kind of event, the chosen event, and the list of them all.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CalendarEvent } from '../../http/control/types.ts'
import { loadCalendar, restoreClock, setClock } from '../model/calendar.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { parameter, setParameters, shownWorld } from '../model/location.ts'
import { distanceOf, durationOf, momentOf } from '../model/moments.ts'
import { clock, worldTime } from '../model/worlds.ts'
import { attempt } from '../parts/announce.tsx'
import { CommandLine } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, Show } from '../parts/notices.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { KINDS, keyOf, rangeOver, readRange, type TimeRange, writeRange } from './axis.ts'
import { ChosenEvent, KindBadge } from './chosen-event.tsx'
import { RangeTools } from './range-tools.tsx'
import { TimeAxis } from './time-axis.tsx'

/** Milliseconds between two looks: requests start and stop the timers of records. */
const INTERVAL = 10_000
const MOST = 2000

export function CalendarPanel() {
  const world = shownWorld.value
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
        <RangeTools range={range} time={time} onRange={setRange} />
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
          <ChosenEvent event={selected} time={time} onTime={setTime} />
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
  { id: 'at', title: 'When', width: '9.5rem', cell: ({ at }) => momentOf(Date.parse(at)) },
  {
    id: 'distance',
    title: 'From the clock',
    width: '8.5rem',
    wide: true,
    cell: ({ at }) => <span class="muted">{distanceOf(Date.parse(at) - time)}</span>,
  },
  { id: 'kind', title: 'Kind', width: '7rem', wide: true, cell: ({ kind }) => <KindBadge kind={kind} /> },
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
