// Texts that are copied: commands for a terminal, such as one that sends a request which is answered, for empty states.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OperationForm } from '../../http/control/types.ts'
import { call, hasToken, pathTo } from '../model/control-plane.ts'
import { servedPlan, version } from '../model/gateway.ts'
import { useLoaded } from '../model/loaded.ts'
import { hrefOf } from '../model/location.ts'
import { Button } from './controls.tsx'
import { announce } from './notices.tsx'

/** Copies a text to the clipboard and announces it. Returns whether it is there; a browser may forbid it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce('Copied to the clipboard.')
    return true
  } catch {
    announce('The browser does not let this page use the clipboard. Select the text and copy it.', 'failed')
    return false
  }
}

export function CopyButton({ text, children = 'Copy' }: { text: string; children?: ComponentChildren }) {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button kind="quiet" icon={copied ? 'check' : 'copy'} onClick={copy}>
      {copied ? 'Copied' : children}
    </Button>
  )
}

/** A command for a terminal. */
export const CommandBox = ({ text }: { text: string }) => (
  <div class="command-line">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a line that scrolls must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)

/** A command that is answered, and the way to send it without a terminal. @param operation the operation to call; unset for the simplest one */
export function FirstCommand({ operation }: { operation?: string | undefined }) {
  const operations = servedPlan.value?.operations ?? []
  const simple = operations.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? operations[0]
  const tried = operation ?? simple?.operation
  const general = operation === undefined ? version.value?.firstCall : undefined
  const wanted = general === undefined && version.value !== undefined ? tried : undefined
  const { value: documented } = useLoaded(wanted ?? '', async signal =>
    wanted === undefined ? undefined : call<OperationForm>('GET', pathTo`/operations/${wanted}`, { signal }),
  )
  const command = general ?? documented?.curl ?? (documented === undefined ? undefined : viaControlPlane(documented))
  return (
    <>
      {command === undefined ? null : <CommandBox text={command} />}
      {tried === undefined ? null : (
        <p class="muted">
          Or, without a terminal, <a href={hrefOf('operations', { operation: tried, tab: 'try' })}>try {tried} here</a>.
        </p>
      )}
    </>
  )
}

/** A command for the control plane, which adds the credential of a consumer, since the page has no keys. */
function viaControlPlane({ method, path, sample, security }: OperationForm): string {
  const consumer = security.length === 0 ? undefined : servedPlan.value?.consumers[0]
  const { path: filled = path, query = '', body } = sample ?? {}
  const request = { method, path: filled, ...(query === '' ? {} : { query }), body, consumer }
  const json = JSON.stringify(request).replaceAll("'", "'\\''")
  const token = hasToken() ? ' -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"' : ''
  return `curl${token} --json '${json}' ${location.origin}/requests`
}
