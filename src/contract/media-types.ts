// Media types as they are written, the documented one for a content type (RFC 9110 §8.3.1) and for a client (§12.5.1), and
// sequences (OpenAPI 3.2). Parameters count; their order and the case of their names do not.

import { isObject, type Json, type JsonObject, type Parsed, parseJson, stringifyJson } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'

/** How a field of a form is written. */
export interface Encoding {
  readonly contentType: string | undefined
  readonly style: string | undefined
  readonly explode: boolean | undefined
}

/** The media type of a JSON Patch (RFC 6902). */
export const JSON_PATCH = 'application/json-patch+json'

/** Returns whether a media type is JSON (RFC 6839 §3.1 for `+json`). */
export const isJson = (mediaType: string): boolean => /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;|$)/i.test(mediaType)

/** Returns a media type without its parameters, in lower case: `text/html; charset=utf-8` → `text/html`. */
export const essenceOf = (type: string): string => (type.split(';', 1)[0] as string).trim().toLowerCase()

/** Returns the parameters of a media type as texts: `version=2`, or the name of one without a value. */
function mediaParameters(type: string): string[] {
  const out: string[] = []
  for (const [, name = '', quoted, plain] of type.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    out.push(value === undefined ? name.toLowerCase() : `${name.toLowerCase()}=${value.toLowerCase()}`)
  }
  return out
}

const PARAMETER = /;\s*([^\s;=]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*)))?/g

/**
 * Compiles the choice among documented media types and ranges. The exact type wins; then the one with the most parameters,
 * all of which were sent; then one of the same name with other parameters; then the range that it lies in.
 */
export function compileMediaTypes<Value>(content: ReadonlyMap<string, Value>): (type: string) => Value | undefined {
  const documented = [...content].map(([type, value]) => {
    return { essence: essenceOf(type), parameters: mediaParameters(type), value }
  })
  const named = (essence: string) => documented.filter(one => one.essence === essence)
  return type => {
    const essence = essenceOf(type)
    const same = named(essence)
    if (same.length === 0) return (named(`${essence.split('/', 1)[0]}/*`)[0] ?? named('*/*')[0])?.value
    if (same.length === 1) return same[0]?.value
    const sent = mediaParameters(type)
    const fitting = same.filter(({ parameters }) => parameters.every(one => sent.includes(one)))
    return (fitting.sort((a, b) => b.parameters.length - a.parameters.length)[0] ?? same[0])?.value
  }
}

/**
 * The framing of the items of a sequential media type: event streams, lines of JSON, JSON text sequences and multipart
 * bodies without names. Its value is the list of its items.
 */
export type Framing = 'events' | 'lines' | 'records' | 'parts'

export interface Sequence {
  readonly framing: Framing
  /** For an event stream: whether an item is an event with its fields, and not only the content of `data`. */
  readonly fields: boolean
  /** Whether `data` holds JSON: its schema is not that of a string. */
  readonly jsonData: boolean
  /** The media type of each part, if `itemEncoding` names one. */
  readonly partType: string | undefined
}

/** The fields of an event (HTML, "Server-sent events"). */
export const EVENT_FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry'])

/** @param essence a media type without parameters, in lower case */
export function framingOf(essence: string): Framing | undefined {
  if (essence === 'text/event-stream') return 'events'
  if (/^application\/(?:[\w.-]+\+)?(?:jsonl|x-jsonl|jsonlines|x-jsonlines|json-lines|ndjson|x-ndjson)$/.test(essence)) {
    return 'lines'
  }
  if (/^application\/(?:[\w.-]+\+)?json-seq$/.test(essence)) return 'records'
  return essence.startsWith('multipart/') && essence !== 'multipart/form-data' ? 'parts' : undefined
}

/** Returns the text of a sequence; `boundary` separates parts. */
export function writeSequence(items: readonly Json[], sequence: Sequence, boundary: string): string {
  const { framing, partType } = sequence
  const texts = items.map(item => {
    if (framing === 'events') return writeEvent(item, sequence)
    if (framing === 'lines') return `${stringifyJson(item)}\n`
    // RFC 7464 §2.2: each text begins with a record separator and ends with a line feed.
    if (framing === 'records') return `\u001e${stringifyJson(item)}\n`
    return writePart(item, partType ?? (typeof item === 'string' ? 'text/plain' : 'application/json'), boundary)
  })
  return texts.join('') + (framing === 'parts' ? `--${boundary}--\r\n` : '')
}

/** @param fields further fields of the part's header, each with its end of line */
export const writePart = (item: Json, type: string, boundary: string, fields = ''): string =>
  `--${boundary}\r\n${fields}content-type: ${type}\r\n\r\n${bareText(item)}\r\n`

function writeEvent(item: Json, { fields }: Sequence): string {
  const event: JsonObject = fields && isObject(item) ? (item as JsonObject) : { data: item }
  const lines: string[] = []
  for (const name of ['event', 'id', 'retry', 'data']) {
    const value = event[name]
    if (value === undefined || value === null) continue
    // A line feed ends a field, so a text of several lines needs several `data` fields.
    const texts = bareText(value).split(/\r\n|\r|\n/)
    for (const text of name === 'data' ? texts : texts.slice(0, 1)) lines.push(`${name}: ${text}\n`)
  }
  return `${lines.join('')}\n`
}

/** Returns a text as it is, and any other value as JSON. */
export const bareText = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value))

type ParseItem = (text: string) => Parsed

/**
 * Returns the items of a text, or its mistake; `undefined` for a framing that is not supported.
 *
 * @param parse reads the JSON of an item
 */
export function readSequence(text: string, sequence: Sequence, parse: ParseItem = parseJson): Parsed | undefined {
  const { framing } = sequence
  if (framing === 'events') return readEvents(text, sequence, parse)
  if (framing === 'lines') return readTexts(text.split(/\r?\n/), 'line', parse)
  if (framing === 'parts') return undefined
  return text.trim() !== '' && !text.startsWith('\u001e')
    ? { fault: 'must begin with a record separator (RFC 7464)' }
    : readTexts(text.split('\u001e'), 'record', parse)
}

function readTexts(texts: readonly string[], what: string, parse: ParseItem): Parsed {
  const value: Json[] = []
  let exact = false
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') continue
    const parsed = parse(text)
    // The text before the first record separator is empty.
    const number = what === 'record' ? index : index + 1
    if ('fault' in parsed) return { fault: `is wrong in ${what} ${number}, which ${parsed.fault}` }
    value.push(parsed.value)
    exact ||= parsed.exact
  }
  return { value, exact }
}

/** HTML, "Interpreting an event stream": comments and unknown fields are ignored, and so is an event without data. */
function readEvents(text: string, { fields, jsonData }: Sequence, parse: ParseItem): Parsed {
  const value: Json[] = []
  let exact = false
  for (const block of text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)) {
    const event: Record<string, Json> = {}
    const data: string[] = []
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':')
      const name = colon === -1 ? line : line.slice(0, colon)
      const given = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'data') data.push(given)
      else if (name === 'retry' && /^\d+$/.test(given)) event.retry = Number(given)
      else if (name === 'event' || name === 'id') event[name] = given
    }
    if (data.length === 0) continue
    const joined = data.join('\n')
    const parsed = fields && !jsonData ? undefined : parse(joined)
    if (parsed !== undefined && 'value' in parsed) exact ||= parsed.exact
    const meant = parsed !== undefined && 'value' in parsed ? parsed.value : joined
    value.push(fields ? { ...event, data: meant } : meant)
  }
  return { value, exact }
}

/** Returns the index of the documented type that the client prefers; `undefined` if it accepts none. */
export type Negotiate = (accept: string | undefined) => number | undefined

/** A media range that a client accepts. */
interface AcceptedRange {
  readonly essence: string
  readonly parameters: readonly string[]
  readonly weight: number
  /** How much it says about the types within it. */
  readonly precision: number
}

const MOST_KNOWN = 50

/** @param types as documented, ranges such as `text/*` among them */
export function compileNegotiation(types: readonly string[]): Negotiate {
  const essences = types.map(essenceOf)
  const documented = types.map(concreteOf).map((type, index) => {
    return { essence: essenceOf(type), parameters: mediaParameters(type), index }
  })
  // A client that accepts a range gets JSON if the operation has it.
  const unusual = ({ essence }: { readonly essence: string }) =>
    essence === 'application/json' ? 0 : isJson(essence) ? 1 : 2
  const byUsualness = [...documented].sort((a, b) => unusual(a) - unusual(b)).map(({ index }) => index)
  const bestOf = (ranges: readonly AcceptedRange[], strict: boolean): number | undefined => {
    const accepted = documented.flatMap(({ essence, parameters, index }) => {
      const [range] = ranges
        .filter(one => within(essence, one.essence))
        .filter(one => !strict || one.parameters.every(parameter => parameters.includes(parameter)))
        .sort((a, b) => b.precision - a.precision || b.weight - a.weight)
      if (range === undefined || !(range.weight > 0)) return []
      // A type that a client names without parameters is preferred to its variants, and to a range that contains it.
      const isPlain = range.essence === essence && range.parameters.length === 0
      const further = isPlain && types[index] !== essence && types.includes(essence)
      return { ...range, index, order: ranges.indexOf(range) + (further ? 0.5 : 0) }
    })
    const usual = (index: number) => byUsualness.indexOf(index)
    return accepted.sort(
      (a, b) =>
        b.weight - a.weight || b.precision - a.precision || a.order - b.order || usual(a.index) - usual(b.index),
    )[0]?.index
  }
  const known = new Map<string, number | undefined>()
  return accept => {
    // The most common value, and a missing header, accept anything.
    if (accept === undefined || accept === '' || accept === '*/*') return byUsualness[0]
    // Clients repeat a few values.
    if (known.size >= MOST_KNOWN) known.clear()
    return getOrMake(known, accept, () => {
      const ranges = accept.split(',').map(rangeOf)
      // Undocumented versions and charsets are ignored; a documented range matches the requested types within it.
      const other = essences.findIndex(one => one.endsWith('/*') && ranges.some(({ essence }) => within(essence, one)))
      return bestOf(ranges, true) ?? bestOf(ranges, false) ?? (other === -1 ? undefined : other)
    })
  }
}

function rangeOf(text: string): AcceptedRange {
  const essence = essenceOf(text)
  const parameters = mediaParameters(text)
  const weight = parameters.find(one => one.startsWith('q=')) ?? 'q=1'
  const own = parameters.slice(0, parameters.includes(weight) ? parameters.indexOf(weight) : undefined)
  const precision = (essence === '*/*' ? 0 : essence.endsWith('/*') ? 2 : 4) + (own.length > 0 ? 1 : 0)
  return { essence, parameters: own, weight: Number(weight.slice(2)), precision }
}

/** Returns the content type to send for a documented type: for a range, the requested type within it, or its usual member. */
export function contentTypeFor(type: string, accept: string | undefined): string {
  const essence = essenceOf(type)
  if (!essence.endsWith('/*')) return type
  const wanted = (accept ?? '').split(',').map(essenceOf)
  return wanted.find(one => !one.includes('*') && within(one, essence)) ?? concreteOf(type)
}

const USUAL: Readonly<Record<string, string>> = {
  text: 'text/plain',
  image: 'image/png',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  font: 'font/woff2',
  model: 'model/gltf-binary',
}

function concreteOf(type: string): string {
  const [kind = '', subtype] = essenceOf(type).split('/')
  return subtype === '*' ? (USUAL[kind] ?? 'application/json') : type
}

const within = (type: string, range: string): boolean =>
  range === '*/*' || type === range || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
