// The form "answer next": what an operation answers in place of its usual reply, how often, and in which world.

import { useState } from 'preact/hooks'
import { plan } from '../model/about.ts'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import type { DocumentedOperation, GivenAnswer, Recorded } from '../model/shapes.ts'
import { announce } from '../parts/announce.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notices.tsx'
import { type AnswerDraft, describeOrder, orderOf } from './answer-order.ts'
import { refreshAnswers } from './given-answers.tsx'

export interface AnswerFormProps {
  readonly operation: string
  /** The world that "this world" means. */
  readonly world: string
  /** A request that the answer is to resemble: its path can be made a condition. */
  readonly like?: Recorded
  readonly onDone?: () => void
}

const FAULTS: readonly (readonly [kind: string, title: string])[] = [
  ['reset', 'The connection is reset'],
  ['close', 'The connection is closed without a reply'],
  ['truncate', 'The body breaks off'],
  ['garbage', 'The bytes are no HTTP'],
  ['drip', 'The body drips in slowly'],
  ['hang', 'There is no reply at all'],
]

/** Statuses that clients should be tried with, documented or not. */
const USUAL = ['200', '201', '204', '400', '401', '403', '404', '409', '422', '429', '500', '502', '503', '504']

const START: AnswerDraft = {
  kind: 'reply',
  status: '500',
  example: '',
  body: '',
  delay: '',
  fault: 'reset',
  times: '1',
  consumer: '',
  when: '',
}

const inputOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

export function AnswerForm({ operation, world, like, onDone }: AnswerFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>(START)
  const [everywhere, setEverywhere] = useState(false)
  const [samePath, setSamePath] = useState(false)
  const [error, setError] = useState<Error | undefined>()
  const documented = useLoaded(operation, signal =>
    call<DocumentedOperation>('GET', pathOf`/operations/${operation}`, { signal }),
  )
  const change = (changes: Partial<AnswerDraft>): void => setDraft({ ...draft, ...changes })
  const responses = documented.value?.responses ?? []
  const known = responses.map(({ status }) => status).filter(status => /^\d+$/.test(status))
  const statuses = [...new Set([...USUAL, ...known])].sort()
  const examples = (responses.find(({ status }) => status === draft.status)?.content ?? []).flatMap(content =>
    content.examples.flatMap(({ name }) => (name === null ? [] : [name])),
  )
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const order = orderOf(operation, draft)
    const target = like !== undefined && samePath ? { method: like.method, path: like.path } : { operation }
    try {
      const body = { ...order, operation: undefined, ...target }
      const given = await call<GivenAnswer>('POST', everywhere ? '/answers' : pathOf`/worlds/${world}/answers`, {
        body,
      })
      announce(`${operation} answers next: ${describeOrder(given)}.`)
      setError(undefined)
      await refreshAnswers()
      onDone?.()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <form class="form" onSubmit={submit}>
      <fieldset class="segments answer-kind">
        <legend class="visually-hidden">What the client gets</legend>
        {(
          [
            ['reply', 'A status'],
            ['delay', 'The usual, late'],
            ['fault', 'A broken connection'],
          ] as const
        ).map(([kind, title]) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} />
            {title}
          </label>
        ))}
      </fieldset>
      {draft.kind === 'reply' ? (
        <>
          <div class="form-row">
            <Field
              label="Status"
              hint={
                known.includes(draft.status) || known.length === 0 ? undefined : 'The contract does not document it.'
              }
            >
              <input
                list="answer-statuses"
                inputMode="numeric"
                pattern="[1-5][0-9][0-9]"
                required
                value={draft.status}
                onInput={event => change({ status: inputOf(event), example: '' })}
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
                <select value={draft.example} onChange={event => change({ example: inputOf(event) })}>
                  <option value="">none</option>
                  {examples.map(name => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </Field>
            )}
          </div>
          {draft.example === '' ? (
            <Field label="Body" hint="Empty: the body that this API has for the status.">
              <textarea
                rows={4}
                spellcheck={false}
                placeholder={'[]   or   { "message": "out of order" }'}
                value={draft.body}
                onInput={event => change({ body: inputOf(event) })}
              />
            </Field>
          ) : null}
        </>
      ) : null}
      {draft.kind === 'fault' ? (
        <Field label="Fault">
          <select value={draft.fault} onChange={event => change({ fault: inputOf(event) })}>
            {FAULTS.map(([kind, title]) => (
              <option key={kind} value={kind}>
                {title}
              </option>
            ))}
          </select>
        </Field>
      ) : null}
      <div class="form-row">
        <Field label="Delay" hint={draft.kind === 'delay' ? 'For example 2s or 300ms' : undefined}>
          <input
            placeholder="none"
            required={draft.kind === 'delay'}
            value={draft.delay}
            onInput={event => change({ delay: inputOf(event) })}
          />
        </Field>
        <Field label="How often">
          <select value={draft.times} onChange={event => change({ times: inputOf(event) })}>
            <option value="1">Once</option>
            <option value="2">2 times</option>
            <option value="3">3 times</option>
            <option value="5">5 times</option>
            <option value="10">10 times</option>
            <option value="always">Until switched off</option>
          </select>
        </Field>
        <Field label="World">
          <select value={everywhere ? 'all' : 'this'} onChange={event => setEverywhere(inputOf(event) === 'all')}>
            <option value="this">{world}</option>
            <option value="all">Every world</option>
          </select>
        </Field>
        <Field label="For">
          <select value={draft.consumer} onChange={event => change({ consumer: inputOf(event) })}>
            <option value="">Everybody</option>
            {(plan.value?.consumers ?? []).map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {like === undefined ? null : (
        <label class="check">
          <input type="checkbox" checked={samePath} onChange={() => setSamePath(!samePath)} />
          <span>
            Only for <code>{like.path}</code>
          </span>
        </label>
      )}
      <details open={draft.when !== ''}>
        <summary>Only when a condition holds</summary>
        <Field label="Condition" hint={'In CEL: request.body.name == "Rex"'}>
          <input
            class="mono"
            spellcheck={false}
            value={draft.when}
            onInput={event => change({ when: inputOf(event) })}
          />
        </Field>
      </details>
      {error === undefined ? null : <ProblemNotice error={error} />}
      <div class="form-end">
        <button type="submit" class="button primary">
          Answer like this
        </button>
      </div>
    </form>
  )
}
