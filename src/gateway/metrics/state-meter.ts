// The cost of the state that a log keeps.

import type { TurnMeter } from '../../state/turns.ts'
import { Instrument } from './families.ts'

/** Measures the cost of the state: the time of appends and reads, and conflicts. */
export class StateMeter implements TurnMeter {
  readonly histograms = [
    new Instrument(
      'understudy_state_append_seconds',
      'Time to append changes to the log of the state, until they are durable.',
    ),
    new Instrument('understudy_state_catch_up_seconds', 'Time to read the changes of other processes and apply them.'),
  ] as const
  readonly appends = this.histograms[0].series({})
  readonly catchUps = this.histograms[1].series({})
  conflicts = 0
}
