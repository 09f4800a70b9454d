// The explanation of a reply: the violated rule, the behaviours that the request passed, draws and injected faults.

import { plan } from '../model/about.ts'
import { hrefOf } from '../model/location.ts'
import type { Recorded } from '../model/shapes.ts'
import { Icon } from '../parts/icon.tsx'
import { milliseconds } from './wording.ts'

export function WhySection({ request }: { request: Recorded }) {
  const { refusal, injected, explanation, time, at } = request
  const travelled = Math.abs(Date.parse(time) - Date.parse(at)) > 1000
  return (
    <>
      {refusal === undefined ? null : (
        <section class="section">
          <div class="refusal">
            <p class="refusal-code">
              <Icon name="warning" /> {refusal.code}
            </p>
            <p class="refusal-rule">{refusal.rule}</p>
          </div>
        </section>
      )}
      <section class="section">
        <h3>Path through the gateway</h3>
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
      </section>
      {injected === undefined ? null : (
        <section class="section">
          <h3>Done on purpose</h3>
          <dl class="pairs">
            {injected.weather === undefined ? null : <Pair name="Weather" value={injected.weather} />}
            {injected.fault === undefined ? null : <Pair name="Fault" value={injected.fault} />}
            {injected.delayMs === undefined ? null : <Pair name="Delay" value={milliseconds(injected.delayMs)} />}
            {injected.queued ? <Pair name="Queue" value="It waited for a place (capacity)." /> : null}
          </dl>
          {injected.notes === undefined ? null : (
            <ul class="notes">
              {injected.notes.map(note => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </section>
      )}
      <section class="section">
        <h3>Circumstances</h3>
        <dl class="pairs">
          {request.operation === null ? null : (
            <div class="pair">
              <dt>Operation</dt>
              <dd>
                <a href={hrefOf('operations', { operation: request.operation })}>{request.operation}</a>
                {explanation === undefined || explanation.route === '' ? '' : ` (${explanation.route})`}
              </dd>
            </div>
          )}
          <Pair name="World" value={request.world} />
          <Pair name="Answered at" value={new Date(at).toLocaleString()} />
          {travelled ? <Pair name="By its clock" value={time} /> : null}
          {Object.entries(explanation?.draws ?? {}).map(([purpose, value]) => (
            <Pair key={purpose} name={`Drawn: ${purpose}`} value={value.toFixed(4)} />
          ))}
        </dl>
      </section>
    </>
  )
}

const Pair = ({ name, value }: { name: string; value: string }) => (
  <div class="pair">
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** The chain of the operation: those it passed, the one that replied, and those it never reached. */
function Passed({ request: { operation, explanation, refusal } }: { request: Recorded }) {
  const passed = explanation?.passed ?? []
  const chain = plan.value?.operations.find(one => one.operation === operation)?.chain ?? []
  const rest = passed.length === 0 ? [] : chain.slice(chain.indexOf(passed.at(-1) as string) + 1)
  if (explanation !== undefined && passed.length === 0) return <p class="muted">It met no behaviour.</p>
  return (
    <ol class="chain">
      {passed.map((name, i) => (
        <li key={name}>
          <span class={`link ${i === passed.length - 1 ? (refusal === undefined ? 'replied' : 'refused') : ''}`}>
            {name}
            {i === passed.length - 1 ? <span class="visually-hidden"> (replied)</span> : null}
          </span>
        </li>
      ))}
      {passed.length === 0
        ? chain.map(name => (
            <li key={name}>
              <span class="link">{name}</span>
            </li>
          ))
        : rest.map(name => (
            <li key={name}>
              <span class="link skipped">
                {name}
                <span class="visually-hidden"> (not reached)</span>
              </span>
            </li>
          ))}
    </ol>
  )
}
