// The current weather (a chaos profile: latency, faults, limits): its source, its end, and the requests it applies to. Knows
// no behaviour by name.

import type { Exchange } from '../behaviours/behaviour.ts'
import { Diagnostics, formatReport, suggest } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { problems, type Reply, refuse } from '../kernel/http.ts'
import { parseDuration } from '../kernel/units.ts'
import { hasBlocks } from '../plan/compile.ts'
import type { Plan, PlannedOperation, Weather } from '../plan/plan.ts'
import { expandShortForms } from '../plan/short-forms.ts'
import { checkOrder } from '../plan/simulation.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { Log } from './log.ts'
import type { Mask } from './mask.ts'

/** The name for no weather. */
const CLEAR = 'clear'

export interface CurrentWeather {
  readonly weather: Weather
  /** Milliseconds since the epoch, by real time; `undefined`: until it is cleared. */
  readonly until: number | undefined
  /** Its source, if it is not a preset of the configuration. */
  readonly source: Source | undefined
  /** The order that made it, as text. */
  readonly order: string
}

/** The order of the current weather and its end; both `null` if there is none. */
export type StandingOrder = readonly [order: string | null, until: number | null]

/** Is called with every order for a world, or for all if the name is empty, and with the previous order. */
export type WeatherListener = (world: string, order: string | null, until: number | null, before: StandingOrder) => void

/** The weather over everything, or over one world. */
export class WeatherSlot {
  readonly #clock: Clock
  readonly #log: Log
  /** Empty for the weather over everything. */
  readonly #world: string
  #current: CurrentWeather | undefined
  onOrder: WeatherListener | undefined = undefined
  /** The plan that the current weather was compiled for. */
  #plan: Plan | undefined

  constructor(clock: Clock, log: Log, world = '') {
    this.#clock = clock
    this.#log = log
    this.#world = world
  }

  get current(): CurrentWeather | undefined {
    if (this.#current?.until !== undefined && this.#clock.now() >= this.#current.until) this.#clear()
    return this.#current
  }

  get order(): StandingOrder {
    const { current } = this
    return current === undefined ? NONE : [current.order, current.until ?? null]
  }

  clear(): void {
    const before = this.order
    if (before[0] !== null) this.onOrder?.(this.#world, null, null, before)
    this.#clear()
  }

  #clear(): void {
    if (this.#current !== undefined) this.#tell('the weather has cleared', { weather: this.#current.weather.name })
    this.#current = undefined
  }

  /** Compiles weather from the control plane. Mistakes go to `report`. */
  make(plan: Plan, given: Source, report: Diagnostics): CurrentWeather | undefined {
    const made = compileOrder(plan, given, report)
    if (made === undefined) return undefined
    const until = made.time === undefined ? undefined : this.#clock.now() + (parseDuration(made.time) as number)
    const before = this.order
    const current = this.#set(plan, made, until)
    this.onOrder?.(this.#world, given.text, until ?? null, before)
    this.#tell('the weather has changed', { weather: made.weather.name, for: made.time })
    return current
  }

  #set(plan: Plan, { weather, source, order }: CompiledOrder, until: number | undefined): CurrentWeather {
    const current = { weather, until, source, order }
    this.#current = current
    this.#plan = plan
    return current
  }

  /** Sets the weather that another process received, without notification. Returns the previous order. */
  restore(plan: Plan, [order, until]: StandingOrder): StandingOrder {
    const before = this.order
    if (order === before[0] && until === before[1]) return before
    if (order === null) this.#clear()
    else {
      this.#setAgain(plan, order, until, 'the weather that another process set does not match this plan')
      if (this.#current !== undefined) this.#tell('the weather has changed', { weather: this.#current.weather.name })
    }
    return before
  }

  /** Continues with another plan; weather that does not compile with it ends. */
  adopt(plan: Plan): void {
    const { current } = this
    if (current === undefined || this.#plan === plan) return
    const { order, until, weather } = current
    const complaint = `the weather ${weather.name} does not match the new plan and has ended`
    this.#setAgain(plan, order, until ?? null, complaint)
  }

  #setAgain(plan: Plan, order: string, until: number | null, complaint: string): void {
    const report = new Diagnostics()
    const source = parseSource('weather', order, report)
    const made = source && compileOrder(plan, source, report)
    if (made !== undefined) this.#set(plan, made, until ?? undefined)
    else {
      this.#log.warn({}, `${complaint}\n${formatReport(report)}`)
      this.#clear()
    }
  }

  #tell(message: string, fields: object): void {
    this.#log.info(this.#world === '' ? fields : { ...fields, world: this.#world }, message)
  }
}

/** An order for weather, compiled: its time is a duration. */
type CompiledOrder = Omit<CurrentWeather, 'until'> & { readonly time: string | undefined }

function compileOrder(plan: Plan, given: Source, report: Diagnostics): CompiledOrder | undefined {
  const source = expandShortForms(given, report, true)
  const order = checkOrder(source, report)
  if (order === undefined || report.failed) return undefined
  const { name, for: time } = order
  const own = hasBlocks(order)
  const weather = own ? plan.compileWeather(name ?? 'custom', order, source, report) : plan.weather.get(name ?? '')
  if (weather === undefined) {
    const message = name === undefined ? 'the weather is invalid' : `there is no weather "${name}"`
    report.error('unknown-weather', message, source.locate(['name']), hintAt(name ?? '', plan))
  }
  if (weather === undefined || report.failed) return undefined
  return { weather, source: own ? source : undefined, order: given.text, time }
}

export class WeatherStation {
  readonly #clock: Clock
  readonly #log: Log
  /** The weather of every world without its own. */
  readonly overall: WeatherSlot
  // A reset or evicted world loses its weather.
  readonly #own = new WeakMap<World, WeatherSlot>()
  #hasOwn = false
  #listener: WeatherListener | undefined

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
    this.overall = new WeatherSlot(clock, log)
  }

  get current(): CurrentWeather | undefined {
    return this.overall.current
  }

  /** The weather of one world. */
  of(world: World, plan: Plan): WeatherSlot {
    let slot = this.#own.get(world)
    if (slot === undefined) {
      slot = new WeatherSlot(this.#clock, this.#log, world.name)
      slot.onOrder = this.#listener
      this.#own.set(world, slot)
      this.#hasOwn = true
    }
    slot.adopt(plan)
    return slot
  }

  adopt(plan: Plan): void {
    this.overall.adopt(plan)
  }

  /** Calls a listener with every later order. */
  keepBy(listener: WeatherListener): void {
    this.#listener = listener
    this.overall.onOrder = listener
  }

  /** Sets the weather of a world, or of all, that another process received. Returns the previous order. */
  restore(plan: Plan, world: World | undefined, order: StandingOrder): StandingOrder {
    return (world === undefined ? this.overall : this.of(world, plan)).restore(plan, order)
  }

  /** Every current order. */
  dump(worlds: readonly World[]): readonly (readonly [world: string, order: string, until: number | null])[] {
    const own = worlds.map(world => [world.name, this.#own.get(world)?.order ?? NONE] as const)
    return [['', this.overall.order] as const, ...own].flatMap(([world, [order, until]]) =>
      order === null ? [] : [[world, order, until] as const],
    )
  }

  /** Returns a request's weather: the one it names, that of its world, or the general one; or a refusal. */
  over(name: string | undefined, plan: Plan, mask: Mask, world: World): Weather | Reply | undefined {
    if (name === undefined) {
      const own = this.#hasOwn && this.#own.has(world) ? this.of(world, plan).current : undefined
      return (own ?? this.overall.current)?.weather
    }
    if (name === CLEAR) return undefined
    const weather = plan.weather.get(name)
    if (weather !== undefined) return weather
    const hint = hintAt(name, plan)
    const detail = `there is no weather "${mask.text(name)}"${hint === undefined ? '' : `; ${hint}`}`
    return refuse(problems.invalid_request, detail)
  }
}

const NONE: StandingOrder = [null, null]

const hintAt = (name: string, plan: Plan): string | undefined => suggest(name, plan.weather.keys())

/** Returns the operation under a weather. */
export function underWeather(weather: Weather, usual: PlannedOperation, exchange: Exchange): PlannedOperation {
  const { operations, consumers, identifyByOperation } = weather
  exchange.weather = weather.name
  exchange.note(`weather: ${weather.name}`)
  const verdict = identifyByOperation[usual.index]?.(exchange.request, exchange.clock.now())
  const own = verdict === undefined || typeof verdict === 'string' ? undefined : consumers.get(verdict.name)
  return (own ?? operations).at(usual)
}
