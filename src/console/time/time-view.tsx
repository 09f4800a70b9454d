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
  const setRange = (next: TimeRange | undefined): void =>
    setParameters({ range: next === undefined ? undefined : writeRange(next) })
  const changeClock = async (change: () => Promise<void>, done: string): Promise<void> => {
    await perform(change, done)
    await onChanged()
  }
  const setTime = (at: number): Promise<void> =>
    changeClock(() => setClock({ now: new Date(at).toISOString() }), `The clock shows ${writeMoment(at)}.`)
  const tools: readonly (readonly [icon: IconName | undefined, title: string, range: TimeRange | undefined])[] = [
    ['left', 'Earlier', pan(range, -0.5)],
    [undefined, 'All', undefined],
    [undefined, 'Year', rangeAround(time, 366 * ONE_DAY)],
    [undefined, 'Month', rangeAround(time, 31 * ONE_DAY)],
    [undefined, 'Day', rangeAround(time, ONE_DAY)],
    ['right', 'Later', pan(range, 0.5)],
    ['plus', 'Show less time', zoom(range, 0.5, time)],
    ['minus', 'Show more time', zoom(range, 2, time)],
  ]
  const selected = shown.find(event => eventKey(event) === parameter('event'))
  return (
    <div class="view calendar">
      <div class="bar">
        {kindsOf(events).map(kind => {
          const hides = hidden.includes(kind)
          const others = hidden.filter(one => one !== kind && one !== '')
          return (
            <Button
              key={kind}
              aria-pressed={!hides}
              onClick={() => setParameters({ hide: [...others, ...(hides ? [] : [kind])].join() })}
            >
              {EVENT_KINDS[kind][0]}
            </Button>
          )
        })}
        <span class="spring" />
        <div class="row" role="group" aria-label="The time that is shown">
          {tools.map(([icon, title, next]) => (
            <Button key={title} {...(icon && { icon, label: title })} onClick={() => setRange(next)}>
              {!icon && title}
            </Button>
          ))}
        </div>
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
  ['When', '9.5rem', ({ at }) => writeMoment(Date.parse(at))],
  ['From the clock', '8.5rem', ({ at }) => writeDistance(Date.parse(at) - time), 'muted'],
  ['Kind', '7rem', ({ kind }) => <KindBadge kind={kind} />],
  ['What happens', '1fr', ({ text }) => text],
  ['For', '6rem', ({ at, until }) => until && writeDuration(Date.parse(until) - Date.parse(at))],
]
