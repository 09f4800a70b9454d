// The controls of the page and its messages: buttons with icons, inputs, forms, and what a view shows instead of data.

import { signal } from '@preact/signals'
import { type ButtonHTMLAttributes, type ComponentChildren, cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import { ControlError, type LoadedData, useTask } from '../model/gateway.ts'
import { writeDay } from '../model/wording.ts'

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'label' | 'type' | 'class'> {
  readonly icon?: IconName
  readonly kind?: 'primary' | 'quiet' | 'danger'
  /** The name of a button without a text. */
  readonly label?: string
  /** Sends the form that contains it. */
  readonly submits?: boolean
}

export const Button = ({ icon, kind, label, submits = false, children, ...rest }: ButtonProps) => (
  <button
    type={submits ? 'submit' : 'button'}
    class={`button ${kind ?? ''} ${label === undefined ? '' : 'icon-only'}`}
    aria-label={label}
    title={label}
    {...rest}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)

interface Action {
  readonly icon: IconName
  readonly title: string
  readonly run: () => unknown
  /** The tooltip. */
  readonly about?: string
}

interface ActionsProps {
  readonly label: string
  /** The buttons; false leaves one out. */
  readonly of: readonly (Action | false)[]
}

/** A row of buttons with icons. */
export const Actions = ({ label, of }: ActionsProps) => (
  <div class="row" role="group" aria-label={label}>
    {of.map(
      action =>
        action && (
          <Button key={action.title} icon={action.icon} title={action.about} onClick={action.run}>
            {action.title}
          </Button>
        ),
    )}
  </div>
)

/** Passes on the text of an input that changes. */
const textTo =
  (take: (text: string) => void) =>
  (event: { readonly currentTarget: { readonly value: string } }): void =>
    take(event.currentTarget.value)

interface InputProps<Value extends string = string> {
  /** Names it for assistive technology; unset inside a field, which has a label. */
  readonly label?: string
  readonly value: Value
  readonly onChange: (value: Value) => void
}

interface SelectProps extends InputProps {
  /** Values, values with their titles, or titles by value. A chosen value that is missing is added. */
  readonly options: readonly (string | readonly [value: string, title: string])[] | Readonly<Record<string, string>>
}

export function Select({ label, value, options, onChange, ...rest }: SelectProps) {
  const list = Array.isArray(options) ? options : Object.entries(options)
  const pairs = list.map(option => (typeof option === 'string' ? ([option, option] as const) : option))
  const missing = pairs.some(([offered]) => offered === value) ? [] : [[value, value] as const]
  return (
    <select {...rest} aria-label={label} value={value} onChange={textTo(onChange)}>
      {[...pairs, ...missing].map(([offered, title]) => (
        <option key={offered} value={offered}>
          {title}
        </option>
      ))}
    </select>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  /** Why the value is refused. */
  readonly error?: string | undefined
}

/** A labelled input, select or textarea, which gets its id and descriptions from here, with a hint or a refusal below it. */
export function FormField({ label, hint, error, children }: FieldProps & { children: VNode<Record<string, unknown>> }) {
  const id = useId()
  const note = error ?? hint
  return (
    <div class="field stack">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-describedby': note && `${id}-note`,
        'aria-invalid': error && 'true',
      })}
      {note && (
        <p id={`${id}-note`} class={error ? 'hint tone-bad' : 'hint muted'}>
          {note}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends FieldProps, Omit<InputProps, 'label'> {
  readonly type?: 'text' | 'password'
  readonly class?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly pattern?: string
  /** The id of a list of suggestions. */
  readonly list?: string
}

export const TextField = ({ label, hint, error, onChange, ...rest }: TextFieldProps) => (
  <FormField label={label} hint={hint} error={error}>
    <input type="text" spellcheck={false} autocomplete="off" {...(rest as object)} onInput={textTo(onChange)} />
  </FormField>
)

export const SelectField = ({ label, hint, ...rest }: FieldProps & SelectProps) => (
  <FormField label={label} hint={hint}>
    <Select {...rest} />
  </FormField>
)

/** A text of several lines, which grows with it. */
export const TextArea = ({ value, onChange, ...rest }: InputProps & { readonly [attribute: string]: unknown }) => (
  <textarea
    {...rest}
    rows={Math.min(16, Math.max(4, value.split('\n').length + 1))}
    spellcheck={false}
    value={value}
    onInput={textTo(onChange)}
  />
)

type SegmentsProps<Value extends string> = InputProps<Value> & { readonly options: Readonly<Record<Value, string>> }

/** A choice of a few values that are all visible. */
export const Segments = <Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) => (
  <div class="row" role="group" aria-label={label}>
    {Object.entries<string>(options).map(([offered, title]) => (
      <Button key={offered} aria-pressed={value === offered} onClick={() => onChange(offered as Value)}>
        {title}
      </Button>
    ))}
  </div>
)

export const SearchField = ({ label, onChange, ...rest }: InputProps & { readonly placeholder?: string }) => (
  <input type="search" aria-label={label} placeholder={label} {...rest} onInput={textTo(onChange)} />
)

/** The time of a clock, in milliseconds since the epoch. */
export function Timestamp({ at }: { at: number }) {
  const text = new Date(at).toISOString()
  return (
    <time dateTime={text}>
      {writeDay(at)}, <b>{text.slice(11, 19)}</b>
    </time>
  )
}

/** Saves data as a download. */
export function saveFile(name: string, data: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // The browser reads the data after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

type Outcome = 'done' | 'failed'

const announced = signal<readonly [text: string, kind: Outcome] | undefined>(undefined)
let leaving: ReturnType<typeof setTimeout> | undefined

/** Milliseconds that a message stays; one about a failure stays longer, since it must be read. */
const STAY = { done: 3500, failed: 9000 } as const

/** Shows a short message, which screen readers read out: "copied", "sent". */
export function announce(text: string, kind: Outcome = 'done'): void {
  announced.value = [text, kind]
  clearTimeout(leaving)
  leaving = setTimeout(() => {
    announced.value = undefined
  }, STAY[kind])
}

/** Runs work that the user started, and announces its outcome. A failure is shown with its detail. */
export const perform = (work: () => Promise<unknown>, done?: string): Promise<boolean> =>
  work().then(
    () => {
      if (done !== undefined) announce(done)
      return true
    },
    (error: Error) => {
      announce(error.message, 'failed')
      return false
    },
  )

/** The message, in the bar on top, where it covers nothing. */
export const Announcements = () => (
  <div class="announcements spring" role="status">
    {announced.value && <p class={`announcement ${announced.value[1]}`}>{announced.value[0]}</p>}
  </div>
)

/** An explanation; the parts between backticks are code. */
export const Note = ({ text }: { text: string }) => (
  <p class="muted">{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={part}>{part}</code>))}</p>
)

interface EmptyStateProps {
  /** Default: that of a search. */
  readonly icon?: IconName
  readonly title: string
  readonly text: string
  readonly children?: ComponentChildren
}

/** Shows that there is no data, and the next step. */
export const EmptyState = ({ icon = 'search', title, text, children }: EmptyStateProps) => (
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
            {refusal.status} {refusal.problem.code}
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
  /** The title of the button that sends it. */
  readonly action: string
  readonly work: () => Promise<unknown>
  /** Is called after a success. */
  readonly onDone?: (() => void) | undefined
  readonly onCancel?: () => void
  readonly children: ComponentChildren
}

/** A form that does some work when it is sent, and shows its failure. */
export function TaskForm({ action, work, onDone, onCancel, children }: TaskFormProps) {
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
          {action}
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

/** The icons: lines on a grid of 20 by 20, in the colour of the text around them. */
const PATHS = {
  pulse: 'M2 10.5h3.5l2.5-6 4 11 2.5-5H18',
  plug: 'M7 2.5v4M13 2.5v4M5 6.5h10v3a5 5 0 0 1-10 0zM10 14.5v3',
  globe: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 1 0 0-15M2.5 10h15M10 2.5c-5 4-5 11 0 15 5-4 5-11 0-15',
  calendar: 'M3.5 5h13v11.5h-13zM3.5 8.5h13M7 2.8V6M13 2.8V6',
  cloud: 'M6 15.5a3.5 3.5 0 0 1-.3-7 4.5 4.5 0 0 1 8.7-.6A3.8 3.8 0 0 1 14 15.5z',
  sliders: 'M3 6h8M15 6h2M3 14h2M9 14h8M11 4v4M7 12v4',
  book: 'M10 5c-2-1.3-4.5-1.5-7-1.2v11.5c2.5-.3 5-.1 7 1.2 2-1.3 4.5-1.5 7-1.2V3.8C14.5 3.5 12 3.7 10 5zM10 5v11.5',
  hourglass: 'M5.5 3h9M5.5 17h9M6.5 3c0 4 7 5 7 7s-7 3-7 7M13.5 3c0 4-7 5-7 7s7 3 7 7',
  next: 'M2.5 4h6v12h-6zM11.5 10h6M15 7l3 3-3 3',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 1 0 0-11M13 13l4 4',
  close: 'M5 5l10 10M15 5L5 15',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  check: 'M4 10.5l4 4 8-9',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6 4l10 6-10 6z',
  trash: 'M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5l.7 11h7.6l.7-11',
  again: 'M16 10a6 6 0 1 1-1.8-4.3M16.5 3v3.5H13',
  rule: 'M4 5h12M4 10h7M4 15h4M13 13l2 2 3-4',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 1 0 0-7M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z',
  display: 'M2.5 4h15v9.5h-15zM7 17h6M10 13.5V17',
  warning: 'M10 3l7.5 13.5h-15zM10 8v4M10 14v.5',
  bolt: 'M11 2.5L4.5 11.5H9.5L9 17.5l6.5-9H10.5z',
  clock: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 1 0 0-15M10 6v4.3l2.8 1.7',
  plus: 'M10 4v12M4 10h12',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  minus: 'M4 10h12',
  download: 'M10 3v10M6 9.5l4 4 4-4M3.5 16.5h13',
  upload: 'M10 13.5v-10M6 7l4-4 4 4M3.5 16.5h13',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
)
