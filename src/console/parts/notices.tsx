// Messages to the person: short ones in a corner of the page, those that a view shows instead of data, and commands to copy.

import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OperationForm } from '../../http/control/types.ts'
import { ControlError, hasToken, type LoadedData, pathTo, useReply, useTask } from '../model/control-plane.ts'
import { knownConsumers, runningVersion, servedOperations } from '../model/gateway.ts'
import { hrefOf } from '../model/location.ts'
import { Button, Icon, type IconName } from './controls.tsx'

interface Announcement {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'failed'
}

const announcements = signal<readonly Announcement[]>([])
let announced = 0

/** Milliseconds that a message stays; one about a failure stays longer, since it must be read. */
const STAY = { done: 3500, failed: 9000 } as const

/** Shows a short message, which screen readers read out: "copied", "sent". */
export function announce(text: string, kind: Announcement['kind'] = 'done'): void {
  announced += 1
  const id = announced
  announcements.value = [...announcements.value.slice(-3), { id, text, kind }]
  setTimeout(() => {
    announcements.value = announcements.value.filter(message => message.id !== id)
  }, STAY[kind])
}

/** Runs work that the user started, and announces its outcome. A failure is shown with its detail. */
export async function perform(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done !== undefined) announce(done)
    return true
  } catch (error) {
    announce((error as Error).message, 'failed')
    return false
  }
}

export const Announcements = () => (
  <div class="announcements stack" role="status" aria-live="polite">
    {announcements.value.map(({ id, text, kind }) => (
      <p key={id} class={`announcement ${kind}`}>
        {text}
      </p>
    ))}
  </div>
)

/** An explanation; the parts between backticks are code. */
export const Note = ({ text }: { text: string }) => (
  <p class="muted">{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>))}</p>
)

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ComponentChildren
}

/** Shows that there is no data, and the next step. */
export const EmptyState = ({ icon, title, text, children }: EmptyStateProps) => (
  <div class="empty-state stack muted">
    <Icon name={icon} size={32} />
    <h2>{title}</h2>
    <Note text={text} />
    {children}
  </div>
)

/** A failure with the detail that the control plane gave; nothing without one. */
export function ProblemNotice({ error, retry }: { error: Error | undefined; retry?: () => unknown }) {
  if (error === undefined) return null
  const refusal = error instanceof ControlError ? error : undefined
  const mistakes = (refusal?.problem.diagnostics ?? [error]) as readonly { message: string; hint?: string }[]
  return (
    <div class="problem stack" role="alert">
      <p class="row tone-bad">
        <Icon name="warning" />
        {refusal && (
          <span class="mono">
            {refusal.status} {refusal.code}
          </span>
        )}
      </p>
      {mistakes.map(({ message, hint }) => (
        <p key={message} class="preformatted">
          {message}
          {hint && <span class="muted"> ({hint})</span>}
        </p>
      ))}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface TaskFormProps {
  /** The title of the button that sends it, and the title while it is sent. */
  readonly action: string
  readonly doing?: string
  readonly work: () => Promise<unknown>
  /** Is called after a success. */
  readonly onDone?: (() => void) | undefined
  readonly onCancel?: () => void
  readonly children: ComponentChildren
}

/** A form that does some work when it is sent, and shows its failure. */
export function TaskForm({ action, doing = action, work, onDone, onCancel, children }: TaskFormProps) {
  const { busy, error, run } = useTask()
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (await run(work)) onDone?.()
  }
  return (
    <form class="form" onSubmit={submit}>
      {children}
      <ProblemNotice error={error} />
      <div class="row end">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button submits kind="primary" disabled={busy}>
          {busy ? doing : action}
        </Button>
      </div>
    </form>
  )
}

interface LoadedProps<T> {
  readonly of: LoadedData<T>
  /** Shown if the control plane answers 404. */
  readonly missing?: ComponentChildren
  readonly children: (value: T) => ComponentChildren
}

/** Shows the value of `of` once it is there; until then progress, or the failure with a button that tries again. */
export function ShowLoaded<T>({ of: { value, error, reload }, missing, children }: LoadedProps<T>) {
  if (error instanceof ControlError && error.status === 404 && missing !== undefined) return missing
  if (error !== undefined) return <ProblemNotice error={error} retry={reload} />
  return value === undefined ? <Spinner /> : children(value)
}

export const Spinner = ({ label = 'Loading' }: { label?: string }) => (
  <div class="row padded muted" role="status">
    <span class="spinner on" aria-hidden="true" />
    <span>{label}…</span>
  </div>
)

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
  <div class="row nowrap command-line">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)

/** A command that is answered, and the way to send it without a terminal. @param operation the operation to call; unset for the simplest one */
export function FirstCommand({ operation }: { operation?: string | undefined }) {
  const operations = servedOperations.value
  const simple = operations.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? operations[0]
  const tried = operation ?? simple?.operation
  const general = operation === undefined ? runningVersion.value?.firstCall : undefined
  const wanted = general === undefined && runningVersion.value !== undefined ? tried : undefined
  const { value: documented } = useReply<OperationForm>(wanted && pathTo`/operations/${wanted}`)
  const command = general ?? documented?.curl ?? (documented === undefined ? undefined : viaControlPlane(documented))
  return (
    <>
      {command && <CommandBox text={command} />}
      {tried && (
        <p class="muted">
          Or, without a terminal, <a href={hrefOf('operations', { operation: tried, tab: 'try' })}>try {tried} here</a>.
        </p>
      )}
    </>
  )
}

/** A command for the control plane, which adds the credential of a consumer, since the page has no keys. */
function viaControlPlane({ method, path, sample, security }: OperationForm): string {
  const consumer = security.length === 0 ? undefined : knownConsumers.value[0]
  const { path: filled = path, query = '', body } = sample ?? {}
  const request = { method, path: filled, ...(query === '' ? {} : { query }), body, consumer }
  const json = JSON.stringify(request).replaceAll("'", "'\\''")
  const token = hasToken() ? ' -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"' : ''
  return `curl${token} --json '${json}' ${location.origin}/requests`
}
