// The form "answer next": the reply of an operation instead of its usual one, how often, for whom, and in which world.

import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { AnswerOrder, OperationForm, RecordedRequest } from '../../http/control/types.ts'
import { call, pathTo, usePolling, useReply } from '../model/control-plane.ts'
import { knownConsumers } from '../model/gateway.ts'
import { Button, FormField, Icon, Segments, SelectField, TextArea, TextField } from '../parts/controls.tsx'
import { announce, perform, TaskForm } from '../parts/notices.tsx'
import { type AnswerDraft, describeOrder, orderFrom, presetsOf, START } from './answer-order.ts'

const KINDS = { reply: 'A status', delay: 'The usual, late', fault: 'A broken connection' } as const

/** Statuses that clients should be tried with, documented or not. */
const STATUSES = ['200', '201', '204', '400', '401', '403', '404', '409', '422', '429', '500', '502', '503', '504']

const FAULTS = {
  reset: 'The connection is reset',
  close: 'The connection is closed without a reply',
  truncate: 'The body breaks off',
  garbage: 'The bytes are not HTTP',
  drip: 'The body drips in slowly',
  hang: 'There is no reply at all',
} as const

const BEGINNINGS = {
  0: 'The next request',
  1: 'The second from now',
  2: 'The third from now',
  4: 'The fifth from now',
  9: 'The tenth from now',
} as const

const TIMES = { 1: 'Once', 2: '2 times', 3: '3 times', 5: '5 times', 10: '10 times', always: 'Until switched off' }

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
  const [draft, setDraft] = useState<AnswerDraft>({ ...START, world, consumer: like?.consumer ?? '', ...start })
  const [samePath, setSamePath] = useState(false)
  const { value: documented } = useReply<OperationForm>(pathTo`/operations/${operation}`, { exact: true })
  const change = (changes: Partial<AnswerDraft>): void => setDraft({ ...draft, ...changes })
  const send = async (): Promise<void> => {
    const target = like !== undefined && samePath ? { method: like.method, path: like.path } : { operation }
    const body = { ...orderFrom(operation, draft), operation: undefined, ...target }
    const path = draft.world === '' ? '/answers' : pathTo`/worlds/${draft.world}/answers`
    announce(`${operation} answers next: ${describeOrder(await call<AnswerOrder>('POST', path, { body }))}.`)
    await refreshAnswers()
  }
  const selects = [
    ['Beginning with', 'skip', BEGINNINGS],
    ['How often', 'times', TIMES],
    ['For', 'consumer', [['', 'Everybody'], ...knownConsumers.value]],
    ['World', 'world', { [world]: world, '': 'Every world' }],
  ] as const
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
    <TaskForm action="Answer like this" work={send} onDone={onDone}>
      <div class="row" role="group" aria-label="Begin with">
        {presetsOf(documented).map(({ title, changes }) => (
          <Button key={title} onClick={() => change(changes)}>
            {title}
          </Button>
        ))}
      </div>
      <Segments label="What the client gets" value={draft.kind} options={KINDS} onChange={kind => change({ kind })} />
      {draft.kind === 'reply' && (
        <ReplyFields draft={draft} onChange={change} responses={documented?.responses ?? []} />
      )}
      {draft.kind === 'delay' ? delay : null}
      {draft.kind === 'fault' && (
        <SelectField label="Fault" value={draft.fault} options={FAULTS} onChange={fault => change({ fault })} />
      )}
      <div class="form-row">
        {selects.map(([label, key, options]) => (
          <SelectField
            key={key}
            label={label}
            value={draft[key]}
            options={options}
            onChange={value => change({ [key]: value })}
          />
        ))}
        {draft.kind === 'delay' ? null : delay}
      </div>
      {like && (
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
    </TaskForm>
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
      {draft.example === '' && (
        <FormField label="Body" hint="Leave it empty for the body that this API has for the status.">
          <TextArea
            placeholder={'[]   or   { "message": "out of order" }'}
            value={draft.body}
            onText={body => onChange({ body })}
          />
        </FormField>
      )}
    </>
  )
}

interface GivenAnswer extends AnswerOrder {
  readonly id: string
  /** null for every world. */
  readonly world: string | null
  readonly left: number | null
  /** How often it was given. */
  readonly given: number
}

const answers = signal<readonly GivenAnswer[]>([])

async function refreshAnswers(): Promise<void> {
  answers.value = (await call<{ answers: GivenAnswer[] }>('GET', '/answers', { quiet: true })).answers
}

/** The answers that are not used up, with a button that removes each. @param operation shows only its answers; unset for all */
export function GivenAnswers({ operation }: { operation?: string }) {
  usePolling(refreshAnswers, 2000)
  const shown = answers.value.filter(one => operation === undefined || (one.operation ?? operation) === operation)
  return shown.length === 0 ? null : (
    <ul class="given-answers">
      {shown.map(answer => (
        <li key={answer.id} class="row nowrap">
          <Icon name="bolt" />
          <span class="spring">
            {operation === undefined ? `${answer.operation ?? 'every operation'}: ` : ''}
            {describeOrder(answer)}
            <span class="muted">
              {' '}
              · {answer.world ?? 'every world'} ·{' '}
              {answer.left === null ? `given ${answer.given} times` : `${answer.left} left`}
            </span>
          </span>
          <Button
            kind="quiet"
            aria-label={`Switch off the answer ${answer.id}`}
            onClick={() => perform(() => removeAnswer(answer.id), 'Switched off.')}
          >
            Switch off
          </Button>
        </li>
      ))}
    </ul>
  )
}

async function removeAnswer(id: string): Promise<void> {
  await call('DELETE', pathTo`/answers/${id}`)
  await refreshAnswers()
}
