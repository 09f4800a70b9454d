// Measures the cost of the state: the time of appends and reads, and conflicts.

import { Histogram, type Slot } from '../metrics/histogram.ts'
import type { TurnMeter } from './turns.ts'

export class StateMeter implements TurnMeter {
  readonly histograms = [
    new Histogram(
      'understudy_state_append_seconds',
      'Time to append changes to the log of the state, until they are durable.',
      [],
    ),
    new Histogram(
      'understudy_state_catch_up_seconds',
      'Time to read the changes of other processes and apply them.',
      [],
    ),
  ] as const
  readonly #appends: Slot
  readonly #catchUps: Slot
  conflicts = 0

  constructor() {
    const [appends, catchUps] = this.histograms
    this.#appends = appends.slot({})
    this.#catchUps = catchUps.slot({})
  }

  appended(seconds: number): void {
    this.#appends.observe(seconds)
  }

  caughtUp(seconds: number): void {
    this.#catchUps.observe(seconds)
  }

  conflict(): void {
    this.conflicts += 1
  }
}
