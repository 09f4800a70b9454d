// Reads the text of a request's body, by its media type, and bounds the work of checking it.

import { readXml } from '../../contract/answer/xml.ts'
import type { MediaType } from '../../contract/contract.ts'
import { decodeQuery, splitQuery } from '../../contract/document/parameters.ts'
import { compileMediaTypes, essenceOf, isJson, JSON_PATCH, readSequence } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { decodeUtf8 } from '../../kernel/http.ts'
import { exceeds, isObject, type Json, type Parsed, parseJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { keyOf } from '../../kernel/schema/schema.ts'

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
const parseOne = (text: string): Parsed => parseJson(text, true, MOST_MEMBERS)
const NOT_UTF8 = { fault: 'is not UTF-8' }

export const URL_ENCODED = 'application/x-www-form-urlencoded'
const UNICODE = /^(?:utf-?8|us-ascii)$/

const XML = /^(?:application|text)\/xml$|\+xml$/
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/

type ParseBody = (bytes: Uint8Array, type: string) => Parsed | Promise<Parsed>

/** Returns a parser for a media type; `undefined` for one that stays bytes. */
function parserOf(essence: string, media: MediaType): ParseBody | undefined {
  if (isJson(essence)) return parseText(parseOne)
  const { form, sequence, schema } = media
  if (XML.test(essence) && schema !== undefined) {
    return parseText(text => readXml(text, schema.definitions[schema.key], schema.definitions))
  }
  if (sequence !== undefined && sequence.framing !== 'parts') {
    return parseText(text => readSequence(text, sequence, parseOne) as Parsed)
  }
  // Fields are an object. A form that is described as something else, a file or a list of files, stays bytes.
  const isOther = schema !== undefined && schema.types.size > 0 && !schema.types.has('object')
  if (isOther && FORM.test(essence)) return undefined
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
  if (essence === 'text/plain' && schema?.types.has('string')) {
    return parseText(text => ({ value: text, exact: false }))
  }
  return undefined
}

/** Leaves out a byte order mark. */
const parseText =
  (parse: (text: string) => Parsed): ParseBody =>
  bytes => {
    const text = decodeUtf8(bytes)
    return text === undefined ? NOT_UTF8 : parse(text)
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
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(type)
  const part = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (occursMore(Buffer.from(bytes).toString('latin1'), part, MOST_FIELDS + 1)) return MANY_FIELDS
  try {
    const data = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    for (const [name, part] of data) {
      const text = typeof part === 'string' ? part : Buffer.from(await part.arrayBuffer()).toString('latin1')
      getOrMake(fields, name, (): string[] => []).push(text)
    }
  } catch {
    return { fault: 'is not a multipart form' }
  }
  return readForm(fields, form)
}

/** The maximum of comparisons: some 100 ms. */
const MOST_COMPARISONS = 500_000
/** Fewer alternatives, as those of an optional `null`, are not bounded. */
const FEW = 4
/** Alternatives within alternatives are counted up to this depth. */
const DEEPEST = 20

/**
 * Bounds the work of comparing a large body with many alternatives: each value of it is compared with each of them. Returns a
 * function that says what is wrong with a body that has too many values for its schema: `has more than 8333 values…`.
 * The alternatives are counted for the first large body.
 */
function compileWorkBound(schema: Pick<SchemaUse, 'key' | 'definitions'>): (value: unknown) => string | undefined {
  let alternatives: number | undefined
  return value => {
    alternatives ??= countAlternatives(schema.key, schema.definitions)
    if (alternatives <= FEW) return undefined
    const most = Math.floor(MOST_COMPARISONS / alternatives)
    if (!exceeds(value, most)) return undefined
    return `has more than ${most} values, which is too much to compare with ${alternatives} alternatives`
  }
}

/** Returns the number of alternatives of the widest schema that the one under `key` reaches: 1 for none. */
export function countAlternatives(key: string, definitions: Readonly<Record<string, unknown>>): number {
  const widths = new Map<object, number>()
  const seen = new Set<unknown>([definitions[key]])
  let widest = 1
  const width = (schema: unknown, depth: number): number => {
    if (!isObject(schema) || depth > DEEPEST) return 1
    const known = widths.get(schema)
    if (known !== undefined) return known
    // A cycle counts once.
    widths.set(schema, 1)
    const all = (parts: unknown) =>
      Array.isArray(parts) ? parts.reduce((sum, part) => sum + width(part, depth + 1), 0) : 0
    const referred = typeof schema.$ref === 'string' ? width(definitions[keyOf(schema.$ref)], depth + 1) : 1
    const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties).length : 0
    const sum = Math.max(1, referred, all(schema.anyOf), all(schema.oneOf), patterns)
    widths.set(schema, sum)
    return sum
  }
  // A set also iterates over what is added meanwhile.
  for (const schema of seen) {
    widest = Math.max(widest, width(schema, 0))
    if (!isObject(schema)) continue
    if (typeof schema.$ref === 'string') seen.add(definitions[keyOf(schema.$ref)])
    for (const [keyword, part] of Object.entries(schema)) {
      if (keyword === 'enum' || keyword === 'const' || keyword === 'examples' || keyword === 'default') continue
      if (isObject(part)) for (const inner of [part, ...Object.values(part)]) seen.add(inner)
      else if (Array.isArray(part)) for (const inner of part) seen.add(inner)
    }
  }
  return widest
}
