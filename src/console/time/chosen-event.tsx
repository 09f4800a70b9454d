// The chosen event of the calendar: its description, and buttons that set the clock to it.

import type { CalendarEvent, EventKind } from '../../http/control/types.ts'
import { hrefOf } from '../model/location.ts'
import { DAY, distanceOf, momentOf } from '../model/moments.ts'
import { Badge, type Tone } from '../parts/badges.tsx'

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

export const KindBadge = ({ kind }: { kind: EventKind }) => <Badge tone={TONES[kind]}>{NAMES[kind]}</Badge>

export interface ChosenEventProps {
  readonly event: CalendarEvent
  /** The time of the world, in milliseconds since the epoch. */
  readonly time: number
  readonly onTime: (at: number) => void
}

export function ChosenEvent({ event, time, onTime }: ChosenEventProps) {
  const at = Date.parse(event.at)
  return (
    <div class="chosen-event">
      <KindBadge kind={event.kind} />
      <b class="truncate" title={event.text}>
        {event.text}
      </b>
      <span class="muted">
        {momentOf(at)}, {distanceOf(at - time)}
      </span>
      <span class="tools" role="group" aria-label="Set the clock">
        <button type="button" class="button" onClick={() => onTime(at - DAY)}>
          The day before
        </button>
        <button type="button" class="button primary" onClick={() => onTime(at)}>
          Set the clock to it
        </button>
        <button type="button" class="button" onClick={() => onTime(at + DAY)}>
          The day after
        </button>
      </span>
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
}
