// The form "try it": sends a real request through the gateway, which the control plane does on behalf of the page, and shows
// the reply.

import { useState } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { call } from '../model/control-plane.ts'
import { hrefOf, shownWorld } from '../model/location.ts'
import type { DocumentedOperation, NamedExample, OperationParameter, Sent } from '../model/shapes.ts'
import { Status } from '../parts/badges.tsx'
import { BodyView } from '../parts/body-view.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notices.tsx'
import { keyOf, requestOf, resolveSchema, startValues, type TryDraft } from './try-request.ts'

const inputOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

export function TryForm({ operation }: { operation: DocumentedOperation }) {
  const { parameters, body, security, sample } = operation
  const content = body?.content[0]
  const [draft, setDraft] = useState<TryDraft>(() => ({
    values: startValues(operation),
    headers: '',
    type: content?.type ?? '',
    body: sample.body === undefined ? bodyTextOf(content?.examples[0]?.value) : laidOut(sample.body),
    consumer: security.length === 0 ? '' : (plan.value?.consumers[0] ?? ''),
  }))
  const [sending, setSending] = useState(false)
  const [sent, setSent] = useState<Sent | undefined>()
  const [error, setError] = useState<Error | undefined>()
  const change = (changes: Partial<TryDraft>): void => setDraft({ ...draft, ...changes })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setSending(true)
    try {
      setSent(await call<Sent>('POST', '/requests', { body: requestOf(operation, draft, shownWorld.value) }))
      setError(undefined)
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setSending(false)
    }
  }
  const chosen = body?.content.find(({ type }) => type === draft.type)
  return (
    <>
      <form class="form section" onSubmit={submit}>
        {parameters.length === 0 ? null : (
          <div class="form-row">
            {parameters.map(parameter => (
              <ParameterField
                key={keyOf(parameter)}
                parameter={parameter}
                value={draft.values[keyOf(parameter)] ?? ''}
                onChange={value => change({ values: { ...draft.values, [keyOf(parameter)]: value } })}
              />
            ))}
          </div>
        )}
        {body === undefined ? null : (
          <>
            <div class="form-row">
              {body.content.length < 2 ? null : (
                <Field label="Media type">
                  <select
                    value={draft.type}
                    onChange={event => {
                      const type = inputOf(event)
                      const found = body.content.find(one => one.type === type)
                      change({ type, body: bodyTextOf(found?.examples[0]?.value) })
                    }}
                  >
                    {body.content.map(({ type }) => (
                      <option key={type} value={type}>
                        {type}
                      </option>
                    ))}
                  </select>
                </Field>
              )}
              <ExampleChoice
                examples={chosen?.examples ?? []}
                onChoose={value => change({ body: bodyTextOf(value) })}
              />
            </div>
            <Field label={`Body, ${draft.type}${body.required ? '' : ' (optional)'}`}>
              <textarea
                rows={Math.min(16, Math.max(4, draft.body.split('\n').length + 1))}
                spellcheck={false}
                value={draft.body}
                onInput={event => change({ body: inputOf(event) })}
              />
            </Field>
          </>
        )}
        <div class="form-row">
          <Field label="Call as" hint={security.length === 0 ? 'It asks for no credential.' : undefined}>
            <select value={draft.consumer} onChange={event => change({ consumer: inputOf(event) })}>
              <option value="">Nobody, without a key</option>
              {(plan.value?.consumers ?? []).map(name => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Further headers">
            <input
              class="mono"
              placeholder="x-request-id: 42"
              value={draft.headers}
              onInput={event => change({ headers: inputOf(event) })}
            />
          </Field>
          <button type="submit" class="button primary" disabled={sending}>
            {sending ? 'Sending…' : 'Send'}
          </button>
        </div>
      </form>
      {error === undefined ? null : <ProblemNotice error={error} />}
      {sent === undefined || error !== undefined ? null : <Reply sent={sent} />}
    </>
  )
}

interface ParameterFieldProps {
  readonly parameter: OperationParameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, in: where, required, description, deprecated } = parameter
  const schema = resolveSchema(parameter.schema)
  const choices = schema.enum?.map(String) ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined)
  const label = `${name}, ${where}${deprecated ? ', deprecated' : ''}${required ? '' : ' (optional)'}`
  const change = (event: Event): void => onChange(inputOf(event))
  // Values are not held to the schema here: a refusal by the gateway is worth seeing.
  return (
    <Field label={label} hint={description}>
      {choices === undefined ? (
        <input value={value} required={where === 'path'} placeholder={placeholderOf(parameter)} onInput={change} />
      ) : (
        <select value={value} onChange={change}>
          <option value="">–</option>
          {choices.map(choice => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function placeholderOf({ schema }: OperationParameter): string {
  const { type, format, default: usual } = resolveSchema(schema)
  if (usual !== undefined) return `default ${JSON.stringify(usual)}`
  if (type === 'array') return 'several with commas'
  return format ?? String(type ?? '')
}

function ExampleChoice(props: { examples: readonly NamedExample[]; onChoose: (value: unknown) => void }) {
  if (props.examples.length === 0) return null
  return (
    <Field label="Fill in an example">
      <select value="" onChange={event => props.onChoose(props.examples[Number(inputOf(event))]?.value)}>
        <option value="">Choose…</option>
        {props.examples.map(({ name }, i) => (
          <option key={name} value={i}>
            {name ?? 'the example'}
          </option>
        ))}
      </select>
    </Field>
  )
}

function Reply({ sent: { request, reply } }: { sent: Sent }) {
  return (
    <section class="section" aria-label="The reply">
      <div class="section-head">
        <Status status={request.status} />
        <span class="muted">{Math.round(request.durationMs * 10) / 10} ms</span>
        <a href={hrefOf('live', { request: `${request.id}` })}>Why this reply?</a>
      </div>
      {request.refusal === undefined ? null : (
        <div class="refusal">
          <p class="refusal-code">{request.refusal.code}</p>
          <p class="refusal-rule">{request.refusal.rule}</p>
        </div>
      )}
      {reply.wire === undefined ? null : <p>The client would have met this fault on the wire: {reply.wire}.</p>}
      {reply.body === null || reply.body === '' ? (
        <p class="muted">The reply has no body.</p>
      ) : (
        <BodyView
          text={reply.base64 ? `${reply.body.length} characters of Base64: the body is binary` : reply.body}
          label="Body of the reply"
        />
      )}
      <details>
        <summary>Headers</summary>
        <dl class="pairs">
          {Object.entries(reply.headers).map(([name, value]) => (
            <div key={name} class="pair">
              <dt class="mono">{name}</dt>
              <dd class="mono">{String(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

/** A JSON text, indented; another text as it is. */
function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const bodyTextOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
