// The inputs of a record, as its schema has them: nested objects are groups, lists have items that are added and removed.

import { pointerTo } from '../model/json-pointer.ts'
import { Field } from '../parts/field.tsx'
import { Fieldset } from '../parts/fieldset.tsx'
import { Icon } from '../parts/icon.tsx'
import { isRecord, type Json, type JsonRecord } from './exact-json.ts'
import { Faults } from './faults.tsx'
import { JsonInput } from './json-input.tsx'
import {
  blankOf,
  type FormField,
  faultsByField,
  fieldOf,
  fieldsOf,
  type RecordFault,
  type RecordSchema,
  valueIn,
} from './record-form.ts'

interface Context {
  readonly root: RecordSchema
  readonly faults: ReadonlyMap<string, string>
  /** The field that cannot be changed: the id. */
  readonly fixed: string
  readonly isNew: boolean
  readonly onChange: (pointer: string, value: Json | undefined) => void
}

export interface RecordFieldsProps extends Omit<Context, 'faults'> {
  readonly schema: RecordSchema
  readonly value: JsonRecord
  readonly faults: readonly RecordFault[]
}

export function RecordFields({ schema, value, faults, ...rest }: RecordFieldsProps) {
  const shown = new Set<string>()
  collectPointers(fieldsOf(schema, rest.root, value), value, '', rest.root, 0, shown)
  const { atFields, others } = faultsByField(faults, shown)
  return (
    <div class="form">
      <Faults faults={others} />
      <Group schema={schema} value={value} pointer="" depth={0} context={{ ...rest, faults: atFields }} />
    </div>
  )
}

/** The pointers of all inputs that the form shows: a fault at another one is listed above it. */
function collectPointers(
  fields: readonly FormField[],
  value: JsonRecord | undefined,
  parent: string,
  root: RecordSchema,
  depth: number,
  into: Set<string>,
): void {
  for (const { name, kind, schema } of fields) {
    const pointer = pointerTo(parent, name)
    into.add(pointer)
    const own = value?.[name]
    if (kind === 'group' && isRecord(own)) {
      collectPointers(fieldsOf(schema, root, own, depth + 1), own, pointer, root, depth + 1, into)
    }
    if (kind === 'list' && Array.isArray(own)) {
      const items = own as readonly Json[]
      const byIndex = Object.fromEntries(items.entries())
      const itemFields = items.map((_, i) => fieldOf(`${i}`, schema.items ?? true, root, true, depth + 1))
      collectPointers(itemFields, byIndex, pointer, root, depth + 1, into)
    }
  }
}

interface GroupProps {
  readonly schema: RecordSchema
  readonly value: JsonRecord | undefined
  readonly pointer: string
  readonly depth: number
  readonly context: Context
}

const Group = ({ schema, value, pointer, depth, context }: GroupProps) => (
  <>
    {fieldsOf(schema, context.root, value, depth).map(field => (
      <Input
        key={field.name}
        field={field}
        label={field.name}
        value={value?.[field.name]}
        pointer={pointerTo(pointer, field.name)}
        depth={depth}
        context={context}
      />
    ))}
  </>
)

interface InputProps {
  readonly field: FormField
  readonly label: string
  readonly value: Json | undefined
  readonly pointer: string
  readonly depth: number
  readonly context: Context
}

const textOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value

function Input(props: InputProps) {
  const { field, label, value, pointer, context } = props
  const { kind, hint, required, placeholder } = field
  if (kind === 'group') return <GroupInput {...props} />
  if (kind === 'list') return <ListInput {...props} />
  const fixed = pointer === `/${context.fixed.replaceAll('.', '/')}`
  if (fixed && context.isNew) return null
  const error = context.faults.get(pointer)
  const title = required ? label : `${label} (optional)`
  if (kind === 'json' || (typeof value === 'object' && value !== null && (Array.isArray(value) || isRecord(value)))) {
    return (
      <JsonInput
        label={title}
        hint={hint}
        error={error}
        value={value}
        onChange={changed => context.onChange(pointer, changed)}
      />
    )
  }
  const change = (event: Event): void => context.onChange(pointer, valueIn(field, textOf(event)))
  const text = value === undefined || value === null ? '' : String(value)
  const empty = value === null ? 'null' : placeholder
  if (kind === 'choice' || kind === 'boolean') {
    const options = kind === 'boolean' ? ['true', 'false'] : field.options.map(String)
    return (
      <Field label={title} hint={hint} error={error}>
        <select value={text} disabled={fixed} onChange={change}>
          {required && !field.nullable && text !== '' ? null : (
            <option value="">{field.nullable && required ? 'null' : 'not set'}</option>
          )}
          {[...options, ...(text !== '' && !options.includes(text) ? [text] : [])].map(option => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      </Field>
    )
  }
  if (kind === 'long-text') {
    return (
      <Field label={title} hint={hint} error={error}>
        <textarea rows={3} placeholder={empty} value={text} disabled={fixed} onInput={change} />
      </Field>
    )
  }
  return (
    <Field label={title} hint={fixed ? 'The id cannot be changed.' : hint} error={error}>
      <input
        inputMode={kind === 'number' ? 'decimal' : undefined}
        autocomplete="off"
        placeholder={empty}
        value={text}
        disabled={fixed}
        onInput={change}
      />
    </Field>
  )
}

function GroupInput({ field, label, value, pointer, depth, context }: InputProps) {
  return (
    <Fieldset label={label} required={field.required} error={context.faults.get(pointer)}>
      {isRecord(value) ? (
        <>
          <Group schema={field.schema} value={value} pointer={pointer} depth={depth + 1} context={context} />
          {field.required ? null : (
            <button type="button" class="button quiet" onClick={() => context.onChange(pointer, undefined)}>
              <Icon name="trash" />
              Remove {label}
            </button>
          )}
        </>
      ) : (
        <button type="button" class="button" onClick={() => context.onChange(pointer, blankOf(field))}>
          <Icon name="plus" />
          Add {label}
        </button>
      )}
    </Fieldset>
  )
}

function ListInput({ field, label, value, pointer, depth, context }: InputProps) {
  const items = Array.isArray(value) ? (value as readonly Json[]) : []
  const itemField = (i: number): FormField => fieldOf(`${i}`, field.schema.items ?? true, context.root, true, depth + 1)
  return (
    <Fieldset label={label} required={field.required} error={context.faults.get(pointer)}>
      {items.map((item, i) => (
        <div key={i} class="list-item">
          <div>
            <Input
              field={itemField(i)}
              label={`${label} ${i + 1}`}
              value={item}
              pointer={pointerTo(pointer, i)}
              depth={depth + 1}
              context={context}
            />
          </div>
          <button
            type="button"
            class="button quiet icon-only"
            aria-label={`Remove ${label} ${i + 1}`}
            onClick={() => context.onChange(pointerTo(pointer, i), undefined)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button"
        onClick={() => context.onChange(pointer, [...items, blankOf(itemField(items.length))])}
      >
        <Icon name="plus" />
        Add to {label}
      </button>
    </Fieldset>
  )
}
