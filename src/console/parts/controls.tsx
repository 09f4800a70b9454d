// The controls of the page: buttons, selects, labelled fields, choices, searches, and files.

import { type ButtonHTMLAttributes, cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

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
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
)

interface SelectProps {
  /** Names it for assistive technology; unset inside a field, which has a label. */
  readonly label?: string
  readonly value: string
  /** Each a value, or a value with its title. A chosen value that is missing is added. */
  readonly options: readonly (string | readonly [value: string, title: string])[]
  readonly onChange: (value: string) => void
  readonly onFocus?: () => void
}

export function Select({ label, value, options, onChange, ...rest }: SelectProps) {
  const pairs = options.map(option => (typeof option === 'string' ? ([option, option] as const) : option))
  const missing = pairs.some(([one]) => one === value) ? [] : [[value, value] as const]
  return (
    <select {...rest} aria-label={label} value={value} onChange={event => onChange(event.currentTarget.value)}>
      {[...pairs, ...missing].map(([one, title]) => (
        <option key={one} value={one}>
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
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': error === undefined ? undefined : 'true',
      })}
      {note === undefined ? null : (
        <p id={`${id}-note`} class={error === undefined ? 'hint' : 'hint tone-bad'}>
          {note}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onText: (text: string) => void
  readonly class?: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly pattern?: string
  /** The id of a list of suggestions. */
  readonly list?: string
}

export const TextField = ({ label, hint, error, onText, ...rest }: TextFieldProps) => (
  <FormField label={label} hint={hint} error={error}>
    <input
      type="text"
      spellcheck={false}
      autocomplete="off"
      {...rest}
      onInput={event => onText(event.currentTarget.value)}
    />
  </FormField>
)

export const SelectField = ({ label, hint, ...rest }: FieldProps & Omit<SelectProps, 'label'>) => (
  <FormField label={label} hint={hint}>
    <Select {...rest} />
  </FormField>
)

interface TextAreaProps {
  readonly value: string
  readonly onText: (text: string) => void
  readonly [attribute: string]: unknown
}

/** A text of several lines, which grows with it. */
export const TextArea = ({ value, onText, ...rest }: TextAreaProps) => (
  <textarea
    {...rest}
    rows={Math.min(16, Math.max(4, value.split('\n').length + 1))}
    spellcheck={false}
    value={value}
    onInput={event => onText(event.currentTarget.value)}
  />
)

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value | string
  readonly options: readonly (readonly [value: Value, title: string])[]
  readonly onChange: (value: Value) => void
}

/** A choice of a few values that are all visible. */
export const Segments = <Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) => (
  <div class="row" role="group" aria-label={label}>
    {options.map(([one, title]) => (
      <Button key={one} aria-pressed={value === one} onClick={() => onChange(one)}>
        {title}
      </Button>
    ))}
  </div>
)

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onText: (text: string) => void
}

export const SearchField = ({ label, placeholder = label, value, onText }: SearchFieldProps) => (
  <input
    type="search"
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={event => onText(event.currentTarget.value)}
  />
)

/** Saves data as a download. */
export function saveFile(name: string, data: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // The browser reads the data after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
