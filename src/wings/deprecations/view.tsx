// The view of who still calls what is deprecated: consumers of operations, parameters and fields. It is saved as CSV, too.

import type { ComponentChildren } from 'preact'
import { callForText, hrefOf, useReply } from '../../console/model/gateway.ts'
import { MINUTE, writeMoment } from '../../console/model/wording.ts'
import { Button, EmptyState, Note, perform, ShowLoaded, saveFile } from '../../console/parts/controls.tsx'
import { FirstCommand, PlainTable } from '../../console/parts/panels.tsx'
import type { Caller, DeprecationReport } from './types.ts'

export function DeprecationsView() {
  const loaded = useReply<DeprecationReport>('/deprecations', { every: 5000 })
  const save = async (): Promise<void> => {
    const text = await callForText('GET', '/deprecations', { accept: 'text/csv' })
    saveFile('deprecations.csv', new Blob([text], { type: 'text/csv' }))
  }
  return (
    <div class="view">
      <ShowLoaded of={loaded}>
        {report =>
          report.operations.length === 0 && report.inputs.length === 0 ? (
            <EmptyState
              icon="calendar"
              title="Nothing is deprecated"
              text="Operations with `deprecated: true` in the contract, or with `deprecation` in the configuration, appear here with everybody who still calls them."
            />
          ) : (
            <section class="stack padded" aria-label="Who still calls what">
              <div class="row">
                <Note
                  text={`Live calls by real time; calls in sandboxes or at another time count as rehearsed. Days are counted from ${writeTimestamp(report.at, MINUTE)}.`}
                />
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
              {report.operations.every(({ calls, rehearsed }) => calls + rehearsed === 0) && (
                <>
                  <Note text="Nobody has called them yet. A request that names its consumer is counted:" />
                  <FirstCommand operation={report.operations[0]?.operation} />
                </>
              )}
            </section>
          )
        }
      </ShowLoaded>
    </div>
  )
}

/** Writes a timestamp of a reply for a person, to the second or the minute. */
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
      const nobody = <span class="muted">nobody{rehearsed > 0 && `; ${rehearsed} rehearsed`}</span>
      const callers = consumers.length === 0 ? [[nobody, '0', '', '']] : consumers.map(cellsOf)
      return callers.map((cells, i): TableRow => {
        return [`${operation} ${i}`, ...(i === 0 ? facts : ['', '', '', '']), ...cells]
      })
    }),
    ...inputs.map(({ operation, input, ...caller }): TableRow => {
      const name = [linkTo(operation), <span class="muted"> {input}</span>]
      return [`${operation} ${input} ${caller.consumer}`, name, '', '', '', ...cellsOf(caller)]
    }),
  ]
}
