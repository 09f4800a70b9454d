// An input for the JSON of a value without a simpler input. A text that is not JSON is marked and changes nothing.

import { useEffect, useState } from 'preact/hooks'
import { Field } from '../parts/field.tsx'
import { type Json, parseExact, stringifyExact } from './exact-json.ts'

export interface JsonInputProps {
  readonly label: string
  readonly hint: string | undefined
  readonly error: string | undefined
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
}

const textOf = (value: Json | undefined): string => (value === undefined ? '' : stringifyExact(value, 2))

export function JsonInput({ label, hint, error, value, onChange }: JsonInputProps) {
  const [text, setText] = useState(textOf(value))
  const [fault, setFault] = useState<string | undefined>()
  const own = textOf(value)
  const [last, setLast] = useState(own)
  // The value was changed elsewhere: by "throw away", or by the gateway as it saved it.
  useEffect(() => {
    if (own === last) return
    setText(own)
    setLast(own)
    setFault(undefined)
  }, [own])
  const change = (event: Event): void => {
    const written = (event.currentTarget as HTMLTextAreaElement).value
    setText(written)
    try {
      const parsed = written.trim() === '' ? undefined : parseExact(written)
      setFault(undefined)
      setLast(textOf(parsed))
      onChange(parsed)
    } catch (failure) {
      setFault(`This is not JSON yet: ${(failure as Error).message}`)
    }
  }
  return (
    <Field label={label} hint={hint ?? 'JSON'} error={fault ?? error}>
      <textarea
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        spellcheck={false}
        value={text}
        onInput={change}
      />
    </Field>
  )
}
