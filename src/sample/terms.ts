// The terms of a sample: its options, the limit of one run, and the results of a run beside its value.

import type { Json } from '../kernel/json.ts'
import type { SchemaObject } from './schema-parts.ts'

export interface SampleOptions {
  /** Any integer. The same seed gives the same value. */
  readonly seed: number
  /** Whether to generate every value instead of using the schema's examples and defaults. */
  readonly dynamic?: boolean | undefined
  /** Whether the value is for a request, which omits `readOnly` properties; a reply omits `writeOnly` ones. */
  readonly request?: boolean | undefined
  /** The name of the value's property, from which its meaning is guessed. */
  readonly name?: string | undefined
  /** The value that was sent. The sample repeats its fields where the schema chooses between branches. */
  readonly sent?: Json | undefined
  /** The maximum number of values beyond the required ones. */
  readonly budget?: number | undefined
  /** The length of its lists, but of those within their items. A list that has bounds stays within them. */
  readonly items?: number | undefined
  /** Whether a few different values will do for all seeds where making one takes long. */
  readonly few?: boolean | undefined
}

/** The limit of a run and the knowledge that it begins with. */
export interface Terms {
  /** The limit in comparisons of a value with a schema: `Fitting.work`. */
  readonly limit: number
  /** Whether to return the best invalid value if no valid one is found. */
  readonly settles?: boolean
  /** The knowledge of an earlier run about the same schema. */
  readonly learnt?: Learnt | undefined
  readonly pins?: SchemaObject
}

/** For a schema that took several attempts: the one that succeeded, and the number that failed before it. */
export type Learnt = Map<unknown, { readonly attempt: number; readonly misses: number }>

/** A part of a value without a valid value. */
export interface Gap {
  readonly path: readonly (string | number)[]
  /** The rest of a sentence that begins with the place: `its bounds exclude each other`. */
  readonly why: string
}

export interface Sample {
  readonly value: Json
  /** Whether the value is valid; an invalid one is the best that was found. */
  readonly fits: boolean
  /** The parts without a valid value, for an invalid value. */
  readonly gaps: readonly Gap[]
}
