// The forms of an operation. "Answer next" orders a reply instead of its usual one: how often, for whom, and in which world. "Try
// it" sends a real request through the gateway, which the control plane does on behalf of the page, and shows the reply.

import { useState } from 'preact/hooks'
import type { AnswerOrder, GivenAnswer, RecordedRequest, SendResult } from '../../http/control/types.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { keywordsAt, type SchemaPart } from '../editor/schema-path.ts'
import { call, hrefOf, knownConsumers, pathTo, shownWorld, useReply } from '../model/gateway.ts'
import type { FormParameter, OperationForm } from '../model/replies.ts'
import { indentJson, writeLatency } from '../model/wording.ts'
import {
  announce,
  Button,
  FormField,
  Icon,
  perform,
  Segments,
  SelectField,
  TaskForm,
  TextArea,
  TextField,
} from '../parts/controls.tsx'
import { BodyView, Pairs, RefusalNotice, Section, StatusMark } from '../parts/panels.tsx'
import {
  type AnswerDraft,
  describeOrder,
  GENERATED,
  orderFrom,
  parameterKey,
  presetsOf,
  START,
  sendingFrom,
  startValues,
  type TryDraft,
} from './drafts.ts'

/** Holds the values of the inputs of a form. */
function useDraft<Draft extends object>(start: () => Draft) {
  const [draft, setDraft] = useState(start)
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  const field = <Key extends keyof Draft>(key: Key) => ({
    value: draft[key],
    onChange: (value: string): void => change({ [key]: value } as Partial<Draft>),
  })
  return { draft, change, field }
}

type DraftInputs<Draft extends object> = ReturnType<typeof useDraft<Draft>>

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
  /** The title of the button that sends it. Default: `Answer like this`. */
  readonly action?: string
  readonly onDone?: () => void
}

export function AnswerForm({ operation, world, like, start, action = 'Answer like this', onDone }: AnswerFormProps) {
  const inputs = useDraft<AnswerDraft>(() => ({ ...START, world, consumer: like?.consumer ?? '', ...start }))
  const { draft, change, field } = inputs
  const [samePath, setSamePath] = useState(false)
  const { value: documented } = useReply<OperationForm>(pathTo`/operations/${operation}`, { exact: true })
  const send = async (): Promise<void> => {
    const target = like !== undefined && samePath ? { method: like.method, path: like.path } : { operation }
    const body = { ...orderFrom(draft), ...target }
    const path = draft.world === '' ? '/answers' : pathTo`/worlds/${draft.world}/answers`
    announce(`${operation} answers next: ${describeOrder(await call<AnswerOrder>('POST', path, { body }))}.`)
  }
  const isLate = draft.kind === 'delay'
  return (
    <TaskForm action={action} work={send} onDone={onDone}>
      <div class="row" role="group" aria-label="Fill in">
        <span class="muted">Fill in</span>
        {presetsOf(documented).map(({ title, changes }) => (
          <Button key={title} kind="quiet" onClick={() => change(changes)}>
            {title}
          </Button>
        ))}
      </div>
      <Segments label="What the client gets" options={KINDS} {...field('kind')} />
      {draft.kind === 'reply' && <ReplyFields {...inputs} responses={documented?.responses ?? []} />}
      {isLate && <TextField label="Delay" hint="For example 2s or 300ms" required {...field('delay')} />}
      {draft.kind === 'fault' && <SelectField label="Fault" options={FAULTS} {...field('fault')} />}
      <div class="form-row">
        <SelectField label="Beginning with" options={BEGINNINGS} {...field('skip')} />
        <SelectField label="How often" options={TIMES} {...field('times')} />
        <SelectField label="For" options={[['', 'Everybody'], ...knownConsumers.value]} {...field('consumer')} />
        <SelectField label="World" options={{ [world]: world, '': 'Every world' }} {...field('world')} />
        {!isLate && <TextField label="Delay" placeholder="none" {...field('delay')} />}
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
        <TextField label="Condition" hint={'In CEL: request.body.name == "Rex"'} class="mono" {...field('when')} />
      </details>
    </TaskForm>
  )
}

type ReplyFieldsProps = DraftInputs<AnswerDraft> & Pick<OperationForm, 'responses'>

/** The inputs for a reply: its status, an example of the contract, and its body. */
function ReplyFields({ draft, change, field, responses }: ReplyFieldsProps) {
  const documented = responses.map(({ status }) => status).filter(status => /^\d+$/.test(status))
  const isUndocumented = documented.length > 0 && !documented.includes(draft.status)
  const response = responses.find(({ status }) => status === draft.status)
  const examples = (response?.content ?? []).flatMap(content => content.examples.flatMap(({ name }) => name ?? []))
  return (
    <>
      <div class="form-row">
        <TextField
          label="Status"
          hint={isUndocumented ? 'The contract does not document it.' : undefined}
          list="answer-statuses"
          pattern="[1-5][0-9][0-9]"
          required
          value={draft.status}
          onChange={status => change({ status, example: '' })}
        />
        <datalist id="answer-statuses">
          {[...new Set([...STATUSES, ...documented])].sort().map(offered => (
            <option key={offered} value={offered}>
              {responses.find(({ status }) => status === offered)?.description}
            </option>
          ))}
        </datalist>
        {examples.length > 0 && (
          <SelectField label="Example of the contract" options={[['', 'none'], ...examples]} {...field('example')} />
        )}
      </div>
      {draft.example === '' && (
        <FormField label="Body" hint="Leave it empty for the body that this API has for the status.">
          <TextArea placeholder={'[]   or   { "message": "out of order" }'} {...field('body')} />
        </FormField>
      )}
    </>
  )
}

/** The answers that are not used up, with a button that removes each. @param operation shows only its answers; unset for all */
export function GivenAnswers({ operation }: { operation?: string }) {
  const { value, reload } = useReply<{ answers: readonly GivenAnswer[] }>('/answers', { every: 1000 })
  const shown =
    value?.answers.filter(answer => operation === undefined || (answer.operation ?? operation) === operation) ?? []
  if (shown.length === 0) return null
  const remove = async (id: string): Promise<void> => {
    await call('DELETE', pathTo`/answers/${id}`)
    await reload()
  }
  return (
    <ul class="given-answers">
      {shown.map(answer => (
        <li key={answer.id} class="row nowrap">
          <Icon name="bolt" />
          <span class="spring">
            {operation === undefined && `${answer.operation ?? 'every operation'}: `}
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
            onClick={() => perform(() => remove(answer.id), 'Switched off.')}
          >
            Switch off
          </Button>
        </li>
      ))}
    </ul>
  )
}

export function TryForm({ operation }: { operation: OperationForm }) {
  const { parameters, body, security } = operation
  const inputs = useDraft(() => startOfTry(operation))
  const { draft, change, field } = inputs
  const [sent, setSent] = useState<SendResult | undefined>()
  const send = async (): Promise<void> => {
    setSent(undefined)
    setSent(await call<SendResult>('POST', '/requests', { body: sendingFrom(operation, draft, shownWorld.value) }))
  }
  const callers = knownConsumers.value.length === 0 ? [ANYBODY] : knownConsumers.value
  return (
    <>
      <Section>
        <TaskForm action="Send" work={send}>
          <div class="form-row">
            {parameters.map(parameter => {
              const key = parameterKey(parameter)
              return (
                <ParameterField
                  key={key}
                  {...parameter}
                  value={draft.values[key] ?? ''}
                  onChange={value => change({ values: { ...draft.values, [key]: value } })}
                />
              )
            })}
          </div>
          {body && <BodyFields {...inputs} body={body} />}
          <div class="form-row">
            <SelectField
              label="Call as"
              hint={security.length === 0 ? 'It needs no credential.' : undefined}
              options={[['', 'Nobody, without a key'], ...callers]}
              {...field('consumer')}
            />
            <TextField label="Further headers" class="mono" placeholder="x-request-id: 42" {...field('headers')} />
          </div>
        </TaskForm>
      </Section>
      {sent && <TriedReply {...sent} />}
    </>
  )
}

const ANYBODY = [GENERATED, 'Anybody, with a generated key'] as const

function startOfTry(operation: OperationForm): TryDraft {
  const { body, security, sample } = operation
  const content = body?.content[0]
  return {
    values: startValues(operation),
    headers: '',
    type: content?.type ?? '',
    body: sample?.body === undefined ? bodyText(content?.examples[0]?.value) : indentJson(sample.body),
    consumer: security.length === 0 ? '' : (knownConsumers.value[0] ?? GENERATED),
  }
}

type BodyFieldsProps = DraftInputs<TryDraft> & { readonly body: NonNullable<OperationForm['body']> }

/** The inputs for the body of a request: its media type, an example that fills it in, and its text. */
function BodyFields({ draft, change, field, body: { content, required } }: BodyFieldsProps) {
  const examplesOf = (wanted: string) => content.find(({ type }) => type === wanted)?.examples ?? []
  const examples = examplesOf(draft.type)
  return (
    <>
      <div class="form-row">
        {content.length > 1 && (
          <SelectField
            label="Media type"
            value={draft.type}
            options={content.map(({ type }) => type)}
            onChange={type => change({ type, body: bodyText(examplesOf(type)[0]?.value) })}
          />
        )}
        {examples.length > 0 && (
          <SelectField
            label="Fill in an example"
            value=""
            options={[['', 'Choose…'], ...examples.map(({ name }, i) => [`${i}`, name ?? 'the example'] as const)]}
            onChange={index => change({ body: bodyText(examples[Number(index)]?.value) })}
          />
        )}
      </div>
      <FormField label={`Body, ${draft.type}${required ? '' : ' (optional)'}`}>
        <TextArea {...field('body')} />
      </FormField>
    </>
  )
}

interface ParameterFieldProps extends FormParameter {
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField(props: ParameterFieldProps) {
  const { name, in: where, required, description: hint, deprecated, schema, value, onChange } = props
  const { enum: values, type, format, default: usual } = keywordsAt((schema ?? {}) as SchemaPart)
  const choices = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const form = type === 'array' ? 'several with commas' : (format ?? type)
  const placeholder = usual === undefined ? form : `default ${stringifyJson(usual)}`
  const label = `${name}, ${where}${deprecated ? ', deprecated' : ''}${required ? '' : ' (optional)'}`
  const field = { label, hint, value, onChange }
  // Values are not validated here, so that a refusal by the gateway can be seen.
  return choices === undefined ? (
    <TextField {...field} required={where === 'path'} placeholder={`${placeholder ?? ''}`} />
  ) : (
    <SelectField {...field} options={[['', '–'], ...choices]} />
  )
}

const bodyText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : indentJson(stringifyJson(value))

/** The reply to a request that was tried, with the way to its explanation. */
const TriedReply = ({ request, reply }: SendResult) => (
  <Section label="The reply">
    <div class="row">
      <StatusMark status={reply.status} />
      {request === null ? (
        <span class="muted">The journal is switched off.</span>
      ) : (
        <>
          <span class="muted spring">{writeLatency(request.durationMs)}</span>
          <a href={hrefOf('live', { request: `${request.id}` })}>Why this reply?</a>
        </>
      )}
    </div>
    {request?.refusal && <RefusalNotice {...request.refusal} />}
    {reply.wire && <p>The client would have met this fault on the wire: {reply.wire}.</p>}
    {reply.body ? (
      <BodyView
        text={reply.base64 ? `${reply.body.length} characters of Base64: the body is binary` : reply.body}
        label="Body of the reply"
      />
    ) : (
      <p class="muted">The reply has no body.</p>
    )}
    <details>
      <summary>Headers</summary>
      <Pairs of={Object.entries(reply.headers)} mono />
    </details>
  </Section>
)
