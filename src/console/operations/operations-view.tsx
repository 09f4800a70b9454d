// View 2: the operations of the API with their rates and latencies, and one operation beside the list.

import type { OperationForm } from '../../http/control/types.ts'
import { AnswerForm } from '../answers/answer-form.tsx'
import { GivenAnswers } from '../answers/given-answers.tsx'
import { callExactly, pathTo } from '../model/control-plane.ts'
import { type MeasuredOperation, type MeasuredOperations, servedPlan, useMeasured } from '../model/gateway.ts'
import { useLoaded } from '../model/loaded.ts'
import { chosenWorld, parameter, setParameters, shownWorld } from '../model/location.ts'
import { type Tone, writeLatency, writeRate } from '../model/wording.ts'
import { SearchField, Select } from '../parts/controls.tsx'
import { Sparkline } from '../parts/curves.tsx'
import { EmptyState, Loaded } from '../parts/notices.tsx'
import { Badge, MethodMark, Side, Tabs } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { OperationOverview } from './operation-overview.tsx'
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
  { id: 'method', title: 'Method', width: '3.6rem', cell: ({ method }) => <MethodMark method={method} /> },
  {
    id: 'path',
    title: 'Path',
    width: 'minmax(5rem, 2fr)',
    cell: ({ path }) => (
      <span class="mono" title={path}>
        {path}
      </span>
    ),
  },
  { id: 'operation', title: 'Operation', width: 'minmax(6rem, 1.2fr)', wide: true, cell: ({ operation }) => operation },
  { id: 'phase', title: 'Phase', width: '7rem', wide: true, cell: ({ phase }) => <PhaseBadge phase={phase} /> },
  {
    id: 'series',
    title: 'Last minutes',
    width: 'minmax(56px, 90px)',
    cell: ({ operation, measured: { series, requests } }) => (
      <Sparkline
        label={`${operation}: ${requests} requests in the last minutes`}
        values={series.map(step => step.requests)}
        failures={series.map(step => step.errors)}
      />
    ),
  },
  {
    id: 'rate',
    title: 'Rate',
    width: '4rem',
    align: 'end',
    wide: true,
    cell: ({ measured }) => writeRate(measured.perSecond),
  },
  { id: 'p95', title: 'p95', width: '4.2rem', align: 'end', cell: ({ measured }) => writeLatency(measured.p95) },
  {
    id: 'failed',
    title: '4xx · 5xx',
    width: '5rem',
    align: 'end',
    wide: true,
    cell: ({ measured: { refused, errors } }) => (
      <>
        <span class={refused > 0 ? 'tone-warn' : 'muted'}>{refused}</span>
        <span class="muted"> · </span>
        <span class={errors > 0 ? 'tone-bad' : 'muted'}>{errors}</span>
      </>
    ),
  },
]

export function OperationsView() {
  const loaded = useMeasured({ world: chosenWorld.value, consumer: parameter('consumer') })
  return <Loaded of={loaded}>{value => <Operations measured={value} />}</Loaded>
}

function Operations({ measured: { operations, all, at, step } }: { measured: MeasuredOperations }) {
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
            options={[['', 'All consumers'], ...(servedPlan.value?.consumers ?? [])]}
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
            <EmptyState icon="search" title={operations.length === 0 ? 'No operations' : 'No operation matches'}>
              <p>
                {operations.length === 0
                  ? 'The contract has none. Name one with paths under "contract" in the configuration.'
                  : 'Search for another word, or choose another tag.'}
              </p>
            </EmptyState>
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
      {selected === undefined ? null : <OperationDetail key={chosen} measured={selected} at={at} step={step} />}
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

export interface OperationDetailProps {
  readonly measured: MeasuredOperation
  /** The end of the last step of the series: a timestamp. */
  readonly at: string
  /** Seconds. */
  readonly step: number
}

/** One operation beside the list: its description, a form to try it, and its next replies. */
function OperationDetail({ measured, at, step }: OperationDetailProps) {
  const { operation, method, path, phase, summary } = measured
  const documented = useLoaded(operation, signal =>
    callExactly<OperationForm>('GET', pathTo`/operations/${operation}`, { signal }),
  )
  const tab = parameter('tab') || 'overview'
  return (
    <Side
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
        tabs={[
          ['overview', 'Overview'],
          ['try', 'Try it'],
          ['next', 'Answer next'],
        ]}
        chosen={tab}
        onChoose={next => setParameters({ tab: next === 'overview' ? undefined : next })}
      >
        {tab === 'try' ? (
          <Loaded of={documented}>{found => <TryForm operation={found} />}</Loaded>
        ) : tab === 'next' ? (
          <section class="section">
            <p class="muted">The next requests get this instead of the usual reply. It has precedence over rules.</p>
            <GivenAnswers operation={operation} />
            <AnswerForm operation={operation} world={shownWorld.value} />
          </section>
        ) : (
          <OperationOverview measured={measured} documented={documented} at={at} step={step} />
        )}
      </Tabs>
    </Side>
  )
}
