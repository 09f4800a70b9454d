// The metrics of the process and of Node. The only file that imports prom-client.

import { collectDefaultMetrics, Registry } from 'prom-client'
import type { MetricFamily } from './families.ts'

/** Gauges that end in `_total`, which is for counters: the same by type, without the suffix, are on the page too. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE

/** Measures the process from now on. Returns a function that reads its metrics. */
export function measureProcess(): () => Promise<MetricFamily[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return () => registry.getMetricsAsJSON() as unknown as Promise<MetricFamily[]>
}
