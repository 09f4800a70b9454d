// Asks for the control token, once for the tab.

import { useState } from 'preact/hooks'
import { giveToken } from '../model/token.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'

/** @param refused the refusal of the previous token; empty if none was entered */
export function TokenPrompt({ refused }: { refused: string }) {
  const [token, setToken] = useState('')
  const submit = (event: Event): void => {
    event.preventDefault()
    if (token.trim() !== '') giveToken(token.trim())
  }
  return (
    <Dialog title="This control plane asks for a token">
      <form class="form" onSubmit={submit}>
        <p>
          The gateway was started with <code>UNDERSTUDY_CONTROL_TOKEN</code>. The token stays in this tab and is
          forgotten when you close it.
        </p>
        <Field label="Control token" error={refused === '' ? undefined : refused}>
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={event => setToken((event.currentTarget as HTMLInputElement).value)}
          />
        </Field>
        <div class="form-end">
          <button type="submit" class="button primary">
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  )
}
