// View 2: the operations of the API with their rates and latencies, and one operation beside the list.

import { useEffect, useState } from 'preact/hooks'
import { GivenAnswers } from '../answers/given-answers.tsx'
import { plan } from '../model/about.ts'
import { epoch } from '../model/connection.ts'
import { ControlError, call } from '../model/control-plane.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import type { MeasuredOperation, MeasuredOperations } from '../model/shapes.ts'
import { Method } from '../parts/badges.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, ProblemNotice, Progress } from '../parts/notices.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { OperationDetail } from './operation-detail.tsx'
import { Phase } from './phase.tsx'
import { matches } from './search-operations.ts'
import { latency, rate } from './wording.ts'

/** Milliseconds between two looks at the measurements. */
const INTERVAL = 2500

/** Follows the measurements of all operations while a component that calls it is shown. */
function useMeasured(world: string, consumer: string): { value?: MeasuredOperations; error?: Error } {
  const [state, setState] = useState<{ value?: MeasuredOperations; error?: Error }>({})
  const generation = epoch.value
  useEffect(() => {
    const abort = new AbortController()
    const look = (): void => {
      if (document.hidden) return
      const query = { world, consumer }
      call<MeasuredOperations>('GET', '/operations', { query, signal: abort.signal, quiet: true }).then(
        value => setState({ value }),
        error => error instanceof ControlError && setState({ error }),
      )
    }
    look()
    const timer = setInterval(look, INTERVAL)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [world, consumer, generation])
  return state
}

const COLUMNS: readonly Column<MeasuredOperation>[] = [
  { id: 'method', title: 'Method', width: '3.6rem', cell: ({ method }) => <Method method={method} /> },
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
  { id: 'phase', title: 'Phase', width: '7rem', wide: true, cell: ({ phase }) => <Phase phase={phase} /> },
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
    cell: ({ measured }) => rate(measured.perSecond),
  },
  { id: 'p95', title: 'p95', width: '4.2rem', align: 'end', cell: ({ measured }) => latency(measured.p95) },
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

const HIDDEN_BESIDE_DETAIL = new Set(['operation', 'phase', 'failed', 'rate'])

export function OperationsView() {
  const consumer = parameter('consumer')
  const { value, error } = useMeasured(chosenWorld.value, consumer)
  const chosen = parameter('operation')
  const search = parameter('search')
  const tag = parameter('tag')
  if (error !== undefined) return <ProblemNotice error={error} />
  if (value === undefined) return <Progress label="Reading the plan" />
  const shown = value.operations.filter(one => matches(one, search) && (tag === '' || one.tags.includes(tag)))
  const tags = [...new Set(value.operations.flatMap(one => one.tags))].sort()
  const selected = value.operations.find(({ operation }) => operation === chosen)
  const columns = selected === undefined ? COLUMNS : COLUMNS.filter(({ id }) => !HIDDEN_BESIDE_DETAIL.has(id))
  return (
    <div class={`split${selected === undefined ? '' : ' open'}`}>
      <div class="operations">
        <search class="filter-bar">
          <div class="tools">
            <label class="search-field">
              <span class="visually-hidden">Search the operations</span>
              <Icon name="search" />
              <input
                type="search"
                placeholder="Search operations"
                value={search}
                onInput={event => setParameters({ search: event.currentTarget.value })}
              />
            </label>
            {tags.length === 0 ? null : <Choice name="tag" first="All tags" label="Tag" values={tags} />}
            <Choice name="consumer" first="All consumers" label="Measured for" values={plan.value?.consumers ?? []} />
            <span class="spring" />
            <p class="totals">
              <b class="number">{rate(value.all.perSecond)}</b> requests · p50{' '}
              <b class="number">{latency(value.all.p50)}</b> · p95 <b class="number">{latency(value.all.p95)}</b>
            </p>
          </div>
        </search>
        <GivenAnswers />
        <div class="operations-list">
          {shown.length === 0 ? (
            <EmptyState icon="search" title={value.operations.length === 0 ? 'No operations' : 'No operation matches'}>
              <p>
                {value.operations.length === 0
                  ? 'The contract has none. Name one with paths under "contract" in the configuration.'
                  : 'Search for another word, or choose another tag.'}
              </p>
            </EmptyState>
          ) : (
            <VirtualTable
              label="Operations"
              columns={columns}
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
      {selected === undefined ? null : (
        <OperationDetail key={selected.operation} measured={selected} at={value.at} step={value.step} />
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  /** The label of the empty choice. */
  readonly first: string
  readonly values: readonly string[]
}

const Choice = ({ name, label, first, values }: ChoiceProps) => (
  <select
    aria-label={label}
    value={parameter(name)}
    onChange={event => setParameters({ [name]: (event.currentTarget as HTMLSelectElement).value })}
  >
    <option value="">{first}</option>
    {values.map(value => (
      <option key={value} value={value}>
        {value}
      </option>
    ))}
  </select>
)
