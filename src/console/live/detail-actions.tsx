// The actions on a request: send it again, copy it as a command, answer the next one like it otherwise, make a rule.

import { useState } from 'preact/hooks'
import type { SendResult } from '../../http/control/types.ts'
import { AnswerForm } from '../answers/answer-form.tsx'
import { call, callForText, pathOf } from '../model/control-plane.ts'
import { setParameters } from '../model/location.ts'
import type { Recorded } from '../model/shapes.ts'
import { refreshWorlds } from '../model/worlds.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { RuleDialog } from './rule-dialog.tsx'

export function DetailActions({ request }: { request: Recorded }) {
  const [shown, setShown] = useState<'rule' | 'answer' | undefined>()
  const { operation } = request
  const close = (): void => setShown(undefined)
  const again = (body: { world?: string; fresh?: boolean }): Promise<boolean> =>
    attempt(async () => {
      const sent = await call<SendResult>('POST', pathOf`/requests/${request.id}/replay`, { body })
      const into = sent.request === null ? '' : ` into the world ${sent.request.world}`
      announce(`Sent again${into}: ${sent.reply.status}.`)
      if (body.fresh) await refreshWorlds()
      if (sent.request !== null) setParameters({ request: `${sent.request.id}` })
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
      {shown === 'rule' && operation !== null ? <RuleDialog {...{ request, operation }} onClose={close} /> : null}
      {shown === 'answer' && operation !== null ? (
        <Dialog title={`Answer next: ${operation}`} onClose={close}>
          <AnswerForm operation={operation} world={request.world} like={request} onDone={close} />
        </Dialog>
      ) : null}
    </div>
  )
}
