// View 1: requests as they are answered. The list follows the stream; one of them is looked at beside it.

import { useEffect, useMemo } from 'preact/hooks'
import { GivenAnswers } from '../answers/given-answers.tsx'
import { about } from '../model/about.ts'
import { epoch } from '../model/connection.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import { Method, Status } from '../parts/badges.tsx'
import { FirstCall } from '../parts/first-call.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, ProblemNotice, Progress } from '../parts/notices.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { journalQuery } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'
import { RequestDetail } from './request-detail.tsx'
import { feed } from './request-feed.ts'
import type { LoggedRequest } from './request-log.ts'
import { clockTime, milliseconds } from './wording.ts'

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { id: 'status', title: 'Status', width: '3rem', cell: ({ status }) => <Status status={status} /> },
  { id: 'method', title: 'Method', width: '3.6rem', cell: ({ method }) => <Method method={method} /> },
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
  { id: 'why', title: 'Why', width: 'minmax(5rem, 1.2fr)', wide: true, cell: Why },
  { id: 'duration', title: 'Time', width: '4.2rem', align: 'end', cell: ({ durationMs }) => milliseconds(durationMs) },
  { id: 'at', title: 'At', width: '6rem', align: 'end', wide: true, cell: ({ at }) => clockTime(at) },
]

/** The effects that were injected, else the code of the refusal. */
function Why({ injected, refusal }: LoggedRequest) {
  const marks = [
    ...(injected?.fault === undefined ? [] : [injected.fault]),
    ...(injected?.delayMs === undefined ? [] : [`+${milliseconds(injected.delayMs)}`]),
    ...(injected?.queued ? ['queued'] : []),
  ]
  if (marks.length > 0) {
    return (
      <span class="injected" title={injected?.weather}>
        {marks.join(' · ')}
      </span>
    )
  }
  if (refusal === undefined) return null
  return (
    <span class="muted" title={refusal.rule}>
      {refusal.code}
    </span>
  )
}

const rowClass = ({ status }: LoggedRequest): string => (status >= 500 || status === 0 ? 'failed' : '')

/** Follows the requests that the URL selects. Does nothing if they are followed already. */
export const followRequests = (): void => feed.start(journalQuery(parameter, chosenWorld.value))

export function LiveView() {
  const query = journalQuery(parameter, chosenWorld.value)
  const key = JSON.stringify(query)
  const generation = epoch.value
  useEffect(() => {
    followRequests()
    return () => feed.stop()
  }, [key, generation])
  const { log } = feed
  void feed.revision.value
  const selected = parameter('request')
  const select = (row: LoggedRequest): void => setParameters({ request: row.key }, selected === '' ? 'push' : 'replace')
  const columns = useMemo(
    () => COLUMNS.filter(({ id }) => id !== 'world' || chosenWorld.value === ''),
    [chosenWorld.value],
  )
  const shown = columns.filter(({ id }) => selected === '' || !HIDDEN_BESIDE_DETAIL.has(id))
  return (
    <div class={`split${selected === '' ? '' : ' open'}`}>
      <div class="live">
        <div>
          <FilterBar />
          <GivenAnswers />
        </div>
        <div class="live-list">
          {feed.error.value === undefined ? null : <ProblemNotice error={feed.error.value} retry={followRequests} />}
          {log.size === 0 ? (
            feed.loading.value ? (
              <Progress label="Reading the journal" />
            ) : feed.error.value === undefined ? (
              <Nothing filtered={Object.keys(query).some(name => name !== 'world')} />
            ) : null
          ) : (
            <VirtualTable
              label="Requests, the newest first"
              columns={shown}
              count={log.size}
              rowAt={index => log.at(index)}
              keyOf={row => row.key}
              selected={selected}
              onSelect={select}
              prepended={log.added}
              rowClass={rowClass}
            />
          )}
        </div>
        <StatusLine />
      </div>
      {selected === '' ? null : <RequestDetail key={selected} request={log.find(selected)} id={selected} />}
    </div>
  )
}

const HIDDEN_BESIDE_DETAIL = new Set(['operation', 'consumer', 'world', 'at'])

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState icon="search" title="No request matches">
        <p>The journal has none that fulfils these filters. New ones appear here as they are answered.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="pulse" title="Waiting for the first request">
      <p>Each request that your app sends to {about.value?.api ?? 'the gateway'} appears here. Try one:</p>
      <FirstCall />
    </EmptyState>
  )
}

function StatusLine() {
  void feed.revision.value
  const { log } = feed
  return (
    <p class="status-line">
      <span>
        <b class="number">{log.size.toLocaleString('en')}</b> {log.size === 1 ? 'request' : 'requests'}
      </span>
      {feed.paused.value ? (
        <span>
          paused, <b class="number">{log.waiting.toLocaleString('en')}</b> waiting
        </span>
      ) : null}
      {log.dropped === 0 ? null : (
        <span
          class="dropped"
          title="They arrived faster than this page could show them; the gateway answered all of them."
        >
          <Icon name="warning" size={14} /> <b class="number">{log.dropped.toLocaleString('en')}</b> not shown
        </span>
      )}
    </p>
  )
}
