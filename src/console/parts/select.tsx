// A select of values with their titles.

export interface SelectProps {
  /** Names it for assistive technology; unset inside a `Field`, which has a label. */
  readonly label?: string
  readonly value: string
  /** Each a value, or a value with its title. A chosen value that is missing is added. */
  readonly options: readonly (string | readonly [value: string, title: string])[]
  readonly onChange: (value: string) => void
  /** Given by `Field`. */
  readonly id?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
}

export function Select({ label, value, options, onChange, ...given }: SelectProps) {
  const pairs = options.map(option => (typeof option === 'string' ? ([option, option] as const) : option))
  const missing = pairs.some(([one]) => one === value) ? [] : [[value, value] as const]
  return (
    <select {...given} aria-label={label} value={value} onChange={event => onChange(event.currentTarget.value)}>
      {[...pairs, ...missing].map(([one, title]) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  )
}
