// The calendar: a time axis with a lane for each kind of event, the chosen event, and the list of them all.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CalendarEvent, EventKind } from '../../http/control/types.ts'
import { clock, loadCalendar, restoreClock, setClock, worldTime } from '../model/gateway.ts'
import { useLoaded, useNow } from '../model/loaded.ts'
import { hrefOf, parameter, setParameters, shownWorld } from '../model/location.ts'
import { DAY, writeDistance, writeDuration, writeMoment } from '../model/wording.ts'
import { CommandBox } from '../parts/commands.tsx'
import { Button } from '../parts/controls.tsx'
import { EmptyState, Loaded, perform } from '../parts/notices.tsx'
import { Badge } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import {
  EVENT_KINDS,
  eventKey,
  pan,
  rangeAround,
  rangeOver,
  readRange,
  type TimeRange,
  writeRange,
  zoom,
} from './axis.ts'
import { TimeAxis } from './time-axis.tsx'

const MOST_EVENTS = 2000

export function CalendarPanel() {
  const world = shownWorld.value
  const query = { from: '-3650d', until: '+36500d', limit: MOST_EVENTS }
  // Requests start and stop the timers of records.
  const loaded = useLoaded(world, signal => loadCalendar(world, query, signal), 10_000)
  return (
    <Loaded of={loaded}>
      {({ events, omitted }) =>
        events.length === 0 ? (
          <EmptyState icon="calendar" title="Nothing is on the calendar">
            <p>
              Deprecations, brown-outs and sunsets of operations, expiries of credentials, and states of records that
              change by themselves appear here. The configuration announces them, for example with
            </p>
            <CommandBox text={'operations: { getThing: { deprecation: { since: 2026-01-01, sunset: 2030-12-05 } } }'} />
          </EmptyState>
        ) : (
          <Calendar world={world} events={events} omitted={omitted} onChanged={loaded.reload} />
        )
      }
    </Loaded>
  )
}

interface CalendarProps {
  readonly world: string
  readonly events: readonly CalendarEvent[]
  readonly omitted: number
  readonly onChanged: () => Promise<void>
}

function Calendar({ world, events, omitted, onChanged }: CalendarProps) {
  const now = useNow(1000)
  const time = worldTime(now) ?? now
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
  const changeClock = async (change: () => Promise<void>, done: string): Promise<void> => {
    await perform(change, done)
    await onChanged()
  }
  const setTime = (at: number): Promise<void> =>
    changeClock(() => setClock(world, { now: new Date(at).toISOString() }), `The clock shows ${writeMoment(at)}.`)
  const selected = shown.find(event => eventKey(event) === parameter('event'))
  const select = (event: CalendarEvent): void => setParameters({ event: eventKey(event) })
  return (
    <div class="view calendar">
      <div class="bar">
        {EVENT_KINDS.filter(({ kind }) => events.some(event => event.kind === kind)).map(({ kind, title }) => (
          <Button
            key={kind}
            aria-pressed={!hidden.includes(kind)}
            onClick={() => {
              const next = hidden.includes(kind) ? hidden.filter(one => one !== kind) : [...hidden, kind]
              setParameters({ hide: next.filter(one => one !== '').join(',') })
            }}
          >
            {title}
          </Button>
        ))}
        <span class="spring" />
        <RangeTools range={range} time={time} onRange={setRange} />
      </div>
      <TimeAxis
        {...{ events: shown, range, time, selected, onRange: setRange, onTime: setTime, onSelect: select }}
        real={now}
      />
      <div class="bar">
        {selected === undefined ? (
          <p class="muted">
            Drag the line to set the clock of {world}, or choose an event. By keyboard: the arrow keys move it, with
            Shift by more.
          </p>
        ) : (
          <ChosenEvent event={selected} time={time} onTime={setTime} />
        )}
        <span class="spring" />
        {clock.value === undefined || clock.value.state.real ? null : (
          <Button icon="clock" onClick={() => changeClock(() => restoreClock(world), 'The clock shows real time.')}>
            Real time
          </Button>
        )}
      </div>
      <div class="fill">
        <VirtualTable
          label="Events on the calendar"
          columns={columnsAt(time)}
          count={shown.length}
          rowAt={index => shown[index]}
          keyOf={eventKey}
          selected={parameter('event')}
          onSelect={select}
          rowClass={({ at }) => (Date.parse(at) <= time ? 'past' : '')}
        />
      </div>
      {omitted === 0 ? null : <p class="status-line">{omitted.toLocaleString('en')} later events are not shown.</p>}
    </div>
  )
}

const RANGES = [
  ['Year', 366 * DAY],
  ['Month', 31 * DAY],
  ['Day', DAY],
] as const

interface RangeToolsProps {
  readonly range: TimeRange
  /** The time of the world, in milliseconds since the epoch. */
  readonly time: number
  /** Takes the part that is to be shown; `undefined` for all. */
  readonly onRange: (range: TimeRange | undefined) => void
}

const RangeTools = ({ range, time, onRange }: RangeToolsProps) => (
  <div class="row" role="group" aria-label="The time that is shown">
    <Button icon="left" label="Earlier" onClick={() => onRange(pan(range, -0.5))} />
    <Button onClick={() => onRange(undefined)}>All</Button>
    {RANGES.map(([title, length]) => (
      <Button key={title} onClick={() => onRange(rangeAround(time, length))}>
        {title}
      </Button>
    ))}
    <Button icon="right" label="Later" onClick={() => onRange(pan(range, 0.5))} />
    <Button icon="plus" label="Show less time" onClick={() => onRange(zoom(range, 0.5, time))} />
    <Button icon="minus" label="Show more time" onClick={() => onRange(zoom(range, 2, time))} />
  </div>
)

const KindBadge = ({ kind: wanted }: { kind: EventKind }) => {
  const found = EVENT_KINDS.find(({ kind }) => kind === wanted)
  return <Badge tone={found?.tone}>{found?.noun}</Badge>
}

interface ChosenEventProps {
  readonly event: CalendarEvent
  /** The time of the world, in milliseconds since the epoch. */
  readonly time: number
  readonly onTime: (at: number) => Promise<void>
}

/** The description of an event, and buttons that set the clock to it. */
function ChosenEvent({
  event: { at: moment, kind, text, operation, collection, record },
  time,
  onTime,
}: ChosenEventProps) {
  const at = Date.parse(moment)
  return (
    <>
      <KindBadge kind={kind} />
      <b>{text}</b>
      <span class="muted">
        {writeMoment(at)}, {writeDistance(at - time)}
      </span>
      <span class="row" role="group" aria-label="Set the clock">
        <Button onClick={() => onTime(at - DAY)}>The day before</Button>
        <Button kind="primary" onClick={() => onTime(at)}>
          Set the clock to it
        </Button>
        <Button onClick={() => onTime(at + DAY)}>The day after</Button>
      </span>
      {operation === undefined ? null : (
        <a class="button" href={hrefOf('operations', { operation })}>
          Open {operation}
        </a>
      )}
      {record === undefined || collection === undefined ? null : (
        <a class="button" href={hrefOf('worlds', { collection, record })}>
          Open the record
        </a>
      )}
    </>
  )
}

const columnsAt = (time: number): readonly Column<CalendarEvent>[] => [
  { id: 'at', title: 'When', width: '9.5rem', cell: ({ at }) => writeMoment(Date.parse(at)) },
  {
    id: 'distance',
    title: 'From the clock',
    width: '8.5rem',
    wide: true,
    cell: ({ at }) => <span class="muted">{writeDistance(Date.parse(at) - time)}</span>,
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
    cell: ({ at, until }) => (until === undefined ? '' : writeDuration(Date.parse(until) - Date.parse(at))),
  },
]
