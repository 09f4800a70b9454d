// The replies that only this page asks for: operations with their rates, their forms, and the calendar of a world. The wing that
// serves the page makes them. Types only.

import type { OperationOnADay } from '../../http/control/types.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { DateTime, Fraction } from '../../kernel/units.ts'

/** A JSON Schema of the 2020-12 dialect, with all that it refers to. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

export interface MeasuredOperation extends Pick<OperationOnADay, 'operation' | 'method' | 'path' | 'phase'> {
  readonly tags: readonly string[]
  readonly summary?: string
  readonly deprecated: boolean
  /** Its behaviours, outermost first. */
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  /** Latency, faults and limits as they are in force, by the keys of gateway.yaml; weather included. */
  readonly settings: JsonObject
  readonly measured: Measure
}

export interface MeasuredOperations {
  /** The end of the last step of each series, by the real clock. */
  readonly at: DateTime
  /** The time that is measured: less than the asked minutes where the journal has forgotten requests of that time. */
  readonly seconds: number
  /** Seconds of each step of a series. */
  readonly step: Fraction
  readonly operations: readonly MeasuredOperation[]
  readonly all: Measure
}

/** A number of milliseconds; `null` where there was no request. */
type Milliseconds = number | null

/** The requests of an operation, or all; at most this share of them took longer than a percentile. */
export interface Measure {
  readonly requests: number
  readonly perSecond: Fraction
  /** Requests that got no reply, or one of 500 or above. */
  readonly errors: number
  /** Requests that got a reply from 400 to 499. */
  readonly refused: number
  /** Half of the requests took no longer, in milliseconds; null without a request. */
  readonly p50: Milliseconds
  readonly p90: Milliseconds
  readonly p95: Milliseconds
  readonly p99: Milliseconds
  readonly max: Milliseconds
  /** One for each step, the oldest first. */
  readonly series: readonly {
    readonly requests: number
    readonly errors: number
    readonly p50: Milliseconds
    readonly p95: Milliseconds
  }[]
}

export interface OperationForm {
  readonly operation: string
  readonly method: string
  /** The path template, base path included. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated: boolean
  readonly chain: readonly { readonly name: string; readonly detail?: string }[]
  /** Alternatives, each a list of security schemes; empty for a public operation. */
  readonly security: readonly (readonly string[])[]
  readonly parameters: readonly FormParameter[]
  readonly body?: { readonly required: boolean; readonly content: readonly FormContent[] }
  readonly responses: readonly FormResponse[]
  /** A command that sends the sample; absent if it needs a key that the configuration does not publish. */
  readonly curl?: string
  /** A request that keeps to the contract, without a credential; absent where none was found. */
  readonly sample?: { readonly path: string; readonly query: string; readonly headers: object; readonly body?: string }
}

export interface FormParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly deprecated: boolean
  readonly description?: string
  readonly schema: Schema
  /** Its text in the sample. */
  readonly sample?: string
}

export interface FormContent {
  readonly type: string
  readonly schema?: Schema
  readonly examples: readonly { readonly name: string | null; readonly value: Json }[]
}

export interface FormResponse {
  /** As the contract has it: `200`, `4XX`, `default`. */
  readonly status: string
  readonly description: string
  readonly content: readonly FormReplyContent[]
}

export interface FormReplyContent extends Omit<FormContent, 'schema'> {
  /** A value that the contract accepts, where it has no example of JSON. */
  readonly sample?: Json
}

export type EventKind = 'deprecated' | 'brown-out' | 'sunset' | 'key-expiry' | 'state'

export interface CalendarEvent {
  /** By the world's clock. */
  readonly at: DateTime
  /** The end of a brown-out. */
  readonly until?: DateTime
  readonly kind: EventKind
  readonly operation?: string
  readonly consumer?: string
  readonly collection?: string
  /** The id of the record whose state changes. */
  readonly record?: string
  readonly from?: string
  readonly to?: string
  /** The status of the operation then. */
  readonly status?: number
  readonly text: string
}

export interface WorldCalendar {
  /** The time of the world. */
  readonly now: DateTime
  /** The next event. */
  readonly next: CalendarEvent | null
  readonly events: readonly CalendarEvent[]
  /** How many were left out, as there are too many. */
  readonly omitted: number
}
