// The part of a run that writes the values inside arrays and objects.

import type { Json } from '../kernel/value/json.ts'
import type { Chance } from './chance.ts'
import type { Fitting } from './fits.ts'

export interface Writer {
  /** The path of the value that is being generated. */
  readonly path: (string | number)[]
  /** Whether an invalid value is accepted where no valid one is found. */
  readonly settles: boolean
  readonly fitting: Fitting
  readonly chance: Chance
  /** The mark of the properties that are omitted. */
  readonly hidden: 'readOnly' | 'writeOnly'
  /** Returns a value that is valid for all of the schemas; see `Run.value`. */
  value(schemas: readonly unknown[], name: string | undefined, budget: number, depth: number, turn?: number): Json
  /** Records that the current part has no valid value. */
  note(why: string, ...further: string[]): void
  /** Returns whether a value would have to contain another value of the same definition. */
  circles(schemas: readonly unknown[]): boolean
}
