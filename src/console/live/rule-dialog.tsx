// A rule for requests like a given one: given at once, until it is switched off, or copied as a block of the configuration.

import { useState } from 'preact/hooks'
import { AnswerForm } from '../answers/answer-form.tsx'
import { plan } from '../model/about.ts'
import type { Recorded } from '../model/shapes.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { conditionsOf, ruleFromRequest } from './rule-from-request.ts'

export interface RuleDialogProps {
  readonly request: Recorded
  readonly operation: string
  readonly onClose: () => void
}

export function RuleDialog({ request, operation, onClose }: RuleDialogProps) {
  const [tab, setTab] = useState('now')
  const path = plan.value?.operations.find(one => one.operation === operation)?.path ?? request.path
  return (
    <Dialog title="A rule for requests like this one" onClose={onClose}>
      {request.requestBody === undefined && ['POST', 'PUT', 'PATCH'].includes(request.method) ? (
        <p class="muted">The body of this request was not kept, so the rule cannot name its fields.</p>
      ) : null}
      <Tabs
        label="Where the rule is kept"
        tabs={[
          { id: 'now', title: 'Apply now' },
          { id: 'file', title: 'For the configuration file' },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        <section class="section">
          {tab === 'now' ? (
            <>
              <p class="muted">It applies at once, until you switch it off or the gateway stops.</p>
              <AnswerForm operation={operation} world={request.world} start={startOf(request, path)} onDone={onClose} />
            </>
          ) : (
            <RuleText request={request} path={path} />
          )}
        </section>
      </Tabs>
    </Dialog>
  )
}

const startOf = (request: Recorded, path: string) => ({
  status: String(request.status >= 400 ? request.status : 500),
  when: conditionsOf(request, path).join(' && '),
  times: 'always',
})

function RuleText({ request, path }: { request: Recorded; path: string }) {
  const [text, setText] = useState(() => ruleFromRequest(request, path))
  return (
    <div class="form">
      <p class="muted">
        Its condition matches this request. Change what it does, then put it into the configuration file: the gateway
        reads it again by itself.
      </p>
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
  )
}
