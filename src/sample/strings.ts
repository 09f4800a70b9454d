// Generates strings: by format, by pattern, or by the property's name; then adjusts the length. Small word lists make
// generated names look like names. The property's name decides the topic.

import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { attempted, getOrMake } from '../kernel/memo.ts'
import { Chance } from './chance.ts'
import type { Facets } from './facets.ts'
import { fitsString, lengthOf } from './fits.ts'
import { regExpOf } from './schema-parts.ts'

const wordList = (text: string): string[] => text.split(' ')

const FIRST = wordList('Ada Bruno Clara Dana Emil Farah Greta Hugo Ines Jonas Kira Luca')
const LAST = wordList('Adler Brandt Costa Duarte Eriksen Fontaine Garcia Haddad Ito Jansen Kaur')
const CITIES = wordList('Amsterdam Bergen Cusco Dakar Espoo Florence Ghent Hanoi Izmir Jaipur')
const COUNTRIES = wordList('Austria Brazil Canada Denmark Egypt Finland Ghana India Japan Kenya')
const STREETS = ['Mill Lane', 'Harbour Street', 'Oak Avenue', 'Station Road', 'Garden Row', 'Bridge Street']
const COMPANIES = ['Northwind', 'Blue Harbour', 'Copper & Sons', 'Evergreen', 'Fjord Works', 'Lantern', 'Quarry Hill']
const COLOURS = wordList('amber blue crimson green indigo olive silver teal white')
const NOUNS = wordList('anchor beacon canyon delta ember fern glacier harbour island juniper')
const ADJECTIVES = wordList('bright calm eager gentle keen lively plain quiet swift warm')
const SENTENCES = [
  'A short note about this entry.',
  'It works as described, and it keeps its shape.',
  'Made with care for everyday use.',
  'The details follow in the next section.',
  'Please check the values before they are used.',
]

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const digits = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => chance.between(0, 9)).join('')

const slug = (chance: Chance) => `${chance.pick(ADJECTIVES)}-${chance.pick(NOUNS)}`
const title = (chance: Chance) => `${capital(chance.pick(ADJECTIVES))} ${capital(chance.pick(NOUNS))}`

const person = (chance: Chance): string => `${chance.pick(FIRST)} ${chance.pick(LAST)}`
const email = (chance: Chance): string => `${chance.pick(FIRST)}.${chance.pick(LAST)}@example.com`.toLowerCase()
const hostname = (chance: Chance): string => `${chance.pick(NOUNS)}.example.com`
const url = (chance: Chance): string => `https://example.com/${slug(chance)}`
const path = (chance: Chance): string => `/${chance.pick(NOUNS)}/${slug(chance)}`
const hex = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => chance.between(0, 15).toString(16)).join('')

const two = (value: number): string => String(value).padStart(2, '0')
const date = (chance: Chance): string =>
  `${chance.between(2021, 2025)}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`
const time = (chance: Chance): string =>
  `${two(chance.between(0, 23))}:${two(chance.between(0, 59))}:${two(chance.between(0, 59))}Z`
/** The fraction of a generated time: servers write the times of new records with milliseconds, and a client may expect one form. */
const FRACTION = '.000Z'
const moment = (chance: Chance): string => `${date(chance)}T${time(chance).replace('Z', FRACTION)}`

function uuid(chance: Chance): string {
  const variant = chance.pick(['8', '9', 'a', 'b'])
  return `${hex(chance, 8)}-${hex(chance, 4)}-4${hex(chance, 3)}-${variant}${hex(chance, 3)}-${hex(chance, 12)}`
}

type Draw = (chance: Chance) => string

/** Topics by the words of a property's name, beginning with the last word. Earlier entries win. */
const WRITERS: readonly (readonly [RegExp, Draw])[] = [
  [/email|\be mail/, email],
  [/(first|given) ?name/, chance => chance.pick(FIRST)],
  [/(last|family|sur) ?name/, chance => chance.pick(LAST)],
  [/user ?name|login|nick|handle/, chance => `${chance.pick(FIRST).toLowerCase()}${chance.between(1, 99)}`],
  [/(company|organi[sz]ation|vendor|brand|manufacturer|publisher)( name)?$/, chance => chance.pick(COMPANIES)],
  [/file ?name|^file$/, chance => `${slug(chance)}.txt`],
  [/(host|domain)( ?name)?$/, hostname],
  [/(full|display|owner|author|contact|customer|person|user) name$|author$|assignee$/, person],
  [/city|town/, chance => chance.pick(CITIES)],
  [/country code/, chance => chance.pick(['AT', 'BR', 'CA', 'DK', 'FI', 'IN', 'JP', 'KE'])],
  [/country/, chance => chance.pick(COUNTRIES)],
  [/street|address/, chance => `${chance.between(1, 120)} ${chance.pick(STREETS)}`],
  [/zip|post(al)? ?code/, chance => digits(chance, 5)],
  [/state$|province|region/, chance => capital(chance.pick(NOUNS))],
  [/phone|mobile|fax/, chance => `+1555${digits(chance, 7)}`],
  [/currency/, chance => chance.pick(['EUR', 'USD', 'JPY', 'GBP', 'CHF'])],
  [/locale|language|lang$/, chance => chance.pick(['en', 'de', 'fr', 'pt', 'ja'])],
  [/time ?zone/, chance => chance.pick(['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'America/Lima'])],
  [/colou?r/, chance => chance.pick(COLOURS)],
  [
    /(avatar|image|photo|picture|icon|logo|thumbnail)( ur[il])?s?$/,
    chance => `https://example.com/${slug(chance)}.png`,
  ],
  [/ur[il]$|href|link|website|homepage/, url],
  [/path$/, chance => `/${chance.pick(NOUNS)}/${chance.pick(NOUNS)}`],
  [/(created|updated|modified|deleted|started|ended|expires?) ?(at|on)?$|timestamp|date ?time/, moment],
  [/date$|^birth/, date],
  [/version/, chance => `${chance.between(1, 4)}.${chance.between(0, 9)}.${chance.between(0, 9)}`],
  [/token|secret|hash|checksum|sha|etag|cursor/, chance => hex(chance, 32)],
  [/uuid|guid/, uuid],
  [/(^| )(id|key|code|ref(erence)?|number|sku|slug|tag|label|type|kind|category|group|role|scope|status)s?$/, slug],
  [
    /description|summary|comment|message|note|text|body|content|detail|reason|bio|about/,
    chance => chance.pick(SENTENCES),
  ],
  [/name|title|subject|product|item/, title],
]

/** `created at` for `createdAt` and `created_at`. */
export const spacedName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()

/** Returns a text for a property of this name: on its topic if the name has one, else a word or two. */
export function writeFor(name: string | undefined, chance: Chance): string {
  if (name !== undefined) {
    const words = spacedName(name)
    for (const [pattern, write] of WRITERS) if (pattern.test(words)) return write(chance)
  }
  return `${chance.pick(ADJECTIVES)} ${chance.pick(NOUNS)}`
}

/** Returns a name for a key of a map. */
export const word = (chance: Chance): string => chance.pick(NOUNS)

const base64: Draw = chance => Buffer.from(writeFor('title', chance)).toString('base64')
const octet = (chance: Chance): number => chance.between(1, 254)

const MONTHS = wordList('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec')

/** Returns a time as in a mail, without the day of the week (RFC 5322, section 3.3): `05 Mar 2023 10:11:12 +0000`. */
function mailDate(chance: Chance): string {
  const [year, month, day] = date(chance).split('-')
  return `${day} ${MONTHS[Number(month) - 1]} ${year} ${time(chance).slice(0, 8)} +0000`
}

/** The writers of formats: of JSON Schema, OpenAPI, large APIs, and further names that many documents have. */
const FORMATS = new Map(
  (
    [
      [date, 'date'],
      [time, 'time iso-time'],
      [moment, 'date-time iso-date-time google-datetime datetime dateTime date_time rfc3339'],
      [mailDate, 'date-time-rfc-2822'],
      [chance => chance.pick(['P1D', 'PT30M', 'P2W', 'PT8H', 'P1Y6M']), 'duration'],
      [chance => `${chance.between(1, 600)}s`, 'google-duration'],
      [email, 'email idn-email e-mail'],
      [uuid, 'uuid UUID guid'],
      [url, 'uri url iri URL URI'],
      [path, 'uri-reference iri-reference json-pointer'],
      [chance => `${url(chance)}/{id}`, 'uri-template'],
      [chance => `#${path(chance)}`, 'json-pointer-uri-fragment'],
      [chance => `${chance.between(0, 3)}${path(chance)}`, 'relative-json-pointer'],
      [hostname, 'hostname idn-hostname'],
      // Addresses that are reserved for documentation: RFC 5737 and RFC 3849.
      [chance => `192.0.2.${octet(chance)}`, 'ipv4 ip'],
      [chance => `2001:db8::${octet(chance).toString(16)}`, 'ipv6'],
      [base64, 'byte base64url'],
      [chance => writeFor('text', chance), 'binary'],
      [chance => `${word(chance)}-${hex(chance, 8)}`, 'password'],
      [chance => chance.pick(['^[a-z]+$', '^\\d{4}$', '[A-Z]{2}']), 'regex'],
      // Numbers as text, as several large APIs write them.
      [chance => `${chance.between(1, 1000)}`, 'int32 uint32'],
      [chance => `${chance.between(1, 100_000)}`, 'int64 uint64'],
      [() => 'name,title', 'google-fieldmask'],
      [chance => `#${hex(chance, 6)}`, 'color'],
      [() => 'text/plain', 'media-type'],
      [chance => String.fromCharCode(chance.between(97, 122)), 'char'],
      [chance => writeFor('phone', chance), 'phone phone-number e164'],
    ] as readonly (readonly [Draw, string])[]
  ).flatMap(([write, names]) => wordList(names).map(name => [name, write] as const)),
)

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
  readonly #patterns = new Map<string, WritePattern | undefined>()
  /** A text for each combination of patterns, formats and lengths; `undefined` if none was found. */
  readonly #texts = new Map<string, string | undefined>()

  /** Returns a text that is valid for the facets; `undefined` if none was found. */
  write(facets: Facets, given: string | undefined, chance: Chance): string | undefined {
    const { formats, patterns, topic } = facets
    const name = topic ?? given
    if (facets.minLength > LONGEST) return undefined
    for (const format of [...formats, ...(topic?.split(' ').slice(-1) ?? [])]) {
      const write = FORMATS.get(format)
      for (let i = 0; write !== undefined && i < 4; i++) {
        const text = spellingsOf(write(chance), facets).find(spelling => isFitting(facets, spelling))
        if (text !== undefined) return text
      }
    }
    if (patterns.length > 0) return this.#byPattern(facets, name, chance)
    if (facets.contentEncoding === 'base64' && facets.maxLength > 40) return base64(chance)
    const text = naturalFor(name, facets, chance)
    if (isFitting(facets, text)) return text
    const lengths = [facets.minLength, Math.min(facets.maxLength, facets.minLength + 3)]
    const others = formats.flatMap(format => FORMATS.get(format)?.(chance) ?? [])
    return [...others, ...lengths.map(length => '0'.repeat(length))].find(other => isFitting(facets, other))
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
    const natural = naturalFor(name, facets, chance)
    if (isFitting(facets, natural)) return natural
    for (const pattern of facets.patterns) {
      const write = getOrMake(this.#patterns, pattern, () => writerFor(regExpOf(pattern)))
      if (write === undefined) continue
      let stretch = Math.min(3, facets.maxLength)
      for (let i = 0; i < MANY; i++) {
        const text = write(chance, stretch)
        if (isFitting(facets, text)) return text
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
    return STURDY.map(text => fitLength(text, facets)).find(text => isFitting(facets, text))
  }
}

const isFitting = ({ schemas }: Facets, text: string): boolean => schemas.every(schema => fitsString(schema, text))

/** Returns a text; a time with and without its fraction, first as the example of its schema has it. */
function spellingsOf(text: string, { schemas }: Facets): readonly string[] {
  if (!text.endsWith(FRACTION)) return [text]
  const plain = text.replace(FRACTION, 'Z')
  const isShown = schemas.some(({ example, examples }) =>
    WITHOUT_FRACTION.test(String([example ?? examples].flat()[0])),
  )
  return isShown ? [plain, text] : [text, plain]
}

const WITHOUT_FRACTION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** Returns a text for a property of this name, which fits where a spelling of it does. */
function naturalFor(name: string | undefined, facets: Facets, chance: Chance): string {
  const spellings = spellingsOf(writeFor(name, chance), facets)
  return spellings.find(text => isFitting(facets, text)) ?? fitLength(spellings[0] as string, facets)
}

function fitLength(text: string, { minLength, maxLength }: Facets): string {
  if (text.length > maxLength) return text.slice(0, maxLength).replace(/ $/, 'x')
  if (text.length >= minLength) return text
  return (
    text +
    ` ${text}`.repeat(Math.ceil((minLength - text.length) / (text.length + 1) + 1)).slice(0, minLength - text.length)
  )
}

// Generates texts that match a regular expression; the engine itself evaluates character classes.

const PLAIN = [...'abcdefghijklmnopqrstuvwxyz']
const ASCII = [...PLAIN, ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.:/,@#+!?()[]{}<>=&%$*;\'"`~^|\\\t\n\r']
/** Every 16th character beyond ASCII: some of each script. */
const BEYOND = Array.from({ length: (0xd800 - 0x80) / 16 }, (_, i) => String.fromCharCode(0x80 + i * 16))

/** Writes a text: as short as possible, or longer by `stretch` additional repetitions. */
type WritePattern = (chance: Chance, stretch: number) => string

const MOST = 10_000

/** Returns `undefined` for an expression that the parser does not support. */
function writerFor(expression: RegExp | undefined): WritePattern | undefined {
  if (expression === undefined) return undefined
  const { source, unicode } = expression
  const pattern = attempted(() => new RegExpParser().parsePattern(source, undefined, undefined, { unicode }))
  if (pattern === undefined) return undefined
  const classes = new Map<string, readonly string[]>()
  return (chance, stretch) => {
    const groups = new Map<unknown, string>()
    const writeOne = (alternatives: readonly AST.Alternative[]): string => {
      let text = ''
      for (const element of chance.pick(alternatives).elements) text += write(element)
      return text
    }
    const write = (element: AST.Element): string => {
      switch (element.type) {
        case 'Character':
          return String.fromCodePoint(element.value)
        case 'CharacterSet':
        case 'CharacterClass':
        case 'ExpressionCharacterClass': {
          const characters = getOrMake(classes, element.raw, () => charactersOf(element.raw, unicode))
          return characters.length === 0 ? '' : chance.pick(characters)
        }
        case 'Group':
        case 'CapturingGroup': {
          const text = writeOne(element.alternatives)
          groups.set(element, text)
          return text
        }
        case 'Quantifier': {
          const { min, max } = element
          // An optional part is present half the time; a repetition has its minimum plus the stretch.
          const times =
            min === 0 && max === 1 ? chance.between(0, 1) : Math.max(Math.min(max, min + stretch, min + MOST), min)
          let text = ''
          for (let i = 0; i < times; i++) text += write(element.element)
          return text
        }
        case 'Backreference':
          return groups.get([element.resolved].flat()[0]) ?? ''
        case 'Assertion':
          return ''
        default:
          return element satisfies never
      }
    }
    return writeOne(pattern.alternatives)
  }
}

function charactersOf(raw: string, unicode: boolean): readonly string[] {
  if (raw === '.') return PLAIN
  const one = new RegExp(`^${raw}$`, unicode ? 'u' : '')
  const matching = (from: readonly string[]) => from.filter(character => one.test(character))
  // Prefer printable characters; use blanks only if there are no others.
  const printable = matching(ASCII).filter(character => character > ' ')
  const known = printable.length > 70 ? matching(PLAIN) : printable
  return [known, matching(ASCII), matching(BEYOND)].find(some => some.length > 0) ?? []
}
