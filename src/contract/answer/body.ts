// The body of a reply: its value from the contract, and the value serialised in its media type.

import { isObject, type Json, stringifyJson } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import type { Gap } from '../../sample/terms.ts'
import type { MediaType } from '../contract.ts'
import { essenceOf, isJson } from '../media-types.ts'
import { framingOf, writeSequence } from '../sequences.ts'
import { type EchoSource, echo } from './echo.ts'
import { writeXml } from './xml.ts'

export interface Wish {
  /** The name of an example. */
  readonly example: string | undefined
  /** Whether to generate every value. */
  readonly dynamic: boolean
  readonly seed: number
  readonly given: EchoSource
}

/** A body: `value` for the schema, `raw` if it is sent unchanged. */
export interface Content {
  readonly value: Json | undefined
  readonly raw?: string
  /** Set for an invalid body, which is the best that was found: its first part without a valid value. */
  readonly unfit?: string
}

/** Returns the example with a name; `undefined` if there is none. */
export function namedContent({ examples }: MediaType, type: string, example: string | undefined): Content | undefined {
  const named = example === undefined ? undefined : examples.find(({ name }) => name === example)
  return named && asContent(named.value, type)
}

/**
 * Returns the first valid example, else the first one that is invalid only for its `null`s, which authors write for absent
 * values. Returns `undefined` if there is none.
 */
export function exampleContent(media: MediaType, type: string): Content | undefined {
  const { schema } = media
  if (schema === undefined) return fittingExample(media, type, () => true)
  return (
    fittingExample(media, type, value => schema.fits(value)) ??
    fittingExample(media, type, value => schema.sampler.fitsButNulls(schema.key, value))
  )
}

function fittingExample(
  { examples, schema }: MediaType,
  type: string,
  fits: (value: Json) => boolean,
): Content | undefined {
  for (const { value: written } of examples) {
    // A reply has no `writeOnly` properties, though a shared example may have them.
    const value = schema === undefined ? written : schema.prune(written)
    if (fits(value) || isVerbatim(value, type)) return asContent(value, type)
    if (typeof value !== 'string' || !isJson(type)) continue
    // Examples are often the text of the body.
    const parsed = parseJson(value, true)
    if ('value' in parsed && fits(parsed.value)) return { value: parsed.value }
  }
  return undefined
}

/** Returns a value of the schema, with the values of the request. */
export function generatedContent({ schema }: MediaType, { dynamic, seed, given }: Wish): Content {
  if (schema === undefined) return { value: undefined }
  const { value, fits, gaps } = schema.sample({ seed, dynamic, sent: given.body, few: true })
  return fits ? { value: echo(value, given, schema) } : { value, unfit: describeGap(gaps[0]) }
}

const describeGap = (gap: Gap | undefined): string =>
  gap === undefined ? 'it' : `${gap.path.length === 0 ? 'it' : `/${gap.path.join('/')}`} ${gap.why}`

const asContent = (value: Json, type: string): Content => (isVerbatim(value, type) ? { value, raw: value } : { value })

/** Returns whether an example is the text of the body: XML, or a serialised sequence. */
const isVerbatim = (value: Json, type: string): value is string =>
  typeof value === 'string' &&
  (framingOf(essenceOf(type)) !== undefined || (isXml(type) && value.trimStart().startsWith('<')))

export const isXml = (type: string): boolean => /^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(essenceOf(type))

/** The smallest image: one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const BOUNDARY = 'part-of-the-reply'
/** A sequence without a schema for its items. */
const PLAIN = { fields: false, jsonData: false, partType: undefined } as const

export interface Written {
  readonly body: string | Uint8Array
  readonly contentType: string
}

/** Serialises the body in its media type, and returns its content type. */
export function writeBody({ value, raw }: Content, { schema, sequence }: MediaType, type: string): Written {
  const essence = essenceOf(type)
  if (raw !== undefined) return { body: raw, contentType: typeOfText(raw, type) }
  if (sequence !== undefined && value !== undefined) {
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value]
    const contentType = sequence.framing === 'parts' ? `${essence}; boundary=${BOUNDARY}` : type
    return { body: writeSequence(items, sequence, BOUNDARY), contentType }
  }
  if (isJson(essence)) return { body: value === undefined ? '{}' : stringifyJson(value), contentType: type }
  if (isXml(essence)) {
    const [name, item] = namesOf(schema?.node.value)
    const body = writeXml(value ?? {}, schema?.definitions[schema.key], schema?.definitions ?? {}, name, item)
    return { body, contentType: type }
  }
  if (essence === 'application/x-www-form-urlencoded') return { body: writeForm(value), contentType: type }
  if (essence.startsWith('multipart/')) {
    return { body: writeParts(value), contentType: `${essence}; boundary=${BOUNDARY}` }
  }
  const framing = framingOf(essence)
  if (framing === 'lines' || framing === 'records') {
    const items = [value ?? {}].flat() as readonly Json[]
    return { body: writeSequence(items, { framing, ...PLAIN }, BOUNDARY), contentType: type }
  }
  if (framing === 'events') {
    return { body: writeSequence([textOf(value)], { framing, ...PLAIN }, BOUNDARY), contentType: type }
  }
  if (essence === 'image/png') return { body: Buffer.from(PIXEL, 'base64'), contentType: type }
  return { body: value === undefined && essence.startsWith('text/') ? 'text' : textOf(value), contentType: type }
}

/** The first line of a multipart body that was written by hand is its boundary. */
function typeOfText(raw: string, type: string): string {
  const boundary = type.startsWith('multipart/') ? /^--([^\s"]+)\r?\n/.exec(raw)?.[1] : undefined
  return boundary === undefined || /;\s*boundary=/i.test(type) ? type : `${type}; boundary="${boundary}"`
}

const textOf = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value)

const fieldsOf = (value: Json | undefined): [string, Json][] =>
  isObject(value) ? Object.entries(value as Record<string, Json>) : []

function writeForm(value: Json | undefined): string {
  const form = new URLSearchParams()
  for (const [name, item] of fieldsOf(value)) {
    for (const one of Array.isArray(item) ? item : [item]) form.append(name, textOf(one as Json))
  }
  return form.toString()
}

function writeParts(value: Json | undefined): string {
  const parts = fieldsOf(value).map(([name, item]) => {
    const type = typeof item === 'object' ? 'application/json' : 'text/plain'
    const field = name.replace(/["\r\n]/g, '_')
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"\r\ncontent-type: ${type}\r\n\r\n${textOf(item)}\r\n`
  })
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

/** Names of XML elements: the outermost is named after the component, items after theirs. */
function namesOf(schema: unknown): [string, string] {
  const component = (from: unknown): string | undefined =>
    isObject(from) && typeof from.$ref === 'string' ? from.$ref.split('/').at(-1) : undefined
  const items = isObject(schema) ? component(schema.items) : undefined
  return [component(schema) ?? (items === undefined ? 'root' : `${items}s`), items ?? 'item']
}
