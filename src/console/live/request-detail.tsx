// One request beside the list: its explanation, both messages, and actions.

import type { RecordedBody } from '../../http/control/types.ts'
import { ControlError, call, pathOf } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters } from '../model/location.ts'
import type { Recorded } from '../model/shapes.ts'
import { Method, Status } from '../parts/badges.tsx'
import { BodyView } from '../parts/body-view.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { EmptyState, ProblemNotice, Progress } from '../parts/notices.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { DetailActions } from './detail-actions.tsx'
import { WhySection } from './why-section.tsx'
import { bytes, clockTime, milliseconds } from './wording.ts'

export interface RequestDetailProps {
  /** Unset where the list does not have it: a link may name an older one. */
  readonly request: Recorded | undefined
  /** Its id, behind the generation of the list. */
  readonly id: string
}

export function RequestDetail({ request, id }: RequestDetailProps) {
  const number = id.replace(/^\d+-/, '')
  const loaded = useLoaded(`${number}${request === undefined}`, async signal =>
    request === undefined ? call<Recorded>('GET', pathOf`/requests/${number}`, { signal }) : request,
  )
  const shown = request ?? loaded.value
  return (
    <aside
      class="side"
      aria-label="The chosen request"
      onKeyDown={event => {
        if (event.key === 'Escape' && !(event.target as Element).closest('dialog')) close()
      }}
    >
      {shown !== undefined ? <Detail request={shown} /> : null}
      {shown === undefined && loaded.error === undefined ? <Progress /> : null}
      {shown === undefined && loaded.error !== undefined ? (
        loaded.error instanceof ControlError && loaded.error.status === 404 ? (
          <EmptyState icon="search" title="This request is forgotten">
            <p>The journal keeps the newest requests only. Its size is journal.requests in the configuration.</p>
            <CloseButton />
          </EmptyState>
        ) : (
          <ProblemNotice error={loaded.error} retry={loaded.reload} />
        )
      ) : null}
    </aside>
  )
}

const close = (): void => setParameters({ request: undefined, tab: undefined }, 'push')

const CloseButton = () => (
  <button type="button" class="button quiet icon-only" aria-label="Close the request" onClick={close}>
    <Icon name="close" />
  </button>
)

function Detail({ request }: { request: Recorded }) {
  const { method, path, query, status, durationMs, at, world, consumer, operation } = request
  const tab = parameter('tab') || 'why'
  return (
    <>
      <header class="side-head">
        <div class="side-title">
          <Status status={status} />
          <Method method={method} />
          <h2 class="mono truncate" title={path}>
            {path}
          </h2>
          <CloseButton />
        </div>
        <p class="muted">
          {operation ?? 'no operation'} · {consumer ?? 'unknown consumer'} · {world} · {milliseconds(durationMs)} ·{' '}
          {clockTime(at)}
          {query === '' ? '' : ` · ?${query}`}
        </p>
        <DetailActions request={request} />
      </header>
      <Tabs
        label="Parts of the request"
        tabs={[
          { id: 'why', title: 'Why' },
          { id: 'request', title: 'Request' },
          { id: 'reply', title: 'Reply' },
        ]}
        chosen={tab}
        onChoose={chosen => setParameters({ tab: chosen === 'why' ? undefined : chosen })}
      >
        {tab === 'why' ? <WhySection request={request} /> : null}
        {tab === 'request' ? (
          <Message
            line={`${method} ${path}${query === '' ? '' : `?${query}`}`}
            headers={request.headers}
            body={request.requestBody}
            sent="The request"
          />
        ) : null}
        {tab === 'reply' ? (
          <Message
            line={status === 0 ? 'No reply reached the client: the connection was cut.' : `HTTP ${status}`}
            headers={request.replyHeaders}
            body={request.replyBody}
            sent="The reply"
          />
        ) : null}
      </Tabs>
    </>
  )
}

interface MessageProps {
  readonly line: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: RecordedBody | undefined
  /** The name of the message at the beginning of a sentence. */
  readonly sent: string
}

function Message({ line, headers, body, sent }: MessageProps) {
  const names = Object.keys(headers ?? {})
  return (
    <div class="message">
      <section class="section">
        <p class="mono message-line">{line}</p>
        {names.length === 0 ? (
          <p class="muted">
            Its headers were not kept: they are from the moment a console watches, or always with{' '}
            <code>journal.headers</code>.
          </p>
        ) : (
          <dl class="pairs">
            {names.map(name => (
              <div key={name} class="pair">
                <dt class="mono">{name}</dt>
                <dd class="mono">{headers?.[name]}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      <section class="section">
        <div class="section-head">
          <h3>Body{body === undefined ? '' : `, ${bytes(body.bytes)}`}</h3>
          {body === undefined ? null : <CopyButton text={body.text} />}
        </div>
        {body === undefined ? (
          <p class="muted">{sent} had no body, or it was not kept.</p>
        ) : (
          <BodyView text={body.text} label={`${sent}: body`} />
        )}
        {body !== undefined && body.text.length < body.bytes && new Blob([body.text]).size < body.bytes ? (
          <p class="muted">Only the beginning was kept.</p>
        ) : null}
      </section>
    </div>
  )
}
