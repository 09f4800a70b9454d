// The deliveries of webhooks: what was sent where, what became of it, and one more attempt or an event by hand.

import { useState } from 'preact/hooks'
import { call, chosenWorld, hrefOf, parameter, pathTo, useReply } from '../../console/model/gateway.ts'
import { writeMoment } from '../../console/model/wording.ts'
import { Button, EmptyState, perform, Select, ShowLoaded } from '../../console/parts/controls.tsx'
import { Badge, BodyView, Pairs, PlainTable, Section, SidePanel, StatusMark } from '../../console/parts/panels.tsx'
import type { Attempt, Delivery, DeliveryPage } from './types.ts'

const momentOf = (timestamp: string): string => writeMoment(Math.floor(Date.parse(timestamp) / 1000) * 1000)

const TONES = { pending: 'warn', delivered: 'good', failed: 'bad', gone: 'info' } as const

export function WebhooksView() {
  const world = chosenWorld.value
  const loaded = useReply<DeliveryPage>('/deliveries', { query: world === '' ? {} : { world }, every: 2000 })
  return (
    <ShowLoaded of={loaded}>
      {page => {
        if (page.webhooks.length === 0)
          return (
            <EmptyState
              icon="right"
              title="No webhooks are delivered"
              text="Write `webhooks` in the configuration, and what happens here is sent to receivers."
            />
          )
        const chosen = page.deliveries.find(({ id }) => id === parameter('delivery'))
        return (
          <div class={`split ${chosen === undefined ? '' : 'open'}`}>
            <Deliveries page={page} reload={loaded.reload} />
            {chosen && <ChosenDelivery delivery={chosen} reload={loaded.reload} />}
          </div>
        )
      }}
    </ShowLoaded>
  )
}

function Deliveries({ page: { deliveries, total, webhooks }, reload }: { page: DeliveryPage; reload: () => unknown }) {
  const [webhook, setWebhook] = useState(webhooks[0] ?? '')
  const world = chosenWorld.value
  const send = async (): Promise<void> => {
    await call('POST', pathTo`/webhooks/${webhook}/send`, { body: world === '' ? {} : { world } })
    await reload()
  }
  return (
    <div class="view stack padded">
      <div class="row">
        <p class="muted">
          {total === 1 ? 'one delivery' : `${total.toLocaleString('en')} deliveries`}
          {total > deliveries.length && `, of which the last ${deliveries.length} are shown`}
        </p>
        <span class="spring" />
        <Select label="Webhook" value={webhook} options={webhooks} onChange={setWebhook} />
        <Button icon="play" onClick={() => perform(send, 'The event is sent.')}>
          Send an event
        </Button>
      </div>
      <div class="fill">
        <PlainTable
          label="Deliveries"
          head={['Webhook', 'State', 'Receiver', 'Cause', 'World', 'At', '#Attempts']}
          rows={[...deliveries]
            .reverse()
            .map(({ id, webhook: name, state, url, cause, world: of, at, attempts }) => [
              id,
              <a href={hrefOf('webhooks', { delivery: id })}>{name}</a>,
              <Badge tone={TONES[state]}>{state}</Badge>,
              <code>{url}</code>,
              cause,
              of,
              momentOf(at),
              attempts.length,
            ])}
        />
      </div>
    </div>
  )
}

function ChosenDelivery({ delivery, reload }: { delivery: Delivery; reload: () => unknown }) {
  const {
    id,
    webhook,
    state,
    why,
    method,
    url,
    due,
    request,
    headers,
    body,
    warnings = [],
    injected = [],
    attempts,
  } = delivery
  const again = async (): Promise<void> => {
    await call('POST', pathTo`/deliveries/${id}/redeliver`)
    await reload()
  }
  return (
    <SidePanel of="delivery" title={webhook} after={<Badge tone={TONES[state]}>{state}</Badge>}>
      <Section
        title={`${method} ${url}`}
        more={
          <Button icon="again" onClick={() => perform(again, 'One more attempt is made.')}>
            Deliver again
          </Button>
        }
      >
        <Pairs
          of={[
            ['Delivery', <code>{id}</code>],
            ['Why', why],
            ['Next attempt', due && momentOf(due)],
            ['Caused by', request && <a href={hrefOf('live', { request: String(request) })}>request {request}</a>],
            ['Weather', injected.join(', ') || undefined],
            ['Warnings', warnings.join('; ') || undefined],
          ]}
        />
      </Section>
      <Section title="Headers">
        <Pairs of={Object.entries({ ...headers, ...attempts.at(-1)?.headers })} mono />
      </Section>
      <Section title="Body">
        <BodyView label="Body of the delivery" text={body} />
      </Section>
      <Section title="Attempts">
        <Attempts of={attempts} />
      </Section>
    </SidePanel>
  )
}

const Attempts = ({ of }: { of: readonly Attempt[] }) => (
  <PlainTable
    label="Attempts"
    head={['Due', 'Made', 'Reply', '#Milliseconds', 'Remarks']}
    rows={of.map((attempt, i) => [
      `${i}`,
      momentOf(attempt.due),
      momentOf(attempt.at),
      attempt.status === undefined ? '' : <StatusMark status={attempt.status} />,
      Math.round(attempt.durationMs),
      remarksOf(attempt),
    ])}
  />
)

const remarksOf = ({ error, warning, injected = [], reply }: Attempt): string =>
  [error, warning, ...injected, reply].filter(Boolean).join('; ')
