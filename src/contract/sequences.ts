// Sequential media types (OpenAPI 3.2): event streams, lines of JSON, JSON text sequences and multipart bodies without
// names. Their value is the list of their items; this file reads and writes it.

import { isObject, type Json, type JsonObject, type Parsed, parseJson, stringifyJson } from '../kernel/json.ts'

/** The framing of the items of a media type. */
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
  switch (sequence.framing) {
    case 'events':
      return items.map(item => writeEvent(item, sequence)).join('')
    case 'lines':
      return items.map(item => `${stringifyJson(item)}\n`).join('')
    // RFC 7464 §2.2: each text begins with a record separator and ends with a line feed.
    case 'records':
      return items.map(item => `\u001e${stringifyJson(item)}\n`).join('')
    case 'parts': {
      const parts = items.map(item => writePart(item, sequence.partType, boundary))
      return `${parts.join('')}--${boundary}--\r\n`
    }
    default:
      return sequence.framing satisfies never
  }
}

function writePart(item: Json, partType: string | undefined, boundary: string): string {
  const type = partType ?? (typeof item === 'string' ? 'text/plain' : 'application/json')
  return `--${boundary}\r\ncontent-type: ${type}\r\n\r\n${bareText(item)}\r\n`
}

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
  switch (sequence.framing) {
    case 'events':
      return readEvents(text, sequence, parse)
    case 'lines':
      return readTexts(text.split(/\r?\n/), 'line', parse)
    case 'records':
      return text.trim() !== '' && !text.startsWith('\u001e')
        ? { fault: 'must begin with a record separator (RFC 7464)' }
        : readTexts(text.split('\u001e'), 'record', parse)
    case 'parts':
      return undefined
    default:
      return sequence.framing satisfies never
  }
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
