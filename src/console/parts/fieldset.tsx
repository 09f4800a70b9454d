// The frame of several inputs that belong together.

import type { ComponentChildren } from 'preact'

interface FieldsetProps {
  readonly label: string
  readonly required: boolean
  /** The mistake of the value as a whole. */
  readonly error: string | undefined
  readonly children: ComponentChildren
}

export function Fieldset({ label, required, error, children }: FieldsetProps) {
  return (
    <fieldset class="field-group">
      <legend>
        {label}
        {required ? '' : ' (optional)'}
      </legend>
      {error === undefined ? null : (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      {children}
    </fieldset>
  )
}
