// The calendar of a world, as `GET /worlds/NAME/calendar` answers it.

export type EventKind = 'deprecated' | 'brown-out' | 'sunset' | 'key-expiry' | 'state'

export interface CalendarEvent {
  /** A timestamp, by the clock of the world. */
  readonly at: string
  /** The end of a brown-out. */
  readonly until?: string
  readonly kind: EventKind
  readonly operation?: string
  readonly consumer?: string
  readonly collection?: string
  /** The id of the record that goes from one state to another. */
  readonly record?: string
  readonly from?: string
  readonly to?: string
  readonly status?: number
  readonly text: string
}

export interface WorldCalendar {
  readonly now: string
  /** The first event that is still to come. */
  readonly next: CalendarEvent | null
  readonly events: readonly CalendarEvent[]
  readonly omitted: number
}
