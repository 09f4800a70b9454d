// Messages to the person: short ones in a corner of the page, and those that a view shows instead of data.

import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ControlError } from '../model/control-plane.ts'
import type { LoadedData } from '../model/loaded.ts'
import { Button } from './controls.tsx'
import { Icon, type IconName } from './icon.tsx'

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
  <div class="announcements" role="status" aria-live="polite">
    {announcements.value.map(({ id, text, kind }) => (
      <p key={id} class={`announcement ${kind}`}>
        {text}
      </p>
    ))}
  </div>
)

/** Shows that there is no data, and what to do next. */
export const EmptyState = (props: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty-state muted">
    <Icon name={props.icon} size={32} />
    <h2>{props.title}</h2>
    {props.children}
  </div>
)

/** A failure with the detail that the control plane gave; nothing without one. */
export function ProblemNotice({ error, retry }: { error: Error | undefined; retry?: () => unknown }) {
  if (error === undefined) return null
  const refusal = error instanceof ControlError ? error : undefined
  const mistakes = (refusal?.problem.diagnostics ?? [error]) as readonly { message: string; hint?: string }[]
  return (
    <div class="problem" role="alert">
      <p class="row tone-bad">
        <Icon name="warning" />
        {refusal === undefined ? null : (
          <span class="mono">
            {refusal.status} {refusal.code}
          </span>
        )}
      </p>
      {mistakes.map(({ message, hint }) => (
        <p key={message} class="preformatted">
          {message}
          {hint === undefined ? null : <span class="muted"> ({hint})</span>}
        </p>
      ))}
      {retry === undefined ? null : <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

/** Shows the value of `of` once it is there; until then progress, or the failure with a button that tries again. */
export function Loaded<T>({ of, children }: { of: LoadedData<T>; children: (value: T) => ComponentChildren }) {
  if (of.error !== undefined) return <ProblemNotice error={of.error} retry={of.reload} />
  if (of.value === undefined) return <Spinner />
  return <>{children(of.value)}</>
}

export const Spinner = ({ label = 'Loading' }: { label?: string }) => (
  <div class="row progress muted" role="status">
    <span class="spinner on" aria-hidden="true" />
    <span>{label}…</span>
  </div>
)
