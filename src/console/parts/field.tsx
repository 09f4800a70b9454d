// A labelled input of a form: the label, the input, and a hint or a refusal below it.

import { cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'

export interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  /** Why the value is refused. */
  readonly error?: string | undefined
  /** One input, select or textarea; it gets its id and descriptions from here. */
  readonly children: VNode<Record<string, unknown>>
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const described = error ?? hint
  return (
    <div class={`field${error === undefined ? '' : ' refused'}`}>
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-describedby': described === undefined ? undefined : `${id}-note`,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
      {described === undefined ? null : (
        <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
          {described}
        </p>
      )}
    </div>
  )
}
