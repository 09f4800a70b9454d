// The filters above the list of requests, and the buttons that pause and clear it. Every filter is in the URL.

import { useState } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { parameter, setParameters } from '../model/location.ts'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { FILTER_NAMES, MORE_FILTERS } from './filter.ts'
import { feed } from './request-feed.ts'

const STATUSES = [
  ['', 'All'],
  ['2xx', '2xx'],
  ['3xx', '3xx'],
  ['4xx', '4xx'],
  ['5xx,0', '5xx'],
] as const

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const inputOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

export function FilterBar() {
  const used = MORE_FILTERS.filter(({ name }) => parameter(name) !== '').length
  const [more, setMore] = useState(used > 0)
  const status = parameter('status')
  return (
    <search class="filter-bar">
      <div class="tools">
        <label class="search-field">
          <span class="visually-hidden">Path</span>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Path, * for anything"
            value={parameter('path')}
            onInput={event => setParameters({ path: inputOf(event) })}
          />
        </label>
        <fieldset class="segments">
          <legend class="visually-hidden">Status</legend>
          {STATUSES.map(([value, title]) => (
            <label key={value}>
              <input
                type="radio"
                name="status"
                value={value}
                checked={status === value}
                onChange={() => setParameters({ status: value })}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <Choice name="method" label="Method" values={METHODS} />
        <Choice
          name="operation"
          label="Operation"
          values={plan.value?.operations.map(({ operation }) => operation) ?? []}
        />
        <Choice name="consumer" label="Consumer" values={plan.value?.consumers ?? []} />
        <button
          type="button"
          class="button quiet"
          aria-expanded={more}
          aria-controls="more-filters"
          aria-label="More filters"
          onClick={() => setMore(!more)}
        >
          <Icon name="sliders" />
          More
          {used === 0 ? null : <span class="count">{used}</span>}
        </button>
        {FILTER_NAMES.some(name => parameter(name) !== '') ? (
          <button
            type="button"
            class="button quiet icon-only"
            aria-label="Clear filters"
            title="Clear filters"
            onClick={() => setParameters(Object.fromEntries(FILTER_NAMES.map(name => [name, undefined])))}
          >
            <Icon name="close" />
          </button>
        ) : null}
        <span class="spring" />
        <button
          type="button"
          class="button"
          aria-pressed={feed.paused.value}
          title="Keeps the list as it is; requests that come meanwhile wait"
          onClick={() => feed.pause(!feed.paused.value)}
        >
          <Icon name={feed.paused.value ? 'play' : 'pause'} />
          {feed.paused.value ? 'Go on' : 'Pause'}
        </button>
        <button
          type="button"
          class="button icon-only"
          aria-label="Clear the list"
          title="Empties this list, not the journal"
          onClick={() => feed.clear()}
        >
          <Icon name="trash" />
        </button>
      </div>
      {more ? (
        <div id="more-filters" class="more-filters">
          {MORE_FILTERS.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint}>
              {/* A filter that is half typed may be refused, so it holds once the person is done. */}
              <input value={parameter(name)} onChange={event => setParameters({ [name]: inputOf(event) })} />
            </Field>
          ))}
        </div>
      ) : null}
    </search>
  )
}

function Choice({ name, label, values }: { name: string; label: string; values: readonly string[] }) {
  const chosen = parameter(name)
  const missing = chosen !== '' && !values.includes(chosen) ? [chosen] : []
  return (
    <select
      aria-label={label}
      value={chosen}
      onChange={event => setParameters({ [name]: (event.currentTarget as HTMLSelectElement).value })}
    >
      <option value="">{label}</option>
      {[...values, ...missing].map(value => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  )
}
