// The coverage of one operation, beside the list of operations.

import { chosenWorld, parameter, useReply } from '../../console/model/gateway.ts'
import { Note, ShowLoaded } from '../../console/parts/controls.tsx'
import { PlainTable, Section } from '../../console/parts/panels.tsx'
import type { CoverageReport } from './types.ts'

/** The parts of an operation that no request has touched, for the chosen world and consumer. */
export function UntouchedParts({ operation }: { operation: string }) {
  const query = { operation, world: chosenWorld.value, consumer: parameter('consumer') }
  const loaded = useReply<CoverageReport>('/coverage', { query, every: 5000 })
  return (
    <ShowLoaded of={loaded}>
      {({ operations, seen, total, percent, rules }) => {
        const missed = operations.flatMap(({ items }) => items.filter(({ seen, deprecated }) => !seen && !deprecated))
        const tableOf = (label: string, ofRules: boolean) => (
          <PlainTable
            label={label}
            head={['Part', 'Place']}
            rows={missed
              .filter(({ kind }) => (kind === 'rule') === ofRules)
              .map(({ kind, name, file, line }) => [
                `${kind} ${name}`,
                ofRules ? name : `${kind} ${name}`,
                <code>{`${file}:${line}`}</code>,
              ])}
          />
        )
        return (
          <>
            <Section title={`${percent} % covered: ${seen} of ${total} parts`}>
              {seen === total ? <Note text="Requests have touched every part." /> : tableOf('Never touched', false)}
            </Section>
            {rules.seen < rules.total && (
              <Section title={`Rules never violated: ${rules.total - rules.seen} of ${rules.total}`}>
                {tableOf('Rules never violated', true)}
              </Section>
            )}
          </>
        )
      }}
    </ShowLoaded>
  )
}
