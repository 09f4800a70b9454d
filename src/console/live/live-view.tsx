// View 1: requests as they are answered. The list follows the stream; the filters above it are in the URL; one request is looked at
// beside it.

import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { RecordedRequest } from '../../http/control/types.ts'
import { GivenAnswers } from '../forms/operation-forms.tsx'
import {
  call,
  callForReply,
  chosenWorld,
  inUrl,
  knownConsumers,
  markLost,
  parameter,
  runningVersion,
  servedOperations,
  setParameters,
  useLoaded,
} from '../model/gateway.ts'
import { writeLatency, writeTime } from '../model/wording.ts'
import {
  Button,
  EmptyState,
  FormField,
  Icon,
  ProblemNotice,
  SearchField,
  Segments,
  Select,
  Spinner,
} from '../parts/controls.tsx'
import { FirstCommand, MethodMark, StatusMark } from '../parts/panels.tsx'
import { type Column, VirtualTable } from '../parts/virtual-table.tsx'
import { RequestDetail } from './request-detail.tsx'
import { createEventParser, createRequestLog, type LoggedRequest } from './request-log.ts'

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { title: 'Status', width: '3rem', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Method', width: '3.6rem', cell: ({ method }) => <MethodMark method={method} /> },
  { title: 'Path', width: '2fr', cell: PathCell },
  { title: 'Operation', width: '1fr', cell: ({ operation }) => operation ?? <i class="muted">none</i> },
  { title: 'Consumer', width: '1fr', cell: ({ consumer }) => consumer ?? <i class="muted">unknown</i> },
  { title: 'World', width: '1fr', cell: ({ world }) => world },
  { title: 'Why', width: '3fr', cell: ReasonCell },
  { title: 'Replied', width: '1fr', cell: ({ replied }) => replied },
  { title: 'Time', width: '4.2rem', cell: ({ durationMs }) => writeLatency(durationMs), classes: 'end' },
  { title: 'At', width: '6rem', cell: ({ at }) => writeTime(at), classes: 'end' },
]

function PathCell({ path, query }: LoggedRequest) {
  const more = query === '' ? '' : `?${query}`
  return (
    <code title={path + more}>
      {path}
      <span class="muted">{more}</span>
    </code>
  )
}

/** The effects that were injected, else the code of the refusal and as much of its rule as there is room for. */
function ReasonCell({ injected, refusal }: LoggedRequest) {
  const effects = [
    injected?.fault,
    injected?.delayMs !== undefined && `+${writeLatency(injected.delayMs)}`,
    injected?.queued && 'queued',
  ].filter(Boolean)
  return effects.length > 0 ? (
    <span class="tone-warn" title={injected?.weather}>
      {effects.join(' · ')}
    </span>
  ) : (
    refusal && (
      <span class="filled-cell muted" title={refusal.rule}>
        <span>{refusal.code}</span>
        <span>{refusal.rule}</span>
      </span>
    )
  )
}

/** Rows that the list keeps. */
const MOST_ROWS = 10_000
/** Milliseconds between two updates of the list. */
const INTERVAL = 100

/** The list outlives the view, so that it is shown again when the view is opened again. */
const log = createRequestLog(MOST_ROWS)
/** Changes whenever the list does. */
const revision = signal(0)
const paused = signal(false)
/** The filter that the rows fulfil. */
let shownFilter = ''
let scheduled = false

function showNew(): void {
  if (scheduled || log.waiting.length === 0) return
  scheduled = true
  setTimeout(() => {
    scheduled = false
    if (!paused.value) log.read()
    revision.value += 1
  }, INTERVAL)
}

type JournalQuery = Readonly<Record<string, string>>

/** Lists the requests of the journal that fulfil the filter, and follows the stream of new ones until the signal. */
async function follow(filter: JournalQuery, signal: AbortSignal): Promise<true> {
  const key = JSON.stringify(filter)
  if (key !== shownFilter) log.restart()
  shownFilter = key
  revision.value += 1
  const query = { ...filter, limit: MOST_ROWS }
  const { requests } = await call<{ requests: RecordedRequest[] }>('GET', '/requests', { query, signal })
  log.merge(requests)
  revision.value += 1
  const stream = await callForReply('GET', '/requests/stream', {
    query: { ...filter, after: requests.at(-1)?.id ?? 0, headers: true },
    accept: 'text/event-stream',
    signal,
    quiet: true,
  })
  void readStream(stream, signal)
  return true
}

async function readStream({ body }: Response, signal: AbortSignal): Promise<void> {
  const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  const parse = createEventParser()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const events = parse(read.value)
      for (const { name, data } of events) if (name === 'dropped') log.dropped += JSON.parse(data).count
      log.receive(events.filter(({ name }) => name === 'request').map(({ data }) => data))
      showNew()
    }
  } catch {
    // The connection was lost, or the view was left.
  }
  // A stream ends only when the gateway does; the view follows it again when the connection is back.
  if (!signal.aborted) markLost()
}

export function LiveView() {
  const filter = journalQuery()
  const { value, error, reload } = useLoaded(JSON.stringify(filter), signal => follow(filter, signal))
  void revision.value
  const selected = parameter('request')
  const bold = (count: number) => <b>{count.toLocaleString('en')}</b>
  return (
    <div class={`split ${selected && 'open'}`}>
      <div class="view">
        <FilterBar />
        <GivenAnswers />
        <div class="fill">
          <ProblemNotice error={error} retry={reload} />
          {log.rows.length > 0 ? (
            <VirtualTable
              label="Requests, the newest first"
              columns={COLUMNS.filter(({ title }) =>
                title === 'Replied'
                  ? log.rows.at(-1)?.replied !== undefined
                  : title !== 'World' || chosenWorld.value === '',
              )}
              count={log.rows.length}
              rowAt={index => log.rows.at(-1 - index)}
              keyOf={row => row.key}
              parameter="request"
              prepended={log.added}
              rowClass={({ status }) => (status >= 500 || status === 0 ? 'failed' : '')}
            />
          ) : value !== undefined ? (
            noRequests()
          ) : (
            error === undefined && <Spinner label="Reading the journal" />
          )}
        </div>
        <p class="row status-line muted">
          <span>
            {bold(log.rows.length)} {log.rows.length === 1 ? 'request' : 'requests'}
          </span>
          {paused.value && <span>paused, {bold(log.waiting.length)} waiting</span>}
          {log.dropped > 0 && (
            <span
              class="row tone-warn"
              title="They arrived faster than this page could show them; the gateway answered all of them."
            >
              <Icon name="warning" size={14} /> {bold(log.dropped)} not shown
            </span>
          )}
        </p>
      </div>
      {selected && (
        <RequestDetail key={selected} request={log.rows.findLast(({ key }) => key === selected)} id={selected} />
      )}
    </div>
  )
}

const noRequests = () =>
  usedFilters().length > 0 ? (
    <EmptyState
      title="No request matches"
      text="The journal has none that fulfils these filters. New ones appear here as they are answered."
    />
  ) : (
    <EmptyState
      icon="pulse"
      title="Waiting for the first request"
      text={`Each request that your app sends to ${runningVersion.value?.api ?? 'the gateway'} appears here. Try one:`}
    >
      <FirstCommand />
    </EmptyState>
  )

const STATUSES = { '': 'All', '2xx': '2xx', '3xx': '3xx', '4xx': '4xx', '5xx,0': '5xx' }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Filters behind "More": the name of the journal, the label, and an example. */
const MORE_FILTERS = [
  ['refusal', 'Refusal', 'Code: invalid_request'],
  ['fault', 'Fault', 'Injected: reset, status'],
  ['note', 'Note', 'Part of a note: latency'],
  ['slowerThan', 'Slower than', 'Duration: 250ms'],
  ['since', 'Since', 'Timestamp or -5m'],
  ['until', 'Until', 'Timestamp or -1m'],
  ['header', 'Request header', 'x-request-id=42'],
  ['body', 'Field of the body', 'JSON Pointer: /name=Rex'],
] as const

const FILTER_NAMES = ['path', 'status', 'method', 'operation', 'consumer', ...MORE_FILTERS.map(([name]) => name)]

/** Returns the names of the filters that the URL has. */
const usedFilters = (): readonly string[] => FILTER_NAMES.filter(name => parameter(name).trim() !== '')

/**
 * Returns the query of the journal for the parameters of the URL.
 *
 * A path without `/` or `*` is looked for anywhere: `order` becomes `*order*`. `header` and `body` are split at the first
 * `=`.
 */
function journalQuery(): JournalQuery {
  const query: Record<string, string> = chosenWorld.value === '' ? {} : { world: chosenWorld.value }
  for (const name of usedFilters()) {
    const value = parameter(name).trim()
    if (name === 'path') query.path = /[/*]/.test(value) ? value : `*${value}*`
    else if (name === 'header' || name === 'body') {
      const [, field = '', wanted = '*'] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? []
      query[`${name}.${field.trim()}`] = wanted.trim()
    } else query[name] = value
  }
  return query
}

/** The filters above the list, and what is done with it. */
function FilterBar() {
  const used = MORE_FILTERS.filter(([name]) => parameter(name) !== '').length
  const [more, setMore] = useState(used > 0)
  const choices = [
    ['method', 'Method', METHODS],
    ['operation', 'Operation', servedOperations.value.map(({ operation }) => operation)],
    ['consumer', 'Consumer', knownConsumers.value],
  ] as const
  return (
    <search class="bar">
      <SearchField label="Path" placeholder="Path, * for anything" {...inUrl('path')} />
      <Segments label="Status" options={STATUSES} {...inUrl('status')} />
      {choices.map(([name, label, values]) => (
        <Select key={name} label={label} options={[['', label], ...values]} {...inUrl(name)} />
      ))}
      <Button
        kind="quiet"
        icon="sliders"
        aria-expanded={more}
        aria-controls="more-filters"
        aria-label="More filters"
        onClick={() => setMore(!more)}
      >
        More
        {used > 0 && <span class="count muted">{used}</span>}
      </Button>
      {usedFilters().length > 0 && <Button kind="quiet" icon="close" label="Clear filters" onClick={clearFilters} />}
      <span class="spring" />
      <ListButtons />
      {more && <MoreFilters />}
    </search>
  )
}

const clearFilters = (): void => setParameters(Object.fromEntries(FILTER_NAMES.map(name => [name, undefined])))

const ListButtons = () => (
  <>
    <Button
      icon={paused.value ? 'play' : 'pause'}
      aria-pressed={paused.value}
      title="Keeps the list as it is; requests that come meanwhile wait"
      onClick={() => {
        paused.value = !paused.value
        showNew()
      }}
    >
      {paused.value ? 'Go on' : 'Pause'}
    </Button>
    <Button
      icon="trash"
      label="Clear the list"
      title="Empties this list, not the journal"
      onClick={() => {
        log.clear()
        revision.value += 1
      }}
    />
  </>
)

const MoreFilters = () => (
  <div id="more-filters" class="form-row more-filters">
    {MORE_FILTERS.map(([name, label, hint]) => (
      <FormField key={name} label={label} hint={hint}>
        {/* A filter that is half typed may be refused, so it holds once the person is done. */}
        <input value={parameter(name)} onChange={event => setParameters({ [name]: event.currentTarget.value })} />
      </FormField>
    ))}
  </div>
)
