// The weather over a gateway: who made it, until when, and which requests it meets. Knows no behaviour by name.

import type { Exchange } from '../behaviours/behaviour.ts'
import { Diagnostics, formatReport, suggest } from '../kernel/diagnostic.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { Plan, PlannedOperation, Weather } from '../plan/compile.ts'
import { expandShortForms } from '../plan/short-forms.ts'
import { checkOrder } from '../plan/simulation.ts'
import { hasBlocks } from '../plan/weather.ts'
import type { Clock } from '../world/clock.ts'
import type { Log } from './log.ts'

/** What a request asks for that wants none. */
export const CLEAR = 'clear'

export interface CurrentWeather {
  readonly weather: Weather
  /** Milliseconds since the epoch, by real time; `undefined`: until told. */
  readonly until: number | undefined
  /** What it was made of, where it is not one of the configuration's. */
  readonly source: Source | undefined
}

export class WeatherStation {
  readonly #clock: Clock
  readonly #log: Log
  #current: CurrentWeather | undefined

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  get current(): CurrentWeather | undefined {
    if (this.#current?.until !== undefined && this.#clock.now() >= this.#current.until) this.clear()
    return this.#current
  }

  clear(): void {
    if (this.#current !== undefined) this.#log.info({ weather: this.#current.weather.name }, 'the weather has cleared')
    this.#current = undefined
  }

  /** Makes weather, as an order of the control plane has it; what is wrong with that goes to `report`. */
  make(plan: Plan, given: Source, report: Diagnostics): CurrentWeather | undefined {
    const source = expandShortForms(given, report, true)
    const order = checkOrder(source, report)
    if (order === undefined || report.failed) return undefined
    let weather: Weather | undefined
    if (hasBlocks(order)) weather = plan.compileWeather(order.name ?? 'custom', order, source, report)
    else {
      weather = plan.weather.get(order.name ?? '')
      if (weather === undefined) {
        const message = order.name === undefined ? 'this makes no weather' : `there is no weather "${order.name}"`
        report.error('unknown-weather', message, source.locate(['name']), hintAt(order.name ?? '', plan))
      }
    }
    if (weather === undefined || report.failed) return undefined
    const until = order.for === undefined ? undefined : this.#clock.now() + (parseDuration(order.for) as number)
    this.#current = { weather, until, source: hasBlocks(order) ? source : undefined }
    this.#log.info({ weather: weather.name, for: order.for }, 'the weather has changed')
    return this.#current
  }

  /** Goes on over another plan; weather that cannot be over that one clears. */
  adopt(plan: Plan): void {
    const { current } = this
    if (current === undefined) return
    const { weather, until, source } = current
    const report = new Diagnostics()
    const order = source && checkOrder(source, report)
    const remade =
      source === undefined || order === undefined
        ? plan.weather.get(weather.name)
        : plan.compileWeather(weather.name, order, source, report)
    if (remade !== undefined && !report.failed) this.#current = { weather: remade, until, source }
    else {
      this.#log.warn({}, `the weather ${weather.name} is not over the new plan\n${formatReport(report)}`)
      this.clear()
    }
  }

  /** The weather that a request meets: the one it asks for, else the current one; or why it can have none. */
  over({ headers }: Request, plan: Plan): Weather | Reply | undefined {
    const name = headers['understudy-weather']
    if (name === undefined || !plan.simulation.listen.clientControls) return this.#current && this.current?.weather
    if (name === CLEAR) return undefined
    const weather = plan.weather.get(String(name))
    if (weather !== undefined) return weather
    const hint = hintAt(String(name), plan)
    const detail = `Understudy-Weather: there is no weather "${name}"${hint === undefined ? '' : `; ${hint}`}`
    return refuse(problems.invalid_request, detail)
  }
}

const hintAt = (name: string, plan: Plan): string | undefined => suggest(name, plan.weather.keys())

/** The operation as a request meets it in some weather. */
export function underWeather(weather: Weather, usual: PlannedOperation, exchange: Exchange): PlannedOperation {
  const { operations, consumers, judges } = weather
  exchange.weather = weather.name
  exchange.note(`weather: ${weather.name}`)
  const verdict = judges[usual.index]?.(exchange.request, exchange.clock.now())
  const own = verdict === undefined || typeof verdict === 'string' ? undefined : consumers.get(verdict.name)
  return (own ?? operations)()[usual.index] as PlannedOperation
}
