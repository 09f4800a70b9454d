// Metrics of deprecated operations: when each consumer called them first and last.

import { Gauge, type Registry } from 'prom-client'
import type { Deprecations, Usage } from '../deprecations.ts'

/** The labels of a metric of deprecated operations. */
export const CALLERS = ['operation', 'consumer', 'traffic'] as const

/** Adds the times of the first and the last call by each consumer. */
export function registerUsageTimes(deprecations: Deprecations, registers: Registry[]): void {
  const usageGauge = (name: string, aggregator: 'min' | 'max', help: string, read: (usage: Usage) => number) =>
    new Gauge({
      name,
      help,
      labelNames: CALLERS,
      registers,
      aggregator,
      collect() {
        this.reset()
        for (const usage of deprecations.all()) {
          const { operation, consumer, traffic } = usage
          this.set({ operation, consumer, traffic }, read(usage))
        }
      },
    })
  usageGauge(
    'understudy_deprecated_first_request_timestamp_seconds',
    'min',
    "Time of the first call of a deprecated operation by a consumer, by the world's clock.",
    ({ first }) => first / 1000,
  )
  usageGauge(
    'understudy_deprecated_last_request_timestamp_seconds',
    'max',
    "Time of the last call of a deprecated operation by a consumer, by the world's clock.",
    ({ last }) => last / 1000,
  )
}
