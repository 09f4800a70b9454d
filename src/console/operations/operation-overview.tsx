// The overview of an operation: its curves, its chain, its life-cycle, its rules, and its recent callers.

import { useMemo } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { call } from '../model/control-plane.ts'
import { type Loaded, useLoaded } from '../model/loaded.ts'
import { chosenWorld, hrefOf } from '../model/location.ts'
import type { DocumentedOperation, MeasuredOperation, Recorded } from '../model/shapes.ts'
import { Curve } from '../parts/curve.tsx'
import { Show } from '../parts/notices.tsx'
import { latency, rate } from './wording.ts'

export interface OperationOverviewProps {
  readonly measured: MeasuredOperation
  readonly documented: Loaded<DocumentedOperation>
  readonly at: string
  readonly step: number
}

export function OperationOverview({ measured, documented, at, step }: OperationOverviewProps) {
  const { operation, measured: numbers, chain } = measured
  const { series } = numbers
  const end = Date.parse(at) / 1000
  const times = useMemo(() => series.map((_, i) => end - (series.length - 1 - i) * step), [series, end, step])
  const rates = useMemo(
    () => [
      { title: 'requests/s', colour: '--accent', values: series.map(({ requests }) => requests / step) },
      ...(numbers.errors === 0
        ? []
        : [{ title: 'failed/s', colour: '--bad', values: series.map(({ errors }) => errors / step) }]),
    ],
    [series, step, numbers.errors],
  )
  const latencies = useMemo(
    () => [
      { title: 'p95', colour: '--warn', values: series.map(({ p95 }) => p95) },
      { title: 'p50', colour: '--accent', values: series.map(({ p50 }) => p50) },
    ],
    [series],
  )
  const described = plan.value?.operations.find(one => one.operation === operation)
  return (
    <>
      <section class="section">
        <dl class="figures">
          <Figure name="Rate" value={rate(numbers.perSecond)} />
          <Figure name="p50" value={latency(numbers.p50)} />
          <Figure name="p95" value={latency(numbers.p95)} />
          <Figure name="p99" value={latency(numbers.p99)} />
          <Figure name="4xx" value={`${numbers.refused}`} />
          <Figure name="Failed" value={`${numbers.errors}`} />
        </dl>
        <Curve label={`Rate of ${operation} over the last minutes`} times={times} series={rates} write={short} />
        <Curve
          label={`Latency of ${operation} over the last minutes`}
          times={times}
          series={latencies}
          write={value => `${short(value)} ms`}
        />
      </section>
      <section class="section">
        <h3>Path of a request</h3>
        <ol class="steps">
          {chain.map(({ name, detail }) => (
            <li key={name}>
              <span class="step-name">{name}</span>
              <span class="muted">{detail}</span>
            </li>
          ))}
        </ol>
      </section>
      {described?.rules === undefined ? null : (
        <section class="section">
          <h3>Rules, the first that matches applies</h3>
          <ol class="rules">
            {described.rules.map(({ name, when, times: often, does }) => (
              <li key={name}>
                <code>{when ?? 'always'}</code>
                <span class="muted">
                  {' '}
                  → {does.join(', ')}
                  {often === undefined ? '' : ` (${often} times)`}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {described?.deprecated ? (
        <section class="section">
          <h3>Life-cycle</h3>
          <dl class="pairs">
            <Day name="Deprecated since" value={described.since ?? 'always'} />
            <Day name="Brown-outs from" value={described.brownouts} />
            <Day name="Sunset" value={described.sunset} />
          </dl>
        </section>
      ) : null}
      <Callers operation={operation} />
      <Show of={documented}>
        {({ description, security, responses }) => (
          <section class="section">
            <div class="section-head">
              <h3>Contract</h3>
              <a href={hrefOf('reference', { operation })}>Open in the reference</a>
            </div>
            {description === undefined ? null : <p class="description">{description}</p>}
            <dl class="pairs">
              <Day name="Credentials" value={securityText(security)} />
              {responses.map(({ status, description: about }) => (
                <Day key={status} name={status} value={about} />
              ))}
            </dl>
          </section>
        )}
      </Show>
    </>
  )
}

const securityText = (security: DocumentedOperation['security']): string =>
  security.length === 0 ? 'none' : security.map(schemes => schemes.join(' and ') || 'none').join(', or ')

const short = (value: number): string => `${Number(value.toPrecision(3))}`

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd class="number">{value}</dd>
  </div>
)

const Day = ({ name, value }: { name: string; value: string | undefined }) =>
  value === undefined ? null : (
    <div class="pair">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )

/** Requests of the journal that are looked at for callers. */
const MOST_LOOKED_AT = 1000

/** Lists the callers of the operation in the journal. */
function Callers({ operation }: { operation: string }) {
  const world = chosenWorld.value
  const loaded = useLoaded(`${operation} ${world}`, async signal => {
    const query = { operation, world, limit: MOST_LOOKED_AT }
    return callersOf((await call<{ requests: Recorded[] }>('GET', '/requests', { query, signal })).requests)
  })
  return (
    <section class="section">
      <h3>Recent callers</h3>
      <Show of={loaded}>
        {callers =>
          callers.length === 0 ? (
            <p class="muted">Nobody. Consumers: {plan.value?.consumers.join(', ') || 'none are configured'}.</p>
          ) : (
            <ul class="callers">
              {callers.map(({ consumer, calls, last }) => (
                <li key={consumer}>
                  <a href={hrefOf('live', { operation, ...(consumer === '' ? {} : { consumer }) })}>
                    {consumer || 'unknown'}
                  </a>
                  <span class="muted">
                    {calls} {calls === 1 ? 'request' : 'requests'}, the last at {new Date(last).toLocaleTimeString()}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  )
}

function callersOf(requests: readonly Recorded[]): { consumer: string; calls: number; last: string }[] {
  const found = new Map<string, { calls: number; last: string }>()
  for (const { consumer, at } of requests) {
    const calls = (found.get(consumer ?? '')?.calls ?? 0) + 1
    found.set(consumer ?? '', { calls, last: at })
  }
  return [...found].map(([consumer, rest]) => ({ consumer, ...rest })).sort((a, b) => b.calls - a.calls)
}
