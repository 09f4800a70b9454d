// Blanks the credentials in recorded exchanges, the same value by the same blank.

import type { Contract } from '../../contract/contract.ts'
import { decodeQuery } from '../../contract/document/parameters.ts'
import { isJson } from '../../contract/media-types.ts'
import type { HarExchange, HarMessage } from '../../gateway/journal/har.ts'
import { isObject, type Json, type JsonObject, mapValues, stringifyJson } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import { isSecretName, secrecyOf } from '../../kernel/secrets.ts'
import type { EarlierBlanks } from './earlier-blanks.ts'
import { decodeSegment, hasForm, jsonOfMessage, typeOfMessage } from './messages.ts'
import { type BlankOptions, blankColumns, blankEvents, blankSecrets, isIdentifierName } from './secrets.ts'

const BLANK = /^masked-\d+(?:@example\.com)?$/i

/** A blank in a text, and a date that was blanked. */
const HAS_BLANK = /\bmasked-\d+|\b1111-11-11/i

/** Returns whether a text has a blank, which no client sends. */
export const hasBlank = (text: string): boolean => HAS_BLANK.test(text)

/** Returns an object without the members that were blanked: a text, a number in place of a secret one, or a list with some. */
export function withoutBlanks(value: JsonObject): JsonObject {
  const kept = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    if (isObject(item)) return [[name, withoutBlanks(item as JsonObject)]]
    const isBlank = item === 0 ? secrecyOf(name, 'field') !== undefined : hasBlank(stringifyJson(item))
    return isBlank ? [] : [[name, item]]
  })
  return Object.fromEntries(kept)
}

type SecrecyOf = NonNullable<BlankOptions['secrecyOf']>

interface TextUse {
  readonly form?: BlankOptions['form']
  /** Whether its long random words identify something. */
  readonly isIdentifier?: boolean
}

export class Blanks {
  readonly #personal: ReadonlySet<string>
  readonly #contract: Contract | undefined
  /** By the value that they replace. */
  readonly #blanks = new Map<string, string>()
  /** By the blank. */
  readonly #values = new Map<string, string>()
  /** Long random words that identify something, which stay. */
  readonly #identifiers = new Set<string>()
  #count: number

  /** The blanks of an earlier recording that have their values again. */
  readonly #adopted = new Set<string>()
  readonly #earlier: EarlierBlanks | undefined

  /**
   * @param personal the names of other fields to blank
   * @param recording the number of blanks that the recording has already, and where
   */
  constructor(
    personal: readonly string[],
    contract: Contract | undefined,
    { count = 0, earlier }: { readonly count?: number; readonly earlier?: EarlierBlanks } = {},
  ) {
    this.#personal = new Set(personal.map(plainName))
    this.#contract = contract
    this.#count = count
    this.#earlier = earlier
  }

  /**
   * Blanks the credentials of an exchange that is new. Those of one that was recorded before get the blanks that they had, so that
   * this must be called once for each.
   */
  inNewExchange(exchange: HarExchange): HarExchange {
    const masked = this.inExchange(exchange)
    const adopted = this.#adopted.size
    for (const [blank, earlier] of this.#earlier?.pairsFor(masked) ?? []) {
      const value = this.#values.get(blank)
      const isSameForm = blank.includes('@') === earlier.includes('@')
      if (value === undefined || !isSameForm || this.#adopted.has(blank) || this.#adopted.has(earlier)) continue
      this.#set(value, earlier)
      this.#adopted.add(earlier)
    }
    return this.#adopted.size === adopted ? masked : this.inExchange(exchange)
  }

  /** Blanks the credentials of an exchange, and the values that were blanked before. */
  inExchange<Exchange extends Pick<HarExchange, 'path' | 'query' | 'request' | 'reply'>>(exchange: Exchange): Exchange {
    // The first pass learns the values of the second.
    for (const message of [exchange.request, exchange.reply]) this.#inMessage(message)
    return {
      ...exchange,
      query: this.#inQuery(exchange.query),
      request: this.#inMessage(exchange.request),
      reply: this.#inMessage(exchange.reply),
      path: this.#inPath(exchange.path),
    }
  }

  inValue(value: Json): Json {
    return this.#inValue(value)
  }

  readonly #secrecyOf: SecrecyOf = (name, place) => {
    const schemes = [...(this.#contract?.securitySchemes.values() ?? [])]
    const isSecret =
      this.#personal.has(plainName(name)) || schemes.some(scheme => scheme.in === place && scheme.name === name)
    return isSecret ? () => true : secrecyOf(name, place)
  }

  readonly #blank = (value: string): string => {
    if (value === '' || BLANK.test(value)) return value
    const existing = this.#blanks.get(value)
    if (existing !== undefined) return existing
    const blank = this.#newBlank(value)
    this.#set(value, blank)
    return blank
  }

  #set(value: string, blank: string): void {
    this.#blanks.set(value, blank)
    this.#values.set(blank, value)
  }

  /** A date stays one, and an address of mail. */
  #newBlank(value: string): string {
    if (/^\d{4}-\d\d-\d\d/.test(value)) return value.replace(/\d/g, '1')
    this.#count += 1
    return value.includes('@') ? `masked-${this.#count}@example.com` : `Masked-${this.#count}`
  }

  /** Replaces a text that was blanked before, or what is secret in it. A short text may mean something else elsewhere. */
  #inText(text: string, { form, isIdentifier = false }: TextUse = {}): string {
    const existing = text.length > 3 ? this.#blanks.get(text) : undefined
    if (existing !== undefined) return existing
    const isSecretWord = (word: string) => {
      if (isIdentifier && !this.#blanks.has(word)) this.#identifiers.add(word)
      return !this.#identifiers.has(word)
    }
    const options = { blank: this.#blank, secrecyOf: this.#secrecyOf, isSecretWord, form }
    return blankSecrets(text, options).replace(/[\w.~@+-]{8,}/g, word => this.#blanks.get(word) ?? word)
  }

  /** The value of a segment may be named by the one before it: `/token/x`. */
  #inPath(path: string): string {
    const blank = (text: string) => encodeURIComponent(this.#blank(decodeSegment(text)))
    return blankSecrets(path, { blank, isSecretWord: () => false }).replace(/[^/]+/g, segment => {
      const text = decodeSegment(segment)
      const masked = this.#inText(text, { isIdentifier: true })
      return masked === text ? segment : encodeURIComponent(masked)
    })
  }

  #inQuery(query: string): string {
    return query.replace(/([^&=]*)=([^&]*)/g, (pair, name: string, value: string) => {
      const [key, text] = [decodeQuery(name) ?? name, decodeQuery(value) ?? value]
      const isSecret = this.#secrecyOf(key, 'query')?.(text)
      const masked = isSecret ? this.#blank(text) : this.#inText(text, { isIdentifier: isIdentifierName(key) })
      return masked === text ? pair : `${name}=${encodeURIComponent(masked)}`
    })
  }

  #inHeader(value: string, name: string): string {
    if (name === 'cookie' || name === 'set-cookie') {
      return value.replace(/(^|[,;\n]\s*)([^=;,\s]+)=([^;,\n]*)/g, (pair, before: string, key: string, text: string) =>
        /^(?:path|domain|expires|max-age|samesite)$/i.test(key) ? pair : `${before}${key}=${this.#blank(text)}`,
      )
    }
    if (!this.#secrecyOf(name, 'header')?.(value)) return this.#inText(value, { isIdentifier: isIdentifierName(name) })
    const [word = '', rest] = value.split(/ (.*)/s)
    if (!/(?:^|-)auth(?:oriz|entic)ation$/.test(name)) return this.#blank(value)
    if (/^basic$/i.test(word)) return `${word} bWFza2VkOm1hc2tlZA==`
    return rest === undefined ? this.#blank(value) : `${word} ${this.#blank(rest)}`
  }

  #inValue(value: Json, isSecret = false, name = ''): Json {
    if (Array.isArray(value)) return value.map(item => this.#inValue(item, isSecret, name))
    if (isObject(value)) return this.#inObject(value as JsonObject, isSecret)
    if (typeof value === 'string')
      return isSecret ? this.#blank(value) : this.#inText(value, { isIdentifier: isIdentifierName(name) })
    return isSecret && typeof value !== 'boolean' && value !== null ? 0 : value
  }

  #inObject(value: JsonObject, isSecret: boolean): JsonObject {
    // `{"name": "password", "value": "x"}`
    const { name, key = name, field = key } = value
    const named = typeof field === 'string' ? field : ''
    // A digest beside a salt or a password is not that of a file.
    const isCredential = 'hash' in value && Object.keys(value).some(member => isSecretName(member))
    return mapValues(value, (item, member) => {
      const test = this.#secrecyOf(member === 'value' ? named : member, 'field') ?? this.#secrecyOf(member, 'field')
      const isSecretField = test !== undefined && (typeof item !== 'string' || test(item))
      return this.#inValue(item, isSecret || isSecretField || (isCredential && member === 'hash'), member)
    })
  }

  #inMessage<Message extends HarMessage>(message: Message): Message {
    const headers = mapValues(message.headers, (value, name) => this.#inHeader(value, name))
    const { body } = message
    if (body === undefined) return { ...message, headers }
    if (typeof body !== 'string') {
      // A long word in bytes may be a part of anything.
      const text = this.#inText(Buffer.from(body).toString('latin1'), { isIdentifier: true })
      return { ...message, headers, body: Buffer.from(text, 'latin1') }
    }
    const value = jsonOfMessage(message)
    const masked = value === undefined ? this.#inBody(body, message) : stringifyJson(this.#inValue(value))
    return { ...message, headers, body: masked }
  }

  /** Replaces what is secret in a body that is not JSON. */
  #inBody(body: string, message: HarMessage): string {
    const type = typeOfMessage(message)
    const options = { blank: this.#blank, secrecyOf: this.#secrecyOf }
    if (hasForm(message)) return this.#inQuery(body)
    if (/yaml/.test(type)) return this.#inText(body, { form: 'yaml' })
    if (/csv|tab-separated/.test(type)) return this.#inText(blankColumns(body, options))
    const text = /event-stream/.test(type) ? blankEvents(body, { ...options, form: 'lines' }) : body
    return this.#inText(text, { form: isJson(type) ? 'part' : 'lines' })
  }
}
