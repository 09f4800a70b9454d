// The form "try it": sends a real request through the gateway, which the control plane does on behalf of the page, and shows
// the reply.

import { useState } from 'preact/hooks'
import type { FormParameter, OperationForm, SendResult } from '../../http/control/types.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { keywordsAt, type SchemaPart } from '../editor/schema-path.ts'
import { call } from '../model/control-plane.ts'
import { knownConsumers } from '../model/gateway.ts'
import { indentJson } from '../model/json-text.ts'
import { hrefOf, shownWorld } from '../model/location.ts'
import { writeLatency } from '../model/wording.ts'
import { FormField, SelectField, TextArea, TextField } from '../parts/controls.tsx'
import { TaskForm } from '../parts/notices.tsx'
import { BodyView, Pairs, RefusalNotice, StatusMark } from '../parts/panels.tsx'
import { GENERATED, parameterKey, sendingFrom, startValues, type TryDraft } from './try-request.ts'

export function TryForm({ operation }: { operation: OperationForm }) {
  const { parameters, body, security, sample } = operation
  const content = body?.content[0]
  const [draft, setDraft] = useState<TryDraft>(() => ({
    values: startValues(operation),
    headers: '',
    type: content?.type ?? '',
    body: sample?.body === undefined ? bodyText(content?.examples[0]?.value) : indentJson(sample.body),
    consumer: security.length === 0 ? '' : (knownConsumers.value[0] ?? GENERATED),
  }))
  const [sent, setSent] = useState<SendResult | undefined>()
  const change = (changes: Partial<TryDraft>): void => setDraft({ ...draft, ...changes })
  const send = async (): Promise<void> => {
    setSent(undefined)
    setSent(await call<SendResult>('POST', '/requests', { body: sendingFrom(operation, draft, shownWorld.value) }))
  }
  const examples = body?.content.find(({ type }) => type === draft.type)?.examples ?? []
  return (
    <>
      <div class="section">
        <TaskForm action="Send" doing="Sending…" work={send}>
          <div class="form-row">
            {parameters.map(parameter => (
              <ParameterField
                key={parameterKey(parameter)}
                parameter={parameter}
                value={draft.values[parameterKey(parameter)] ?? ''}
                onChange={value => change({ values: { ...draft.values, [parameterKey(parameter)]: value } })}
              />
            ))}
          </div>
          {body && (
            <>
              <div class="form-row">
                {body.content.length < 2 ? null : (
                  <SelectField
                    label="Media type"
                    value={draft.type}
                    options={body.content.map(({ type }) => type)}
                    onChange={type => {
                      const found = body.content.find(one => one.type === type)
                      change({ type, body: bodyText(found?.examples[0]?.value) })
                    }}
                  />
                )}
                {examples.length === 0 ? null : (
                  <SelectField
                    label="Fill in an example"
                    value=""
                    options={[
                      ['', 'Choose…'],
                      ...examples.map(({ name }, i) => [`${i}`, name ?? 'the example'] as const),
                    ]}
                    onChange={index => change({ body: bodyText(examples[Number(index)]?.value) })}
                  />
                )}
              </div>
              <FormField label={`Body, ${draft.type}${body.required ? '' : ' (optional)'}`}>
                <TextArea value={draft.body} onText={text => change({ body: text })} />
              </FormField>
            </>
          )}
          <div class="form-row">
            <SelectField
              label="Call as"
              hint={security.length === 0 ? 'It needs no credential.' : undefined}
              value={draft.consumer}
              options={[
                ['', 'Nobody, without a key'],
                ...(knownConsumers.value.length === 0
                  ? [[GENERATED, 'Anybody, with a generated key'] as const]
                  : knownConsumers.value),
              ]}
              onChange={consumer => change({ consumer })}
            />
            <TextField
              label="Further headers"
              class="mono"
              placeholder="x-request-id: 42"
              value={draft.headers}
              onText={headers => change({ headers })}
            />
          </div>
        </TaskForm>
      </div>
      {sent && <TriedReply sent={sent} />}
    </>
  )
}

interface ParameterFieldProps {
  readonly parameter: FormParameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, in: where, required, description, deprecated } = parameter
  const { enum: values, type, format, default: usual } = keywordsAt((parameter.schema ?? {}) as SchemaPart)
  const choices = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const placeholder =
    usual === undefined
      ? type === 'array'
        ? 'several with commas'
        : (format ?? type)
      : `default ${stringifyJson(usual)}`
  const label = `${name}, ${where}${deprecated ? ', deprecated' : ''}${required ? '' : ' (optional)'}`
  const field = { label, hint: description, value }
  // Values are not validated here, so that a refusal by the gateway can be seen.
  return choices === undefined ? (
    <TextField {...field} required={where === 'path'} placeholder={String(placeholder ?? '')} onText={onChange} />
  ) : (
    <SelectField {...field} options={[['', '–'], ...choices]} onChange={onChange} />
  )
}

const bodyText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : indentJson(stringifyJson(value))

/** The reply to a request that was tried, with the way to its explanation. */
const TriedReply = ({ sent: { request, reply } }: { sent: SendResult }) => (
  <section class="section" aria-label="The reply">
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
      <Pairs of={Object.entries(reply.headers).map(([name, value]) => [name, String(value)] as const)} mono />
    </details>
  </section>
)
