// Notices that a view shows instead of data: empty, loading, refused.

import type { ComponentChildren } from 'preact'
import { ControlError } from '../model/control-plane.ts'
import type { Loaded } from '../model/loaded.ts'
import { Icon, type IconName } from './icon.tsx'

/** Shows that there is no data, and what to do next. */
export const EmptyState = (props: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty-state">
    <span class="empty-icon">
      <Icon name={props.icon} size={28} />
    </span>
    <h2>{props.title}</h2>
    {props.children}
  </div>
)

/** A failure with the detail that the control plane gave. */
export function ProblemNotice({ error, retry }: { error: Error; retry?: () => void }) {
  const diagnostics = error instanceof ControlError ? diagnosticsOf(error) : []
  return (
    <div class="problem" role="alert">
      <p class="problem-title">
        <Icon name="warning" />
        {error instanceof ControlError && error.status > 0 ? (
          <span class="problem-code">
            {error.status} {error.code}
          </span>
        ) : null}
      </p>
      {diagnostics.length === 0 ? <p class="problem-detail">{error.message}</p> : null}
      {diagnostics.map(({ message, hint }) => (
        <p key={message} class="problem-detail">
          {message}
          {hint === undefined ? null : <span class="muted"> ({hint})</span>}
        </p>
      ))}
      {retry === undefined ? null : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

interface Diagnostic {
  readonly message: string
  readonly hint?: string
}

const diagnosticsOf = ({ problem }: ControlError): readonly Diagnostic[] =>
  Array.isArray(problem.diagnostics) ? (problem.diagnostics as Diagnostic[]) : []

/** Shows the value of `of` once it is there; until then progress, or the failure with a button that tries again. */
export function Show<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (of.error !== undefined) return <ProblemNotice error={of.error} retry={of.reload} />
  if (of.value === undefined) return <Progress />
  return <>{children(of.value)}</>
}

export const Progress = ({ label = 'Loading' }: { label?: string }) => (
  <div class="progress" role="status">
    <span class="spinner" aria-hidden="true" />
    <span>{label}…</span>
  </div>
)
