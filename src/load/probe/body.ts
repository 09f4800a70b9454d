// Makes a request body that keeps to the contract: JSON, else a form.

import { readXml, writeXml } from '../../contract/answer/xml.ts'
import { isJson, type MediaType, type Operation } from '../../contract/contract.ts'
import { valueFor } from '../../contract/schema/field.ts'
import { readSequence, writeSequence } from '../../contract/sequences.ts'
import { isObject, type Json, stringifyJson } from '../../kernel/json.ts'

export interface ProbeBody {
  readonly type: string
  readonly text: string
}

/** Seeds that no generated record has, so that a record to create does not exist yet. */
const FRESH = [1001, 1002, 1003]
const BOUNDARY = 'understudy-probe'

/**
 * @param adapt changes a value before its validation: for ids that must name a record
 * @returns a sentence if no body was found; `undefined` if none is needed
 */
export function bodyOf({ body }: Operation, adapt: (value: Json) => Json): ProbeBody | string | undefined {
  const types = [...(body?.content ?? [])]
  const isPlain = (type: string) => isJson(type) && !isPatch(type)
  const json = types.find(([type]) => isPlain(type)) ?? types.find(([type]) => type === '*/*')
  // An empty patch is valid and changes nothing.
  const patch = json === undefined ? types.find(([type]) => isPatch(type)) : json[1].patch && json
  const takesNone = patch?.[1].schema?.check([], true) === undefined
  if (patch !== undefined && (takesNone || patch !== json)) return { type: patch[0], text: '[]' }
  if (json !== undefined) {
    const [type, media] = json
    const value = firstOf(valuesOf(media, adapt), one => media.schema?.check(one, true) === undefined)
    if (value === undefined) return 'no body was found that fits its schema'
    return { type: type === '*/*' ? 'application/json' : type, text: stringifyJson(value) }
  }
  const form = types.find(([type]) => isForm(type))
  const written = form === undefined ? (xmlBody(types, adapt) ?? sequenceBody(types, adapt)) : undefined
  if (written !== undefined) return written
  if (form === undefined) {
    if (body?.required !== true) return undefined
    return rawBody(types) ?? `no body of ${types.map(([type]) => type).join(', ') || 'no type at all'} is made up`
  }
  const [type, media] = form
  const { types: kinds } = media.schema ?? { types: new Set<string>() }
  if (kinds.size > 0 && !kinds.has('object')) return isUrlEncoded(type) ? urlEncoded([]) : multipart([['file', 'x']])
  for (const value of [...valuesOf(media, adapt), {}]) {
    if (!isObject(value)) continue
    const fields = fieldsOf(value as Readonly<Record<string, Json>>, media)
    if (fields !== undefined) return isUrlEncoded(type) ? urlEncoded(fields) : multipart(fields)
  }
  return 'no form was found that fits its schema'
}

/** A body of XML, as its schema describes it. */
function xmlBody(
  types: readonly (readonly [string, MediaType])[],
  adapt: (value: Json) => Json,
): ProbeBody | undefined {
  const [type, media] = types.find(([one]) => isXml(one)) ?? []
  const schema = media?.schema
  if (type === undefined || media === undefined || schema === undefined) return undefined
  const { key, definitions } = schema
  for (const value of valuesOf(media, adapt)) {
    if (typeof value !== 'object' || schema.check(value, true) !== undefined) continue
    const text = writeXml(value, definitions[key], definitions, 'root', 'item')
    const read = readXml(text, definitions[key], definitions)
    if ('value' in read && schema.check(read.value, read.exact) === undefined) return { type, text }
  }
  return undefined
}

/** A body of a sequence, such as lines of JSON. */
function sequenceBody(
  types: readonly (readonly [string, MediaType])[],
  adapt: (value: Json) => Json,
): ProbeBody | undefined {
  const isRead = ([, { sequence }]: readonly [string, MediaType]) =>
    sequence !== undefined && sequence.framing !== 'parts'
  const [type, media] = types.find(isRead) ?? []
  if (type === undefined || media?.sequence === undefined) return undefined
  for (const value of valuesOf(media, adapt)) {
    if (!Array.isArray(value) && typeof value !== 'string') continue
    const text = typeof value === 'string' ? value : writeSequence(value, media.sequence, BOUNDARY)
    const read = readSequence(text, media.sequence)
    if (read === undefined || 'fault' in read || media.schema?.check(read.value, read.exact) !== undefined) continue
    return { type, text }
  }
  return undefined
}

const isXml = (type: string): boolean => /^(?:application|text)\/xml\b|^[^;]*\+xml\b/i.test(type)
const isPatch = (type: string): boolean => /^application\/json-patch\+json\b/i.test(type)

/** A body of a media type that is not read: text, an image, an archive. */
function rawBody(types: readonly (readonly [string, MediaType])[]): ProbeBody | undefined {
  const [[type, { schema, examples }] = [undefined, {} as MediaType]] = types
  if (type === undefined) return undefined
  const [example] = examples
  if (typeof example?.value === 'string') return { type: concreteOf(type), text: example.value }
  const value = schema === undefined ? undefined : valueFor(schema, FRESH[0] as number, true)
  return { type: concreteOf(type), text: value === undefined ? 'understudy' : textOf(value) }
}

/** A type within a range such as `image/*`. */
const concreteOf = (type: string): string =>
  type.replace(/^\*\/\*/, 'application/octet-stream').replace('/*', '/x-probe')

const isUrlEncoded = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type)
const isForm = (type: string): boolean => isUrlEncoded(type) || /^multipart\/form-data\b/i.test(type)

/** Candidate bodies, the contract's examples first. */
function* valuesOf({ schema, examples }: MediaType, adapt: (value: Json) => Json): Iterable<Json> {
  for (const { value } of examples) {
    yield adapt(value)
    yield value
  }
  if (schema === undefined) return yield {}
  for (const seed of FRESH) {
    const value = valueFor(schema, seed, true)
    if (value === undefined) continue
    yield adapt(value)
    yield value
  }
}

function firstOf<Item>(items: Iterable<Item>, holds: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (holds(item)) return item
  return undefined
}

type FormFields = readonly (readonly [name: string, text: string])[]

/** A value as the fields of a form that reads back as a fitting one; fields that do not read back are left out. */
function fieldsOf(
  value: Readonly<Record<string, Json>>,
  { schema, form, encoding }: MediaType,
): FormFields | undefined {
  const fits = (fields: FormFields): boolean => {
    if (form === undefined) return true
    const byName = new Map<string, string[]>()
    for (const [name, text] of fields) byName.set(name, [...(byName.get(name) ?? []), text])
    const read = form(byName)
    return 'value' in read && schema?.check(read.value, read.exact) === undefined
  }
  const all = Object.entries(value).map(([name, item]) => {
    return encoding?.get(name)?.style === 'deepObject' ? deep(name, item) : flat(name, item)
  })
  const whole = all.flat()
  if (fits(whole)) return whole
  const { required } = schema?.shape ?? { required: new Set<string>() }
  const needed = all.flat().filter(([name]) => required.has(name.replace(/\[.*$/, '')))
  return fits(needed) ? needed : undefined
}

const flat = (name: string, item: Json): FormFields => {
  if (Array.isArray(item)) return item.map(one => [name, textOf(one)] as const)
  return [[name, textOf(item)]]
}

/** Objects and lists of objects in brackets: `items[0][price]`. */
const deep = (name: string, item: Json): FormFields => {
  if (Array.isArray(item) && item.some(one => isObject(one)))
    return item.flatMap((one, i) => deep(`${name}[${i}]`, one))
  if (!isObject(item)) return flat(name, item)
  return Object.entries(item as Readonly<Record<string, Json>>).flatMap(([key, one]) => deep(`${name}[${key}]`, one))
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value))

const urlEncoded = (fields: FormFields): ProbeBody => ({
  type: 'application/x-www-form-urlencoded',
  text: fields.map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`).join('&'),
})

/** RFC 7578. */
const multipart = (fields: FormFields): ProbeBody => ({
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  text: [
    ...fields.map(
      ([name, text]) =>
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name.replace(/["\r\n]/g, encodeURIComponent)}"\r\n\r\n${text}\r\n`,
    ),
    `--${BOUNDARY}--\r\n`,
  ].join(''),
})
