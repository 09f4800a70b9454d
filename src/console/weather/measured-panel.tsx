// The measured percentiles beside the wished ones, for each operation that the scope is about.

import { call } from '../model/control-plane.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { hrefOf } from '../model/location.ts'
import type { MeasuredOperation, MeasuredOperations } from '../model/shapes.ts'
import { FirstCall } from '../parts/first-call.tsx'
import { Show } from '../parts/notices.tsx'
import {
  describeSettings,
  type Percentiles,
  percentilesIn,
  type Scope,
  settingsIn,
  type WeatherBlocks,
  type WeatherSettings,
} from './blocks.ts'
import { writeLatency, writeRate } from './scale.ts'

interface SetOperation extends MeasuredOperation {
  /** Latency, faults and limits in force. */
  readonly settings?: WeatherSettings
}
interface SetOperations extends Omit<MeasuredOperations, 'operations'> {
  readonly operations: readonly SetOperation[]
}

/** Milliseconds between two looks. */
const INTERVAL = 2500

export interface MeasuredPanelProps {
  readonly world: string
  readonly scope: Scope
  readonly blocks: WeatherBlocks
}

export function MeasuredPanel({ world, scope, blocks }: MeasuredPanelProps) {
  const { kind, name } = scope
  const query = {
    world,
    minutes: 1,
    ...(kind === 'tag' ? { tag: name } : {}),
    ...(kind === 'consumer' ? { consumer: name } : {}),
  }
  const loaded = useLoaded(JSON.stringify(query), signal =>
    call<SetOperations>('GET', '/operations', { signal, quiet: true, query }),
  )
  usePolling(loaded.reload, INTERVAL)
  return (
    <section class="weather-measured" aria-label="Configured and measured">
      <Show of={loaded}>
        {({ operations }) => {
          const shown = kind === 'operation' ? operations.filter(({ operation }) => operation === name) : operations
          const quiet = shown.every(({ measured }) => measured.requests === 0)
          return (
            <>
              <div class="section-head">
                <h2>Measured in the last minute</h2>
                <span class="muted">the marks are the configured values</span>
              </div>
              {quiet ? (
                <div class="measured-hint">
                  <p class="muted">No request in the last minute. Send some, and their times appear here:</p>
                  <FirstCall operation={kind === 'operation' ? name : undefined} />
                </div>
              ) : null}
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard */}
              <div class="measured-table" tabIndex={0} role="region" aria-label="Table of measured times">
                <table class="plain-table">
                  <thead>
                    <tr>
                      <th>Operation</th>
                      <th class="end">Requests</th>
                      <th>p50</th>
                      <th>p95</th>
                      <th>p99</th>
                      <th class="end">Errors</th>
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map(operation => (
                      <Row
                        key={operation.operation}
                        operation={operation}
                        settings={wishedFor(operation, scope, blocks)}
                      />
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          )
        }}
      </Show>
    </section>
  )
}

/** Returns the settings that an operation is to have: a block for the consumer wins over those for everybody. */
function wishedFor(operation: SetOperation, scope: Scope, blocks: WeatherBlocks): WeatherSettings {
  const settings = operation.settings ?? {}
  return scope.kind === 'consumer' ? { ...settings, ...settingsIn(blocks, scope) } : settings
}

function Row({ operation: { operation, measured }, settings }: { operation: SetOperation; settings: WeatherSettings }) {
  const wished = percentilesIn(settings.latency)
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf('operations', { operation })}>{operation}</a>
        <span class="wish">{describeSettings(settings) || 'clear'}</span>
      </th>
      <td class="end">{measured.requests.toLocaleString('en')}</td>
      {(['p50', 'p95', 'p99'] as const).map(name => (
        <td key={name}>
          <Meter name={name} measured={measured[name]} wished={wished} />
        </td>
      ))}
      <td class="end">{measured.requests === 0 ? '' : writeRate(measured.errors / measured.requests)}</td>
    </tr>
  )
}

interface MeterProps {
  readonly name: keyof Percentiles
  /** Milliseconds. */
  readonly measured: number | null
  readonly wished: Percentiles | undefined
}

/** The measured value as a bar, the wished one as a mark on the same logarithmic scale from 1 ms to 30 s. */
function Meter({ name, measured, wished }: MeterProps) {
  const wish = wished?.[name]
  const place = (value: number): string =>
    `${Math.max(1, Math.min(100, (Math.log(Math.max(1, value)) / Math.log(30_000)) * 100)).toFixed(1)}%`
  return (
    <div class="meter-cell">
      <span class="number">
        {measured === null ? '–' : writeLatency(measured)}
        {wish === undefined ? null : <span class="muted"> / {writeLatency(wish)}</span>}
      </span>
      <span class="meter-line" aria-hidden="true">
        {measured === null ? null : <span class="meter-bar" style={{ width: place(measured) }} />}
        {wish === undefined ? null : <span class="meter-mark" style={{ left: place(wish) }} />}
      </span>
    </div>
  )
}
