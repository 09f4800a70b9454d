// Orders for a world or for all of them: answers on demand, weather (a chaos profile), and changes of a clock.

import { Diagnostics } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/file/read-source.ts'
import type { Plan } from '../plan/plan.ts'
import { type ClockWords, readClockChange, type WorldClock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import { MOST_ANSWERS, type StandingAnswer } from './answers.ts'
import type { Gateway } from './gateway.ts'
import { Refused, refusedReport } from './refused.ts'
import type { CurrentWeather, WeatherSlot } from './weather.ts'

/** Returns the plan of a world, or the one that is served. */
export const planFor = ({ plan, worlds }: Gateway, world: World | undefined): Plan =>
  world === undefined ? plan : worlds.planOf(world.name)

/** The weather of a world, or of all worlds without a separate one. */
export const weatherSlotOf = (gateway: Gateway, world: World | undefined): WeatherSlot =>
  world === undefined ? gateway.weather.overall : gateway.weather.of(world, planFor(gateway, world))

/** Sets an answer. @param order as JSON or YAML. @param report gets the warnings */
export function giveAnswer(
  gateway: Gateway,
  world: World | undefined,
  order: string,
  report = new Diagnostics(),
): StandingAnswer {
  const source = parseSource('answer', order, report)
  const standing = source && gateway.answers.put(planFor(gateway, world), source, world, report)
  if (standing === undefined) throw refusedReport(report, 'invalid_answer')
  if (standing !== 'full') return standing
  throw new Refused('conflict', `there are already ${MOST_ANSWERS} answers; remove some with DELETE /answers`)
}

/** Sets weather. @param order as JSON or YAML. @param report gets the warnings */
export function setWeather(
  gateway: Gateway,
  world: World | undefined,
  order: string,
  report = new Diagnostics(),
): CurrentWeather {
  const source = parseSource('weather', order, report)
  const current = source && weatherSlotOf(gateway, world).make(planFor(gateway, world), source, report)
  if (current === undefined) throw refusedReport(report, 'invalid_configuration')
  return current
}

export function changeClock(clock: WorldClock, words: ClockWords): void {
  const change = readClockChange(words, clock)
  if (typeof change === 'string') throw new Refused('invalid_request', change)
  clock.adjust(change)
}
