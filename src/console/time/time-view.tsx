// The view Time: the calendar on a time axis, with the clock of the world.

import { useMemo } from 'preact/hooks'
import {
  clock,
  hrefOf,
  parameter,
  pathTo,
  setClock,
  setParameters,
  shownWorld,
  useNow,
  useReply,
  worldTime,
} from '../model/gateway.ts'
import type { CalendarEvent, EventKind, WorldCalendar } from '../model/replies.ts'
import { ONE_DAY, writeDistance, writeDuration, writeMoment } from '../model/wording.ts'
import { Button, EmptyState, type IconName, Note, perform, ShowLoaded } from '../parts/controls.tsx'
import { Badge, CommandBox } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import {
  EVENT_KINDS,
  eventKey,
  kindsOf,
  pan,
  rangeAround,
  rangeOver,
  readRange,
  type TimeRange,
  writeRange,
  zoom,
} from './axis.ts'
import { TimeAxis, type TimeAxisProps } from './time-axis.tsx'

export function TimeView() {
  return (
    <div class="view">
      <CalendarPanel />
    </div>
  )
}

const MOST_EVENTS = 2000

function CalendarPanel() {
  const query = { from: '-3650d', until: '+36500d', limit: MOST_EVENTS }
  // Requests start and stop the timers of records.
  const loaded = useReply<WorldCalendar>(pathTo`/worlds/${shownWorld.value}/calendar`, { query, every: 10_000 })
  return (
    <ShowLoaded of={loaded}>
      {({ events, omitted }) =>
        events.length === 0 ? (
          <EmptyState
            icon="calendar"
            title="Nothing is on the calendar"
            text="Deprecations, brown-outs and sunsets of operations, expiries of credentials, and states of records that change by themselves appear here. The configuration announces them, for example with"
          >
            <CommandBox text={'operations: { getThing: { deprecation: { since: 2026-01-01, sunset: 2030-12-05 } } }'} />
          </EmptyState>
        ) : (
          <Calendar events={events} omitted={omitted} onChanged={loaded.reload} />
        )
      }
    </ShowLoaded>
  )
}

interface CalendarProps {
  readonly events: readonly CalendarEvent[]
  readonly omitted: number
  readonly onChanged: () => Promise<void>
}

function Calendar({ events, omitted, onChanged }: CalendarProps) {
  const now = useNow(1000)
  const time = worldTime(now) ?? now
  const hidden = parameter('hide').split(',')
  const shown = useMemo(() => events.filter(({ kind }) => !hidden.includes(kind)), [events, parameter('hide')])
  const range = readRange(parameter('range')) ?? rangeOver(events, time)
  const changeClock = async (change: () => Promise<void>, done: string): Promise<void> => {
    await perform(change, done)
    await onChanged()
  }
  const setTime = (at: number): Promise<void> =>
    changeClock(() => setClock({ now: new Date(at).toISOString() }), `The clock shows ${writeMoment(at)}.`)
  const selected = shown.find(event => eventKey(event) === parameter('event'))
  return (
    <div class="view calendar">
      <div class="bar">
        <KindFilter events={events} hidden={hidden} />
        <span class="spring" />
        <RangeTools range={range} time={time} />
      </div>
      <TimeAxis
        {...{ events: shown, range, time, selected, onRange: setRange, onTime: setTime }}
        onSelect={event => setParameters({ event: eventKey(event) })}
        real={now}
      />
      <div class="bar">
        {selected === undefined ? (
          <Note
            text={`Drag the line to set the clock of ${shownWorld.value}, or choose an event. By keyboard: the arrow keys move it, with Shift by more.`}
          />
        ) : (
          <ChosenEvent event={selected} time={time} onTime={setTime} />
        )}
        <span class="spring" />
        {clock.value?.real === false && (
          <Button icon="clock" onClick={() => changeClock(setClock, 'The clock shows real time.')}>
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
          parameter="event"
          rowClass={({ at }) => (Date.parse(at) <= time ? 'muted' : '')}
        />
      </div>
      {omitted > 0 && <p class="status-line">{omitted.toLocaleString('en')} later events are not shown.</p>}
    </div>
  )
}

/** @param range unset for all */
const setRange = (range: TimeRange | undefined): void =>
  setParameters({ range: range === undefined ? undefined : writeRange(range) })

/** Shows and hides events by their kind. */
const KindFilter = ({ events, hidden }: { events: readonly CalendarEvent[]; hidden: readonly string[] }) => (
  <>
    {kindsOf(events).map(kind => {
      const isHidden = hidden.includes(kind)
      const others = hidden.filter(other => other !== kind && other !== '')
      return (
        <Button
          key={kind}
          aria-pressed={!isHidden}
          onClick={() => setParameters({ hide: [...others, ...(isHidden ? [] : [kind])].join() })}
        >
          {EVENT_KINDS[kind][0]}
        </Button>
      )
    })}
  </>
)

interface RangeTool {
  readonly icon?: IconName
  readonly title: string
  /** The part of the calendar that it shows; unset for all. */
  readonly range?: TimeRange
}

function RangeTools({ range, time }: { range: TimeRange; time: number }) {
  const tools: readonly RangeTool[] = [
    { icon: 'left', title: 'Earlier', range: pan(range, -0.5) },
    { title: 'All' },
    { title: 'Year', range: rangeAround(time, 366 * ONE_DAY) },
    { title: 'Month', range: rangeAround(time, 31 * ONE_DAY) },
    { title: 'Day', range: rangeAround(time, ONE_DAY) },
    { icon: 'right', title: 'Later', range: pan(range, 0.5) },
    { icon: 'plus', title: 'Show less time', range: zoom(range, 0.5, time) },
    { icon: 'minus', title: 'Show more time', range: zoom(range, 2, time) },
  ]
  return (
    <div class="row" role="group" aria-label="The time that is shown">
      {tools.map(({ icon, title, range: next }) => (
        <Button key={title} {...(icon && { icon, label: title })} onClick={() => setRange(next)}>
          {!icon && title}
        </Button>
      ))}
    </div>
  )
}

const KindBadge = ({ kind }: { kind: EventKind }) => {
  const [, noun, tone] = EVENT_KINDS[kind]
  return <Badge tone={tone}>{noun}</Badge>
}

type ChosenEventProps = Pick<TimeAxisProps, 'time' | 'onTime'> & { readonly event: CalendarEvent }

/** The description of an event, and buttons that set the clock to it. */
function ChosenEvent({ event, time, onTime }: ChosenEventProps) {
  const { at: moment, kind, text, operation, collection, record } = event
  const at = Date.parse(moment)
  return (
    <>
      <KindBadge kind={kind} />
      <b>{text}</b>
      <span class="muted">
        {writeMoment(at)}, {writeDistance(at - time)}
      </span>
      <span class="row" role="group" aria-label="Set the clock">
        <Button onClick={() => onTime(at - ONE_DAY)}>The day before</Button>
        <Button kind="primary" onClick={() => onTime(at)}>
          Set the clock to it
        </Button>
        <Button onClick={() => onTime(at + ONE_DAY)}>The day after</Button>
      </span>
      {operation && (
        <a class="button" href={hrefOf('operations', { operation })}>
          Open {operation}
        </a>
      )}
      {record && collection && (
        <a class="button" href={hrefOf('worlds', { collection, record })}>
          Open the record
        </a>
      )}
    </>
  )
}

const columnsAt = (time: number): readonly Column<CalendarEvent>[] => [
  { title: 'When', width: '9.5rem', cell: ({ at }) => writeMoment(Date.parse(at)) },
  {
    title: 'From the clock',
    width: '8.5rem',
    cell: ({ at }) => writeDistance(Date.parse(at) - time),
    classes: 'muted',
  },
  { title: 'Kind', width: '7rem', cell: ({ kind }) => <KindBadge kind={kind} /> },
  { title: 'What happens', width: '1fr', cell: ({ text }) => text },
  { title: 'For', width: '6rem', cell: ({ at, until }) => until && writeDuration(Date.parse(until) - Date.parse(at)) },
]
