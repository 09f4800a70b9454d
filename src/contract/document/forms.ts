// Converts form fields to a typed object, as the schema and `encoding` have it (OpenAPI "Encoding Object"). Knows no syntax of
// forms: the fields arrive by name, texts decoded, files as bytes.

import { parseJson, put } from '../../kernel/json.ts'
import type { Documents, Node } from '../documents.ts'
import { type Encoding, isJson } from '../media-types.ts'
import {
  asIs,
  compileStyle,
  keysBehind,
  type NamedTexts,
  type ParameterRead,
  REPEATED,
  readBracketed,
  readOne,
  ValuePlace,
} from './styles.ts'

export type FormReader = (fields: NamedTexts) => ParameterRead

type ReadField = (texts: readonly string[]) => ParameterRead

export function compileForm(schema: Node, encoding: ReadonlyMap<string, Encoding>, documents: Documents): FormReader {
  const form = new ValuePlace([schema], documents)
  const readers = new Map([...form.names].map(name => [name, readerOf(name, form.property(name), encoding.get(name))]))
  return fields => {
    const value: Record<string, unknown> = {}
    let exact = false
    for (const [name, texts] of fields) {
      // Some clients write a list of `ids` as `ids[]`.
      const plain = readers.has(name) ? name : name.replace(/\[\]$/, '')
      const base = name.slice(0, Math.max(0, name.indexOf('[')))
      const place = form.property(base)
      const isNested =
        !readers.has(plain) && keysBehind(base, name) !== undefined && hasParts(place) && readers.has(base)
      if (isNested && Object.hasOwn(value, base)) continue
      const key = isNested ? base : readers.has(plain) ? plain : name
      const read =
        (isNested ? readBracketed(base, fields, place, asIs) : readers.get(key)?.(texts)) ??
        (texts.length > 1 ? { value: texts, exact: false } : readOne(texts, form.property(name).types, asIs))
      if ('fault' in read) return { fault: `field ${key} ${read.fault}` }
      exact ||= read.exact
      put(value, key, read.value)
    }
    return { value, exact }
  }
}

const hasParts = ({ types }: ValuePlace): boolean => types.has('object') || types.has('array')

function readerOf(
  name: string,
  place: ValuePlace,
  { contentType, style = 'form', explode }: Partial<Encoding> = {},
): ReadField {
  const { types } = place
  const isArray = types.has('array')
  const isObject = types.has('object')
  if (contentType === undefined ? isObject && style === 'form' : isJson(contentType)) {
    return isArray ? readJsonItems : texts => readJson(texts, types.has('string'))
  }
  if (!isArray) return texts => readOne(texts, types, asIs)
  return isObject ? readJsonItems : compileStyle(style, explode ?? style === 'form', name, place, asIs).read
}

/** Reads JSON; also text that is not JSON, for a field that may be an object or text. */
function readJson(texts: readonly string[], mayBeText: boolean): ParameterRead {
  if (texts.length > 1) return REPEATED
  const read = parseJson(texts[0] as string)
  return 'fault' in read && mayBeText ? { value: texts[0], exact: false } : read
}

function readJsonItems(texts: readonly string[]): ParameterRead {
  const value: unknown[] = []
  let exact = false
  for (const text of texts) {
    const read = parseJson(text)
    if ('fault' in read || (texts.length === 1 && Array.isArray(read.value))) return read
    exact ||= read.exact
    value.push(read.value)
  }
  return { value, exact }
}
