// The measured percentiles beside the wished ones, for each operation that the scope is about.

import type { ComponentChildren } from 'preact'
import { type MeasuredOperation, useMeasured } from '../model/gateway.ts'
import { hrefOf } from '../model/location.ts'
import { writeLatency, writePercent } from '../model/wording.ts'
import { FirstCommand } from '../parts/commands.tsx'
import { Loaded } from '../parts/notices.tsx'
import { PlainTable } from '../parts/panels.tsx'
import { describeSettings, percentilesIn, settingsIn, type WeatherBlocks, type WeatherScope } from './blocks.ts'

const PERCENTILES = ['p50', 'p95', 'p99'] as const

interface MeasuredPanelProps {
  readonly world: string
  readonly scope: WeatherScope
  readonly blocks: WeatherBlocks
}

export function MeasuredPanel({ world, scope, blocks }: MeasuredPanelProps) {
  const { kind, name } = scope
  const chosen = kind === 'tag' || kind === 'consumer' ? { [kind]: name } : {}
  const loaded = useMeasured({ world, minutes: 1, ...chosen })
  return (
    <section class="stack padded" aria-label="Configured and measured">
      <Loaded of={loaded}>
        {({ operations }) => {
          const shown = kind === 'operation' ? operations.filter(({ operation }) => operation === name) : operations
          return (
            <>
              <div class="row between">
                <h2>Measured in the last minute</h2>
                <span class="muted">the marks are the configured values</span>
              </div>
              {shown.every(({ measured }) => measured.requests === 0) ? (
                <>
                  <p class="muted">No request in the last minute. Send some, and their times appear here:</p>
                  <FirstCommand operation={kind === 'operation' ? name : undefined} />
                </>
              ) : null}
              <PlainTable
                label="Table of measured times"
                head={['Operation', '#Requests', ...PERCENTILES, '#Errors']}
                rows={shown.map(operation => measuredRow(operation, scope, blocks))}
              />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function measuredRow(
  { operation, measured, settings = {} }: MeasuredOperation,
  scope: WeatherScope,
  blocks: WeatherBlocks,
): readonly [string, ...ComponentChildren[]] {
  // A block for the consumer wins over those for everybody.
  const wished = scope.kind === 'consumer' ? { ...settings, ...settingsIn(blocks, scope) } : settings
  const percentiles = percentilesIn(wished.latency)
  return [
    operation,
    <>
      <a href={hrefOf('operations', { operation })}>{operation}</a>
      <span class="wish muted truncate">{describeSettings(wished) || 'clear'}</span>
    </>,
    measured.requests.toLocaleString('en'),
    ...PERCENTILES.map(name => <LatencyMeter key={name} measured={measured[name]} wished={percentiles?.[name]} />),
    measured.requests === 0 ? '' : writePercent(measured.errors / measured.requests),
  ]
}

/**
 * The measured value as a bar, the wished one as a mark on the same logarithmic scale from 1 ms to 30 s; both in
 * milliseconds.
 */
function LatencyMeter({ measured, wished }: { measured: number | null; wished: number | undefined }) {
  const place = (value: number): string =>
    `${Math.max(1, Math.min(100, (Math.log(Math.max(1, value)) / Math.log(30_000)) * 100)).toFixed(1)}%`
  return (
    <div class="meter-cell">
      <span>
        {writeLatency(measured)}
        {wished === undefined ? null : <span class="muted"> / {writeLatency(wished)}</span>}
      </span>
      <span class="meter" aria-hidden="true">
        {measured === null ? null : <span class="meter-bar" style={{ width: place(measured) }} />}
        {wished === undefined ? null : <span class="meter-mark" style={{ left: place(wished) }} />}
      </span>
    </div>
  )
}
