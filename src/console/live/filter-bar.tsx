// The filters above the list of requests, and the buttons that pause and clear it. Every filter is in the URL.

import { useState } from 'preact/hooks'
import { servedPlan } from '../model/gateway.ts'
import { chosenWorld, parameter, setParameters } from '../model/location.ts'
import { Button, FormField, SearchField, Segments, Select } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { feed } from './request-feed.ts'

const STATUSES = [
  ['', 'All'],
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx,0', '5xx'],
] as const

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
export const usedFilters = (): readonly string[] => FILTER_NAMES.filter(name => parameter(name).trim() !== '')

/**
 * Returns the query of the journal for the parameters of the URL.
 *
 * A path without `/` or `*` is looked for anywhere: `order` becomes `*order*`. `header` and `body` are split at the first
 * `=`.
 */
export function journalQuery(): Readonly<Record<string, string>> {
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

export function FilterBar() {
  const used = MORE_FILTERS.filter(([name]) => parameter(name) !== '').length
  const [more, setMore] = useState(used > 0)
  const paused = feed.paused.value
  const choices = [
    ['method', 'Method', METHODS],
    ['operation', 'Operation', servedPlan.value?.operations.map(({ operation }) => operation) ?? []],
    ['consumer', 'Consumer', servedPlan.value?.consumers ?? []],
  ] as const
  return (
    <search class="bar">
      <SearchField
        label="Path"
        placeholder="Path, * for anything"
        value={parameter('path')}
        onText={path => setParameters({ path })}
      />
      <Segments
        label="Status"
        value={parameter('status')}
        options={STATUSES}
        onChange={status => setParameters({ status })}
      />
      {choices.map(([name, label, values]) => (
        <Select
          key={name}
          label={label}
          value={parameter(name)}
          options={[['', label], ...values]}
          onChange={value => setParameters({ [name]: value })}
        />
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
        {used === 0 ? null : <span class="count">{used}</span>}
      </Button>
      {usedFilters().length === 0 ? null : (
        <Button
          kind="quiet"
          icon="close"
          label="Clear filters"
          onClick={() => setParameters(Object.fromEntries(FILTER_NAMES.map(name => [name, undefined])))}
        />
      )}
      <span class="spring" />
      <Button
        icon={paused ? 'play' : 'pause'}
        aria-pressed={paused}
        title="Keeps the list as it is; requests that come meanwhile wait"
        onClick={() => feed.pause(!paused)}
      >
        {paused ? 'Go on' : 'Pause'}
      </Button>
      <Button
        icon="trash"
        label="Clear the list"
        title="Empties this list, not the journal"
        onClick={() => feed.clear()}
      />
      {more ? (
        <div id="more-filters" class="form-row more-filters">
          {MORE_FILTERS.map(([name, label, hint]) => (
            <FormField key={name} label={label} hint={hint}>
              {/* A filter that is half typed may be refused, so it holds once the person is done. */}
              <input value={parameter(name)} onChange={event => setParameters({ [name]: event.currentTarget.value })} />
            </FormField>
          ))}
        </div>
      ) : null}
    </search>
  )
}

/** The number of requests in the list, and of those that it does not show. */
export function StatusLine() {
  void feed.revision.value
  const { log } = feed
  return (
    <p class="row status-line muted">
      <span>
        <b>{log.size.toLocaleString('en')}</b> {log.size === 1 ? 'request' : 'requests'}
      </span>
      {feed.paused.value ? (
        <span>
          paused, <b>{log.waiting.toLocaleString('en')}</b> waiting
        </span>
      ) : null}
      {log.dropped === 0 ? null : (
        <span
          class="row tone-warn"
          title="They arrived faster than this page could show them; the gateway answered all of them."
        >
          <Icon name="warning" size={14} /> <b>{log.dropped.toLocaleString('en')}</b> not shown
        </span>
      )}
    </p>
  )
}
