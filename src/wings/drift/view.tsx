// The differences between the contract, the stand-in and the real API.

import { hrefOf, useReply } from '../../console/model/gateway.ts'
import { plural, writeTime } from '../../console/model/wording.ts'
import { ShowLoaded } from '../../console/parts/controls.tsx'
import { Badge, PlainTable } from '../../console/parts/panels.tsx'
import type { LiveDriftReport } from './types.ts'

const HEAD = ['Operation', 'Finding', 'Contract says', 'Stand-in answers', 'Upstream answered', '#Count', 'Consumers']

export function DriftView() {
  const loaded = useReply<LiveDriftReport>('/drift', { every: 3000 })
  return (
    <ShowLoaded of={loaded}>
      {({ findings, compared, dropped, omitted }) => (
        <div class="view stack padded">
          <p class="muted">
            {plural(findings.length, 'difference')} in {compared} compared {compared === 1 ? 'reply' : 'replies'} of the
            real API
            {dropped > 0 && `; ${dropped} were not compared`}
            {omitted > 0 && `; ${omitted} further ones are not kept`}
          </p>
          {findings.length > 0 && (
            <div class="fill">
              <PlainTable
                label="Differences"
                head={[...HEAD, 'First seen', 'Last seen', 'Place', 'Example']}
                rows={findings.map(one => [
                  `${one.operation} ${one.kind} ${one.part}`,
                  <a href={hrefOf('operations', { operation: one.operation })}>{one.operation}</a>,
                  <span class="row">
                    <Badge tone="warn">{one.kind}</Badge> <code>{one.where || 'body'}</code>
                  </span>,
                  one.contract,
                  one.standIn ?? 'not asked',
                  one.upstream,
                  one.count,
                  one.consumers.join(', ') || 'unknown',
                  writeTime(one.firstSeen),
                  writeTime(one.lastSeen),
                  <code>{one.place}</code>,
                  <code>{one.example}</code>,
                ])}
              />
            </div>
          )}
        </div>
      )}
    </ShowLoaded>
  )
}
