// Two replicas that share a log.

import { MemoryLog } from '../support/memory-log.ts'
import { FixedClock } from '../virtual-clock.ts'
import { replica } from './replicas.ts'

/** Two replicas of one state. */
export async function two() {
  const log = new MemoryLog()
  const clock = new FixedClock()
  const [a, b] = [await replica(log.connect(), {}, {}, clock), await replica(log.connect(), {}, {}, clock)]
  return { log, clock, a, b }
}
