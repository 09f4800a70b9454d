// Chooses the initial value of a new record's field that neither the client nor the configuration sets, like a server would.
// The choice is made at load from the field's schema and name; only generated values are made per request.

import type { Field } from '../../contract/schema/field.ts'
import type { Json } from '../../kernel/json.ts'
import { httpDate, parseDate, timestamp } from '../../world/clock.ts'
import type { Make } from '../resource.ts'

/** Names of switches that are initially on. */
const ON = /^(?:is_?)?(?:active|enabled|visible|available|valid|open|ok|success|successful|succeeded)$/i
/** Names of numbers that are zero in a new record: `reply_count`, `times_redeemed`, `amount_refunded`. */
const COUNT =
  /(?:^|_)count$|Count$|^(?:num|number_?of|times)_|_total$|_?(?:refunded|captured|redeemed|used|spent|shipped|received)$/i
/** Names of maps that clients fill. */
const MAP = /^(?:metadata|labels|annotations|tags|custom_?fields|custom_?attributes)$/i
/** Names of fields that hold the state of a record. */
const STATE = /status$|state$|^phase$|^stage$/i
/** States that a record begins in. */
const FIRST = /^(?:new|initial|draft|created|pending|open|opened|queued|todo|to_?do|triggered|submitted|requested)$/i
/** States that a record reaches later: many enums are in alphabetical order, `canceled` first. */
const LAST =
  /cancel|fail|error|delet|expire|clos|reject|archiv|abandon|block|suspend|complete|finish|revok|void|declin|aborted/i

/**
 * Returns a function that makes the value of a required field: the schema's const, default or example, the time of creation,
 * `null`, an empty list, else a generated value. Returns `undefined` without a valid value.
 */
export function freshOf(field: Field): Make | undefined {
  const { name, types, choices, allows } = field
  if (choices?.length === 1) return constant(choices[0] as Json)
  if (field.default !== undefined && field.default !== null && allows(field.default)) return constant(field.default)
  const write = stampOf(field) === undefined ? undefined : momentOf(field)
  if (write !== undefined) return ({ clock }) => write(clock.now())
  if (types.includes('null') && allows(null)) return constant(null)
  const first = firstOf(name, choices?.filter(allows) ?? [])
  if (first !== undefined) return constant(first)
  const plain = [...(types.length < 7 ? simplest(name, types) : [])].find(allows)
  if (plain !== undefined) return constant(plain)
  if (field.format === 'uuid' && allows(NIL)) return making => making.uuid(name)
  if (field.generate(1) === undefined) return undefined
  return making => field.generate(Math.floor(making.draw(`field ${name}`) * 2 ** 31) + 1) ?? null
}

/** The state that a record begins in; of other choices, the first one. */
function firstOf(name: string, choices: readonly Json[]): Json | undefined {
  if (!STATE.test(name)) return choices[0]
  const is = (words: RegExp) => (choice: Json) => typeof choice === 'string' && words.test(choice)
  return choices.find(is(FIRST)) ?? choices.find(choice => !is(LAST)(choice)) ?? choices[0]
}

function* simplest(name: string, types: Field['types']): Iterable<Json> {
  if (types[0] === 'array') yield []
  if (types[0] === 'object' && MAP.test(name)) yield {}
  if (types[0] === 'boolean') yield* ON.test(name) ? [true] : [false, true]
  if ((types[0] === 'integer' || types[0] === 'number') && COUNT.test(name)) yield 0
}

const NIL = '00000000-0000-4000-8000-000000000000'

const constant =
  (value: Json): Make =>
  () =>
    value

// Chooses the form of a time in a field: text of some format, a date, seconds or milliseconds since 1970. The field's type,
// format, example and name decide at load.

/** @param now milliseconds since 1970-01-01T00:00:00Z */
export type WriteMoment = (now: number) => Json

interface MomentForm {
  /** Recognises an example in this form. */
  readonly like: RegExp
  readonly write: WriteMoment
}

const seconds: WriteMoment = now => Math.floor(now / 1000)
const milliseconds: WriteMoment = now => now

const TEXTS: readonly MomentForm[] = [
  { like: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, write: timestamp },
  { like: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, write: now => timestamp(now).replace(/\.\d{3}/, '') },
  { like: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/, write: now => timestamp(now).replace(/\.\d{3}Z/, '+00:00') },
  { like: /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:?\d\d$/, write: now => timestamp(now).replace('Z', '+00:00') },
  { like: /^\d{4}-\d\d-\d\dT[\d:]+$/, write: now => timestamp(now).slice(0, 19) },
  { like: /^\d{4}-\d\d-\d\d [\d:]+$/, write: now => timestamp(now).slice(0, 19).replace('T', ' ') },
  { like: /^\d{4}-\d\d-\d\d$/, write: now => timestamp(now).slice(0, 10) },
  { like: /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} /, write: httpDate },
  { like: /^\d{10}$/, write: now => String(seconds(now)) },
  { like: /^\d{13}$/, write: String },
]

/** Noon of 1 January 2024, for checking the forms. */
const SOME_DAY = 1_704_110_400_000

/** Returns the field's form of a time; `undefined` if no form is valid for its schema. */
export function momentOf(field: Field): WriteMoment | undefined {
  const { types, example, allows } = field
  if (types.includes('string')) {
    const liked = typeof example === 'string' ? TEXTS.filter(({ like }) => like.test(example)) : []
    const found = [...liked, ...TEXTS].find(({ write }) => allows(write(SOME_DAY)))?.write
    if (found !== undefined) return found
  }
  if (!types.includes('integer') && !types.includes('number')) return undefined
  const wide = typeof example === 'number' && example > 1e11
  const named = /(?:^|[_a-z])(?:ms|millis|milliseconds)$/i.test(field.name) || /millisecond/i.test(field.description)
  const forms = wide || named ? [milliseconds, seconds] : [seconds, milliseconds]
  return forms.find(write => allows(write(SOME_DAY)))
}

const MADE = new Set(['created', 'creation', 'create', 'inserted', 'added', 'registered'])
const CHANGED = new Set(['updated', 'update', 'modified', 'modification', 'changed', 'edited'])
const BESIDE = new Set(
  'at on date time timestamp datetime utc gmt last record ts ms millis unix epoch when dt since'.split(' '),
)

/**
 * Returns whether a field holds the time of its record's creation or last write, by its name (`createdAt`, `date_modified`)
 * and its type.
 */
export function stampOf(field: Field): 'created' | 'updated' | undefined {
  const words = field.name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
  const made = words.some(word => MADE.has(word))
  const changed = words.some(word => CHANGED.has(word))
  if (made === changed || !words.every(word => MADE.has(word) || CHANGED.has(word) || BESIDE.has(word)))
    return undefined
  return holdsMoment(field, words) ? (made ? 'created' : 'updated') : undefined
}

function holdsMoment({ types, format, example }: Field, words: readonly string[]): boolean {
  const telling = words.some(word => BESIDE.has(word) && word !== 'last')
  if (types.includes('string')) {
    if (format !== undefined) return /date/.test(format)
    return typeof example === 'string' ? TEXTS.some(({ like }) => like.test(example)) : telling
  }
  return types.includes('integer') || types.includes('number') ? telling || words.length === 1 : false
}

// Converts the time in a query parameter to the form that the records have: `createdAfter=2026-01-01` to seconds since 1970.

/** A count of years or hours is not a time, although it is a number. */
const COUNTS = /(?:year|month|week|day|hour|minute)s?$/i
const LOOKS_LIKE_DATE = /^\d{4}-\d\d-\d\d/
/** Greater numbers are milliseconds since 1970, smaller ones seconds: as seconds this one is in the year 5138. */
const MOST_SECONDS = 1e11

/**
 * Compiles the conversion of a parameter's values to times in the form of a field; `undefined` if both are numbers, both are
 * texts, or the field holds no time. Values that are not times stay the same.
 * @param types the types of the parameter
 */
export function compileOtherTime(types: ReadonlySet<string>, field: Field): ((value: Json) => Json) | undefined {
  const isNumber = types.has('integer') || types.has('number')
  const holdsNumber = field.types.some(type => type === 'integer' || type === 'number')
  if (field.types.includes('string') === holdsNumber || types.has('string') === isNumber || isNumber === holdsNumber)
    return undefined
  const write = holdsNumber && COUNTS.test(field.name) ? undefined : momentOf(field)
  if (write === undefined) return undefined
  if (holdsNumber) {
    return value => {
      const time = typeof value === 'string' && LOOKS_LIKE_DATE.test(value) ? parseDate(value) : undefined
      return time === undefined ? value : write(time)
    }
  }
  if (!/^date/.test(field.format ?? '')) return undefined
  return value => {
    if (typeof value !== 'number') return value
    const time = Math.abs(value) > MOST_SECONDS ? value : value * 1000
    return Math.abs(time) > LATEST ? value : write(time)
  }
}

/** The latest time that a `Date` can hold, in milliseconds. */
const LATEST = 8.64e15
