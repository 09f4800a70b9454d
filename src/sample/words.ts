// Small word lists, so that generated names look like names. The property's name decides the topic.

import type { Chance } from './chance.ts'

const FIRST = ['Ada', 'Bruno', 'Clara', 'Dana', 'Emil', 'Farah', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kira', 'Luca']
const LAST = ['Adler', 'Brandt', 'Costa', 'Duarte', 'Eriksen', 'Fontaine', 'Garcia', 'Haddad', 'Ito', 'Jansen', 'Kaur']
const CITIES = ['Amsterdam', 'Bergen', 'Cusco', 'Dakar', 'Espoo', 'Florence', 'Ghent', 'Hanoi', 'Izmir', 'Jaipur']
const COUNTRIES = ['Austria', 'Brazil', 'Canada', 'Denmark', 'Egypt', 'Finland', 'Ghana', 'India', 'Japan', 'Kenya']
const STREETS = ['Mill Lane', 'Harbour Street', 'Oak Avenue', 'Station Road', 'Garden Row', 'Bridge Street']
const COMPANIES = ['Northwind', 'Blue Harbour', 'Copper & Sons', 'Evergreen', 'Fjord Works', 'Lantern', 'Quarry Hill']
const COLOURS = ['amber', 'blue', 'crimson', 'green', 'indigo', 'olive', 'silver', 'teal', 'white']
const NOUNS = ['anchor', 'beacon', 'canyon', 'delta', 'ember', 'fern', 'glacier', 'harbour', 'island', 'juniper']
const ADJECTIVES = ['bright', 'calm', 'eager', 'gentle', 'keen', 'lively', 'plain', 'quiet', 'swift', 'warm']
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

type WriteWord = (chance: Chance) => string

/** Topics by the words of a property's name, beginning with the last word. Earlier entries win. */
const WRITERS: readonly (readonly [RegExp, WriteWord])[] = [
  [/e-?mail/, chance => email(chance)],
  [/(first|given)[ _-]?name/, chance => chance.pick(FIRST)],
  [/(last|family|sur)[ _-]?name/, chance => chance.pick(LAST)],
  [/user[ _-]?name|login|nick|handle/, chance => `${chance.pick(FIRST).toLowerCase()}${chance.between(1, 99)}`],
  [/(company|organi[sz]ation|vendor|brand|manufacturer|publisher)( name)?$/, chance => chance.pick(COMPANIES)],
  [/(file)[ _-]?name|^file$/, chance => `${slug(chance)}.txt`],
  [/(host|domain)( ?name)?$/, chance => hostname(chance)],
  [/(full|display|owner|author|contact|customer|person|user) name$|author$|assignee$/, chance => person(chance)],
  [/city|town/, chance => chance.pick(CITIES)],
  [/country code/, chance => chance.pick(['AT', 'BR', 'CA', 'DK', 'FI', 'IN', 'JP', 'KE'])],
  [/country/, chance => chance.pick(COUNTRIES)],
  [/street|address( ?line)?/, chance => `${chance.between(1, 120)} ${chance.pick(STREETS)}`],
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
  [/ur[il]$|href|link|website|homepage/, chance => `https://example.com/${slug(chance)}`],
  [/path$/, chance => `/${chance.pick(NOUNS)}/${chance.pick(NOUNS)}`],
  [
    /(created|updated|modified|deleted|started|ended|expires?) ?(at|on)?$|timestamp|date ?time/,
    chance => moment(chance),
  ],
  [/date$|^birth/, chance => date(chance)],
  [/version/, chance => `${chance.between(1, 4)}.${chance.between(0, 9)}.${chance.between(0, 9)}`],
  [/token|secret|hash|checksum|sha|etag|cursor/, chance => hex(chance, 32)],
  [/uuid|guid/, chance => uuid(chance)],
  [/(^| )(id|key|code|ref(erence)?|number|sku|slug|tag|label|type|kind|category|group|role|scope|status)s?$/, slug],
  [
    /description|summary|comment|message|note|text|body|content|detail|reason|bio|about/,
    chance => chance.pick(SENTENCES),
  ],
  [/name|title|subject|product|item/, title],
]

/** Returns a text for a property of this name: on its topic if the name has one, else a word or two. */
export function writeFor(name: string | undefined, chance: Chance): string {
  if (name !== undefined) {
    const words = name
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/[_.-]+/g, ' ')
      .toLowerCase()
    for (const [pattern, write] of WRITERS) if (pattern.test(words)) return write(chance)
  }
  return `${chance.pick(ADJECTIVES)} ${chance.pick(NOUNS)}`
}

/** Returns a name for a key of a map. */
export const word = (chance: Chance): string => chance.pick(NOUNS)

export const person = (chance: Chance): string => `${chance.pick(FIRST)} ${chance.pick(LAST)}`
export const email = (chance: Chance): string => `${chance.pick(FIRST)}.${chance.pick(LAST)}@example.com`.toLowerCase()
export const hostname = (chance: Chance): string => `${chance.pick(NOUNS)}.example.com`
export const url = (chance: Chance): string => `https://example.com/${slug(chance)}`
export const path = (chance: Chance): string => `/${chance.pick(NOUNS)}/${slug(chance)}`
export const hex = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => chance.between(0, 15).toString(16)).join('')

const two = (value: number): string => String(value).padStart(2, '0')
export const date = (chance: Chance): string =>
  `${chance.between(2021, 2025)}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`
export const time = (chance: Chance): string =>
  `${two(chance.between(0, 23))}:${two(chance.between(0, 59))}:${two(chance.between(0, 59))}Z`
export const moment = (chance: Chance): string => `${date(chance)}T${time(chance)}`

export function uuid(chance: Chance): string {
  const variant = chance.pick(['8', '9', 'a', 'b'])
  return `${hex(chance, 8)}-${hex(chance, 4)}-4${hex(chance, 3)}-${variant}${hex(chance, 3)}-${hex(chance, 12)}`
}
