// The form "try it": sends a real request through the gateway, which the control plane does on behalf of the page, and shows
// the reply.

import { useState } from 'preact/hooks'
import type { SendResult } from '../../http/control/types.ts'
import { plan } from '../model/about.ts'
import { call } from '../model/control-plane.ts'
import { shownWorld } from '../model/location.ts'
import type { DocumentedOperation, OperationParameter } from '../model/shapes.ts'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notices.tsx'
import { Select } from '../parts/select.tsx'
import { TryReply } from './try-reply.tsx'
import { ANYBODY, keyOf, requestOf, resolveSchema, startValues, type TryDraft } from './try-request.ts'

const inputOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

export function TryForm({ operation }: { operation: DocumentedOperation }) {
  const { parameters, body, security, sample } = operation
  const content = body?.content[0]
  const consumers = plan.value?.consumers ?? []
  const [draft, setDraft] = useState<TryDraft>(() => ({
    values: startValues(operation),
    headers: '',
    type: content?.type ?? '',
    body: sample?.body === undefined ? bodyTextOf(content?.examples[0]?.value) : laidOut(sample.body),
    consumer: security.length === 0 ? '' : (consumers[0] ?? ANYBODY),
  }))
  const [sending, setSending] = useState(false)
  const [sent, setSent] = useState<SendResult | undefined>()
  const [error, setError] = useState<Error | undefined>()
  const change = (changes: Partial<TryDraft>): void => setDraft({ ...draft, ...changes })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    setSending(true)
    try {
      setSent(await call<SendResult>('POST', '/requests', { body: requestOf(operation, draft, shownWorld.value) }))
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
                  <Select
                    value={draft.type}
                    options={body.content.map(({ type }) => type)}
                    onChange={type => {
                      const found = body.content.find(one => one.type === type)
                      change({ type, body: bodyTextOf(found?.examples[0]?.value) })
                    }}
                  />
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
          <Field label="Call as" hint={security.length === 0 ? 'It needs no credential.' : undefined}>
            <Select
              value={draft.consumer}
              options={[
                ['', 'Nobody, without a key'],
                ...(consumers.length === 0 ? [[ANYBODY, 'Anybody, with a generated key'] as const] : consumers),
              ]}
              onChange={consumer => change({ consumer })}
            />
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
      {sent === undefined || error !== undefined ? null : <TryReply sent={sent} />}
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
  // Values are not validated here, so that a refusal by the gateway can be seen.
  return (
    <Field label={label} hint={description}>
      {choices === undefined ? (
        <input value={value} required={where === 'path'} placeholder={placeholderOf(parameter)} onInput={change} />
      ) : (
        <Select value={value} options={[['', '–'], ...choices]} onChange={onChange} />
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

interface ExampleChoiceProps {
  readonly examples: readonly { readonly name: string | null; readonly value: unknown }[]
  readonly onChoose: (value: unknown) => void
}

function ExampleChoice({ examples, onChoose }: ExampleChoiceProps) {
  if (examples.length === 0) return null
  const named = examples.map(({ name }, i) => [String(i), name ?? 'the example'] as const)
  return (
    <Field label="Fill in an example">
      <Select
        value=""
        options={[['', 'Choose…'], ...named]}
        onChange={index => onChoose(examples[Number(index)]?.value)}
      />
    </Field>
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
