// Generates strings: by format, by pattern, or by the property's name; then adjusts the length.

import { Chance } from './chance.ts'
import type { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'
import { lengthOf } from './fits-scalar.ts'
import { PatternWriter } from './patterns.ts'
import { regExpOf } from './schema-parts.ts'
import * as words from './words.ts'

const base64 = (chance: Chance): string => Buffer.from(words.writeFor('title', chance)).toString('base64')
const octet = (chance: Chance): number => chance.between(1, 254)

const phone = (chance: Chance): string => words.writeFor('phone', chance)

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Returns a time as in a mail, without the day of the week (RFC 5322, section 3.3): `05 Mar 2023 10:11:12 +0000`. */
function mailDate(chance: Chance): string {
  const [year, month, day] = words.date(chance).split('-')
  return `${day} ${MONTHS[Number(month) - 1]} ${year} ${words.time(chance).slice(0, 8)} +0000`
}

const FORMATS: Readonly<Record<string, (chance: Chance) => string>> = {
  date: words.date,
  time: words.time,
  'date-time': words.moment,
  'iso-time': words.time,
  'iso-date-time': words.moment,
  duration: chance => chance.pick(['P1D', 'PT30M', 'P2W', 'PT8H', 'P1Y6M']),
  email: words.email,
  'idn-email': words.email,
  uuid: words.uuid,
  uri: words.url,
  url: words.url,
  iri: words.url,
  'uri-reference': words.path,
  'iri-reference': words.path,
  'uri-template': chance => `${words.url(chance)}/{id}`,
  hostname: words.hostname,
  'idn-hostname': words.hostname,
  // Addresses that are reserved for documentation: RFC 5737 and RFC 3849.
  ipv4: chance => `192.0.2.${octet(chance)}`,
  ipv6: chance => `2001:db8::${octet(chance).toString(16)}`,
  byte: base64,
  base64url: base64,
  binary: chance => words.writeFor('text', chance),
  password: chance => `${words.word(chance)}-${words.hex(chance, 8)}`,
  'json-pointer': words.path,
  'json-pointer-uri-fragment': chance => `#${words.path(chance)}`,
  'relative-json-pointer': chance => `${chance.between(0, 3)}${words.path(chance)}`,
  regex: chance => chance.pick(['^[a-z]+$', '^\\d{4}$', '[A-Z]{2}']),
  // Numbers as text, as several large APIs write them.
  int32: chance => String(chance.between(1, 1000)),
  int64: chance => String(chance.between(1, 100_000)),
  uint32: chance => String(chance.between(1, 1000)),
  uint64: chance => String(chance.between(1, 100_000)),
  'google-datetime': words.moment,
  'google-duration': chance => `${chance.between(1, 600)}s`,
  'google-fieldmask': () => 'name,title',
  color: chance => `#${words.hex(chance, 6)}`,
  'media-type': () => 'text/plain',
  char: chance => String.fromCharCode(chance.between(97, 122)),
  // Names that no standard has and many documents write.
  ...{ datetime: words.moment, dateTime: words.moment, date_time: words.moment, rfc3339: words.moment },
  ...{ URL: words.url, URI: words.url, UUID: words.uuid, guid: words.uuid, 'e-mail': words.email },
  'date-time-rfc-2822': mailDate,
  ip: chance => `192.0.2.${octet(chance)}`,
  ...{ phone, 'phone-number': phone, e164: phone },
}

/** Texts that satisfy common rules for passwords, tried for expressions with look-ahead. */
const STURDY = ['Aa1!aaaa', 'Aa1@Bb2#Cc3$', 'Passw0rd', 'abc123', 'Abc123!@#xyz', 'A1', 'aA1-', '0', '1', 'a', 'A', 'x']
const MANY = 48
/** The number of searches after which no text is expected to match. */
const SEARCHES = 3

/** A text that must be longer, in characters, is not made. */
const LONGEST = 1_000_000
/** The length from which a text for a pattern is approached slowly. */
const LONG = 1000

export class StringWriter {
  readonly #fitting: Fitting
  readonly #patterns = new Map<string, PatternWriter | undefined>()
  /** A text for each combination of patterns, formats and lengths; `undefined` if none was found. */
  readonly #texts = new Map<string, string | undefined>()

  constructor(fitting: Fitting) {
    this.#fitting = fitting
  }

  /** Returns a text that is valid for the facets; `undefined` if none was found. */
  write(facets: Facets, name: string | undefined, chance: Chance): string | undefined {
    const { formats, patterns } = facets
    if (facets.minLength > LONGEST) return undefined
    for (const format of formats) {
      const write = FORMATS[format]
      if (write === undefined) continue
      for (let i = 0; i < 4; i++) {
        const text = write(chance)
        if (this.#holds(facets, text)) return text
      }
    }
    if (patterns.length > 0) return this.#byPattern(facets, name, chance)
    if (facets.contentEncoding === 'base64' && facets.maxLength > 40) return base64(chance)
    const text = fitLength(words.writeFor(name, chance), facets)
    if (this.#holds(facets, text)) return text
    const lengths = [facets.minLength, Math.min(facets.maxLength, facets.minLength + 3)]
    const others = formats.flatMap(format => (FORMATS[format] === undefined ? [] : [FORMATS[format](chance)]))
    return [...others, ...lengths.map(length => '0'.repeat(length))].find(other => this.#holds(facets, other))
  }

  #holds(facets: Facets, text: string): boolean {
    const length = lengthOf(text)
    if (length < facets.minLength || length > facets.maxLength) return false
    return facets.schemas.every(({ pattern, format }) => this.#fitting.fits({ pattern, format }, text))
  }

  /**
   * Writes a text for patterns. A combination that no text is found for, such as the pattern of an id with the format of a
   * time, is searched once: a body may have hundreds of such fields. The result depends on `chance` alone, not on requests
   * before.
   */
  #byPattern(facets: Facets, name: string | undefined, chance: Chance): string | undefined {
    const { patterns, formats, minLength, maxLength } = facets
    const key = JSON.stringify([patterns, formats, minLength, maxLength])
    if (!this.#texts.has(key)) {
      let found: string | undefined
      for (let i = 0; found === undefined && i < SEARCHES; i++) found = this.#search(facets, undefined, new Chance(i))
      this.#texts.set(key, found)
    }
    const known = this.#texts.get(key)
    return known === undefined ? undefined : (this.#search(facets, name, chance) ?? known)
  }

  #search(facets: Facets, name: string | undefined, chance: Chance): string | undefined {
    const natural = fitLength(words.writeFor(name, chance), facets)
    if (this.#holds(facets, natural)) return natural
    for (const pattern of facets.patterns) {
      const writer = this.#writerOf(pattern)
      if (writer === undefined) continue
      let stretch = Math.min(3, facets.maxLength)
      for (let i = 0; i < MANY; i++) {
        const text = writer.write(chance, stretch)
        if (this.#holds(facets, text)) return text
        const length = lengthOf(text)
        // A longer text needs more repetitions; try increasing numbers.
        if (length < facets.minLength) {
          // Nested repetitions multiply, so that for a long text the number is at most doubled.
          const most = facets.minLength > LONG ? stretch : facets.minLength
          stretch += Math.max(1, Math.min(most, (facets.minLength - length) >> 2))
        } else if (length > facets.maxLength && stretch > 0)
          stretch = length > 2 * facets.maxLength ? stretch >> 1 : stretch - 1
        else if (i > 8) stretch = i % 16
      }
    }
    // An expression without anchors may match anywhere in the text.
    return STURDY.map(text => fitLength(text, facets)).find(text => this.#holds(facets, text))
  }

  #writerOf(pattern: string): PatternWriter | undefined {
    if (!this.#patterns.has(pattern)) {
      const expression = regExpOf(pattern)
      this.#patterns.set(pattern, expression && PatternWriter.of(expression))
    }
    return this.#patterns.get(pattern)
  }
}

function fitLength(text: string, { minLength, maxLength }: Facets): string {
  if (text.length > maxLength) return text.slice(0, maxLength).replace(/ $/, 'x')
  if (text.length >= minLength) return text
  return (
    text +
    ` ${text}`.repeat(Math.ceil((minLength - text.length) / (text.length + 1) + 1)).slice(0, minLength - text.length)
  )
}
