// The body of a reply: its value from the contract, with values of the request, serialised in its media type.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, memberAt, parseJson, pointer, stringifyJson } from '../../kernel/json.ts'
import type { Gap } from '../../sample/terms.ts'
import type { MediaType } from '../contract.ts'
import { bareText, essenceOf, framingOf, isJson, writePart, writeSequence } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
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
  const find = (nulls: boolean) =>
    fittingExample(media, type, value => schema?.sampler.fits(schema.key, value, nulls) ?? true)
  return find(false) ?? find(true)
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
  return fits
    ? { value: echo(value, given, schema) }
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
  if (isXml(essence)) {
    const [name, item] = elementNames(schema?.node.value)
    return writeXml(value ?? {}, schema?.definitions[schema.key], schema?.definitions ?? {}, name, item)
  }
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

/** Names of XML elements: the outermost is named after the component, items after theirs. */
function elementNames(schema: unknown): [string, string] {
  const component = (from: unknown): string | undefined =>
    isObject(from) && typeof from.$ref === 'string' ? from.$ref.split('/').at(-1) : undefined
  const items = isObject(schema) ? component(schema.items) : undefined
  return [component(schema) ?? (items === undefined ? 'root' : `${items}s`), items ?? 'item']
}

/** A received parameter. */
interface Said {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly value: Json
  /** Set if it names another record than the reply's. */
  readonly names?: 'another'
}

interface EchoSource {
  readonly parameters: readonly Said[]
  readonly body: Json | undefined
}

const LIMITS = /^(?:limit|per_?page|page_?size|size|count|max_?results|top|first)$/i
const WRAPPERS = /^(?:data|result|item|record|entity|payload|response|value)$/i
const IDS = /id$|key$|uuid$|number$|^name$|slug$/i
/** Parameters that do not name a field of the records in a list. */
const PAGING = /^(?:limit|offset|page|sort|order|q)$/i

/**
 * Returns a reply with the values of the request in it; the same value if nothing changes.
 *
 * @param isExample whether the reply is an example: the records of its lists are other records and stay unchanged
 */
export function echo(value: Json, source: EchoSource, schema: SchemaUse | undefined, isExample = false): Json {
  const { body } = source
  const parameters = isExample ? source.parameters.filter(one => one.in === 'path') : source.parameters
  if (parameters.length === 0 && !isObject(body)) return value
  const reply = new GuardedValue(value, next => schema === undefined || schema.fits(next))
  const { records, items, lists } = targetsIn(value)
  const put = (path: Path, name: string, said: Json): boolean => {
    const holder = reply.at(path)
    return isObject(holder) && formsOf(said, holder[name] as Json).some(form => reply.put([...path, name], form))
  }
  const has = (path: Path, name: string): boolean => {
    const holder = reply.at(path)
    return isObject(holder) && Object.hasOwn(holder, name)
  }
  const putNamed = (path: Path, { name, value: said }: Said): void => {
    const inside = namesFor(name).find(one => has(path, one))
    if (inside !== undefined) put(path, inside, said)
  }
  // The last parameter of the path identifies the record. Its name does not count.
  const last = parameters.filter(one => one.in === 'path' && one.names === undefined).at(-1)
  for (const path of records) {
    if (isObject(body)) {
      // Some declared properties may be absent in the reply. A set: the body may have 90,000 names.
      const declared = path.length === 0 ? (schema?.sampler.declared(schema.key) ?? []) : []
      const wanted = new Set([...Object.keys(reply.at(path) as JsonObject), ...declared])
      for (const name of Object.keys(body)) if (wanted.has(name)) put(path, name, (body as JsonObject)[name] as Json)
    }
    for (const one of parameters) putNamed(path, one)
    if (last !== undefined && IDS.test(last.name) && !namesFor(last.name).some(one => has(path, one))) {
      if (has(path, 'id')) put(path, 'id', last.value)
    }
  }
  if (isExample) return reply.value
  const filters = parameters.filter(({ name }) => !PAGING.test(name))
  for (const path of items) for (const one of filters) putNamed(path, one)
  const limit = parameters.find(one => one.in === 'query' && LIMITS.test(one.name) && typeof one.value === 'number')
  if (limit === undefined) return reply.value
  for (const path of lists) reply.put(path, (reply.at(path) as readonly Json[]).slice(0, Number(limit.value)))
  return reply.value
}

/** Returns the values of a request that creates a record below another: the id in the path is the other one's. */
export const saidBelow = ({ parameters, body }: EchoSource): EchoSource => ({
  parameters: parameters.flatMap(one => {
    if (one.in !== 'path') return [one]
    return /^(?:id|key|uuid)$/i.test(one.name) ? [] : [{ ...one, names: 'another' as const }]
  }),
  body,
})

/** The places of a reply's record, inside its wrapper if it has one, of its lists, and of their items. */
interface EchoTargets {
  readonly records: Path[]
  readonly items: Path[]
  readonly lists: Path[]
}

function targetsIn(value: Json): EchoTargets {
  const targets: EchoTargets = { records: isObject(value) ? [[]] : [], items: [], lists: [] }
  const members: readonly (readonly [Path, unknown])[] = [
    [[], value],
    ...(isObject(value) ? Object.entries(value).map(([name, inner]) => [[name], inner] as const) : []),
  ]
  for (const [path, inner] of members) {
    if (Array.isArray(inner)) {
      targets.lists.push(path)
      for (const i of inner.keys()) targets.items.push([...path, i])
    } else if (isObject(inner) && WRAPPERS.test(String(path[0]))) targets.records.push(path)
  }
  return targets
}

/** Returns the spellings of a name: bookId, book_id, book-id. */
function namesFor(name: string): string[] {
  const snake = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  const camel = snake.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
  return [...new Set([name, camel, snake, snake.replaceAll('_', '-')])]
}

/** Converts a value to the type of the value that it replaces. */
function formsOf(said: Json, known: Json | undefined): Json[] {
  const one = Array.isArray(said) && !Array.isArray(known) ? (said[0] as Json | undefined) : said
  if (one === undefined) return []
  if (typeof known === 'string' && typeof one !== 'string' && typeof one !== 'object') return [String(one)]
  if (typeof known === 'number' && typeof one === 'string' && /^-?\d+(?:\.\d+)?$/.test(one)) return [Number(one)]
  return [one]
}

function replaced(value: Json | undefined, [key, ...rest]: Path, next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, next) : item))
  return { ...(value as JsonObject), [key]: replaced((value as JsonObject)[key], rest, next) }
}

/** A value that changes only while it stays valid, part by part. */
export class GuardedValue {
  value: Json
  readonly #fits: (value: Json) => boolean

  /** @param fits whether a value is valid as a whole */
  constructor(value: Json, fits: (value: Json) => boolean) {
    this.value = value
    this.#fits = fits
  }

  at(path: Path): Json | undefined {
    return memberAt(this.value, path) as Json | undefined
  }

  /** Returns whether the whole would be valid with this part. */
  fits(path: Path, part: Json): boolean {
    return this.#fits(replaced(this.value, path, part))
  }

  /** Replaces or adds a part, and returns whether the whole stays valid; otherwise nothing changes. */
  put(path: Path, part: Json): boolean {
    const whole = replaced(this.value, path, part)
    const fits = this.#fits(whole)
    if (fits) this.value = whole
    return fits
  }

  /** Removes a property, in the same way. */
  drop(path: Path): boolean {
    const key = path.at(-1)
    const holder = this.at(path.slice(0, -1))
    if (typeof key !== 'string' || !isObject(holder)) return false
    if (!Object.hasOwn(holder, key)) return true
    const { [key]: _, ...rest } = holder as JsonObject
    return this.put(path.slice(0, -1), rest)
  }
}
