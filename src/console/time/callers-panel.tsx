// The table of the consumers that still call deprecated operations, parameters and fields; saved as CSV too.

import type { DeprecationReport } from '../../http/control/types.ts'
import { call, callForText } from '../model/control-plane.ts'
import { useLoaded, usePolling } from '../model/loaded.ts'
import { hrefOf } from '../model/location.ts'
import { momentOf } from '../model/moments.ts'
import { attempt } from '../parts/announce.tsx'
import { FirstCall } from '../parts/first-call.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, Show } from '../parts/notices.tsx'
import { saveFile } from '../parts/save-file.ts'
import { type CallerRow, rowsOf } from './caller-rows.ts'

const INTERVAL = 5000

export function CallersPanel() {
  const loaded = useLoaded('callers', signal =>
    call<DeprecationReport>('GET', '/deprecations', { signal, quiet: true }),
  )
  usePolling(loaded.reload, INTERVAL)
  const save = (): Promise<boolean> =>
    attempt(async () => {
      const text = await callForText('GET', '/deprecations', { accept: 'text/csv' })
      saveFile('deprecations.csv', new Blob([text], { type: 'text/csv' }))
    }, 'The table is saved.')
  return (
    <Show of={loaded}>
      {report =>
        report.operations.length === 0 && report.inputs.length === 0 ? (
          <EmptyState icon="calendar" title="Nothing is deprecated">
            <p>
              Operations with <code>deprecated: true</code> in the contract, or with <code>deprecation</code> in the
              configuration, appear here with everybody who still calls them.
            </p>
          </EmptyState>
        ) : (
          <section class="callers" aria-label="Who still calls what">
            <div class="tools callers-tools">
              <p class="muted">
                Live calls by real time; calls in sandboxes or at another time count as rehearsed. Days are counted from{' '}
                {momentOf(Math.floor(Date.parse(report.at) / 60_000) * 60_000)}.
              </p>
              <span class="spring" />
              <button type="button" class="button" onClick={save}>
                <Icon name="download" />
                Save as CSV
              </button>
            </div>
            <Table rows={rowsOf(report)} />
            {report.operations.every(({ calls, rehearsed }) => calls + rehearsed === 0) ? (
              <div class="callers-hint">
                <p class="muted">Nobody has called them yet. A request that names its consumer is counted:</p>
                <FirstCall operation={report.operations[0]?.operation} />
              </div>
            ) : null}
          </section>
        )
      }
    </Show>
  )
}

const Table = ({ rows }: { rows: readonly CallerRow[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
  <div class="callers-table" tabIndex={0} role="region" aria-label="Table of callers">
    <table class="plain-table">
      <thead>
        <tr>
          <th>Deprecated</th>
          <th>Since</th>
          <th>Sunset</th>
          <th class="end">Days left</th>
          <th>Consumer</th>
          <th class="end">Calls</th>
          <th>First</th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.key}>
            <td>
              {row.first ? (
                <>
                  <a href={hrefOf('operations', { operation: row.operation })}>{row.operation}</a>
                  {row.input === undefined ? null : <span class="muted"> {row.input}</span>}
                </>
              ) : null}
            </td>
            <td>{row.first ? row.since : ''}</td>
            <td>{row.first ? row.sunset : ''}</td>
            <td class={`end${(row.daysLeft ?? 1) <= 0 ? ' over' : ''}`}>{row.first ? row.daysLeft : ''}</td>
            <td>{row.consumer ?? <span class="muted">{row.note}</span>}</td>
            <td class="end">{row.calls}</td>
            <td>{row.firstSeen}</td>
            <td>{row.lastSeen}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
