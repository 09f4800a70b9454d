// The explanation of a reply: the violated rule, the behaviours that the request passed, draws and injected faults.

import type { RecordedRequest } from '../../http/control/types.ts'
import { servedPlan } from '../model/gateway.ts'
import { hrefOf } from '../model/location.ts'
import { writeLatency } from '../model/wording.ts'
import { Badge, Pairs, RefusalNotice, Section } from '../parts/panels.tsx'

export function WhySection({ request }: { request: RecordedRequest }) {
  const { refusal, injected, explanation, operation, time, at } = request
  const travelled = Math.abs(Date.parse(time) - Date.parse(at)) > 1000
  const route = explanation?.route ? ` (${explanation.route})` : ''
  return (
    <>
      {refusal === undefined ? null : (
        <section class="section">
          <RefusalNotice {...refusal} />
        </section>
      )}
      <Section title="Path through the gateway">
        <Passed request={request} />
        {explanation === undefined ? (
          <p class="muted">
            How it came about was not kept: it is from the moment a console watches, or for requests with{' '}
            <code>Understudy-Explain: 1</code>.
          </p>
        ) : (
          <p>
            Answered by <b>{explanation.replied}</b>
            {explanation.ordinal > 0 ? `, request ${explanation.ordinal} of this operation in its world.` : '.'}
          </p>
        )}
      </Section>
      {injected === undefined ? null : (
        <Section title="Done on purpose">
          <Pairs
            of={[
              ['Weather', injected.weather],
              ['Fault', injected.fault],
              ['Delay', injected.delayMs === undefined ? undefined : writeLatency(injected.delayMs)],
              ['Queue', injected.queued ? 'It waited for a place (capacity).' : undefined],
            ]}
          />
          {injected.notes === undefined ? null : (
            <ul class="plain-list">
              {injected.notes.map(note => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </Section>
      )}
      <Section title="Circumstances">
        <Pairs
          of={[
            [
              'Operation',
              operation === null ? undefined : [<a href={hrefOf('operations', { operation })}>{operation}</a>, route],
            ],
            ['World', request.world],
            ['Answered at', new Date(at).toLocaleString()],
            ['By its clock', travelled ? time : undefined],
            ...Object.entries(explanation?.draws ?? {}).map(
              ([purpose, value]) => [`Drawn: ${purpose}`, value.toFixed(4)] as const,
            ),
          ]}
        />
      </Section>
    </>
  )
}

/** The chain of the operation: those it passed, the one that replied, and those it never reached. */
function Passed({ request: { operation, explanation, refusal } }: { request: RecordedRequest }) {
  const passed = explanation?.passed ?? []
  const chain = servedPlan.value?.operations.find(one => one.operation === operation)?.chain ?? []
  if (explanation !== undefined && passed.length === 0) return <p class="muted">It met no behaviour.</p>
  const replied = passed.at(-1)
  const skipped = chain.slice(replied === undefined ? 0 : chain.indexOf(replied) + 1)
  const tone = refusal === undefined ? 'good' : 'bad'
  return (
    <ol class="chain">
      {passed.map(name => (
        <li key={name}>
          <Badge tone={name === replied ? tone : 'plain'}>
            {name}
            {name === replied ? <span class="visually-hidden"> (replied)</span> : null}
          </Badge>
        </li>
      ))}
      {skipped.map(name => (
        <li key={name} class={replied === undefined ? '' : 'skipped'}>
          <Badge>
            {name}
            {replied === undefined ? null : <span class="visually-hidden"> (not reached)</span>}
          </Badge>
        </li>
      ))}
    </ol>
  )
}
