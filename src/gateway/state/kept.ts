// The parts of a gateway whose state is kept.

import type { Plan } from '../../plan/plan.ts'
import type { StandingAnswers } from '../answers.ts'
import type { Journal } from '../journal/journal.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** The gateway whose state is kept. */
export interface Kept {
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  readonly journal: Journal
  readonly metrics: Metrics
  readonly plan: Plan
  /** Serves a configuration that another process was given. */
  configure(text: string): Promise<void>
  /** Answers the questions of other processes. */
  readonly requests: { answer(question: string): Promise<string> }
}
