// The types of the states of a record and their edges. `lives.ts` applies them.

import type { Json, JsonObject } from '../kernel/json.ts'

/** A way from one state to another. */
export interface Edge {
  readonly to: string
  /** Milliseconds after which it fires, for a number in [0, 1). Without it only a write takes the edge. */
  readonly after?: ((share: number) => number) | undefined
  /** Returns the further fields that it sets when it fires at a moment. `share` is the record's own number in [0, 1). */
  readonly set?: ((moment: number, share: number) => JsonObject) | undefined
}

export interface RecordStates {
  /** The field of the state. */
  readonly field: string
  readonly from: ReadonlyMap<string, readonly Edge[]>
}

/** The timer of a record in a snapshot: it entered `state` as its `entry`-th one. */
export interface DumpedTimer {
  readonly id: number | bigint | string
  readonly state: string
  readonly entry: number
  /** Milliseconds since the epoch at which the edge to `to` fires. Absent: the record waits for a write. */
  readonly due?: number
  readonly to?: string
}

/** Whether a write may take a record from one state to another. Staying is always allowed. */
export const allows = (states: RecordStates, from: Json | undefined, to: Json | undefined): boolean =>
  from === to || typeof from !== 'string' || (states.from.get(from) ?? []).some(edge => edge.to === to)
