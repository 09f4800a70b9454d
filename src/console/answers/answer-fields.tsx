// The inputs of the form "answer next": the reply, and the requests that get it.

import { plan } from '../model/about.ts'
import type { DocumentedOperation } from '../model/shapes.ts'
import { Field } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import type { AnswerDraft } from './answer-order.ts'

/** Statuses that clients should be tried with, documented or not. */
const USUAL = ['200', '201', '204', '400', '401', '403', '404', '409', '422', '429', '500', '502', '503', '504']

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

const inputOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

interface DraftProps {
  readonly draft: AnswerDraft
  readonly onChange: (changes: Partial<AnswerDraft>) => void
}

export function ReplyFields({
  draft,
  onChange,
  responses,
}: DraftProps & { readonly responses: DocumentedOperation['responses'] }) {
  const known = responses.map(({ status }) => status).filter(status => /^\d+$/.test(status))
  const statuses = [...new Set([...USUAL, ...known])].sort()
  const isUnknown = known.length > 0 && !known.includes(draft.status)
  const examples = (responses.find(({ status }) => status === draft.status)?.content ?? []).flatMap(content =>
    content.examples.flatMap(({ name }) => (name === null ? [] : [name])),
  )
  return (
    <>
      <div class="form-row">
        <Field label="Status" hint={isUnknown ? 'The contract does not document it.' : undefined}>
          <input
            list="answer-statuses"
            inputMode="numeric"
            pattern="[1-5][0-9][0-9]"
            required
            value={draft.status}
            onInput={event => onChange({ status: inputOf(event), example: '' })}
          />
        </Field>
        <datalist id="answer-statuses">
          {statuses.map(status => (
            <option key={status} value={status}>
              {responses.find(one => one.status === status)?.description ?? ''}
            </option>
          ))}
        </datalist>
        {examples.length === 0 ? null : (
          <Field label="Example of the contract">
            <Select
              value={draft.example}
              options={[['', 'none'], ...examples]}
              onChange={example => onChange({ example })}
            />
          </Field>
        )}
      </div>
      {draft.example === '' ? (
        <Field label="Body" hint="Leave it empty for the body that this API has for the status.">
          <textarea
            rows={Math.min(12, Math.max(4, draft.body.split('\n').length + 1))}
            spellcheck={false}
            placeholder={'[]   or   { "message": "out of order" }'}
            value={draft.body}
            onInput={event => onChange({ body: inputOf(event) })}
          />
        </Field>
      ) : null}
    </>
  )
}

export const FaultField = ({ draft, onChange }: DraftProps) => (
  <Field label="Fault">
    <Select value={draft.fault} options={FAULTS} onChange={fault => onChange({ fault })} />
  </Field>
)

export const DelayField = ({ draft, onChange }: DraftProps) => (
  <Field label="Delay" hint={draft.kind === 'delay' ? 'For example 2s or 300ms' : undefined}>
    <input
      placeholder="none"
      required={draft.kind === 'delay'}
      value={draft.delay}
      onInput={event => onChange({ delay: inputOf(event) })}
    />
  </Field>
)

interface ScopeProps extends DraftProps {
  readonly world: string
  readonly everywhere: boolean
  readonly onEverywhere: (everywhere: boolean) => void
}

export function ScopeFields({ draft, onChange, world, everywhere, onEverywhere }: ScopeProps) {
  const consumers = plan.value?.consumers ?? []
  return (
    <div class="form-row">
      <Field label="Beginning with">
        <Select value={draft.skip} options={BEGINNINGS} onChange={skip => onChange({ skip })} />
      </Field>
      <Field label="How often">
        <Select value={draft.times} options={TIMES} onChange={times => onChange({ times })} />
      </Field>
      <Field label="For" hint={consumers.length === 0 ? 'The configuration names no consumers.' : undefined}>
        <Select
          value={draft.consumer}
          options={[['', 'Everybody'], ...consumers]}
          onChange={consumer => onChange({ consumer })}
        />
      </Field>
      <Field label="World">
        <Select
          value={everywhere ? 'all' : 'this'}
          options={[
            ['this', world],
            ['all', 'Every world'],
          ]}
          onChange={value => onEverywhere(value === 'all')}
        />
      </Field>
      {draft.kind === 'delay' ? null : <DelayField draft={draft} onChange={onChange} />}
    </div>
  )
}
