// Reads the text of a request's body, by its media type.

import { isUtf8 } from 'node:buffer'
import { readXml } from '../../contract/answer/xml.ts'
import { essenceOf, isJson, JSON_PATCH, type MediaType } from '../../contract/contract.ts'
import { decodeQuery, splitQuery } from '../../contract/document/parameters.ts'
import { compileMediaTypes } from '../../contract/media-types.ts'
import { readSequence } from '../../contract/sequences.ts'
import type { Json } from '../../kernel/json.ts'
import { type Parsed, parseJson } from '../../kernel/parse-json.ts'
import { compileWorkBound } from './alternatives.ts'

/** How a body of a content type is read. */
export interface BodyReading {
  readonly schema: MediaType['schema']
  readonly parse: ParseBody | undefined
  /** Set for an unsupported charset. */
  readonly charset: string | undefined
  /** See `compileWorkBound`. */
  readonly excessOf: ReturnType<typeof compileWorkBound> | undefined
  /** Whether it is a JSON Patch, by its media type or by its schema. */
  readonly patch: 'named' | 'described' | undefined
}

/** Readers by documented media type. */
export function compileReadings(content: ReadonlyMap<string, MediaType>): (type: string) => BodyReading | undefined {
  const mediaOf = compileMediaTypes(content)
  const readingOf = (type: string): BodyReading | undefined => {
    const media = mediaOf(type)
    if (media === undefined) return undefined
    const parse = parserOf(essenceOf(type), media)
    const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]?.toLowerCase()
    const readable = parse === undefined || charset === undefined || UNICODE.test(charset)
    return {
      schema: media.schema,
      parse,
      excessOf: media.schema && compileWorkBound(media.schema),
      charset: readable ? undefined : charset,
      patch: essenceOf(type) === JSON_PATCH ? 'named' : media.patch && 'described',
    }
  }
  // The most common content types need no parsing.
  const usual = [...content.keys()].flatMap(type => [type, essenceOf(type), `${essenceOf(type)}; charset=utf-8`])
  const known = new Map(usual.map(type => [type, readingOf(type)]))
  return type => known.get(type) ?? readingOf(type)
}

/** The maximum number of members of an object: composing and storing a record of more is one long step. */
const MOST_MEMBERS = 50_000
const BOUNDS = { members: MOST_MEMBERS }
const NOT_UTF8 = { fault: 'is not UTF-8' }

export const URL_ENCODED = 'application/x-www-form-urlencoded'
const UNICODE = /^(?:utf-?8|us-ascii)$/

const NO_TYPES: ReadonlySet<string> = new Set()
const XML = /^(?:application|text)\/xml$|\+xml$/
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/

type ParseBody = (bytes: Uint8Array, type: string) => Parsed | Promise<Parsed>

/** Returns a parser for a media type; `undefined` for one that stays bytes. */
function parserOf(essence: string, media: MediaType): ParseBody | undefined {
  if (isJson(essence)) return parseText(parseSentBody)
  const { form, sequence, schema } = media
  if (XML.test(essence) && schema !== undefined) {
    return parseText(text => readXml(text, schema.definitions[schema.key], schema.definitions))
  }
  if (sequence !== undefined && sequence.framing !== 'parts') {
    return parseText(text => readSequence(text, sequence, parseSentBody) as Parsed)
  }
  // Fields are an object. A form that is described as something else, a file or a list of files, stays bytes.
  const { types } = media.schema ?? { types: NO_TYPES }
  if (FORM.test(essence) && types.size > 0 && !types.has('object')) return undefined
  if (essence === URL_ENCODED) {
    return parseText(text => {
      if (occursMore(text, '&', MOST_FIELDS)) return MANY_FIELDS
      const fields = new Map([...splitQuery(text)].map(([name, texts]) => [name, texts.map(decodeQuery)]))
      if ([...fields.values()].flat().includes(undefined)) return { fault: 'has a broken percent-encoding' }
      return readForm(fields as Map<string, string[]>, form)
    })
  }
  if (essence === 'multipart/form-data') return (bytes, type) => readMultipart(bytes, type, form)
  // A text is validated only if its schema is for strings.
  if (essence === 'text/plain' && media.schema?.types.has('string')) {
    return parseText(text => ({ value: text, exact: false }))
  }
  return undefined
}

const parseSentBody = (text: string): Parsed => parseJson(text, true, BOUNDS)

const parseText =
  (parse: (text: string) => Parsed): ParseBody =>
  bytes =>
    isUtf8(bytes) ? parse(decodeText(bytes)) : NOT_UTF8

const decodeText = (bytes: Uint8Array): string => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function readForm(fields: ReadonlyMap<string, readonly string[]>, form: MediaType['form']): Parsed {
  if (form !== undefined) return form(fields) as Parsed
  const value = [...fields].map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]] as const)
  return { value: Object.fromEntries(value) as Json, exact: false }
}

/** The maximum number of fields of a form: each takes some ten microseconds. */
const MOST_FIELDS = 10_000
const MANY_FIELDS = { fault: `has more than ${MOST_FIELDS} fields` }

/** Returns whether a part occurs in a text more than `most` times. */
const occursMore = (text: string, part: string, most: number): boolean => text.split(part, most + 2).length > most + 1

/** The platform's own parser (RFC 7578). */
async function readMultipart(bytes: Uint8Array, type: string, form: MediaType['form']): Promise<Parsed> {
  const fields = new Map<string, string[]>()
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  const part = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (occursMore(body.toString('latin1'), part, MOST_FIELDS + 1)) return MANY_FIELDS
  try {
    const data = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    for (const [name, part] of data) {
      const text = typeof part === 'string' ? part : Buffer.from(await part.arrayBuffer()).toString('latin1')
      const known = fields.get(name)
      if (known === undefined) fields.set(name, [text])
      else known.push(text)
    }
  } catch {
    return { fault: 'is not a multipart form' }
  }
  return readForm(fields, form)
}
