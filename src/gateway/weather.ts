// The current weather (a chaos profile: latency, faults, limits): its source, its end, and the requests it applies to. Knows
// no behaviour by name.

import type { Exchange } from '../behaviours/behaviour.ts'
import { Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { parseSource } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { problems, type Reply, refuse } from '../kernel/http.ts'
import { getOrMake } from '../kernel/memo.ts'
import { formatReport } from '../kernel/report.ts'
import { parseDuration } from '../kernel/units.ts'
import { expandShortForms } from '../plan/formats.ts'
import type { Plan, PlannedOperation, Weather } from '../plan/plan.ts'
import { checksOf } from '../plan/simulation.ts'
import { hasBlocks } from '../plan/weather.ts'
import { NO_ORDER, type StandingOrder } from '../state/effects.ts'
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
  /** The plan that it was compiled for. */
  readonly plan: Plan
}

/** Is called with every order for a world, or for all if the name is empty, and with the previous order. */
export type WeatherListener = (world: string, standing: StandingOrder, before: StandingOrder) => void

/** The weather over everything, or over one world. */
export class WeatherSlot {
  readonly #clock: Clock
  readonly #log: Log
  /** Empty for the weather over everything. */
  readonly #world: string
  #current: CurrentWeather | undefined
  onOrder: WeatherListener | undefined = undefined

  constructor(clock: Clock, log: Log, world = '') {
    this.#clock = clock
    this.#log = log
    this.#world = world
  }

  get current(): CurrentWeather | undefined {
    if (this.#current?.until !== undefined && this.#clock.now() >= this.#current.until) this.#become(undefined)
    return this.#current
  }

  get order(): StandingOrder {
    const { current } = this
    return current === undefined ? NO_ORDER : { order: current.order, until: current.until ?? null }
  }

  clear(): void {
    const before = this.order
    if (before.order !== null) this.onOrder?.(this.#world, NO_ORDER, before)
    this.#become(undefined)
  }

  #become(current: CurrentWeather | undefined, time?: string): void {
    const [shown, message] =
      current === undefined ? [this.#current, 'the weather has cleared'] : [current, 'the weather has changed']
    this.#current = current
    const world = this.#world === '' ? undefined : this.#world
    if (shown !== undefined) this.#log.info({ weather: shown.weather.name, for: time, world }, message)
  }

  /** Compiles weather from the control plane. Mistakes go to `report`. */
  make(plan: Plan, given: Source, report: Diagnostics): CurrentWeather | undefined {
    const made = compileOrder(plan, given, report)
    if (made === undefined) return undefined
    const until = made.time === undefined ? undefined : this.#clock.now() + (parseDuration(made.time) as number)
    const before = this.order
    this.#become({ ...made, until }, made.time)
    this.onOrder?.(this.#world, { order: given.text, until: until ?? null }, before)
    return this.#current
  }

  /** Sets the weather that another process received, without notification. Returns the previous order. */
  restore(plan: Plan, { order, until }: StandingOrder): StandingOrder {
    const before = this.order
    if (order === before.order && until === before.until) return before
    const complaint = 'the weather that another process set does not match this plan'
    this.#become(order === null ? undefined : this.#compile(plan, order, until ?? undefined, complaint))
    return before
  }

  /** Continues with another plan; weather that does not compile with it ends. */
  adopt(plan: Plan): void {
    const { current } = this
    if (current === undefined || current.plan === plan) return
    const complaint = `the weather ${current.weather.name} does not match the new plan and has ended`
    const again = this.#compile(plan, current.order, current.until, complaint)
    if (again === undefined) this.#become(undefined)
    else this.#current = again
  }

  #compile(plan: Plan, order: string, until: number | undefined, complaint: string): CurrentWeather | undefined {
    const report = new Diagnostics()
    const source = parseSource('weather', order, report)
    const made = source && compileOrder(plan, source, report)
    if (made === undefined) this.#log.warn({}, `${complaint}\n${formatReport(report)}`)
    return made && { ...made, until }
  }
}

/** An order for weather, compiled: its time is a duration. */
type CompiledOrder = Omit<CurrentWeather, 'until'> & { readonly time: string | undefined }

function compileOrder(plan: Plan, given: Source, report: Diagnostics): CompiledOrder | undefined {
  const source = expandShortForms(given, 'weather')
  const order = checksOf(plan.simulation.house).order(source, report)
  if (order === undefined || report.failed) return undefined
  const { name, for: time } = order
  const own = hasBlocks(order)
  const weather = own ? plan.compileWeather(name ?? 'custom', order, source, report) : plan.weather.get(name ?? '')
  if (weather === undefined) {
    const message = name === undefined ? 'the weather is invalid' : `there is no weather "${name}"`
    report.error('unknown-weather', message, source.locate(['name']), hintAt(name ?? '', plan))
  }
  if (weather === undefined || report.failed) return undefined
  return { weather, source: own ? source : undefined, order: given.text, plan, time }
}

export class WeatherStation {
  readonly #clock: Clock
  readonly #log: Log
  /** The weather of every world without its own. */
  readonly overall: WeatherSlot
  // A reset or evicted world loses its weather.
  readonly #own = new WeakMap<World, WeatherSlot>()
  /** The general weather, compiled for the plans of worlds on another contract. */
  readonly #elsewhere = new WeakMap<
    Plan,
    { readonly standing: CurrentWeather; readonly weather: Weather | undefined }
  >()
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
    const slot = getOrMake(this.#own, world, () => {
      const made = new WeatherSlot(this.#clock, this.#log, world.name)
      made.onOrder = this.#listener
      this.#hasOwn = true
      return made
    })
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
  dump(
    worlds: readonly World[],
  ): readonly { readonly world: string; readonly order: string; readonly until: number | null }[] {
    const over = worlds.map(world => ({ world: world.name, ...(this.#own.get(world)?.order ?? NO_ORDER) }))
    return [{ world: '', ...this.overall.order }, ...over].flatMap(({ world, order, until }) =>
      order === null ? [] : [{ world, order, until }],
    )
  }

  /** Returns the general weather in a world on another contract; none where it does not fit. */
  #under(standing: CurrentWeather, plan: Plan): Weather | undefined {
    const known = this.#elsewhere.get(plan)
    if (known?.standing === standing) return known.weather
    const report = new Diagnostics()
    const source = parseSource('weather', standing.order, report)
    const weather = source && compileOrder(plan, source, report)?.weather
    this.#elsewhere.set(plan, { standing, weather })
    return weather
  }

  /** Returns the weather of a world, or the general one. */
  in(world: World, plan: Plan): Weather | undefined {
    const own = this.#hasOwn && this.#own.has(world) ? this.of(world, plan).current : undefined
    const standing = own ?? this.overall.current
    if (standing === undefined) return plan.usualWeather
    return standing.plan === plan ? standing.weather : this.#under(standing, plan)
  }

  /** Returns a request's weather: the one it names, that of its world, or the general one; or a refusal. */
  over(name: string | undefined, plan: Plan, mask: Mask, world: World): Weather | Reply | undefined {
    if (name === undefined) return this.in(world, plan)
    if (name === CLEAR) return undefined
    const weather = plan.weather.get(name)
    if (weather !== undefined) return weather
    const hint = hintAt(name, plan)
    const detail = `there is no weather "${mask.text(name)}"${hint === undefined ? '' : `; ${hint}`}`
    return refuse(problems.invalid_request, detail)
  }
}

const hintAt = (name: string, plan: Plan): string | undefined => suggest(name, plan.weather.keys())

/** Returns the operation under a weather. */
export function underWeather(weather: Weather, usual: PlannedOperation, exchange: Exchange): PlannedOperation {
  const { operations, consumers, identifyByOperation } = weather
  exchange.weather = weather.name
  exchange.note(`weather: ${weather.name}`)
  const verdict = identifyByOperation[usual.index]?.(exchange.request, exchange.clock.now(), exchange.world)
  const own = verdict === undefined || typeof verdict === 'string' ? undefined : consumers.get(verdict.name)
  return (own ?? operations).at(usual)
}
