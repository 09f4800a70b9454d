// The parts of the gateway that a log changes: the worlds, and the weather and answers over them.

import type { Plan } from '../../plan/plan.ts'
import type { StandingAnswers } from '../answers.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** The parts of the gateway that a log changes. */
export interface Subjects {
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  plan(): Plan
  /** Milliseconds since the epoch, by the clock of the log. */
  now(): number
  /** Forgets the requests that reached a world. */
  forgetRequests(world: string): void
  /** Forgets where in the log the changes of requests are, since the log is another one. */
  forgetPositions(): void
  /** Serves another configuration, which another process was given. */
  configure(text: string): Promise<void>
  /** The engine lost its log. */
  lost(): void
}
