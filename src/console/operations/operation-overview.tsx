// The overview of an operation: its curves, its chain, its life-cycle, its rules, and its recent callers.

import type { OperationForm, RecordedRequest } from '../../http/control/types.ts'
import { call } from '../model/control-plane.ts'
import { type MeasuredOperation, servedPlan } from '../model/gateway.ts'
import { type LoadedData, useLoaded } from '../model/loaded.ts'
import { chosenWorld, hrefOf } from '../model/location.ts'
import { plural, writeLatency, writeRate } from '../model/wording.ts'
import { Curve, type CurveSeries } from '../parts/curves.tsx'
import { Loaded } from '../parts/notices.tsx'
import { Pairs, PlainTable, Section } from '../parts/panels.tsx'

interface OperationOverviewProps {
  readonly measured: MeasuredOperation
  readonly documented: LoadedData<OperationForm>
  readonly at: string
  readonly step: number
}

export function OperationOverview({ measured, documented, at, step }: OperationOverviewProps) {
  const { operation, measured: numbers, chain } = measured
  const { series, errors } = numbers
  const to = Date.parse(at) / 1000
  const times = { from: to - (series.length - 1) * step, to }
  const rates: CurveSeries[] = [
    { title: 'requests/s', tone: 'accent', values: series.map(({ requests }) => requests / step) },
    { title: 'failed/s', tone: 'bad', values: series.map(one => one.errors / step) },
  ]
  const latencies: CurveSeries[] = [
    { title: 'p95', tone: 'warn', values: series.map(({ p95 }) => p95) },
    { title: 'p50', tone: 'accent', values: series.map(({ p50 }) => p50) },
  ]
  const figures = [
    ...[writeRate(numbers.perSecond), writeLatency(numbers.p50), writeLatency(numbers.p95), writeLatency(numbers.p99)],
    ...[numbers.refused, errors],
  ]
  const described = servedPlan.value?.operations.find(one => one.operation === operation)
  return (
    <>
      <section class="section">
        <PlainTable
          label="The last minutes"
          head={['#Rate', '#p50', '#p95', '#p99', '#4xx', '#Failed']}
          rows={[['all', ...figures]]}
        />
        <Curve
          {...times}
          label={`Rate of ${operation} over the last minutes`}
          series={errors === 0 ? rates.slice(0, 1) : rates}
          write={value => `${Number(value.toPrecision(3))}`}
        />
        <Curve
          {...times}
          label={`Latency of ${operation} over the last minutes`}
          series={latencies}
          write={writeLatency}
        />
      </section>
      <Section title="Path of a request">
        <Pairs of={chain.map(({ name, detail = '' }) => [name, detail] as const)} />
      </Section>
      {described?.rules === undefined ? null : (
        <Section title="Rules, the first that matches applies">
          <ol>
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
        </Section>
      )}
      {described?.deprecated ? (
        <Section title="Life-cycle">
          <Pairs
            of={[
              ['Deprecated since', described.since ?? 'always'],
              ['Brown-outs from', described.brownouts],
              ['Sunset', described.sunset],
            ]}
          />
        </Section>
      ) : null}
      <Callers operation={operation} />
      <Loaded of={documented}>
        {({ description, security, responses }) => (
          <Section title="Contract" more={<a href={hrefOf('reference', { operation })}>Open in the reference</a>}>
            {description === undefined ? null : <p class="preformatted">{description}</p>}
            <Pairs
              of={[
                ['Credentials', security.map(schemes => schemes.join(' and ') || 'none').join(', or ') || 'none'],
                ...responses.map(({ status, description: about }) => [status, about] as const),
              ]}
            />
          </Section>
        )}
      </Loaded>
    </>
  )
}

/** Requests of the journal that are looked at for callers. */
const MOST_LOOKED_AT = 1000

/** Lists the callers of the operation in the journal. */
function Callers({ operation }: { operation: string }) {
  const world = chosenWorld.value
  const loaded = useLoaded(`${operation} ${world}`, async signal => {
    const query = { operation, world, limit: MOST_LOOKED_AT }
    const { requests } = await call<{ requests: RecordedRequest[] }>('GET', '/requests', { query, signal })
    const found = new Map<string, { calls: number; last: string }>()
    for (const { consumer, at: last } of requests) {
      found.set(consumer ?? '', { calls: (found.get(consumer ?? '')?.calls ?? 0) + 1, last })
    }
    return [...found].sort(([, a], [, b]) => b.calls - a.calls)
  })
  return (
    <Section title="Recent callers">
      <Loaded of={loaded}>
        {callers =>
          callers.length === 0 ? (
            <p class="muted">Nobody. Consumers: {servedPlan.value?.consumers.join(', ') || 'none are configured'}.</p>
          ) : (
            <ul>
              {callers.map(([consumer, { calls, last }]) => (
                <li key={consumer} class="row">
                  <a href={hrefOf('live', { operation, ...(consumer === '' ? {} : { consumer }) })}>
                    {consumer || 'unknown'}
                  </a>
                  <span class="muted">
                    {plural(calls, 'request')}, the last at {new Date(last).toLocaleTimeString()}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
