// The values of a request that keeps to the contract: its body (JSON, else a form), and the texts of its parameters.

import { isXml, xmlOf } from '../../contract/answer/body.ts'
import { readXml } from '../../contract/answer/xml.ts'
import type { MediaType, Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import { bareText, essenceOf, isJson, JSON_PATCH, readSequence, writeSequence } from '../../contract/media-types.ts'
import { valueFor } from '../../contract/schema/field.ts'
import { isObject, type Json, stringifyJson } from '../../kernel/json.ts'
import { isReadBack } from '../../load/seed/new-ids.ts'

export interface ProbeBody {
  readonly type: string
  readonly text: string
}

/** Seeds that no generated record has, so that a record to create does not exist yet. */
const FRESH = [1001, 1002, 1003]
const BOUNDARY = 'understudy-probe'

type Typed = readonly [type: string, media: MediaType]

/** A way to write a value as a body of a media type; `undefined` where it does not keep to the contract. */
type WriteBody = (value: Json, type: string, media: MediaType) => ProbeBody | undefined

const asJson: WriteBody = (value, type, { schema }) =>
  schema?.check(value, true) === undefined
    ? { type: type === '*/*' ? 'application/json' : type, text: stringifyJson(value) }
    : undefined

const asForm: WriteBody = (value, type, media) => {
  const kinds = media.schema?.types
  const write = isUrlEncoded(type) ? urlEncoded : multipart
  if (kinds?.size && !kinds.has('object')) return write(isUrlEncoded(type) ? [] : [['file', 'x']])
  const fields = isObject(value) ? formFields(value as Readonly<Record<string, Json>>, media) : undefined
  return fields && write(fields)
}

const asXml: WriteBody = (value, type, { schema }) => {
  if (schema === undefined || typeof value !== 'object' || schema.check(value, true) !== undefined) return undefined
  const { key, definitions } = schema
  const text = [...xmlOf(value, schema)].join('')
  const read = readXml(text, definitions[key], definitions)
  return 'value' in read && schema.check(read.value, read.exact) === undefined ? { type, text } : undefined
}

/** A sequence, such as lines of JSON. */
const asSequence: WriteBody = (value, type, { schema, sequence }) => {
  if (sequence === undefined || !(Array.isArray(value) || typeof value === 'string')) return undefined
  const text = typeof value === 'string' ? value : writeSequence(value, sequence, BOUNDARY)
  const read = readSequence(text, sequence)
  const fits = read !== undefined && !('fault' in read) && schema?.check(read.value, read.exact) === undefined
  return fits ? { type, text } : undefined
}

/**
 * @param adapt changes a value before its validation: for ids that must name a record
 * @returns a sentence if no body was found; `undefined` if none is needed
 */
export function bodyOf({ body }: Operation, adapt: (value: Json) => Json): ProbeBody | string | undefined {
  const types = [...(body?.content ?? [])]
  const write = (how: WriteBody, [type, media]: Typed): ProbeBody | undefined => {
    for (const value of bodyValues(media, adapt)) {
      const written = how(value, type, media)
      if (written !== undefined) return written
    }
    return undefined
  }
  const isPlain = (type: string) => isJson(type) && !isPatchType(type)
  const json = types.find(([type]) => isPlain(type)) ?? types.find(([type]) => type === '*/*')
  // An empty patch is valid and changes nothing.
  const patch = json === undefined ? types.find(([type]) => isPatchType(type)) : json[1].patch && json
  if (patch !== undefined && (patch[1].schema?.check([], true) === undefined || patch !== json))
    return { type: patch[0], text: '[]' }
  if (json !== undefined) return write(asJson, json) ?? 'no body was found that fits its schema'
  const form = types.find(([type]) => isForm(type))
  if (form !== undefined) {
    return write(asForm, form) ?? asForm({}, ...form) ?? 'no form was found that fits its schema'
  }
  const xml = types.find(([type]) => isXml(type))
  const lines = types.find(([, { sequence }]) => sequence !== undefined && sequence.framing !== 'parts')
  const written = (xml && write(asXml, xml)) ?? (lines && write(asSequence, lines))
  if (written !== undefined || body?.required !== true) return written
  return rawBody(types) ?? `no body of ${types.map(([type]) => type).join(', ') || 'no type at all'} is made up`
}

const isPatchType = (type: string): boolean => essenceOf(type) === JSON_PATCH

/** A body of a media type that is not read: text, an image, an archive. */
function rawBody(types: readonly Typed[]): ProbeBody | undefined {
  const [[type, { schema, examples }] = [undefined, {} as MediaType]] = types
  if (type === undefined) return undefined
  const [example] = examples
  if (typeof example?.value === 'string') return { type: concreteType(type), text: example.value }
  const value = schema && valueFor(schema, FRESH[0] as number, true)
  return { type: concreteType(type), text: value === undefined ? 'understudy' : bareText(value) }
}

/** A type within a range such as `image/*`. */
const concreteType = (type: string): string =>
  type.replace(/^\*\/\*/, 'application/octet-stream').replace('/*', '/x-probe')

const isUrlEncoded = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type)
const isForm = (type: string): boolean => isUrlEncoded(type) || /^multipart\/form-data\b/i.test(type)

/** Candidate bodies, the contract's examples first. */
function* bodyValues({ schema, examples }: MediaType, adapt: (value: Json) => Json): Iterable<Json> {
  for (const { value } of examples) yield* [adapt(value), value]
  if (schema === undefined) return yield {}
  for (const seed of FRESH) {
    const value = valueFor(schema, seed, true)
    if (value !== undefined) yield* [adapt(value), value]
  }
}

type FormFields = readonly (readonly [name: string, text: string])[]

/** A value as the fields of a form that reads back as a fitting one; fields that do not read back are left out. */
function formFields(
  value: Readonly<Record<string, Json>>,
  { schema, form, encoding }: MediaType,
): FormFields | undefined {
  const fits = (fields: FormFields): boolean => {
    if (form === undefined) return true
    const read = form(textsByName(fields))
    return 'value' in read && schema?.check(read.value, read.exact) === undefined
  }
  const whole = Object.entries(value).flatMap(([name, item]) => {
    const write = encoding?.get(name)?.style === 'deepObject' ? deep : flat
    return write(name, item)
  })
  if (fits(whole)) return whole
  const needed = whole.filter(([name]) => schema?.shape.required.has(name.replace(/\[.*$/, '')))
  return fits(needed) ? needed : undefined
}

const flat = (name: string, item: Json): FormFields => [item].flat().map(one => [name, bareText(one as Json)] as const)

function textsByName(fields: FormFields): Map<string, string[]> {
  const texts = new Map<string, string[]>()
  for (const [name, text] of fields) texts.set(name, [...(texts.get(name) ?? []), text])
  return texts
}

/** Objects and lists of objects in brackets: `items[0][price]`. */
const deep = (name: string, item: Json): FormFields => {
  if (Array.isArray(item) && item.some(one => isObject(one)))
    return item.flatMap((one, i) => deep(`${name}[${i}]`, one))
  if (!isObject(item)) return flat(name, item)
  return Object.entries(item as Readonly<Record<string, Json>>).flatMap(([key, one]) => deep(`${name}[${key}]`, one))
}

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

/** The values of a parameter that the contract shows, and generated ones. */
export function parameterValues({ node, schema }: Parameter): readonly (Json | undefined)[] {
  const { examples = [], example } = isObject(node.value) ? node.value : {}
  const shown = [example, ...Object.values(examples as object).map(one => one?.value)] as (Json | undefined)[]
  return [...shown, ...[1, 2, 3].map(seed => valueFor(schema, seed))]
}

/** Returns the texts of the first value that the parameter itself reads back from one of the usual ways to write it. */
export function parameterTexts(
  parameter: Parameter,
  values: readonly (Json | undefined)[],
): readonly string[] | undefined {
  for (const value of values) {
    if (value === undefined) continue
    for (const texts of waysToWrite(value, parameter)) {
      if (texts.every(text => text !== '') && isReadBack(parameter, texts)) return texts
    }
  }
  return undefined
}

/**
 * Returns the names and texts in the query of an object whose members are separate: `scope[type]=user`, `type=user`;
 * `undefined` for another parameter.
 */
export function spreadPairs(
  parameter: Parameter,
  values: readonly (Json | undefined)[],
): readonly [string, string][] | undefined {
  const { gather, name } = parameter
  if (gather === undefined || parameter.in !== 'query') return undefined
  for (const value of values) {
    if (!isObject(value)) continue
    const members = Object.entries(value as Record<string, Json>).flatMap(([key, one]) => flat(key, one))
    for (const fields of [deep(name, value as Json), members]) {
      const pairs = fields.map(([key, text]): [string, string] => [key, encodeURIComponent(text)])
      const read = gather(textsByName(pairs))
      if (read !== undefined && isReadBack(parameter, [], read)) return pairs
    }
  }
  return undefined
}

function waysToWrite(value: Json, { in: place, name }: Parameter): string[][] {
  const encode = place === 'query' || place === 'cookie' ? encodeURIComponent : (text: string) => text
  const text = (one: Json) => encode(bareText(one))
  if (Array.isArray(value)) {
    const all = value.map(text)
    // A path and a cookie have one text.
    const apart = place === 'path' || place === 'cookie' ? [] : [all]
    const named = all.map(one => `${name}=${one}`)
    return [...apart, ...prefixed(name, all, named), [text(value)]]
  }
  if (!isObject(value)) {
    // A parameter with a media type is written as that: text of JSON has quotes.
    return [[text(value)], [`.${text(value)}`], [`;${name}=${text(value)}`], [encode(stringifyJson(value))]]
  }
  const pairs = Object.entries(value as Record<string, Json>)
  const flat = pairs.map(([key, one]) => `${encode(key)},${text(one)}`)
  const exploded = pairs.map(([key, one]) => `${encode(key)}=${text(one)}`)
  return [[text(value)], ...prefixed(name, flat, exploded), [exploded.join(',')]]
}

/** The ways to write a list in one text: as `simple`, `label` and `matrix` do, then with `explode`. */
const prefixed = (name: string, parts: readonly string[], exploded: readonly string[]): string[][] => {
  const joined = parts.join(',')
  const separate = exploded.map(one => (one.startsWith(`${name}=`) ? one.slice(name.length + 1) : one))
  return [[joined], [`.${joined}`], [`;${name}=${joined}`], [`.${separate.join('.')}`], [`;${exploded.join(';')}`]]
}
