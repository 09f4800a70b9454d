// Queries of the journal by kept headers and bodies.

import { compileGlob } from '../../kernel/text/names.ts'
import { isObject, type Json, parseJson, parsePointer, stringifyJson } from '../../kernel/value/json.ts'
import type { JournalSettings } from '../../plan/settings.ts'
import type { JournalBody, JournalEntry } from './kept-request.ts'

/** In each value `*` matches any text; the empty text matches requests without this header or field. */
export interface ContentFilter {
  /** By name. */
  readonly header?: Readonly<Record<string, string>>
  /** By JSON Pointer; the empty one is for the whole body, as text. Values that are not texts as JSON: `5`, `null`. */
  readonly body?: Readonly<Record<string, Json>>
}

interface ContentCriterion {
  readonly key: string
  readonly wanted: string
  holds(entry: JournalEntry): boolean
  found(entry: JournalEntry): string
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** Returns a criterion for each header and field, or a sentence about a mistake in the filter. */
export function compileContent({ header = {}, body = {} }: ContentFilter): ContentCriterion[] | string {
  const criteria: ContentCriterion[] = []
  const want = (key: string, value: string, found: (entry: JournalEntry) => string) => {
    const fits = compileGlob(value)
    // `*` matches any value that is present; an absent one has the empty text.
    const holds = (entry: JournalEntry) => {
      const text = found(entry)
      return value === '' ? text === '' : text !== '' && fits(text)
    }
    criteria.push({ key, wanted: value, found, holds })
  }
  for (const [name, value] of Object.entries(header)) {
    if (!TOKEN.test(name)) return `"${name}" is not the name of a header; write header.x-request-id=42`
    const lower = name.toLowerCase()
    want(`header.${name}`, value, ({ headers, mask }) => {
      const sent = headers !== undefined && Object.hasOwn(headers, lower) ? headers[lower] : undefined
      return sent === undefined ? '' : mask.header(lower, sent)
    })
  }
  for (const [place, value] of Object.entries(body)) {
    const path = parsePointer(place)
    if (path === undefined) return `"${place}" is not a JSON Pointer; write body./${place.replace(/^\.+/, '')}=VALUE`
    const key = place === '' ? 'body' : `body.${place}`
    want(key, contentText(value), ({ requestBody }) => {
      if (requestBody === undefined) return ''
      if (path.length === 0) return requestBody.text
      if (requestBody.cut) return `(only the first ${requestBody.text.length} characters are kept)`
      const found = path.reduce<unknown>(stepInto, parsed(requestBody))
      return found === undefined ? '' : contentText(found as Json)
    })
  }
  return criteria
}

/**
 * Returns why the journal cannot answer: it does not keep the header, or bodies. Otherwise the answer would always be no.
 */
export function findUnkept(
  { header = {}, body = {} }: ContentFilter,
  { headers, bodies }: JournalSettings,
): string | undefined {
  const kept = (name: string) => headers === 'all' || headers.includes(name.toLowerCase())
  const missing = Object.keys(header).find(name => TOKEN.test(name) && !kept(name))
  if (missing !== undefined) {
    return `the journal does not keep the header ${missing}; configure journal: { headers: [${missing.toLowerCase()}] }`
  }
  if (Object.keys(body).length === 0 || bodies > 0) return undefined
  return 'the journal does not keep bodies; configure journal: { bodies: 4kB }'
}

const contentText = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value))

const stepInto = (at: unknown, key: string): unknown =>
  (Array.isArray(at) && /^\d+$/.test(key)) || isObject(at)
    ? Object.hasOwn(at as object, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
    : undefined

/** Parsed bodies, cached because several criteria use the same one. */
const read = new WeakMap<JournalBody, { readonly value: unknown }>()

function parsed(body: JournalBody): unknown {
  let known = read.get(body)
  if (known === undefined) {
    const result = parseJson(body.text)
    known = { value: 'fault' in result ? undefined : result.value }
    read.set(body, known)
  }
  return known.value
}
