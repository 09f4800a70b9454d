// The form "answer next": the reply of an operation instead of its usual one, how often, and in which world.

import { useState } from 'preact/hooks'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import type { DocumentedOperation, GivenAnswer, Recorded } from '../model/shapes.ts'
import { announce } from '../parts/announce.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notices.tsx'
import { DelayField, FaultField, ReplyFields, ScopeFields } from './answer-fields.tsx'
import { type AnswerDraft, describeOrder, orderOf } from './answer-order.ts'
import { presetsOf } from './answer-presets.ts'
import { refreshAnswers } from './given-answers.tsx'

export interface AnswerFormProps {
  readonly operation: string
  /** The world that "this world" means. */
  readonly world: string
  /** A request that the answer is to resemble: it begins with its consumer, and its path can be made a condition. */
  readonly like?: Recorded
  /** The values that the form begins with. */
  readonly start?: Partial<AnswerDraft>
  readonly onDone?: () => void
}

const START: AnswerDraft = {
  kind: 'reply',
  status: '500',
  example: '',
  body: '',
  delay: '',
  fault: 'reset',
  skip: '0',
  times: '1',
  consumer: '',
  when: '',
}

const KINDS = [
  ['reply', 'A status'],
  ['delay', 'The usual, late'],
  ['fault', 'A broken connection'],
] as const

export function AnswerForm({ operation, world, like, start, onDone }: AnswerFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>({ ...START, consumer: like?.consumer ?? '', ...start })
  const [everywhere, setEverywhere] = useState(false)
  const [samePath, setSamePath] = useState(false)
  const [error, setError] = useState<Error | undefined>()
  const documented = useLoaded(operation, signal =>
    call<DocumentedOperation>('GET', pathOf`/operations/${operation}`, { signal }),
  )
  const change = (changes: Partial<AnswerDraft>): void => setDraft({ ...draft, ...changes })
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
      <div class="tools" role="group" aria-label="Begin with">
        {presetsOf(documented.value).map(({ title, changes }) => (
          <button key={title} type="button" class="button" onClick={() => change(changes)}>
            {title}
          </button>
        ))}
      </div>
      <fieldset class="segments answer-kind">
        <legend class="visually-hidden">What the client gets</legend>
        {KINDS.map(([kind, title]) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => change({ kind })} />
            {title}
          </label>
        ))}
      </fieldset>
      {draft.kind === 'reply' ? (
        <ReplyFields draft={draft} onChange={change} responses={documented.value?.responses ?? []} />
      ) : null}
      {draft.kind === 'delay' ? <DelayField draft={draft} onChange={change} /> : null}
      {draft.kind === 'fault' ? <FaultField draft={draft} onChange={change} /> : null}
      <ScopeFields {...{ draft, onChange: change, world, everywhere, onEverywhere: setEverywhere }} />
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
            onInput={event => change({ when: event.currentTarget.value })}
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
