// View 4: the calendar on a time axis with the clock of the world, and the callers of deprecated operations.

import type { ComponentChildren } from 'preact'
import type { Caller, DeprecationReport } from '../../http/control/types.ts'
import { call, callForText } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { hrefOf, parameter, setParameters } from '../model/location.ts'
import { MINUTE, writeMoment } from '../model/wording.ts'
import { FirstCommand } from '../parts/commands.tsx'
import { Button, saveFile } from '../parts/controls.tsx'
import { EmptyState, Loaded, perform } from '../parts/notices.tsx'
import { PlainTable, Tabs } from '../parts/panels.tsx'
import { CalendarPanel } from './calendar-panel.tsx'

export function TimeView() {
  const tab = parameter('tab') === 'callers' ? 'callers' : 'calendar'
  return (
    <div class="view">
      <Tabs
        label="Parts of the view"
        tabs={[
          ['calendar', 'Calendar'],
          ['callers', 'Who still calls what'],
        ]}
        chosen={tab}
        onChoose={chosen => setParameters({ tab: chosen === 'calendar' ? undefined : chosen }, 'push')}
      >
        {tab === 'calendar' ? <CalendarPanel /> : <CallersPanel />}
      </Tabs>
    </div>
  )
}

/** The consumers that still call deprecated operations, parameters and fields; saved as CSV too. */
function CallersPanel() {
  const loaded = useLoaded(
    'callers',
    signal => call<DeprecationReport>('GET', '/deprecations', { signal, quiet: true }),
    5000,
  )
  const save = async (): Promise<void> => {
    const text = await callForText('GET', '/deprecations', { accept: 'text/csv' })
    saveFile('deprecations.csv', new Blob([text], { type: 'text/csv' }))
  }
  return (
    <Loaded of={loaded}>
      {report =>
        report.operations.length === 0 && report.inputs.length === 0 ? (
          <EmptyState icon="calendar" title="Nothing is deprecated">
            <p>
              Operations with <code>deprecated: true</code> in the contract, or with <code>deprecation</code> in the
              configuration, appear here with everybody who still calls them.
            </p>
          </EmptyState>
        ) : (
          <section class="stack padded" aria-label="Who still calls what">
            <div class="row">
              <p class="muted">
                Live calls by real time; calls in sandboxes or at another time count as rehearsed. Days are counted from{' '}
                {writeTimestamp(report.at, MINUTE)}.
              </p>
              <span class="spring" />
              <Button icon="download" onClick={() => perform(save, 'The table is saved.')}>
                Save as CSV
              </Button>
            </div>
            <PlainTable
              label="Table of callers"
              head={['Deprecated', 'Since', 'Sunset', '#Days left', 'Consumer', '#Calls', 'First', 'Last']}
              rows={callerRows(report)}
            />
            {report.operations.every(({ calls, rehearsed }) => calls + rehearsed === 0) ? (
              <>
                <p class="muted">Nobody has called them yet. A request that names its consumer is counted:</p>
                <FirstCommand operation={report.operations[0]?.operation} />
              </>
            ) : null}
          </section>
        )
      }
    </Loaded>
  )
}

const writeTimestamp = (text = '', unit = 1000): string => {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : writeMoment(Math.floor(at / unit) * unit)
}

type TableRow = readonly [key: string, ...cells: ComponentChildren[]]

/** Returns a row for each consumer of something deprecated; its first row names it. */
function callerRows({ operations, inputs }: DeprecationReport): readonly TableRow[] {
  const cellsOf = ({ consumer, calls, firstSeen, lastSeen }: Caller): ComponentChildren[] => [
    consumer ?? <span class="muted">not known</span>,
    calls.toLocaleString('en'),
    writeTimestamp(firstSeen),
    writeTimestamp(lastSeen),
  ]
  const linkTo = (operation: string) => <a href={hrefOf('operations', { operation })}>{operation}</a>
  return [
    ...operations.flatMap(({ operation, since, sunset, daysLeft, consumers, rehearsed }) => {
      const days = <span class={(daysLeft ?? 1) <= 0 ? 'tone-bad' : ''}>{daysLeft}</span>
      const facts = [linkTo(operation), writeTimestamp(since), writeTimestamp(sunset), days]
      const nobody = rehearsed === 0 ? 'nobody' : `nobody; ${rehearsed} rehearsed`
      return consumers.length === 0
        ? [[operation, ...facts, <span class="muted">{nobody}</span>, '0', '', ''] satisfies TableRow]
        : consumers.map((caller, i): TableRow => {
            return [`${operation} ${i}`, ...(i === 0 ? facts : ['', '', '', '']), ...cellsOf(caller)]
          })
    }),
    ...inputs.map(({ operation, input, ...caller }): TableRow => {
      const name = [linkTo(operation), <span class="muted"> {input}</span>]
      return [`${operation} ${input} ${caller.consumer}`, name, '', '', '', ...cellsOf(caller)]
    }),
  ]
}
