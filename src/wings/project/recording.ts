// The recording of a project: a HAR that each recording adds to. Credentials, and the personal fields that a user names, are
// blanked before an exchange is kept; the same value gets the same blank, so that what belongs together still does.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Contract } from '../../contract/contract.ts'
import { decodeQuery } from '../../contract/document/parameters.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import { decodeComponent } from '../../contract/paths.ts'
import { entryOf, type HarMessage } from '../../gateway/journal/har.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, mapValues, parseJson, stringifyJson } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import {
  type BlankOptions,
  blankColumns,
  blankEvents,
  blankSecrets,
  isIdentifierName,
  isSecretName,
  secrecyOf,
} from '../../kernel/secrets.ts'
import { HarFile, type RecordedExchange, readHar } from './har.ts'

export const RECORDING = 'recording.har'

/** The exchanges of a HAR, which may be iterated several times. Mistakes go to the report, if there is one. */
export const exchangesOf = (
  path: string | readonly Buffer[],
  file = RECORDING,
  report = new Diagnostics(),
): AsyncIterable<RecordedExchange> => ({ [Symbol.asyncIterator]: () => readHar(path, file, report) })

export interface RecordingOptions {
  /** The name of the source in messages. */
  readonly source: string
  /** The names of personal fields. */
  readonly personal: readonly string[]
  readonly contract: Contract | undefined
  /** The version of the program. */
  readonly version: string
}

/**
 * Adds exchanges to a recording that has not got them yet. Those of pages and of other origins than the most frequent one are left
 * out.
 *
 * @returns how many were added, and how many it has now
 */
export async function addToRecording(
  path: string,
  exchanges: AsyncIterable<RecordedExchange>,
  { source, personal, contract, version }: RecordingOptions,
  report: Diagnostics,
): Promise<{ readonly added: number; readonly all: number }> {
  const [open, blanks, known] = await readRecording(path, version)
  const mask = createMask(personal, contract, blanks)
  const origins = new Map<string, number>()
  for await (const one of exchanges) {
    if (!isOfApi(one, contract)) continue
    origins.set(one.origin, (origins.get(one.origin) ?? 0) + 1)
    // A value may occur before the field that tells its meaning.
    mask(one)
  }
  const [usual] = [...origins].sort(([, a], [, b]) => b - a)[0] ?? []
  let added = 0
  let left = 0
  if (usual === undefined) return { added, all: known.size }
  const har = open()
  try {
    for await (const one of exchanges) {
      if (!isOfApi(one, contract) || one.origin !== usual) left += 1
      else if (!known.has(exchangeKey(one))) {
        har.append(entryOf(mask(one)))
        added += 1
      }
    }
  } finally {
    har.close()
  }
  if (left > 0) {
    const message = `left out, because they are for pages, scripts, preflights or other origins: ${left}`
    report.warning('left-out-exchanges', message, placeOfFile(source), `the exchanges with ${usual} are used`)
  }
  return { added, all: known.size + added }
}

/** Returns a function that begins or continues a recording, the number of its blanks, and the keys of its exchanges. */
export async function readRecording(path: string, version: string) {
  const known = new Set<string>()
  let blanks = 0
  for await (const one of existsSync(path) ? exchangesOf(path) : []) {
    known.add(exchangeKey(one))
    for (const [, number] of JSON.stringify(one).matchAll(/masked-(\d+)/gi)) blanks = Math.max(blanks, Number(number))
  }
  const open = () => {
    mkdirSync(dirname(path), { recursive: true })
    return new HarFile(path, version)
  }
  return [open, blanks, known] as const
}

/** Identifies an exchange, independent of its blanks. */
const exchangeKey = ({ at, latency, method, path, query, reply }: RecordedExchange): string =>
  [at, latency, method, path, query, reply.status].join(' ').replace(/masked-\d+/gi, '')

const ASSETS = /^(?:text\/(?:html|css|javascript)|application\/(?:x-)?javascript|(?:image|font|video|audio)\/)/

/** Whether an exchange is a call of an API, and not of the page around it. */
function isOfApi({ method, origin, initiator, request, reply }: RecordedExchange, contract: unknown): boolean {
  const isPreflight = method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
  if (isPreflight || !origin.startsWith('http')) return false
  // A browser sends what a request is for; Firefox and Safari do not note it in another way. An API may be read by its address.
  const use = request.headers['sec-fetch-dest'] ?? 'empty'
  if (!/^(?:empty|document|iframe)$/.test(use)) return false
  if (initiator !== undefined) return /^(?:fetch|xhr|other|eventsource)$/.test(initiator)
  return contract !== undefined || method !== 'GET' || !ASSETS.test(typeOfMessage(reply))
}

/** Returns the media type of a message, without its parameters; empty if it has none. */
export const typeOfMessage = ({ headers }: Pick<HarMessage, 'headers'>): string =>
  essenceOf(headers['content-type'] ?? '')

/** Returns a part of a path without its encoding; as it is where that is broken. */
export const decodeSegment = (segment: string): string => decodeComponent(segment) ?? segment

/** Returns the JSON of a message; `undefined` if it has none. */
export function jsonOfMessage(message: HarMessage): Json | undefined {
  const { body } = message
  if (typeof body !== 'string' || !isJson(typeOfMessage(message))) return undefined
  const parsed = parseJson(body, true)
  return 'fault' in parsed ? undefined : parsed.value
}

const hasForm = (message: HarMessage): boolean => /urlencoded/.test(typeOfMessage(message))

/** Returns the JSON of a request, or the fields of its form. */
export function valueOfRequest(request: HarMessage): Json | undefined {
  const { body } = request
  return typeof body === 'string' && hasForm(request)
    ? Object.fromEntries(new URLSearchParams(body))
    : jsonOfMessage(request)
}

// --- blanks ----------------------------------------------------------------------------------------------------------

const BLANK = /^masked-\d+(?:@example\.com)?$/i

/** Returns a function that blanks the credentials of an exchange, and the values that it has blanked before; see `createBlanks`. */
export function createMask(...of: Parameters<typeof createBlanks>) {
  const { inMessage, inQuery, inPath } = createBlanks(...of)
  return <Exchange extends Pick<RecordedExchange, 'path' | 'query' | 'request' | 'reply'>>(one: Exchange): Exchange => {
    // The first pass learns the values of the second.
    for (const message of [one.request, one.reply]) inMessage(message)
    return {
      ...one,
      query: inQuery(one.query),
      request: inMessage(one.request),
      reply: inMessage(one.reply),
      path: inPath(one.path),
    }
  }
}

/**
 * Returns functions that blank the credentials in parts of messages, the same value by the same blank.
 *
 * @param personal the names of other fields to blank
 * @param count the blanks that the recording has already
 */
export function createBlanks(personal: readonly string[], contract: Contract | undefined, count = 0) {
  const names = new Set(personal.map(plainName))
  const schemes = [...(contract?.securitySchemes.values() ?? [])]
  const blanks = new Map<string, string>()

  /** Long random words that identify something, which stay. */
  const identifiers = new Set<string>()

  const testOf: NonNullable<BlankOptions['secrecyOf']> = (name, place) =>
    names.has(plainName(name)) || schemes.some(one => one.in === place && one.name === name)
      ? () => true
      : secrecyOf(name, place)

  const blank = (value: string): string => {
    if (value === '' || BLANK.test(value)) return value
    const known = blanks.get(value)
    if (known !== undefined) return known
    // A date stays one, and an address of mail.
    const isDate = /^\d{4}-\d\d-\d\d/.test(value)
    if (!isDate) count += 1
    const number = value.includes('@') ? `masked-${count}@example.com` : `Masked-${count}`
    const made = isDate ? value.replace(/\d/g, '1') : number
    blanks.set(value, made)
    return made
  }

  /** Replaces a text that is known, or what is secret in it. A short text may mean something else elsewhere. */
  const elsewhere = (text: string, { form, isIdentifier = false }: TextUse = {}): string => {
    const known = text.length > 3 ? blanks.get(text) : undefined
    if (known !== undefined) return known
    const isSecretWord = (word: string) => {
      if (isIdentifier && !blanks.has(word)) identifiers.add(word)
      return !identifiers.has(word)
    }
    return blankSecrets(text, { blank, secrecyOf: testOf, isSecretWord, form }).replace(
      /[\w.~@+-]{8,}/g,
      word => blanks.get(word) ?? word,
    )
  }

  /** The value of a segment may be named by the one before it: `/token/x`. */
  const inPath = (path: string): string => {
    const named = blankSecrets(path, {
      blank: text => encodeURIComponent(blank(decodeSegment(text))),
      isSecretWord: () => false,
    })
    return named.replace(/[^/]+/g, segment => {
      const text = decodeSegment(segment)
      const masked = elsewhere(text, { isIdentifier: true })
      return masked === text ? segment : encodeURIComponent(masked)
    })
  }

  const inQuery = (query: string): string =>
    query.replace(/([^&=]*)=([^&]*)/g, (pair, name: string, value: string) => {
      const [key, text] = [decodeQuery(name) ?? name, decodeQuery(value) ?? value]
      const isSecret = testOf(key, 'query')?.(text)
      const masked = isSecret ? blank(text) : elsewhere(text, { isIdentifier: isIdentifierName(key) })
      return masked === text ? pair : `${name}=${encodeURIComponent(masked)}`
    })

  const inHeader = (value: string, name: string): string => {
    if (name === 'cookie' || name === 'set-cookie') {
      return value.replace(/(^|[,;\n]\s*)([^=;,\s]+)=([^;,\n]*)/g, (pair, before: string, key: string, text: string) =>
        /^(?:path|domain|expires|max-age|samesite)$/i.test(key) ? pair : `${before}${key}=${blank(text)}`,
      )
    }
    if (!testOf(name, 'header')?.(value)) return elsewhere(value, { isIdentifier: isIdentifierName(name) })
    const [word = '', rest] = value.split(/ (.*)/s)
    if (!/(?:^|-)auth(?:oriz|entic)ation$/.test(name)) return blank(value)
    if (/^basic$/i.test(word)) return `${word} bWFza2VkOm1hc2tlZA==`
    return rest === undefined ? blank(value) : `${word} ${blank(rest)}`
  }

  const inValue = (value: Json, isSecret = false, name = ''): Json => {
    if (Array.isArray(value)) return value.map(one => inValue(one, isSecret, name))
    if (isObject(value)) return inObject(value as JsonObject, isSecret)
    if (typeof value === 'string') {
      return isSecret ? blank(value) : elsewhere(value, { isIdentifier: isIdentifierName(name) })
    }
    return isSecret && typeof value !== 'boolean' && value !== null ? 0 : value
  }

  const inObject = (value: JsonObject, isSecret: boolean): JsonObject => {
    // `{"name": "password", "value": "x"}`
    const { name, key = name, field = key } = value
    const named = typeof field === 'string' ? field : ''
    // A digest beside a salt or a password is not that of a file.
    const isCredential = 'hash' in value && Object.keys(value).some(one => isSecretName(one))
    return mapValues(value, (one, member) => {
      const test = testOf(member === 'value' ? named : member, 'field') ?? testOf(member, 'field')
      const isOwn = test !== undefined && (typeof one !== 'string' || test(one))
      return inValue(one, isSecret || isOwn || (isCredential && member === 'hash'), member)
    })
  }

  const inMessage = <Message extends HarMessage>(message: Message): Message => {
    const headers = mapValues(message.headers, inHeader)
    const { body } = message
    if (body === undefined) return { ...message, headers }
    if (typeof body !== 'string') {
      // A long word in bytes may be a part of anything.
      const text = elsewhere(Buffer.from(body).toString('latin1'), { isIdentifier: true })
      return { ...message, headers, body: Buffer.from(text, 'latin1') }
    }
    const value = jsonOfMessage(message)
    return { ...message, headers, body: value === undefined ? inText(body, message) : stringifyJson(inValue(value)) }
  }

  /** Replaces what is secret in a body that is not JSON. */
  const inText = (body: string, message: HarMessage): string => {
    const type = typeOfMessage(message)
    const options = { blank, secrecyOf: testOf }
    if (hasForm(message)) return inQuery(body)
    if (/yaml/.test(type)) return elsewhere(body, { form: 'yaml' })
    if (/csv|tab-separated/.test(type)) return elsewhere(blankColumns(body, options))
    const text = /event-stream/.test(type) ? blankEvents(body, { ...options, form: 'lines' }) : body
    return elsewhere(text, { form: isJson(type) ? 'part' : 'lines' })
  }

  return { inMessage, inQuery, inPath, inValue: (value: Json) => inValue(value) }
}

interface TextUse {
  readonly form?: BlankOptions['form']
  /** Whether its long random words identify something. */
  readonly isIdentifier?: boolean
}
