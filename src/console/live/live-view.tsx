// View 1: requests as they are answered. The list follows the stream; one of them is looked at beside it.

import { useEffect } from 'preact/hooks'
import { GivenAnswers } from '../answers/given-answers.tsx'
import { epoch } from '../model/control-plane.ts'
import { version } from '../model/gateway.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import { writeLatency, writeLocalTime } from '../model/wording.ts'
import { FirstCommand } from '../parts/commands.tsx'
import { EmptyState, ProblemNotice, Spinner } from '../parts/notices.tsx'
import { MethodMark, StatusMark } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { FilterBar, journalQuery, StatusLine, usedFilters } from './filter-bar.tsx'
import { RequestDetail } from './request-detail.tsx'
import { feed } from './request-feed.ts'
import type { LoggedRequest } from './request-log.ts'

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { id: 'status', title: 'Status', width: '3rem', cell: ({ status }) => <StatusMark status={status} /> },
  { id: 'method', title: 'Method', width: '3.6rem', cell: ({ method }) => <MethodMark method={method} /> },
  {
    id: 'path',
    title: 'Path',
    width: 'minmax(9rem, 3fr)',
    cell: ({ path, query }) => (
      <span class="mono" title={query === '' ? path : `${path}?${query}`}>
        {path}
        {query === '' ? null : <span class="muted">?{query}</span>}
      </span>
    ),
  },
  {
    id: 'operation',
    title: 'Operation',
    width: 'minmax(6rem, 1.4fr)',
    wide: true,
    cell: ({ operation }) => operation ?? <span class="muted">none</span>,
  },
  {
    id: 'consumer',
    title: 'Consumer',
    width: 'minmax(4.5rem, 1fr)',
    wide: true,
    cell: ({ consumer }) => consumer ?? <span class="muted">unknown</span>,
  },
  { id: 'world', title: 'World', width: 'minmax(4.5rem, 1fr)', wide: true, cell: ({ world }) => world },
  { id: 'why', title: 'Why', width: 'minmax(5rem, 1.2fr)', wide: true, cell: ReasonCell },
  { id: 'duration', title: 'Time', width: '4.2rem', align: 'end', cell: ({ durationMs }) => writeLatency(durationMs) },
  { id: 'at', title: 'At', width: '6rem', align: 'end', wide: true, cell: ({ at }) => writeLocalTime(at) },
]

/** The effects that were injected, else the code of the refusal. */
function ReasonCell({ injected, refusal }: LoggedRequest) {
  const effects = [
    ...(injected?.fault === undefined ? [] : [injected.fault]),
    ...(injected?.delayMs === undefined ? [] : [`+${writeLatency(injected.delayMs)}`]),
    ...(injected?.queued ? ['queued'] : []),
  ]
  return effects.length > 0 ? (
    <span class="tone-warn" title={injected?.weather}>
      {effects.join(' · ')}
    </span>
  ) : (
    <span class="muted" title={refusal?.rule}>
      {refusal?.code}
    </span>
  )
}

/** Follows the requests that the URL selects. Does nothing if they are followed already. */
const followRequests = (): void => feed.start(journalQuery())

export function LiveView() {
  const key = JSON.stringify(journalQuery())
  const generation = epoch.value
  useEffect(() => {
    followRequests()
    return () => feed.stop()
  }, [key, generation])
  const { log } = feed
  void feed.revision.value
  const error = feed.error.value
  const selected = parameter('request')
  return (
    <div class={`split ${selected === '' ? '' : 'open'}`}>
      <div class="view">
        <FilterBar />
        <GivenAnswers />
        <div class="fill">
          <ProblemNotice error={error} retry={followRequests} />
          {log.size > 0 ? (
            <VirtualTable
              label="Requests, the newest first"
              columns={COLUMNS.filter(({ id }) => id !== 'world' || chosenWorld.value === '')}
              count={log.size}
              rowAt={index => log.at(index)}
              keyOf={row => row.key}
              selected={selected}
              onSelect={row => setParameters({ request: row.key }, selected === '' ? 'push' : 'replace')}
              prepended={log.added}
              rowClass={({ status }) => (status >= 500 || status === 0 ? 'failed' : '')}
            />
          ) : feed.loading.value ? (
            <Spinner label="Reading the journal" />
          ) : error === undefined ? (
            <NoRequests />
          ) : null}
        </div>
        <StatusLine />
      </div>
      {selected === '' ? null : <RequestDetail key={selected} request={log.find(selected)} id={selected} />}
    </div>
  )
}

const NoRequests = () =>
  usedFilters().length > 0 ? (
    <EmptyState icon="search" title="No request matches">
      <p>The journal has none that fulfils these filters. New ones appear here as they are answered.</p>
    </EmptyState>
  ) : (
    <EmptyState icon="pulse" title="Waiting for the first request">
      <p>Each request that your app sends to {version.value?.api ?? 'the gateway'} appears here. Try one:</p>
      <FirstCommand />
    </EmptyState>
  )
