// The consumers who break on the next contract: a matrix of consumers and operations, and the reasons beside it.

import { hrefOf, parameter, useReply } from '../../console/model/gateway.ts'
import { plural, type Tone, writeTime } from '../../console/model/wording.ts'
import { EmptyState, ShowLoaded } from '../../console/parts/controls.tsx'
import { Badge, CommandBox, Pairs, PlainTable, Section, SidePanel } from '../../console/parts/panels.tsx'
import type { NextReport, NextRow } from './types.ts'

const TONES: Record<NextRow['verdict'], Tone> = {
  breaks: 'bad',
  'may-break': 'warn',
  'not-judged': 'info',
  safe: 'good',
  'not-seen': 'plain',
}

/** The column of an operation that was not called. */
const NOT_CALLED = 'Not called'

const columnOfRow = ({ consumer, calls }: Pick<NextRow, 'consumer' | 'calls'>): string =>
  calls === 0 ? NOT_CALLED : (consumer ?? 'Unknown callers')

const keyOfCall = (row: NextRow): string => `${row.operation} ${columnOfRow(row)}`

export function NextView() {
  const loaded = useReply<NextReport>('/next', { every: 3000 })
  const none = (
    <EmptyState
      title="No next contract"
      text="Name it in the configuration: `next: ./openapi-next.yaml`. Then every request is judged by it, too."
    />
  )
  return (
    <ShowLoaded of={loaded} missing={none}>
      {report => <NextMatrix {...report} />}
    </ShowLoaded>
  )
}

function NextMatrix({ rows, requests, since, refused, unmatched, dropped, neverSeen, related }: NextReport) {
  const operations = [...new Set(rows.map(({ operation }) => operation))]
  const named = new Set([...rows.map(columnOfRow), ...neverSeen])
  const columns = [...named].sort((a, b) => Number(a === NOT_CALLED) - Number(b === NOT_CALLED))
  const byKey = new Map(rows.map(row => [keyOfCall(row), row]))
  const chosen = byKey.get(parameter('call'))
  const cellOf = (operation: string, column: string) => {
    const row = byKey.get(`${operation} ${column}`)
    if (row === undefined) return neverSeen.includes(column) ? <span class="muted">never seen</span> : '–'
    return (
      <a href={hrefOf('next', { call: keyOfCall(row) })}>
        <Badge tone={TONES[row.verdict]}>{`${row.verdict.replace('-', ' ')} ${row.calls || ''}`}</Badge>
      </a>
    )
  }
  return (
    <div class={`split ${chosen && 'open'}`}>
      <div class="view stack padded">
        <p class="muted">
          {plural(requests, 'request')}
          {since && ` since ${writeTime(since)}`}; {refused} refused already, {unmatched} to no operation
          {dropped > 0 && `, ${dropped} not judged`}
          {!related && '. The two contracts share no operation.'}
        </p>
        <div class="fill">
          <PlainTable
            label="Consumers and operations"
            head={['Operation', ...columns]}
            rows={operations.map(operation => [
              operation,
              <a href={hrefOf('operations', { operation })}>{operation}</a>,
              ...columns.map(column => cellOf(operation, column)),
            ])}
          />
        </div>
      </div>
      {chosen && <CallReasons {...chosen} />}
    </div>
  )
}

/** The reasons for a verdict. */
const CallReasons = ({ operation, verdict, calls, last, findings, unjudged, sunset, ...row }: NextRow) => (
  <SidePanel
    of="call"
    title={operation}
    after={<Badge tone={TONES[verdict]}>{verdict.replace('-', ' ')}</Badge>}
    head={<p class="muted">{columnOfRow({ ...row, calls })}</p>}
  >
    <Section>
      <Pairs
        of={[
          ['Calls', calls],
          ['Last call', last && writeTime(last)],
          ['Sunset', sunset],
          ['Not judged', Object.keys(unjudged).join(', ') || undefined],
        ]}
      />
    </Section>
    {findings.map(one => (
      <Section key={one.reason} title={one.reason} more={<Badge tone={TONES[one.verdict]}>{one.calls}</Badge>}>
        <Pairs
          mono
          of={[
            ['Now', one.now],
            ['Next', one.next],
          ]}
        />
        {one.try && <CommandBox text={one.try} />}
      </Section>
    ))}
  </SidePanel>
)
