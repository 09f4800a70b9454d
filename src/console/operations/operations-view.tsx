// View 2: the operations of the API with their rates and latencies, and one operation beside the list.

import type { ComponentChildren, FunctionComponent } from 'preact'
import type { DescribedOperation } from '../../http/control/types.ts'
import { AnswerForm, GivenAnswers, TryForm } from '../forms/operation-forms.tsx'
import {
  chosenWorld,
  hrefOf,
  inUrl,
  knownConsumers,
  type LoadedData,
  parameter,
  pathTo,
  servedOperation,
  shownWorld,
  useMeasured,
  useReply,
} from '../model/gateway.ts'
import type { MeasuredOperation, MeasuredOperations, OperationForm } from '../model/replies.ts'
import { type Tone, writeLatency, writeRate, writeTime } from '../model/wording.ts'
import { EmptyState, Note, SearchField, Select, ShowLoaded } from '../parts/controls.tsx'
import { Badge, MethodMark, Pairs, PlainTable, Section, SidePanel, type Tab, Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'

const PHASE_TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  deprecated: 'warn',
  'browning out': 'warn',
  gone: 'bad',
  'past its sunset': 'bad',
}

const PhaseBadge = ({ phase }: { phase: string }) => <Badge tone={PHASE_TONES[phase]}>{phase}</Badge>

const COLUMNS: readonly Column<MeasuredOperation>[] = [
  { title: 'Method', width: '3.6rem', cell: ({ method }) => <MethodMark method={method} /> },
  { title: 'Path', width: '2fr', cell: ({ path }) => <code title={path}>{path}</code> },
  { title: 'Operation', width: '1.2fr', cell: ({ operation }) => operation },
  { title: 'Phase', width: '7rem', cell: ({ phase }) => <PhaseBadge phase={phase} /> },
  { title: 'Last minutes', width: '90px', cell: SeriesCell },
  { title: 'Rate', width: '4rem', cell: ({ measured }) => writeRate(measured.perSecond), classes: 'end' },
  { title: 'p95', width: '4.2rem', cell: ({ measured }) => writeLatency(measured.p95), classes: 'end' },
  { title: '4xx · 5xx', width: '5rem', cell: FailuresCell, classes: 'end' },
]

/** The rate as a curve as small as a word, with a bar in the colour of failures where some failed. */
function SeriesCell({ operation, measured: { series, requests } }: MeasuredOperation) {
  const values = series.map(step => step.requests)
  const most = Math.max(1, ...values)
  return (
    <Drawing class="sparkline" label={`${operation}: ${requests} requests in the last minutes`}>
      <path class="area tone-accent" d={areaUnder(values, most)} />
      <path class={`line tone-${requests > 0 ? 'accent' : 'plain'}`} d={lineThrough(values, most)} />
      <path class="line tone-bad" d={barsOf(series, most)} />
    </Drawing>
  )
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

/** A tab beside the chosen operation that a wing brings. */
export interface OperationTab {
  readonly id: string
  readonly title: string
  readonly Panel: FunctionComponent<{ readonly operation: string }>
}

/** Makes the view. @param tabs tabs of one operation besides its own */
export const operationsViewWith = (tabs: readonly OperationTab[]): FunctionComponent =>
  function OperationsView() {
    const loaded = useMeasured({ world: chosenWorld.value, consumer: parameter('consumer') })
    return <ShowLoaded of={loaded}>{value => <OperationList {...value} tabs={tabs} />}</ShowLoaded>
  }

function OperationList({
  operations,
  all,
  at,
  step,
  tabs: more,
}: MeasuredOperations & { tabs: readonly OperationTab[] }) {
  const chosen = parameter('operation')
  const tag = parameter('tag')
  const words = parameter('search').toLowerCase().split(/\s+/)
  const shown = operations.filter(({ method, path, operation, tags, summary = '' }) => {
    const text = [method, path, operation, ...tags, summary].join(' ').toLowerCase()
    return words.every(word => text.includes(word)) && (tag === '' || tags.includes(tag))
  })
  const tags = [...new Set(operations.flatMap(operation => operation.tags))].sort()
  const selected = operations.find(({ operation }) => operation === chosen)
  return (
    <div class={`split ${selected && 'open'}`}>
      <div class="view">
        <search class="bar">
          <SearchField label="Search operations" {...inUrl('search')} />
          {tags.length > 0 && <Select label="Tag" options={[['', 'All tags'], ...tags]} {...inUrl('tag')} />}
          <Select
            label="Measured for"
            options={[['', 'All consumers'], ...knownConsumers.value]}
            {...inUrl('consumer')}
          />
          <span class="spring" />
          <p class="muted nowrap">
            <b>{writeRate(all.perSecond)}</b> requests · p50 <b>{writeLatency(all.p50)}</b> · p95{' '}
            <b>{writeLatency(all.p95)}</b>
          </p>
        </search>
        <GivenAnswers />
        <div class="fill">
          {operations.length === 0 ? (
            <EmptyState
              title="No operations"
              text="The contract has none. Name one with paths under `contract` in the configuration."
            />
          ) : shown.length === 0 ? (
            <EmptyState title="No operation matches" text="Search for another word, or choose another tag." />
          ) : (
            <VirtualTable
              label="Operations"
              columns={COLUMNS}
              count={shown.length}
              rowAt={index => shown[index]}
              keyOf={({ operation }) => operation}
              rowHeight={36}
              parameter="operation"
            />
          )}
        </div>
      </div>
      {selected && <OperationDetail key={chosen} measured={selected} at={at} step={step} more={more} />}
    </div>
  )
}

interface MeasuredProps {
  readonly measured: MeasuredOperation
  /** The end of the last step of the series: a timestamp. */
  readonly at: string
  /** Seconds. */
  readonly step: number
}

interface OperationDetailProps extends MeasuredProps {
  readonly more: readonly OperationTab[]
}

/** One operation beside the list: its description, a form to try it, and its next replies. */
function OperationDetail({ more, ...series }: OperationDetailProps) {
  const { operation, method, path, phase, summary } = series.measured
  const documented = useReply<OperationForm>(pathTo`/operations/${operation}`, {
    exact: true,
    query: { world: chosenWorld.value },
  })
  const next = (
    <Section>
      <Note text="The next requests get this instead of the usual reply. It has precedence over rules." />
      <GivenAnswers operation={operation} />
      <AnswerForm operation={operation} world={shownWorld.value} />
    </Section>
  )
  return (
    <SidePanel
      of="operation"
      title={path}
      before={<MethodMark method={method} />}
      after={<PhaseBadge phase={phase} />}
      head={
        <p class="muted">
          {operation}
          {summary && ` · ${summary}`}
        </p>
      }
    >
      <Tabs
        label="Parts of the operation"
        parameter="tab"
        tabs={[
          {
            id: 'overview',
            title: 'Overview',
            show: () => <OperationOverview {...series} documented={documented} />,
          },
          ...more.map(({ id, title, Panel }): Tab => ({ id, title, show: () => <Panel operation={operation} /> })),
          {
            id: 'try',
            title: 'Try it',
            show: () => <ShowLoaded of={documented}>{form => <TryForm operation={form} />}</ShowLoaded>,
          },
          { id: 'next', title: 'Answer next', show: () => next },
        ]}
      />
    </SidePanel>
  )
}

type OverviewProps = MeasuredProps & { readonly documented: LoadedData<OperationForm> }

/** The overview of an operation: its curves, its chain, its rules and its life-cycle. */
function OperationOverview({ documented, ...series }: OverviewProps) {
  const { operation, chain } = series.measured
  const described = servedOperation(operation)
  return (
    <>
      <LastMinutes {...series} />
      <Section title="Path of a request">
        <Pairs of={chain.map(({ name, detail = '' }) => [name, detail] as const)} />
      </Section>
      {described?.rules && <RuleList rules={described.rules} />}
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
      <ShowLoaded of={documented}>
        {({ description, security, responses }) => (
          <Section title="Contract">
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

/** The rates and latencies of an operation, in numbers and as curves. */
function LastMinutes({ measured: { operation, measured: numbers }, at, step }: MeasuredProps) {
  const { series, errors } = numbers
  const rates: CurveSeries[] = [
    { title: 'requests/s', tone: 'accent', values: series.map(({ requests }) => requests / step) },
  ]
  if (errors > 0) rates.push({ title: 'failed/s', tone: 'bad', values: series.map(({ errors }) => errors / step) })
  const latencies: CurveSeries[] = [
    { title: 'p95', tone: 'warn', values: series.map(({ p95 }) => p95) },
    { title: 'p50', tone: 'accent', values: series.map(({ p50 }) => p50) },
  ]
  const curve = (title: string, shown: readonly CurveSeries[], write: (value: number) => string) => (
    <Curve
      label={`${title} of ${operation} over the last minutes`}
      to={Date.parse(at)}
      step={step}
      series={shown}
      write={write}
    />
  )
  const times = [numbers.p50, numbers.p95, numbers.p99].map(writeLatency)
  return (
    <Section title="The last minutes" more={<a href={hrefOf('live', { operation })}>Its requests and callers</a>}>
      <PlainTable
        label="The last minutes"
        head={['#Rate', '#p50', '#p95', '#p99', '#4xx', '#Failed']}
        rows={[['all', writeRate(numbers.perSecond), ...times, numbers.refused, errors]]}
      />
      {curve('Rate', rates, value => `${Number(value.toPrecision(3))}`)}
      {curve('Latency', latencies, writeLatency)}
    </Section>
  )
}

const RuleList = ({ rules }: Required<Pick<DescribedOperation, 'rules'>>) => (
  <Section title="Rules, the first that matches applies">
    <ol>
      {rules.map(({ name, when, times, does }) => (
        <li key={name}>
          <code>{when ?? 'always'}</code>
          <span class="muted">
            {' '}
            → {does.join(', ')}
            {times && ` (${times} times)`}
          </span>
        </li>
      ))}
    </ol>
  </Section>
)

/** The units of the drawings, which are stretched to their place. */
const WIDTH = 300
const HEIGHT = 100

interface CurveSeries {
  readonly title: string
  readonly tone: Tone
  /** A value for each time; null leaves a gap. */
  readonly values: readonly (number | null)[]
}

interface DrawingProps {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}

const Drawing = ({ label, ...rest }: DrawingProps) => (
  <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label} {...rest} />
)

interface CurveProps {
  /** Describes the drawing for screen readers. */
  readonly label: string
  /** The time of the last value, in milliseconds since the epoch, and the seconds between two values. */
  readonly to: number
  readonly step: number
  readonly series: readonly CurveSeries[]
  /** How a value is written at the axis. */
  readonly write: (value: number) => string
}

/** Curves over time with axes and a legend. */
function Curve({ label, to, step, series, write }: CurveProps) {
  const most = roundAbove(Math.max(0, ...series.flatMap(({ values }) => values.map(value => value ?? 0))))
  const length = ((series[0]?.values.length ?? 1) - 1) * step * 1000
  return (
    <figure class="curve">
      <figcaption class="row">
        {series.map(({ title, tone }) => (
          <span key={title} class={`tone-${tone}`}>
            ● {title}
          </span>
        ))}
      </figcaption>
      <div class="curve-axis row between muted">
        {[most, most / 2, 0].map(value => (
          <span key={value}>{write(value)}</span>
        ))}
      </div>
      <Drawing label={label}>
        <path class="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
        {series.map(({ title, tone, values }, i) => (
          <g key={title} class={`tone-${tone}`}>
            {i === 0 && !values.includes(null) && <path class="area" d={areaUnder(values, most)} />}
            <path class="line" d={lineThrough(values, most)} />
            <path class="line dots" d={lineThrough(values.map(loneValue), most)} />
          </g>
        ))}
      </Drawing>
      <div class="curve-times row between muted">
        {[length, length / 2, 0].map(before => (
          <span key={before}>{writeTime(new Date(to - before).toISOString()).slice(0, 8)}</span>
        ))}
      </div>
    </figure>
  )
}

/** Keeps a value that has a gap on both sides: no line goes through it, so that it is drawn as a dot. */
const loneValue = (value: number | null, i: number, values: readonly (number | null)[]): number | null =>
  values[i - 1] == null && values[i + 1] == null ? value : null

/** Returns the next number above of the form 1, 2 or 5 × 10ⁿ. */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.001)))
  return power * ([1, 2, 5].find(step => step * power >= value) ?? 10)
}

const placeIn = (count: number, i: number): string => ((i * WIDTH) / Math.max(1, count - 1)).toFixed(1)

/** A line through the values; a single value between gaps is a line without a length. */
const lineThrough = (values: readonly (number | null)[], most: number): string =>
  values
    .map((value, i) => {
      if (value === null) return ''
      const place = `${placeIn(values.length, i)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`
      return values[i - 1] == null ? `M${place}h0` : `L${place}`
    })
    .join('')

const areaUnder = (values: readonly (number | null)[], most: number): string =>
  `${lineThrough(values, most)}V${HEIGHT}H0z`

/** A bar for the failures of each step, tall enough to be seen. */
const barsOf = (series: MeasuredOperation['measured']['series'], most: number): string =>
  series
    .map(({ errors }, i) =>
      errors > 0 ? `M${placeIn(series.length, i)} ${HEIGHT}v${-Math.max(15, (errors / most) * HEIGHT)}` : '',
    )
    .join('')
