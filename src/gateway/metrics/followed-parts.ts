// Metrics of parts that not every process has: the weather, the event loop's delay, the log, a kept state, workers.

import { Counter, Gauge, type Registry } from 'prom-client'
import type { LoopDelay } from '../../world/clock.ts'
import type { WeatherStation } from '../weather.ts'
import type { Histogram } from './histogram.ts'

/** The state that an engine keeps, in numbers. */
export interface FollowedState {
  /** Histograms of appends and of catching up, in seconds. */
  readonly histograms: readonly Histogram[]
  read(): { readonly conflicts: number; readonly position: number; readonly available: boolean }
}

/** Adds the metrics of the weather. */
export function followWeather(station: WeatherStation, registry: Registry): void {
  new Gauge({
    name: 'understudy_weather',
    help: '1 for the weather (chaos profile) that is active, by name.',
    labelNames: ['weather'],
    registers: [registry],
    collect() {
      this.reset()
      const { current } = station
      if (current !== undefined) this.set({ weather: current.weather.name }, 1)
    },
  })
}

/** Adds the metrics of the event loop's delay. */
export function followLoop(delay: LoopDelay, registry: Registry): void {
  new Gauge({
    name: 'understudy_event_loop_delay_seconds',
    aggregator: 'max',
    help: 'Delay of the event loop since the last scrape: median, 99th percentile, maximum.',
    labelNames: ['percentile'],
    registers: [registry],
    collect() {
      const { half, most, max } = delay.read()
      this.set({ percentile: '50' }, half)
      this.set({ percentile: '99' }, most)
      this.set({ percentile: '100' }, max)
    },
  })
}

/** Adds the number of lost log lines. */
export function followLog(log: { readonly lost: number }, registry: Registry): void {
  new Counter({
    name: 'understudy_log_lines_lost_total',
    help: 'Log lines that could not be written.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(log.lost)
    },
  })
}

/** Adds the metrics of the state that an engine keeps. */
export function followState(state: FollowedState, registry: Registry): void {
  const registers = [registry]
  for (const histogram of state.histograms) registry.registerMetric(histogram as never)
  new Counter({
    name: 'understudy_state_conflicts_total',
    help: 'Appends that conflicted with those of another process; the requests ran again.',
    registers,
    collect() {
      this.reset()
      this.inc(state.read().conflicts)
    },
  })
  new Gauge({
    name: 'understudy_state_position',
    aggregator: 'max',
    help: 'Position in the log of the state up to which this process has read.',
    registers,
    collect() {
      this.set(state.read().position)
    },
  })
  new Gauge({
    name: 'understudy_state_available',
    aggregator: 'min',
    help: 'Whether the store of the state is available: 1 or 0.',
    registers,
    collect() {
      this.set(state.read().available ? 1 : 0)
    },
  })
}

/** Adds the number of serving processes. */
export function followWorkers(read: () => { running: number; replaced: number }, registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'understudy_workers',
    help: 'Processes that serve the API.',
    registers,
    collect() {
      this.set(read().running)
    },
  })
  new Counter({
    name: 'understudy_worker_replacements_total',
    help: 'Worker processes that ended unexpectedly and were replaced.',
    registers,
    collect() {
      this.reset()
      this.inc(read().replaced)
    },
  })
}
