// The actions on a request: send it again, copy it as a command, answer the next one like it otherwise, make a rule.

import { useState } from 'preact/hooks'
import { AnswerForm } from '../answers/answer-form.tsx'
import { plan } from '../model/about.ts'
import { call, callForText, pathOf } from '../model/control-plane.ts'
import { setParameters } from '../model/location.ts'
import type { Recorded, Sent } from '../model/shapes.ts'
import { refreshWorlds } from '../model/worlds.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { CopyButton, copyText } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ruleFromRequest } from './rule-from-request.ts'

export function DetailActions({ request }: { request: Recorded }) {
  const [shown, setShown] = useState<'rule' | 'answer' | undefined>()
  const { operation } = request
  const close = (): void => setShown(undefined)
  const again = (body: { world?: string; fresh?: boolean }): Promise<boolean> =>
    attempt(async () => {
      const sent = await call<Sent>('POST', pathOf`/requests/${request.id}/replay`, { body })
      announce(`Sent again into the world ${sent.request.world}: ${sent.request.status}.`)
      if (body.fresh) await refreshWorlds()
      setParameters({ request: `${sent.request.id}` })
    })
  const asCurl = (): Promise<boolean> =>
    attempt(async () => {
      await copyText(await callForText('GET', pathOf`/requests/${request.id}`, { accept: 'text/plain' }))
    })
  return (
    <div class="tools">
      <button type="button" class="button" onClick={() => again({ world: request.world })}>
        <Icon name="again" /> Send again
      </button>
      <button
        type="button"
        class="button"
        title="Into a new world that begins with the seeds"
        onClick={() => again({ fresh: true })}
      >
        <Icon name="globe" /> In a fresh world
      </button>
      <button type="button" class="button" onClick={asCurl}>
        <Icon name="copy" /> curl
      </button>
      {operation === null ? null : (
        <>
          <button type="button" class="button" onClick={() => setShown('answer')}>
            <Icon name="bolt" /> Answer next
          </button>
          <button type="button" class="button" onClick={() => setShown('rule')}>
            <Icon name="rule" /> Make a rule
          </button>
        </>
      )}
      {shown === 'rule' ? <RuleDialog request={request} onClose={close} /> : null}
      {shown === 'answer' && operation !== null ? (
        <Dialog title={`Answer next: ${operation}`} onClose={close}>
          <AnswerForm operation={operation} world={request.world} like={request} onDone={close} />
        </Dialog>
      ) : null}
    </div>
  )
}

function RuleDialog({ request, onClose }: { request: Recorded; onClose: () => void }) {
  const path = plan.value?.operations.find(({ operation }) => operation === request.operation)?.path ?? request.path
  const [text, setText] = useState(() => ruleFromRequest(request, path))
  return (
    <Dialog title="A rule for requests like this one" onClose={onClose}>
      <div class="form">
        <p class="muted">
          Its condition holds for this request. Change what it does, then put it into the configuration file: the
          gateway reads it again by itself.
        </p>
        {request.requestBody === undefined && ['POST', 'PUT', 'PATCH'].includes(request.method) ? (
          <p class="muted">The body of this request was not kept, so the rule cannot name its fields.</p>
        ) : null}
        <textarea
          aria-label="Rule as YAML"
          rows={text.split('\n').length + 1}
          spellcheck={false}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <div class="form-end">
          <CopyButton text={text} label="Copy the rule" />
        </div>
      </div>
    </Dialog>
  )
}
