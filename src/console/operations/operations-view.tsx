// View 2: the operations of the API with their rates and latencies, and one operation beside the list.

import type { ComponentChildren, FunctionComponent } from 'preact'
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
import { Badge, MethodMark, Pairs, PlainTable, Section, SidePanel, Tabs } from '../parts/panels.tsx'
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
  ['Method', '3.6rem', ({ method }) => <MethodMark method={method} />],
  ['Path', '2fr', ({ path }) => <code title={path}>{path}</code>],
  ['Operation', '1.2fr', ({ operation }) => operation],
  ['Phase', '7rem', ({ phase }) => <PhaseBadge phase={phase} />],
  ['Last minutes', '90px', SeriesCell],
  ['Rate', '4rem', ({ measured }) => writeRate(measured.perSecond), 'end'],
  ['p95', '4.2rem', ({ measured }) => writeLatency(measured.p95), 'end'],
  ['4xx · 5xx', '5rem', FailuresCell, 'end'],
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
  const tags = [...new Set(operations.flatMap(one => one.tags))].sort()
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

interface OperationDetailProps {
  readonly measured: MeasuredOperation
  /** The end of the last step of the series: a timestamp. */
  readonly at: string
  /** Seconds. */
  readonly step: number
  readonly more: readonly OperationTab[]
}

/** One operation beside the list: its description, a form to try it, and its next replies. */
function OperationDetail(props: OperationDetailProps) {
  const { operation, method, path, phase, summary } = props.measured
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
          ['overview', 'Overview', () => <OperationOverview {...props} documented={documented} />],
          ...props.more.map(({ id, title, Panel }) => [id, title, () => <Panel operation={operation} />] as const),
          ['try', 'Try it', () => <ShowLoaded of={documented}>{found => <TryForm operation={found} />}</ShowLoaded>],
          ['next', 'Answer next', () => next],
        ]}
      />
    </SidePanel>
  )
}

type OverviewProps = OperationDetailProps & { readonly documented: LoadedData<OperationForm> }

/** The overview of an operation: its curves, its chain, its rules and its life-cycle. */
function OperationOverview({ measured, documented, at, step }: OverviewProps) {
  const { operation, measured: numbers, chain } = measured
  const { series, errors } = numbers
  const rates: CurveSeries[] = [['requests/s', 'accent', series.map(({ requests }) => requests / step)]]
  if (errors > 0) rates.push(['failed/s', 'bad', series.map(one => one.errors / step)])
  const latencies: CurveSeries[] = [
    ['p95', 'warn', series.map(({ p95 }) => p95)],
    ['p50', 'accent', series.map(({ p50 }) => p50)],
  ]
  const curves = [
    ['Rate', rates, (value: number) => `${Number(value.toPrecision(3))}`],
    ['Latency', latencies, writeLatency],
  ] as const
  const times = [numbers.p50, numbers.p95, numbers.p99].map(writeLatency)
  const described = servedOperation(operation)
  return (
    <>
      <Section title="The last minutes" more={<a href={hrefOf('live', { operation })}>Its requests and callers</a>}>
        <PlainTable
          label="The last minutes"
          head={['#Rate', '#p50', '#p95', '#p99', '#4xx', '#Failed']}
          rows={[['all', writeRate(numbers.perSecond), ...times, numbers.refused, errors]]}
        />
        {curves.map(([title, shown, write]) => (
          <Curve
            key={title}
            label={`${title} of ${operation} over the last minutes`}
            to={Date.parse(at)}
            step={step}
            series={shown}
            write={write}
          />
        ))}
      </Section>
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
                  {often && ` (${often} times)`}
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

/** The units of the drawings, which are stretched to their place. */
const WIDTH = 300
const HEIGHT = 100

/** The title, the tone, and one value for each time; null leaves a gap. */
type CurveSeries = readonly [title: string, tone: Tone, values: readonly (number | null)[]]

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
  const most = roundAbove(Math.max(0, ...series.flatMap(([, , values]) => values.map(value => value ?? 0))))
  const length = ((series[0]?.[2].length ?? 1) - 1) * step * 1000
  return (
    <figure class="curve">
      <figcaption class="row">
        {series.map(([title, tone]) => (
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
        {series.map(([title, tone, values], i) => (
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
