// The table of metrics, as the registry declares them.

import { StateMeter } from '../../src/gateway/metrics/state-meter.ts'
import { inProcess } from '../support/in-process.ts'
import { table } from './table.ts'

const CONTRACT = '{ openapi: 3.1.0, info: { title: None, version: "1" }, paths: {} }'

export function describeMetrics(): string {
  const { gateway } = inProcess({ 'gateway.yaml': `contract: ${CONTRACT}` })
  gateway.metrics.followLoop({ read: () => ({ half: 0, most: 0, max: 0 }) })
  // These metrics exist with `--workers` only.
  gateway.metrics.countWorkers(() => ({ running: 0, replaced: 0 }))
  // These metrics exist with `state` only.
  gateway.metrics.followState(new StateMeter(), { position: 0, unavailable: undefined })
  const rows = gateway.metrics
    .list()
    .map(({ name, help, type, labelNames }) => [
      `\`${name}\``,
      type,
      labelNames.map(label => `\`${label}\``).join(', ') || '·',
      help,
    ])
  return table(['metric', 'type', 'labels', 'meaning'], rows)
}
