// One request beside the list: actions on it, its explanation, and both messages.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordedBody, RecordedRequest, SendResult } from '../../http/control/types.ts'
import { AnswerForm } from '../forms/operation-forms.tsx'
import {
  call,
  callForText,
  hrefOf,
  pathTo,
  refreshWorlds,
  servedOperation,
  setParameters,
  useReply,
} from '../model/gateway.ts'
import { writeBytes, writeLatency, writeMoment } from '../model/wording.ts'
import { Actions, announce, EmptyState, Note, perform, ShowLoaded, TextArea } from '../parts/controls.tsx'
import {
  Badge,
  BodyView,
  CopyButton,
  copyText,
  Dialog,
  MethodMark,
  Pairs,
  RefusalNotice,
  Section,
  SidePanel,
  StatusMark,
  Tabs,
} from '../parts/panels.tsx'
import { conditionsFor, ruleFromRequest } from './rule-from-request.ts'

interface RequestDetailProps {
  /** Unset where the list does not have it: a link may name an older one. */
  readonly request: RecordedRequest | undefined
  /** Its id, behind the generation of the list. */
  readonly id: string
}

export function RequestDetail({ request, id }: RequestDetailProps) {
  const number = id.replace(/^\d+-/, '')
  const loaded = useReply<RecordedRequest>(request === undefined ? pathTo`/requests/${number}` : undefined)
  const shown = request ?? loaded.value
  return (
    <SidePanel
      of="request"
      title={shown?.path ?? `Request ${number}`}
      before={shown && [<StatusMark status={shown.status} />, <MethodMark method={shown.method} />]}
      head={shown && <Head request={shown} />}
    >
      <ShowLoaded
        of={{ ...loaded, value: shown }}
        missing={
          <EmptyState
            title="This request is forgotten"
            text="The journal keeps the newest requests only. Its size is `journal.requests` in the configuration."
          />
        }
      >
        {request => {
          const { method, path, query, status, headers, requestBody, replyHeaders, replyBody } = request
          const line = `${method} ${path}${query && `?${query}`}`
          const replied = status === 0 ? 'No reply reached the client: the connection was cut.' : `HTTP ${status}`
          return (
            <Tabs
              label="Parts of the request"
              parameter="tab"
              tabs={[
                { id: 'why', title: 'Why', show: () => <WhySection {...request} /> },
                {
                  id: 'request',
                  title: 'Request',
                  show: () => showMessage('The request', line, headers, requestBody),
                },
                { id: 'reply', title: 'Reply', show: () => showMessage('The reply', replied, replyHeaders, replyBody) },
              ]}
            />
          )
        }}
      </ShowLoaded>
    </SidePanel>
  )
}

function Head({ request }: { request: RecordedRequest }) {
  const { id, query, trace, durationMs, replied, upstreamMs, at, world, consumer, operation, requestBody } = request
  const [shown, setShown] = useState<'rule' | 'answer' | undefined>()
  const closeDialog = (): void => setShown(undefined)
  const again = (body: { world?: string; fresh?: boolean }): Promise<boolean> =>
    perform(async () => {
      const { request: sent, reply } = await call<SendResult>('POST', pathTo`/requests/${id}/replay`, { body })
      announce(`Sent again${sent ? ` into the world ${sent.world}` : ''}: ${reply.status}.`)
      if (body.fresh) await refreshWorlds()
      if (sent) setParameters({ request: `${sent.id}` })
    })
  const asCurl = async (): Promise<void> => {
    await copyText(await callForText('GET', pathTo`/requests/${id}`, { accept: 'text/plain' }))
    if (isCut(requestBody)) announce('The body in the command is not whole: only its beginning was kept.', 'failed')
  }
  const facts = [
    operation ?? 'no operation',
    consumer ?? 'unknown consumer',
    world,
    writeLatency(durationMs),
    replied !== undefined && `${replied} replied`,
    upstreamMs !== undefined && `${writeLatency(upstreamMs)} of it in upstream`,
    writeMoment(Date.parse(at)),
    trace !== undefined && `trace ${trace}`,
    query !== '' && `?${query}`,
  ]
  return (
    <>
      <p class="muted">{facts.filter(Boolean).join(' · ')}</p>
      <Actions
        label="Actions on the request"
        of={[
          { icon: 'again', title: 'Send again', run: () => again({ world }) },
          {
            icon: 'globe',
            title: 'In a fresh world',
            run: () => again({ fresh: true }),
            about: 'Into a new world that begins with the seeds',
          },
          { icon: 'copy', title: 'curl', run: () => perform(asCurl) },
          operation !== null && { icon: 'bolt', title: 'Answer next', run: () => setShown('answer') },
          operation !== null && { icon: 'rule', title: 'Create a rule', run: () => setShown('rule') },
        ]}
      />
      {shown && operation !== null && (
        <Dialog
          title={shown === 'rule' ? 'A rule for requests like this one' : `Answer next: ${operation}`}
          onClose={closeDialog}
        >
          {shown === 'rule' ? (
            <RuleForm {...{ request, operation }} onDone={closeDialog} />
          ) : (
            <AnswerForm operation={operation} world={world} like={request} onDone={closeDialog} />
          )}
        </Dialog>
      )}
    </>
  )
}

/** Whether the journal kept the beginning of a body only: `journal.bodyLimit`. */
const isCut = (body: RecordedBody | undefined): boolean => body !== undefined && new Blob([body.text]).size < body.bytes

/** @param name its name at the beginning of a sentence @param line its first line */
const showMessage = (
  name: string,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body?: RecordedBody,
): ComponentChildren => (
  <>
    <Section>
      <b class="mono preformatted">{line}</b>
      {Object.keys(headers).length === 0 ? (
        <Note text="Its headers were not kept: they are from the moment a console watches, or always with `journal.headers`." />
      ) : (
        <Pairs of={Object.entries(headers)} mono />
      )}
    </Section>
    {body === undefined ? (
      <Section title="Body">
        <Note text={`${name} had no body, or it was not kept.`} />
      </Section>
    ) : (
      <Section title={`Body, ${writeBytes(body.bytes)}`} more={<CopyButton text={body.text} />}>
        <BodyView text={body.text} label={`${name}: body`} />
        {isCut(body) && <Note text="Only the beginning was kept." />}
      </Section>
    )}
  </>
)

function WhySection(request: RecordedRequest) {
  const { refusal, injected, explanation } = request
  return (
    <>
      {refusal && (
        <Section>
          <RefusalNotice {...refusal} />
        </Section>
      )}
      <Section title="Path through the gateway">
        <Passed {...request} />
        {explanation === undefined ? (
          <Note text="How it came about was not kept: it is from the moment a console watches, or for requests with `Understudy-Explain: 1`." />
        ) : (
          <p>
            Answered by <b>{explanation.replied}</b>
            {explanation.ordinal > 0 ? `, request ${explanation.ordinal} of this operation in its world.` : '.'}
          </p>
        )}
      </Section>
      {injected && <InjectedSection {...injected} />}
      <Circumstances {...request} />
    </>
  )
}

/** The delay and the fault that the configuration caused. */
const InjectedSection = ({ weather, fault, delayMs, queued, notes }: NonNullable<RecordedRequest['injected']>) => (
  <Section title="Done on purpose">
    <Pairs
      of={[
        ['Weather', weather],
        ['Fault', fault],
        ['Delay', delayMs === undefined ? undefined : writeLatency(delayMs)],
        ['Queue', queued ? 'It waited for a place (capacity).' : undefined],
      ]}
    />
    {notes && (
      <ul>
        {notes.map(note => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    )}
  </Section>
)

function Circumstances({ operation, explanation, world, time, at }: RecordedRequest) {
  const travelled = Math.abs(Date.parse(time) - Date.parse(at)) > 1000
  const draws = Object.entries(explanation?.draws ?? {})
  const link = operation !== null && [
    <a href={hrefOf('operations', { operation })}>{operation}</a>,
    explanation?.route && ` (${explanation.route})`,
  ]
  return (
    <Section title="Circumstances">
      <Pairs
        of={[
          ['Operation', link || undefined],
          ['World', world],
          ['Answered at', `${writeMoment(Date.parse(at))} UTC`],
          ['By its clock', travelled ? `${writeMoment(Date.parse(time))} UTC` : undefined],
          ...draws.map(([purpose, value]) => [`Drawn: ${purpose}`, value.toFixed(4)] as const),
        ]}
      />
    </Section>
  )
}

/** The chain of the operation: those it passed, the one that replied, and those it never reached. */
function Passed({ operation, explanation, refusal }: RecordedRequest) {
  const passed = explanation?.passed ?? []
  const chain = servedOperation(operation)?.chain ?? []
  if (explanation !== undefined && passed.length === 0) return <Note text="No behaviour of an operation ran." />
  const replied = passed.at(-1)
  const skipped = chain.slice(replied === undefined ? 0 : chain.indexOf(replied) + 1)
  return (
    <ol class="chain row">
      {[...passed, ...skipped].map((name, i) => {
        const isReached = replied === undefined || i < passed.length
        const hasReplied = name === replied
        return (
          <li key={name} class={isReached ? '' : 'skipped'}>
            <Badge tone={!hasReplied ? 'plain' : refusal === undefined ? 'good' : 'bad'}>
              {name}
              {(hasReplied || !isReached) && (
                <span class="visually-hidden"> ({hasReplied ? 'replied' : 'not reached'})</span>
              )}
            </Badge>
          </li>
        )
      })}
    </ol>
  )
}

interface RuleFormProps {
  readonly request: RecordedRequest
  readonly operation: string
  readonly onDone: () => void
}

function RuleForm({ request, operation, onDone }: RuleFormProps) {
  const { requestBody, method, path, status, world } = request
  const template = servedOperation(operation)?.path ?? path
  const [text, setText] = useState(() => ruleFromRequest(request, template))
  const when = conditionsFor(request, template).join(' && ')
  const start = { status: `${status >= 400 ? status : 500}`, when, times: 'always' }
  return (
    <>
      {requestBody === undefined && ['POST', 'PUT', 'PATCH'].includes(method) && (
        <Note text="The body of this request was not kept, so the rule cannot name its fields." />
      )}
      <Note text="It applies at once, until you switch it off or the gateway stops." />
      <AnswerForm {...{ operation, world, start, onDone }} action="Add the rule" />
      <details>
        <summary>For the configuration file</summary>
        <Note text="Its condition matches this request. Change what it does, then put it into the configuration file: the gateway reads it again by itself." />
        <TextArea aria-label="Rule as YAML" value={text} onChange={setText} />
        <CopyButton text={text}>Copy the rule</CopyButton>
      </details>
    </>
  )
}
