// The form "answer next": the reply of an operation instead of its usual one, how often, for whom, and in which world.

import { useState } from 'preact/hooks'
import type { AnswerOrder, OperationForm, RecordedRequest } from '../../http/control/types.ts'
import { call, callExactly, pathTo } from '../model/control-plane.ts'
import { servedPlan } from '../model/gateway.ts'
import { useLoaded, useTask } from '../model/loaded.ts'
import { Button, FormField, Segments, SelectField, TextArea, TextField } from '../parts/controls.tsx'
import { announce, ProblemNotice } from '../parts/notices.tsx'
import { type AnswerDraft, describeOrder, orderFrom, presetsOf, START } from './answer-order.ts'
import { refreshAnswers } from './given-answers.tsx'

const KINDS = [
  ['reply', 'A status'],
  ['delay', 'The usual, late'],
  ['fault', 'A broken connection'],
] as const

/** Statuses that clients should be tried with, documented or not. */
const STATUSES = ['200', '201', '204', '400', '401', '403', '404', '409', '422', '429', '500', '502', '503', '504']

const FAULTS = [
  ['reset', 'The connection is reset'],
  ['close', 'The connection is closed without a reply'],
  ['truncate', 'The body breaks off'],
  ['garbage', 'The bytes are not HTTP'],
  ['drip', 'The body drips in slowly'],
  ['hang', 'There is no reply at all'],
] as const

const BEGINNINGS = [
  ['0', 'The next request'],
  ['1', 'The second from now'],
  ['2', 'The third from now'],
  ['4', 'The fifth from now'],
  ['9', 'The tenth from now'],
] as const

const TIMES = [
  ['1', 'Once'],
  ['2', '2 times'],
  ['3', '3 times'],
  ['5', '5 times'],
  ['10', '10 times'],
  ['always', 'Until switched off'],
] as const

interface AnswerFormProps {
  readonly operation: string
  /** The world that "this world" means. */
  readonly world: string
  /** A request that the answer is to resemble: it begins with its consumer, and its path can be made a condition. */
  readonly like?: RecordedRequest
  /** The values that the form begins with. */
  readonly start?: Partial<AnswerDraft>
  readonly onDone?: () => void
}

export function AnswerForm({ operation, world, like, start, onDone }: AnswerFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>({ ...START, consumer: like?.consumer ?? '', ...start })
  const [everywhere, setEverywhere] = useState(false)
  const [samePath, setSamePath] = useState(false)
  const task = useTask()
  const { value: documented } = useLoaded(operation, signal =>
    callExactly<OperationForm>('GET', pathTo`/operations/${operation}`, { signal }),
  )
  const change = (changes: Partial<AnswerDraft>): void => setDraft({ ...draft, ...changes })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const target = like !== undefined && samePath ? { method: like.method, path: like.path } : { operation }
    const body = { ...orderFrom(operation, draft), operation: undefined, ...target }
    const sent = await task.run(async () => {
      const path = everywhere ? '/answers' : pathTo`/worlds/${world}/answers`
      announce(`${operation} answers next: ${describeOrder(await call<AnswerOrder>('POST', path, { body }))}.`)
      await refreshAnswers()
    })
    if (sent) onDone?.()
  }
  const consumers = servedPlan.value?.consumers ?? []
  const delay = (
    <TextField
      label="Delay"
      hint={draft.kind === 'delay' ? 'For example 2s or 300ms' : undefined}
      placeholder="none"
      required={draft.kind === 'delay'}
      value={draft.delay}
      onText={text => change({ delay: text })}
    />
  )
  return (
    <form class="form" onSubmit={submit}>
      <div class="row" role="group" aria-label="Begin with">
        {presetsOf(documented).map(({ title, changes }) => (
          <Button key={title} onClick={() => change(changes)}>
            {title}
          </Button>
        ))}
      </div>
      <Segments label="What the client gets" value={draft.kind} options={KINDS} onChange={kind => change({ kind })} />
      {draft.kind === 'reply' ? (
        <ReplyFields draft={draft} onChange={change} responses={documented?.responses ?? []} />
      ) : null}
      {draft.kind === 'delay' ? delay : null}
      {draft.kind === 'fault' ? (
        <SelectField label="Fault" value={draft.fault} options={FAULTS} onChange={fault => change({ fault })} />
      ) : null}
      <div class="form-row">
        <SelectField
          label="Beginning with"
          value={draft.skip}
          options={BEGINNINGS}
          onChange={skip => change({ skip })}
        />
        <SelectField label="How often" value={draft.times} options={TIMES} onChange={times => change({ times })} />
        <SelectField
          label="For"
          hint={consumers.length === 0 ? 'The configuration names no consumers.' : undefined}
          value={draft.consumer}
          options={[['', 'Everybody'], ...consumers]}
          onChange={consumer => change({ consumer })}
        />
        <SelectField
          label="World"
          value={everywhere ? 'all' : 'this'}
          options={[
            ['this', world],
            ['all', 'Every world'],
          ]}
          onChange={value => setEverywhere(value === 'all')}
        />
        {draft.kind === 'delay' ? null : delay}
      </div>
      {like === undefined ? null : (
        <label class="row">
          <input type="checkbox" checked={samePath} onChange={() => setSamePath(!samePath)} />
          <span>
            Only for <code>{like.path}</code>
          </span>
        </label>
      )}
      <details open={draft.when !== ''}>
        <summary>Only when a condition holds</summary>
        <TextField
          label="Condition"
          hint={'In CEL: request.body.name == "Rex"'}
          class="mono"
          value={draft.when}
          onText={when => change({ when })}
        />
      </details>
      <ProblemNotice error={task.error} />
      <div class="row end">
        <Button submits kind="primary">
          Answer like this
        </Button>
      </div>
    </form>
  )
}

interface ReplyFieldsProps {
  readonly draft: AnswerDraft
  readonly onChange: (changes: Partial<AnswerDraft>) => void
  readonly responses: OperationForm['responses']
}

function ReplyFields({ draft, onChange, responses }: ReplyFieldsProps) {
  const known = responses.map(({ status }) => status).filter(status => /^\d+$/.test(status))
  const isUnknown = known.length > 0 && !known.includes(draft.status)
  const chosen = responses.find(({ status }) => status === draft.status)
  const examples = (chosen?.content ?? []).flatMap(content => content.examples.flatMap(({ name }) => name ?? []))
  return (
    <>
      <div class="form-row">
        <TextField
          label="Status"
          hint={isUnknown ? 'The contract does not document it.' : undefined}
          list="answer-statuses"
          pattern="[1-5][0-9][0-9]"
          required
          value={draft.status}
          onText={status => onChange({ status, example: '' })}
        />
        <datalist id="answer-statuses">
          {[...new Set([...STATUSES, ...known])].sort().map(status => (
            <option key={status} value={status}>
              {responses.find(one => one.status === status)?.description ?? ''}
            </option>
          ))}
        </datalist>
        {examples.length === 0 ? null : (
          <SelectField
            label="Example of the contract"
            value={draft.example}
            options={[['', 'none'], ...examples]}
            onChange={example => onChange({ example })}
          />
        )}
      </div>
      {draft.example === '' ? (
        <FormField label="Body" hint="Leave it empty for the body that this API has for the status.">
          <TextArea
            placeholder={'[]   or   { "message": "out of order" }'}
            value={draft.body}
            onText={body => onChange({ body })}
          />
        </FormField>
      ) : null}
    </>
  )
}
