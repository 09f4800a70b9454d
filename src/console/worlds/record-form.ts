// The form of a record: its fields as the schema has them, reading and writing values by JSON Pointer. Independent of the
// DOM.

import { namesIn, pointerTo } from '../model/json-pointer.ts'
import { isRecord, type Json, type JsonRecord, numberIn } from './exact-json.ts'

/** A JSON Schema, as far as forms read it. */
export interface RecordSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, RecordSchema>>
  readonly type?: string | readonly string[]
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly properties?: Readonly<Record<string, RecordSchema>>
  readonly required?: readonly string[]
  readonly items?: RecordSchema | boolean
  readonly allOf?: readonly RecordSchema[]
  readonly anyOf?: readonly RecordSchema[]
  readonly oneOf?: readonly RecordSchema[]
  readonly format?: string
  readonly description?: string
  readonly readOnly?: boolean
  readonly example?: Json
  readonly default?: Json
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

export type FieldKind = 'text' | 'long-text' | 'number' | 'boolean' | 'choice' | 'group' | 'list' | 'json'

export interface FormField {
  readonly name: string
  readonly kind: FieldKind
  readonly required: boolean
  readonly nullable: boolean
  readonly readOnly: boolean
  /** For a choice. */
  readonly options: readonly Json[]
  /** The limits of its values, in words: `date`, `at least 0`. */
  readonly hint: string | undefined
  readonly placeholder: string
  readonly schema: RecordSchema
}

/** Deeper groups are edited as JSON. */
const DEEPEST = 4
const MOST_REFERENCES = 20

/**
 * Returns a schema with its references followed, the parts of `allOf` joined and a null alternative taken out.
 *
 * @param root the schema that the references refer to
 */
export function resolveSchema(schema: RecordSchema | boolean | undefined, root: RecordSchema): RecordSchema {
  let found = typeof schema === 'object' ? schema : {}
  for (let i = 0; found.$ref !== undefined && i < MOST_REFERENCES; i++) {
    const { $ref, ...beside } = found
    const target = $ref === '#' ? root : root.$defs?.[decodeURIComponent($ref.replace('#/$defs/', ''))]
    found = { ...target, ...beside }
  }
  const { allOf = [], ...own } = found
  if (allOf.length === 0) return own
  const parts = [...allOf.map(part => resolveSchema(part, root)), own]
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** Returns the fields of an object: those of its schema, then those that the value has beyond them. */
export function fieldsOf(
  schema: RecordSchema,
  root: RecordSchema,
  value: JsonRecord | undefined,
  depth = 0,
): readonly FormField[] {
  const known = Object.entries(schema.properties ?? {}).map(([name, one]) =>
    fieldOf(name, one, root, schema.required?.includes(name) ?? false, depth),
  )
  const names = new Set(known.map(({ name }) => name))
  const beyond = Object.keys(value ?? {})
    .filter(name => !names.has(name))
    .map(name => fieldOf(name, true, root, false, depth))
  return [...known, ...beyond]
}

export function fieldOf(
  name: string,
  given: RecordSchema | boolean,
  root: RecordSchema,
  required: boolean,
  depth: number,
): FormField {
  const whole = resolveSchema(given, root)
  const alternatives = (whole.anyOf ?? whole.oneOf ?? []).map(one => resolveSchema(one, root))
  const real = alternatives.filter(({ type }) => type !== 'null')
  // `anyOf: [X, {type: null}]` is X that may be null.
  const schema = real.length === 1 && alternatives.length > 1 ? { ...whole, ...real[0] } : whole
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  const nullable = types.includes('null') || real.length < alternatives.length
  const kind =
    real.length > 1
      ? 'json'
      : kindOf(
          schema,
          types.filter(type => type !== 'null'),
          depth,
        )
  return {
    ...{ name, kind, required, nullable, schema, readOnly: whole.readOnly === true },
    options: schema.enum?.filter(option => option !== null) ?? [],
    hint: hintOf(schema),
    placeholder: typeof schema.example === 'string' || typeof schema.example === 'number' ? `${schema.example}` : '',
  }
}

function kindOf(schema: RecordSchema, types: readonly string[], depth: number): FieldKind {
  if (schema.enum?.every(option => option === null || typeof option !== 'object')) return 'choice'
  const [type] = types
  if (types.length > 1) return 'json'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return (schema.maxLength ?? 0) > 200 ? 'long-text' : 'text'
  if (depth >= DEEPEST) return 'json'
  if (schema.properties !== undefined) return 'group'
  if (type === 'array' && typeof schema.items === 'object') return 'list'
  return 'json'
}

function hintOf({
  type,
  format,
  minimum,
  maximum,
  minLength,
  maxLength,
  pattern,
  description,
}: RecordSchema): string | undefined {
  const parts = [
    description?.split('\n')[0] ?? '',
    format ?? (type === 'integer' ? 'integer' : ''),
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    (minLength ?? 0) > 1 ? `at least ${minLength} characters` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    pattern === undefined ? '' : `matches ${pattern}`,
  ].filter(part => part !== '')
  return parts.length === 0 ? undefined : parts.join(' · ')
}

/** Returns the value that a text in the input of a field means; undefined takes the field out of the record. */
export function valueIn(field: FormField, text: string): Json | undefined {
  if (field.kind === 'choice')
    return text === '' ? emptyOf(field) : field.options.find(option => String(option) === text)
  if (field.kind === 'boolean') return text === '' ? emptyOf(field) : text === 'true'
  if (text === '' && (field.kind === 'number' || !field.required || field.nullable)) return emptyOf(field)
  // A text that is not a number is kept: the gateway refuses it, and the refusal is shown at the field.
  return field.kind === 'number' ? (numberIn(text.trim()) ?? text) : text
}

const emptyOf = ({ required, nullable }: FormField): null | undefined => (required && nullable ? null : undefined)

/** A new value of a field, for "add". */
export function blankOf(field: FormField): Json {
  const { schema } = field
  if (schema.default !== undefined) return schema.default
  if (field.kind === 'group') return {}
  if (field.kind === 'list') return []
  if (field.kind === 'boolean') return false
  if (field.kind === 'choice') return field.options[0] ?? ''
  return field.kind === 'json' ? {} : ''
}

/** Returns the initial values of the form of a new record: defaults and required groups. */
export function blankRecord(schema: RecordSchema, root: RecordSchema, depth = 0): JsonRecord {
  const members = fieldsOf(schema, root, undefined, depth).flatMap((field): [string, Json][] => {
    if (field.schema.default !== undefined) return [[field.name, field.schema.default]]
    if (field.kind !== 'group' || !field.required) return []
    return [[field.name, blankRecord(field.schema, root, depth + 1)]]
  })
  return Object.fromEntries(members)
}

/** Returns a copy of `whole` with another value at a pointer; undefined removes a member or an item. */
export function withValue(whole: Json | undefined, pointer: string, value: Json | undefined): Json | undefined {
  const [name, ...rest] = namesIn(pointer)
  if (name === undefined) return value
  const below = rest.reduce(pointerTo, '')
  if (Array.isArray(whole)) {
    const at = Number(name)
    const changed = withValue((whole as readonly Json[])[at], below, value)
    return changed === undefined
      ? whole.filter((_, i) => i !== at)
      : [...whole.slice(0, at), changed, ...whole.slice(at + 1)]
  }
  const own = isRecord(whole) ? whole : {}
  const changed = withValue(own[name], below, value)
  if (changed !== undefined) return { ...own, [name]: changed }
  return Object.fromEntries(Object.entries(own).filter(([key]) => key !== name))
}

export interface RecordFault {
  /** A JSON Pointer to the field; empty for the whole. */
  readonly pointer: string
  readonly message: string
}

/** Splits faults into those that a form shows at fields with these pointers and the rest. */
export function faultsByField(
  faults: readonly RecordFault[],
  shown: ReadonlySet<string>,
): { readonly atFields: ReadonlyMap<string, string>; readonly others: readonly RecordFault[] } {
  const atFields = new Map<string, string>()
  const others: RecordFault[] = []
  for (const { pointer, message } of faults) {
    if (!shown.has(pointer)) others.push({ pointer, message })
    else atFields.set(pointer, [atFields.get(pointer), message].filter(text => text !== undefined).join('; '))
  }
  return { atFields, others }
}
