// Reads, parses and checks a request's body, by the media type that the contract documents for it.

import { isUtf8 } from 'node:buffer'
import { readXml } from '../../contract/answer/xml.ts'
import { essenceOf, isJson, JSON_PATCH, type MediaType, type Operation } from '../../contract/contract.ts'
import { decodeQuery, splitQuery } from '../../contract/document/parameters.ts'
import { compileMediaTypes } from '../../contract/media-types.ts'
import { readSequence } from '../../contract/sequences.ts'
import { type Parsed, parseJson } from '../../kernel/parse-json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { type Reply, refuse, withHeaders } from '../../kernel/reply.ts'
import { firstOf } from '../../kernel/request.ts'
import { breathe } from '../../world/clock.ts'
import type { Exchange, Invalid } from '../behaviour.ts'
import { writable } from '../exchange.ts'
import { compileWorkBound } from './alternatives.ts'
import { explainSlips, warnOfFieldSlips } from './field-slips.ts'
import { countUpTo, MANY_FIELDS, MOST_FIELDS, readForm, readMultipart } from './form-fields.ts'
import { checkPatch } from './json-patch.ts'
import type { ValidateConfig } from './parameters.ts'

const NO_RULES: readonly BrokenRule[] = []

/** A rule that the whole body breaks. */
const whole = (rule: string, message: string): BrokenRule => ({ in: 'body', path: '', rule, message })

/** Reads, parses and checks the body. Returns a refusal or the broken rules. */
export function compileBody(
  operation: Operation,
  config: ValidateConfig,
  maxBody: number,
  invalid: Invalid,
): ((exchange: Exchange) => Promise<Reply | readonly BrokenRule[]>) | undefined {
  const { body } = operation
  if (body === undefined) {
    if (config.undocumentedBody === 'ignore') return undefined
    const unexpected = refuse(problems.unsupported_media_type, 'this operation does not accept a body')
    return async ({ request }) => {
      if (!request.hasBody) return NO_RULES
      const read = await request.readBody(maxBody)
      return 'bytes' in read && read.bytes.length === 0 ? NO_RULES : unexpected
    }
  }
  const types = [...body.content.keys()].join(', ')
  const readingOf = compileReadings(body.content)
  const absent = body.required ? [whole('required', 'is required')] : NO_RULES
  const acceptable = { accept: types, ...(operation.method === 'PATCH' ? { 'accept-patch': types } : {}) }
  const unsupported = (detail: string) => refuse(problems.unsupported_media_type, detail, acceptable)
  const check = (reading: BodyReading, exchange: Exchange, parsed: Parsed, bytes: number): readonly BrokenRule[] => {
    const { schema, patch } = reading
    if ('fault' in parsed) return [whole('syntax', parsed.fault)]
    const excess = reading.excessOf?.(parsed.value, bytes)
    if (excess !== undefined) return [whole('anyOf', excess)]
    // Some contracts describe a patch as an object, which is merged. A list is applied as a patch nevertheless.
    if (patch === 'named' && (Array.isArray(parsed.value) || schema?.types.has('object') !== true)) {
      const broken = checkPatch(parsed.value)
      if (broken.length === 0) writable(exchange, 'validate').body = parsed.value
      return broken
    }
    const violations = schema?.check(parsed.value, parsed.exact)
    if (schema !== undefined && violations !== undefined) {
      const rules = violations.map(
        ({ pointer: path, keyword: rule, message }) => ({ in: 'body', path, rule, message }) as const,
      )
      return explainSlips(rules, parsed.value, schema)
    }
    const broken = patch === 'described' ? checkPatch(parsed.value) : NO_RULES
    if (broken.length > 0) return broken
    if (schema !== undefined) warnOfFieldSlips(exchange, parsed.value, schema)
    const draft = writable(exchange, 'validate')
    draft.body = schema === undefined ? parsed.value : schema.prune(parsed.value)
    if (draft.body !== parsed.value) draft.sent = parsed.value
    return NO_RULES
  }
  /** Others have their turn before and after. */
  const checkLarge = async (...body: Parameters<typeof check>): Promise<readonly BrokenRule[]> => {
    await breathe()
    const broken = check(...body)
    await breathe()
    return broken
  }
  /** A form without fields has no bytes: its content type tells it from an absent body. */
  const withoutBytes = (exchange: Exchange): readonly BrokenRule[] => {
    const type = body.required ? firstOf(exchange.request.headers['content-type']) : undefined
    if (type === undefined || essenceOf(type) !== URL_ENCODED) return absent
    const reading = readingOf(type)
    const parsed = reading?.parse?.(NO_BYTES, type)
    if (reading === undefined || parsed === undefined || parsed instanceof Promise) return absent
    return check(reading, exchange, parsed, 0)
  }
  return exchange => {
    const { request } = exchange
    if (!request.hasBody) return Promise.resolve(withoutBytes(exchange))
    const type = firstOf(request.headers['content-type'])
    if (type === undefined || type.trim() === '') {
      const untyped = unsupported(`the body has no content type; this operation accepts ${types}`)
      return request.readBody(maxBody).then(read => ('bytes' in read && read.bytes.length === 0 ? absent : untyped))
    }
    const reading = readingOf(type)
    if (reading === undefined) {
      return Promise.resolve(unsupported(`${essenceOf(type)} is not supported; this operation accepts ${types}`))
    }
    if (reading.charset !== undefined) {
      return Promise.resolve(unsupported(`the charset ${reading.charset} is not supported; use UTF-8`))
    }
    return request.readBody(maxBody).then(read => {
      if ('problem' in read) {
        if (read.problem !== problems.invalid_request) return refuse(read.problem, read.detail, read.headers)
        return withHeaders(invalid([whole('syntax', read.detail.replace(/^the body /, ''))]), read.headers)
      }
      if (read.bytes.length === 0) return withoutBytes(exchange)
      // A body that is not JSON, a form or text is kept as bytes.
      if (reading.parse === undefined) return NO_RULES
      const size = read.bytes.length
      const parsed = reading.parse(read.bytes, type)
      if (parsed instanceof Promise) return parsed.then(value => checkLarge(reading, exchange, value, size))
      return size > LARGE ? checkLarge(reading, exchange, parsed, size) : check(reading, exchange, parsed, size)
    })
  }
}

const URL_ENCODED = 'application/x-www-form-urlencoded'
const NO_BYTES = new Uint8Array()

/** A larger body, in bytes, is parsed, checked and answered with other requests in between. */
const LARGE = 100_000
/** The maximum number of members of an object: composing and storing a record of more is one long step. */
const MOST_MEMBERS = 50_000
const BOUNDS = { members: MOST_MEMBERS }
const NOT_UTF8 = { fault: 'is not UTF-8' }

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
      if (countUpTo(MOST_FIELDS, from => text.indexOf('&', from)) > MOST_FIELDS) return MANY_FIELDS
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
    isUtf8(bytes) ? parse(textOf(bytes)) : NOT_UTF8

const textOf = (bytes: Uint8Array): string => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

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
