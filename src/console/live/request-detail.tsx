// One request beside the list: actions on it, its explanation, and both messages.

import { useState } from 'preact/hooks'
import type { RecordedBody, RecordedRequest, SendResult } from '../../http/control/types.ts'
import { AnswerForm } from '../answers/answer-form.tsx'
import { ControlError, call, callForText, pathTo } from '../model/control-plane.ts'
import { refreshWorlds } from '../model/gateway.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters } from '../model/location.ts'
import { writeBytes, writeLatency, writeLocalTime } from '../model/wording.ts'
import { CopyButton, copyText } from '../parts/commands.tsx'
import { Button } from '../parts/controls.tsx'
import { announce, EmptyState, Loaded, perform } from '../parts/notices.tsx'
import { BodyView, Dialog, MethodMark, Pairs, Section, Side, StatusMark, Tabs } from '../parts/panels.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { WhySection } from './why-section.tsx'

interface RequestDetailProps {
  /** Unset where the list does not have it: a link may name an older one. */
  readonly request: RecordedRequest | undefined
  /** Its id, behind the generation of the list. */
  readonly id: string
}

const close = (): void => setParameters({ request: undefined, tab: undefined }, 'push')

export function RequestDetail({ request, id }: RequestDetailProps) {
  const number = id.replace(/^\d+-/, '')
  const loaded = useLoaded(`${number}${request === undefined}`, async signal =>
    request === undefined ? call<RecordedRequest>('GET', pathTo`/requests/${number}`, { signal }) : request,
  )
  const shown = request ?? loaded.value
  const marks =
    shown === undefined ? null : [<StatusMark status={shown.status} />, <MethodMark method={shown.method} />]
  return (
    <Side
      label="The chosen request"
      title={shown?.path ?? `Request ${number}`}
      before={marks}
      head={shown === undefined ? null : <Head request={shown} />}
      close="Close the request"
      onClose={close}
    >
      {shown !== undefined ? (
        <Parts request={shown} />
      ) : loaded.error instanceof ControlError && loaded.error.status === 404 ? (
        <EmptyState icon="search" title="This request is forgotten">
          <p>The journal keeps the newest requests only. Its size is journal.requests in the configuration.</p>
        </EmptyState>
      ) : (
        <Loaded of={loaded}>{() => null}</Loaded>
      )}
    </Side>
  )
}

function Head({ request }: { request: RecordedRequest }) {
  const { id, query, durationMs, at, world, consumer, operation } = request
  const [shown, setShown] = useState<'rule' | 'answer' | undefined>()
  const closeDialog = (): void => setShown(undefined)
  const again = (body: { world?: string; fresh?: boolean }): Promise<boolean> =>
    perform(async () => {
      const sent = await call<SendResult>('POST', pathTo`/requests/${id}/replay`, { body })
      const into = sent.request === null ? '' : ` into the world ${sent.request.world}`
      announce(`Sent again${into}: ${sent.reply.status}.`)
      if (body.fresh) await refreshWorlds()
      if (sent.request !== null) setParameters({ request: `${sent.request.id}` })
    })
  const asCurl = async (): Promise<void> => {
    await copyText(await callForText('GET', pathTo`/requests/${id}`, { accept: 'text/plain' }))
  }
  return (
    <>
      <p class="muted">
        {operation ?? 'no operation'} · {consumer ?? 'unknown consumer'} · {world} · {writeLatency(durationMs)} ·{' '}
        {writeLocalTime(at)}
        {query === '' ? '' : ` · ?${query}`}
      </p>
      <div class="row">
        <Button icon="again" onClick={() => again({ world })}>
          Send again
        </Button>
        <Button icon="globe" title="Into a new world that begins with the seeds" onClick={() => again({ fresh: true })}>
          In a fresh world
        </Button>
        <Button icon="copy" onClick={() => perform(asCurl)}>
          curl
        </Button>
        {operation === null ? null : (
          <>
            <Button icon="bolt" onClick={() => setShown('answer')}>
              Answer next
            </Button>
            <Button icon="rule" onClick={() => setShown('rule')}>
              Make a rule
            </Button>
          </>
        )}
      </div>
      {shown === 'rule' && operation !== null ? <RuleDialog {...{ request, operation }} onClose={closeDialog} /> : null}
      {shown === 'answer' && operation !== null ? (
        <Dialog title={`Answer next: ${operation}`} onClose={closeDialog}>
          <AnswerForm operation={operation} world={world} like={request} onDone={closeDialog} />
        </Dialog>
      ) : null}
    </>
  )
}

function Parts({ request }: { request: RecordedRequest }) {
  const { method, path, query, status } = request
  const tab = parameter('tab') || 'why'
  return (
    <Tabs
      label="Parts of the request"
      tabs={[
        ['why', 'Why'],
        ['request', 'Request'],
        ['reply', 'Reply'],
      ]}
      chosen={tab}
      onChoose={chosen => setParameters({ tab: chosen === 'why' ? undefined : chosen })}
    >
      {tab === 'request' ? (
        <MessagePart
          line={`${method} ${path}${query === '' ? '' : `?${query}`}`}
          headers={request.headers}
          body={request.requestBody}
          name="The request"
        />
      ) : tab === 'reply' ? (
        <MessagePart
          line={status === 0 ? 'No reply reached the client: the connection was cut.' : `HTTP ${status}`}
          headers={request.replyHeaders}
          body={request.replyBody}
          name="The reply"
        />
      ) : (
        <WhySection request={request} />
      )}
    </Tabs>
  )
}

interface MessagePartProps {
  readonly line: string
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: RecordedBody | undefined
  /** Its name at the beginning of a sentence. */
  readonly name: string
}

const MessagePart = ({ line, headers = {}, body, name }: MessagePartProps) => (
  <>
    <section class="section">
      <b class="mono preformatted">{line}</b>
      {Object.keys(headers).length === 0 ? (
        <p class="muted">
          Its headers were not kept: they are from the moment a console watches, or always with{' '}
          <code>journal.headers</code>.
        </p>
      ) : (
        <Pairs of={Object.entries(headers)} mono />
      )}
    </section>
    <Section
      title={`Body${body === undefined ? '' : `, ${writeBytes(body.bytes)}`}`}
      more={body === undefined ? null : <CopyButton text={body.text} />}
    >
      {body === undefined ? (
        <p class="muted">{name} had no body, or it was not kept.</p>
      ) : (
        <BodyView text={body.text} label={`${name}: body`} />
      )}
      {body !== undefined && new Blob([body.text]).size < body.bytes ? (
        <p class="muted">Only the beginning was kept.</p>
      ) : null}
    </Section>
  </>
)
