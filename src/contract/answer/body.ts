// The body of a reply: its value from the contract, with values of the request, serialised in its media type.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parseJson, pointer, put, stringifyJson } from '../../kernel/json.ts'
import type { Gap } from '../../sample/terms.ts'
import type { MediaType } from '../contract.ts'
import { type Node, nameOfFile } from '../documents.ts'
import { bareText, essenceOf, framingOf, isJson, writePart, writeSequence } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { type EchoSource, echo } from './echo.ts'
import { writeXml, type XmlNames } from './xml.ts'

export interface Wish {
  /** The name of an example. */
  readonly example: string | undefined
  /** Whether to generate every value. */
  readonly dynamic: boolean
  /** The length of its lists; unset for the usual one. */
  readonly items?: number | undefined
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

/** Returns the example with a name, without its `writeOnly` properties; `undefined` if there is none. */
export function namedContent(
  { examples, schema }: MediaType,
  type: string,
  example: string | undefined,
): Content | undefined {
  const named = example === undefined ? undefined : examples.find(({ name }) => name === example)
  return named && asContent(schema?.prune(named.value) ?? named.value, type)
}

/**
 * Returns the first valid example, else the first one that is invalid only for its `null`s, which authors write for absent
 * values: without them where they may be absent. Returns `undefined` if there is none.
 *
 * @param isWanted whether a valid example will do
 */
export function exampleContent(
  media: MediaType,
  type: string,
  isWanted: (value: Json) => boolean = () => true,
): Content | undefined {
  const { schema } = media
  const find = (nulls: boolean) =>
    fittingExample(media, type, value => (schema?.sampler.fits(schema.key, value, nulls) ?? true) && isWanted(value))
  const valid = find(false)
  if (valid !== undefined) return valid
  const content = find(true)
  return content && { ...content, value: withoutNulls(content.value, schema) }
}

/** Returns a value without the `null`s that make it invalid; the value itself if it stays invalid. */
function withoutNulls(value: Json | undefined, schema: SchemaUse | undefined): Json | undefined {
  if (value === undefined || schema === undefined) return value
  const wrong = new Set(schema.check(value, true)?.map(({ pointer }) => pointer))
  const strip = (part: Json, path: Path): Json => {
    if (Array.isArray(part)) return part.map((item: Json, i) => strip(item, [...path, i]))
    if (!isObject(part)) return part
    const members = Object.entries(part as JsonObject).map(([name, item]) => [name, item, [...path, name]] as const)
    const kept: Record<string, Json> = {}
    for (const [name, item, place] of members)
      if (item !== null || !wrong.has(pointer(place))) put(kept, name, strip(item, place))
    return kept
  }
  const next = strip(value, [])
  return schema.fits(next) ? next : value
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

/**
 * Returns a function that lets generated values of a schema refer to existing records, other ones for another turn; `undefined` where
 * they refer to none.
 */
export type FindReferences = (node: Node) => ((value: Json, turn: number) => Json) | undefined

/** Returns a value of the schema, with existing records, and with the values of the request. */
export function generatedContent(
  { schema }: MediaType,
  { dynamic, items, seed, given }: Wish,
  references: FindReferences,
): Content {
  if (schema === undefined) return { value: undefined }
  const { value, fits, gaps } = schema.sample({ seed, dynamic, items, sent: given.body, few: true })
  const linked = fits ? references(schema.node)?.(value, seed >>> 0) : undefined
  const known = linked !== undefined && schema.fits(linked) ? linked : value
  return fits
    ? { value: echo(known, given, schema) }
    : { value, unfit: gaps[0] === undefined ? 'it' : gapText(gaps[0]) }
}

/** Says which part of a value is wrong, and why. */
export const gapText = ({ path, why }: Gap): string => `${pointer(path) || 'it'} ${why}`

const asContent = (value: Json, type: string): Content => (isVerbatim(value, type) ? { value, raw: value } : { value })

/** Returns whether an example is the text of the body: XML, or a serialised sequence. */
const isVerbatim = (value: Json, type: string): value is string =>
  typeof value === 'string' &&
  (framingOf(essenceOf(type)) !== undefined || (isXml(type) && value.trimStart().startsWith('<')))

export const isXml = (type: string): boolean => /^(?:application|text)\/(?:[\w.-]+\+)?xml$/.test(essenceOf(type))

/** The smallest image: one transparent pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const FORM_DATA = 'multipart/form-data'
const BOUNDARY = 'part-of-the-reply'
/** A sequence without a schema for its items. */
const PLAIN = { fields: false, jsonData: false, partType: undefined } as const

export interface Written {
  readonly body: string | Uint8Array
  readonly contentType: string
}

/** Serialises the body in its media type, and returns its content type. */
export function writeBody({ value, raw }: Content, { schema, sequence: described }: MediaType, type: string): Written {
  const essence = essenceOf(type)
  if (raw !== undefined) return { body: raw, contentType: typeOfText(raw, type) }
  const framing = framingOf(essence)
  // Parts without a sequence have names.
  const sequence = described ?? (framing === undefined || framing === 'parts' ? undefined : { framing, ...PLAIN })
  const contentType = framing === 'parts' || essence === FORM_DATA ? `${essence}; boundary=${BOUNDARY}` : type
  if (sequence !== undefined) {
    const items = value === undefined ? [framing === 'events' ? '' : {}] : ([value].flat() as Json[])
    return { body: writeSequence(items, sequence, BOUNDARY), contentType }
  }
  return { body: writeWhole(value, schema, essence), contentType }
}

function writeWhole(value: Json | undefined, schema: SchemaUse | undefined, essence: string): string | Uint8Array {
  if (isJson(essence)) return value === undefined ? '{}' : stringifyJson(value)
  if (isXml(essence)) return [...xmlOf(value ?? {}, schema)].join('')
  const fields = isObject(value) ? Object.entries(value as Record<string, Json>) : []
  if (essence === 'application/x-www-form-urlencoded') {
    const form = new URLSearchParams()
    for (const [name, item] of fields) for (const one of [item].flat()) form.append(name, bareText(one as Json))
    return form.toString()
  }
  if (essence.startsWith('multipart/')) {
    const parts = fields.map(([name, item]) => {
      const type = typeof item === 'object' ? 'application/json' : 'text/plain'
      const disposition = `content-disposition: form-data; name="${name.replace(/["\r\n]/g, '_')}"\r\n`
      return writePart(item, type, BOUNDARY, disposition)
    })
    return `${parts.join('')}--${BOUNDARY}--\r\n`
  }
  if (essence === 'image/png') return Buffer.from(PIXEL, 'base64')
  if (value === undefined) return essence.startsWith('text/') ? 'text' : ''
  return bareText(value)
}

/** The first line of a multipart body that was written by hand is its boundary. */
function typeOfText(raw: string, type: string): string {
  const boundary = type.startsWith('multipart/') ? /^--([^\s"]+)\r?\n/.exec(raw)?.[1] : undefined
  return boundary === undefined || /;\s*boundary=/i.test(type) ? type : `${type}; boundary="${boundary}"`
}

/** Returns the parts of a value in XML; see `writeXml`. */
export const xmlOf = (value: Json, schema: SchemaUse | undefined): Generator<string> =>
  writeXml(value, schema?.definitions[schema.key], schema?.definitions ?? {}, elementNames(schema?.node.value))

/** Names of XML elements: the outermost is named after the component, items after theirs. */
function elementNames(schema: unknown): XmlNames {
  const component = (from: unknown): string | undefined =>
    isObject(from) && typeof from.$ref === 'string' ? nameOfFile(from.$ref) : undefined
  const items = isObject(schema) ? component(schema.items) : undefined
  return [component(schema) ?? (items === undefined ? 'root' : `${items}s`), items ?? 'item']
}
