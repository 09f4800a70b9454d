// Measures the cost of the state: the time of appends and reads, and conflicts.

import { Instrument, type Series } from '../metrics/instruments.ts'
import type { TurnMeter } from './turns.ts'

export class StateMeter implements TurnMeter {
  readonly histograms = [
    histogram('append', 'Time to append changes to the log of the state, until they are durable.'),
    histogram('catch_up', 'Time to read the changes of other processes and apply them.'),
  ] as const
  readonly #appends: Series
  readonly #catchUps: Series
  conflicts = 0

  constructor() {
    const [appends, catchUps] = this.histograms
    this.#appends = appends.series({})
    this.#catchUps = catchUps.series({})
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

const histogram = (name: string, help: string): Instrument =>
  new Instrument({ name: `understudy_state_${name}_seconds`, help, type: 'histogram', labelNames: [] })
