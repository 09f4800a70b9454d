// A rule for requests like a given one: given at once, until it is switched off, or copied as a block of the configuration.

import { useState } from 'preact/hooks'
import type { RecordedRequest } from '../../http/control/types.ts'
import { AnswerForm } from '../answers/answer-form.tsx'
import { servedPlan } from '../model/gateway.ts'
import { CopyButton } from '../parts/commands.tsx'
import { TextArea } from '../parts/controls.tsx'
import { Dialog, Tabs } from '../parts/panels.tsx'
import { conditionsFor, ruleFromRequest } from './rule-from-request.ts'

export interface RuleDialogProps {
  readonly request: RecordedRequest
  readonly operation: string
  readonly onClose: () => void
}

export function RuleDialog({ request, operation, onClose }: RuleDialogProps) {
  const { requestBody, method, path, status, world } = request
  const [tab, setTab] = useState('now')
  const template = servedPlan.value?.operations.find(one => one.operation === operation)?.path ?? path
  const [text, setText] = useState(() => ruleFromRequest(request, template))
  const when = conditionsFor(request, template).join(' && ')
  const start = { status: String(status >= 400 ? status : 500), when, times: 'always' }
  return (
    <Dialog title="A rule for requests like this one" onClose={onClose}>
      {requestBody === undefined && ['POST', 'PUT', 'PATCH'].includes(method) ? (
        <p class="muted">The body of this request was not kept, so the rule cannot name its fields.</p>
      ) : null}
      <Tabs
        label="Where the rule is kept"
        tabs={[
          ['now', 'Apply now'],
          ['file', 'For the configuration file'],
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        {tab === 'now' ? (
          <section class="section">
            <p class="muted">It applies at once, until you switch it off or the gateway stops.</p>
            <AnswerForm operation={operation} world={world} start={start} onDone={onClose} />
          </section>
        ) : (
          <section class="section">
            <p class="muted">
              Its condition matches this request. Change what it does, then put it into the configuration file: the
              gateway reads it again by itself.
            </p>
            <TextArea aria-label="Rule as YAML" value={text} onText={setText} />
            <div class="row end">
              <CopyButton text={text}>Copy the rule</CopyButton>
            </div>
          </section>
        )}
      </Tabs>
    </Dialog>
  )
}
