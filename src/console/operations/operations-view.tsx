// View 2: the operations of the API with their rates and latencies, and one operation beside the list.

import type { OperationForm, RecordedRequest } from '../../http/control/types.ts'
import { AnswerForm, GivenAnswers } from '../answers/answer-form.tsx'
import { call, type LoadedData, pathTo, useLoaded, useReply } from '../model/control-plane.ts'
import {
  knownConsumers,
  type MeasuredOperation,
  type MeasuredOperations,
  servedOperation,
  useMeasured,
} from '../model/gateway.ts'
import { chosenWorld, hrefOf, parameter, setParameters, shownWorld } from '../model/location.ts'
import { type Tone, writeLatency, writeRate } from '../model/wording.ts'
import { SearchField, Select } from '../parts/controls.tsx'
import { Curve, type CurveSeries, Sparkline } from '../parts/curves.tsx'
import { EmptyState, Note, ShowLoaded } from '../parts/notices.tsx'
import { Badge, MethodMark, Pairs, PlainTable, Section, SidePanel, Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { TryForm } from './try-form.tsx'

const PHASE_TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  deprecated: 'warn',
  'browning out': 'warn',
  gone: 'bad',
  'past its sunset': 'bad',
}

const PhaseBadge = ({ phase }: { phase: string }) => <Badge tone={PHASE_TONES[phase]}>{phase}</Badge>

const COLUMNS: readonly Column<MeasuredOperation>[] = [
  ['Method', '3.6rem', ({ method }) => <MethodMark method={method} />],
  ['Path', 'minmax(5rem, 2fr)', ({ path }) => <code title={path}>{path}</code>],
  ['Operation', 'minmax(6rem, 1.2fr)', ({ operation }) => operation, 'wide'],
  ['Phase', '7rem', ({ phase }) => <PhaseBadge phase={phase} />, 'wide'],
  ['Last minutes', 'minmax(56px, 90px)', SeriesCell],
  ['Rate', '4rem', ({ measured }) => writeRate(measured.perSecond), 'wide end'],
  ['p95', '4.2rem', ({ measured }) => writeLatency(measured.p95), 'end'],
  ['4xx · 5xx', '5rem', FailuresCell, 'wide end'],
]

function SeriesCell({ operation, measured: { series, requests } }: MeasuredOperation) {
  const label = `${operation}: ${requests} requests in the last minutes`
  const values = series.map(step => step.requests)
  return <Sparkline label={label} values={values} failures={series.map(step => step.errors)} />
}

function FailuresCell({ measured: { refused, errors } }: MeasuredOperation) {
  return (
    <>
      <span class={refused > 0 ? 'tone-warn' : 'muted'}>{refused}</span>
      <span class="muted"> · </span>
      <span class={errors > 0 ? 'tone-bad' : 'muted'}>{errors}</span>
    </>
  )
}

export function OperationsView() {
  const loaded = useMeasured({ world: chosenWorld.value, consumer: parameter('consumer') })
  return <ShowLoaded of={loaded}>{value => <OperationList measured={value} />}</ShowLoaded>
}

function OperationList({ measured: { operations, all, at, step } }: { measured: MeasuredOperations }) {
  const chosen = parameter('operation')
  const tag = parameter('tag')
  const shown = operations.filter(one => isFound(one, parameter('search')) && (tag === '' || one.tags.includes(tag)))
  const tags = [...new Set(operations.flatMap(one => one.tags))].sort()
  const selected = operations.find(({ operation }) => operation === chosen)
  return (
    <div class={`split ${selected === undefined ? '' : 'open'}`}>
      <div class="view">
        <search class="bar">
          <SearchField
            label="Search operations"
            value={parameter('search')}
            onText={search => setParameters({ search })}
          />
          {tags.length === 0 ? null : (
            <Select
              label="Tag"
              value={tag}
              options={[['', 'All tags'], ...tags]}
              onChange={value => setParameters({ tag: value })}
            />
          )}
          <Select
            label="Measured for"
            value={parameter('consumer')}
            options={[['', 'All consumers'], ...knownConsumers.value]}
            onChange={consumer => setParameters({ consumer })}
          />
          <span class="spring" />
          <p class="muted nowrap">
            <b>{writeRate(all.perSecond)}</b> requests · p50 <b>{writeLatency(all.p50)}</b> · p95{' '}
            <b>{writeLatency(all.p95)}</b>
          </p>
        </search>
        <GivenAnswers />
        <div class="fill">
          {shown.length === 0 ? (
            <EmptyState
              icon="search"
              title={operations.length === 0 ? 'No operations' : 'No operation matches'}
              text={
                operations.length === 0
                  ? 'The contract has none. Name one with paths under `contract` in the configuration.'
                  : 'Search for another word, or choose another tag.'
              }
            />
          ) : (
            <VirtualTable
              label="Operations"
              columns={COLUMNS}
              count={shown.length}
              rowAt={index => shown[index]}
              keyOf={({ operation }) => operation}
              rowHeight={36}
              selected={chosen}
              onSelect={({ operation }) => setParameters({ operation }, chosen === '' ? 'push' : 'replace')}
            />
          )}
        </div>
      </div>
      {selected && <OperationDetail key={chosen} measured={selected} at={at} step={step} />}
    </div>
  )
}

/** Returns whether every word is in the method, the path, the name, a tag or the summary. */
function isFound({ method, path, operation, tags, summary = '' }: MeasuredOperation, search: string): boolean {
  const text = [method, path, operation, ...tags, summary].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

interface OperationDetailProps {
  readonly measured: MeasuredOperation
  /** The end of the last step of the series: a timestamp. */
  readonly at: string
  /** Seconds. */
  readonly step: number
}

/** One operation beside the list: its description, a form to try it, and its next replies. */
function OperationDetail({ measured, at, step }: OperationDetailProps) {
  const { operation, method, path, phase, summary } = measured
  const documented = useReply<OperationForm>(pathTo`/operations/${operation}`, { exact: true })
  return (
    <SidePanel
      label="The chosen operation"
      title={path}
      before={<MethodMark method={method} />}
      after={<PhaseBadge phase={phase} />}
      head={
        <p class="muted">
          {operation}
          {summary === undefined ? '' : ` · ${summary}`}
        </p>
      }
      close="Close the operation"
      onClose={() => setParameters({ operation: undefined, tab: undefined }, 'push')}
    >
      <Tabs
        label="Parts of the operation"
        parameter="tab"
        tabs={[
          [
            'overview',
            'Overview',
            () => <OperationOverview measured={measured} documented={documented} at={at} step={step} />,
          ],
          ['try', 'Try it', () => <ShowLoaded of={documented}>{found => <TryForm operation={found} />}</ShowLoaded>],
          ['next', 'Answer next', () => <NextAnswers operation={operation} />],
        ]}
      />
    </SidePanel>
  )
}

const NextAnswers = ({ operation }: { operation: string }) => (
  <section class="section">
    <Note text="The next requests get this instead of the usual reply. It has precedence over rules." />
    <GivenAnswers operation={operation} />
    <AnswerForm operation={operation} world={shownWorld.value} />
  </section>
)

type OverviewProps = OperationDetailProps & { readonly documented: LoadedData<OperationForm> }

/** The overview of an operation: its curves, its chain, its life-cycle, its rules, and its recent callers. */
function OperationOverview({ measured, documented, at, step }: OverviewProps) {
  const { operation, measured: numbers, chain } = measured
  const { series, errors } = numbers
  const to = Date.parse(at) / 1000
  const times = { from: to - (series.length - 1) * step, to }
  const rates: CurveSeries[] = [
    ['requests/s', 'accent', series.map(({ requests }) => requests / step)],
    ['failed/s', 'bad', series.map(one => one.errors / step)],
  ]
  const latencies: CurveSeries[] = [
    ['p95', 'warn', series.map(({ p95 }) => p95)],
    ['p50', 'accent', series.map(({ p50 }) => p50)],
  ]
  const figures = [
    ...[writeRate(numbers.perSecond), writeLatency(numbers.p50), writeLatency(numbers.p95), writeLatency(numbers.p99)],
    ...[numbers.refused, errors],
  ]
  const described = servedOperation(operation)
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
      {described?.rules && (
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
      {described?.deprecated && (
        <Section title="Life-cycle">
          <Pairs
            of={[
              ['Deprecated since', described.since ?? 'always'],
              ['Brown-outs from', described.brownouts],
              ['Sunset', described.sunset],
            ]}
          />
        </Section>
      )}
      <Callers operation={operation} />
      <ShowLoaded of={documented}>
        {({ description, security, responses }) => (
          <Section title="Contract" more={<a href={hrefOf('reference', { operation })}>Open in the reference</a>}>
            {description && <p class="preformatted">{description}</p>}
            <Pairs
              of={[
                ['Credentials', security.map(schemes => schemes.join(' and ') || 'none').join(', or ') || 'none'],
                ...responses.map(({ status, description: about }) => [status, about] as const),
              ]}
            />
          </Section>
        )}
      </ShowLoaded>
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
      <ShowLoaded of={loaded}>
        {callers =>
          callers.length === 0 ? (
            <Note text={`Nobody. Consumers: ${knownConsumers.value.join(', ') || 'none are configured'}.`} />
          ) : (
            <PlainTable
              label="Callers"
              head={['Consumer', '#Requests', '#The last at']}
              rows={callers.map(([consumer, { calls, last }]) => [
                consumer,
                <a href={hrefOf('live', { operation, consumer })}>{consumer || 'unknown'}</a>,
                calls,
                new Date(last).toLocaleTimeString(),
              ])}
            />
          )
        }
      </ShowLoaded>
    </Section>
  )
}
