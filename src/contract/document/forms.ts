// Form fields to a typed object, as the schema and `encoding` have it (OpenAPI "Encoding Object"). Knows no syntax of
// forms: the fields arrive by name, texts decoded, files as bytes.

import { put } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import { type Encoding, isJson } from '../content-type.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { compileBracketed, keysBehind } from './bracketed.ts'
import { type FieldValues, type ParameterRead, typed } from './parameter-text.ts'
import { partsOf } from './parameters.ts'
import type { ContractReading } from './reading.ts'
import { compileStyle } from './styles.ts'

export type FormReader = (fields: FieldValues) => ParameterRead

const asIs = (text: string): string => text
const TEXT: ReadonlySet<string> = new Set(['string'])

type ReadField = (texts: readonly string[]) => ParameterRead

export function compileForm(
  schema: SchemaUse,
  encoding: ReadonlyMap<string, Encoding>,
  reading: ContractReading,
): FormReader {
  const { properties, additional } = schema.shape
  const readers = new Map<string, ReadField>()
  const bracketed = new Map<string, ReturnType<typeof compileBracketed>>()
  for (const [name, node] of properties) {
    const use = reading.schemas.use(node, 'request')
    const { contentType, style = 'form', explode } = encoding.get(name) ?? {}
    const parts = partsOf(use, reading)
    const json = contentType === undefined ? use.types.has('object') && style === 'form' : isJson(contentType)
    const styled = compileStyle(style, explode ?? style === 'form', name, parts, asIs)
    if (use.types.has('object') || use.types.has('array')) bracketed.set(name, compileBracketed(name, node, reading))
    if (json)
      readers.set(name, use.types.has('array') ? readJsonItems : use.types.has('string') ? readJsonOrText : readJson)
    else if (use.types.has('array')) readers.set(name, use.types.has('object') ? readJsonItems : styled.read)
    else readers.set(name, texts => readOne(texts, use.types.size > 0 ? use.types : TEXT))
  }
  const types = additional === undefined ? TEXT : reading.schemas.use(additional, 'request').types
  return fields => {
    const value: Record<string, unknown> = {}
    let exact = false
    for (const [name, texts] of fields) {
      // Some clients write a list of `ids` as `ids[]`.
      const plain = readers.has(name) ? name : name.replace(/\[\]$/, '')
      const base = readers.has(plain) ? '' : name.slice(0, Math.max(0, name.indexOf('[')))
      const behind = keysBehind(base, name) === undefined ? undefined : bracketed.get(base)
      const key = behind === undefined ? (readers.has(plain) ? plain : name) : base
      if (behind !== undefined && Object.hasOwn(value, key)) continue
      const read: ParameterRead =
        behind?.(fields) ?? readers.get(key)?.(texts) ?? (texts.length > 1 ? many(texts) : readOne(texts, types))
      if ('fault' in read) return { fault: `field ${key} ${read.fault}` }
      exact ||= read.exact
      put(value, key, read.value)
    }
    return { value, exact }
  }
}

const many = (texts: readonly string[]): ParameterRead => ({ value: texts, exact: false })

function readOne(texts: readonly string[], types: ReadonlySet<string>): ParameterRead {
  if (texts.length > 1) return { fault: 'must not be repeated' }
  const value = typed(texts[0] as string, types)
  return { value, exact: typeof value === 'bigint' }
}

function readJson(texts: readonly string[]): ParameterRead {
  return texts.length > 1 ? { fault: 'must not be repeated' } : parseJson(texts[0] as string)
}

/** Reads JSON, or text that is not JSON: for a field that may be an object or text. */
function readJsonOrText(texts: readonly string[]): ParameterRead {
  const read = readJson(texts)
  return 'fault' in read && texts.length === 1 ? { value: texts[0], exact: false } : read
}

function readJsonItems(texts: readonly string[]): ParameterRead {
  const read = texts.map(text => parseJson(text))
  const fault = read.find(one => 'fault' in one)
  if (fault !== undefined) return fault
  const whole = read.flatMap(one => ('value' in one ? [one] : []))
  const [only] = whole
  if (whole.length === 1 && only !== undefined && Array.isArray(only.value)) return only
  return { value: whole.map(({ value }) => value), exact: whole.some(({ exact }) => exact) }
}
