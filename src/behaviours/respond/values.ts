// The values that a server gives the fields of a record: initial ones, times in the form of their field, and those that the
// configuration writes, such as `${now}`.

import { type Contract, nodeBelow } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Language } from '../../expression/language.ts'
import { compileFilling, type Hole, type ReportMistake } from '../../expression/template.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, memberAt, parsePointer } from '../../kernel/json.ts'
import { DOUBTFUL } from '../../kernel/remedies.ts'
import type { Violation } from '../../kernel/schema/violations.ts'
import { httpDate, parseDate, timestamp } from '../../world/dates.ts'
import { compileExpression } from '../expressions.ts'
import { EXTRA, type Make, type Making } from '../resource.ts'

/** Names of switches that are initially on. */
const ON = /^(?:is_?)?(?:active|enabled|visible|available|valid|open|ok|success|successful|succeeded)$/i
/** Names of numbers that are zero in a new record: `reply_count`, `times_redeemed`, `amount_refunded`, `open_issues`. */
const COUNT =
  /(?:^|_)count(?:er)?$|Count(?:er)?$|^(?:num|number_?of|times)_|_total$|_?(?:refunded|captured|redeemed|used|spent|shipped|received)$|[a-z](?<!second|minute|hour|day|byte|statu|addres|m)s$/i
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
 * Returns a function that makes the value of a field in a new record: the schema's const, default or example, the time of
 * creation, `null`, an empty list, else a generated value. Returns `undefined` without a valid value.
 */
export function freshOf(field: Field): Make | undefined {
  const { name, types, choices, allows } = field
  if (choices?.length === 1) return constant(choices[0] as Json)
  if (field.default !== undefined && field.default !== null && allows(field.default)) return constant(field.default)
  const write = stampOf(field) === undefined ? undefined : writeMomentOf(field)
  if (write !== undefined) return ({ clock }) => write(clock.now())
  if (types.includes('null') && allows(null)) return constant(null)
  const first = firstState(name, choices?.filter(allows) ?? [])
  if (first !== undefined) return constant(first)
  const plain = [...(types.length < 7 ? simplest(name, types) : [])].find(allows)
  if (plain !== undefined) return constant(plain)
  if (field.format === 'uuid' && allows(NIL)) return making => making.uuid(name)
  if (field.generate(1) === undefined) return undefined
  return making => field.generate(Math.floor(making.draw(`field ${name}`) * 2 ** 31) + 1) ?? null
}

/** The state that a record begins in; of other choices, the first one. */
function firstState(name: string, choices: readonly Json[]): Json | undefined {
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

/** @param now milliseconds since 1970-01-01T00:00:00Z */
type WriteMoment = (now: number) => Json

const seconds: WriteMoment = now => Math.floor(now / 1000)
const milliseconds: WriteMoment = now => now

/** Forms of times in text: what an example in this form looks like, and how it is written. */
const TEXTS: readonly (readonly [like: RegExp, write: WriteMoment])[] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, timestamp],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, now => timestamp(now).replace(/\.\d{3}/, '')],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/, now => timestamp(now).replace(/\.\d{3}Z/, '+00:00')],
  [/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:?\d\d$/, now => timestamp(now).replace('Z', '+00:00')],
  [/^\d{4}-\d\d-\d\dT[\d:]+$/, now => timestamp(now).slice(0, 19)],
  [/^\d{4}-\d\d-\d\d [\d:]+$/, now => timestamp(now).slice(0, 19).replace('T', ' ')],
  [/^\d{4}-\d\d-\d\d$/, now => timestamp(now).slice(0, 10)],
  [/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} /, httpDate],
  [/^\d{10}$/, now => String(seconds(now))],
  [/^\d{13}$/, String],
]

/** Noon of 1 January 2024, for checking the forms. */
const SOME_DAY = 1_704_110_400_000

/**
 * Returns the field's form of a time: text of some format, a date, seconds or milliseconds since 1970. The field's type,
 * format, example and name decide. Returns `undefined` if no form is valid for its schema.
 */
export function writeMomentOf(field: Field): WriteMoment | undefined {
  const { types, example, allows } = field
  if (types.includes('string')) {
    const liked = typeof example === 'string' ? TEXTS.filter(([like]) => like.test(example)) : []
    const found = [...liked, ...TEXTS].find(([, write]) => allows(write(SOME_DAY)))
    if (found !== undefined) return found[1]
  }
  if (!mayBeNumber(field)) return undefined
  const wide = typeof example === 'number' && example > 1e11
  const named = /(?:^|[_a-z])(?:ms|millis|milliseconds)$/i.test(field.name) || /millisecond/i.test(field.description)
  const forms = wide || named ? [milliseconds, seconds] : [seconds, milliseconds]
  return forms.find(write => allows(write(SOME_DAY)))
}

/** Whether a field may hold a number. */
export const mayBeNumber = ({ types }: Pick<Field, 'types'>): boolean =>
  types.includes('integer') || types.includes('number')

const MADE = /^(?:created|creation|create|inserted|added|registered)$/
const CHANGED = /^(?:updated|update|modified|modification|changed|edited)$/
const BESIDE = /^(?:at|on|date|time|timestamp|datetime|utc|gmt|last|record|ts|ms|millis|unix|epoch|when|dt|since)$/

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
  const made = words.some(word => MADE.test(word))
  const changed = words.some(word => CHANGED.test(word))
  const isKnown = (word: string) => [MADE, CHANGED, BESIDE].some(one => one.test(word))
  if (made === changed || !words.every(isKnown)) return undefined
  return holdsMoment(field, words) ? (made ? 'created' : 'updated') : undefined
}

function holdsMoment(field: Field, words: readonly string[]): boolean {
  const { types, format, example } = field
  const telling = words.some(word => BESIDE.test(word) && word !== 'last')
  if (types.includes('string')) {
    if (format !== undefined) return /date/.test(format)
    return typeof example === 'string' ? TEXTS.some(([like]) => like.test(example)) : telling
  }
  return mayBeNumber(field) && (telling || words.length === 1)
}

/** A count of years or hours is not a time, although it is a number. */
const COUNTS = /(?:year|month|week|day|hour|minute)s?$/i
const LOOKS_LIKE_DATE = /^\d{4}-\d\d-\d\d/
/** Greater numbers are milliseconds since 1970, smaller ones seconds: as seconds this one is in the year 5138. */
const MOST_SECONDS = 1e11

/**
 * Compiles the conversion of a query parameter's values to times in the form of a field: `createdAfter=2026-01-01` to seconds
 * since 1970. Returns `undefined` if both are numbers, both are texts, or the field holds no time. Values that are not times
 * stay the same.
 * @param types the types of the parameter
 */
export function compileOtherTime(types: ReadonlySet<string>, field: Field): ((value: Json) => Json) | undefined {
  const isNumber = types.has('integer') || types.has('number')
  const holdsNumber = mayBeNumber(field)
  if (field.types.includes('string') === holdsNumber || types.has('string') === isNumber || isNumber === holdsNumber)
    return undefined
  const write = holdsNumber && COUNTS.test(field.name) ? undefined : writeMomentOf(field)
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

/** The surroundings of compiling the values of fields. */
export interface FieldGround {
  readonly contract: Contract
  readonly language: Language
}

/**
 * Compiles the values that a setting gives the fields of records, and reports fields that do not exist and mistakes of expressions.
 * Each text may hold expressions; one that is the whole text takes the form of its field.
 *
 * @param owner in messages: `Book has`
 */
export function compileFields(
  values: Readonly<Record<string, Json>> = {},
  { properties }: SchemaUse['shape'],
  ground: FieldGround,
  owner: string,
  error: (code: string, message: string, path: Path, hint?: string, part?: 'key') => void,
): ReadonlyMap<string, Make> {
  const makes = new Map<string, Make>()
  for (const [name, value] of Object.entries(values)) {
    const node = properties.get(name)
    if (node === undefined) {
      error('unknown-field', `${owner} no field "${name}"`, [name], suggest(name, properties.keys()), 'key')
      continue
    }
    let sound = true
    const make = compileValue(value, node, ground, name, (code, message, at, hint) => {
      const doubtful = DOUBTFUL.has(code)
      error(doubtful ? code : 'unknown-expression', message, at, hint)
      sound &&= doubtful
    })
    if (sound) makes.set(name, make)
  }
  return makes
}

function compileValue(value: Json, node: Node, ground: FieldGround, name: string, report: ReportMistake): Make {
  const { contract, language } = ground
  const writeAt = (within: Path): WriteMoment | undefined => {
    const field = nodeBelow(node, within, contract)
    return field && writeMomentOf(describeField(String(within.at(-1) ?? name), contract.use(field)))
  }
  const template = compileFilling<Making>(value, [name], report, {
    failing: 'omit',
    field(placeholder, within, alone) {
      if (placeholder === 'uuid') {
        const purpose = [name, ...within].join('.')
        return making => making.uuid(purpose)
      }
      if (placeholder !== 'now') return undefined
      const write = (alone ? writeAt(within) : undefined) ?? timestamp
      return ({ clock }) => write(clock.now())
    },
    compile(text, at, start, alone) {
      const compiled = compileExpression(language, { contract }, 'any', text, at, start, report)
      const isTime = alone && compiled?.type === 'google.protobuf.Timestamp'
      const write = isTime ? writeAt(at.slice(1)) : undefined
      if (compiled === undefined || write === undefined) return compiled
      return { ...compiled, evaluate: scope => write(parseDate(String(compiled.evaluate(scope))) ?? 0) }
    },
  })
  const make = template.fill as (making: Making) => Json | undefined
  if (template.holes.length === 0) return make
  const scoped = (making: Making) => (making.scope === undefined ? undefined : make(making))
  const [{ alone, path, expression }] = template.holes as [Hole]
  const isKnown = alone && path.length === 0 && KNOWN_TYPES.has(expression.type)
  return Object.assign(scoped, { scoped: true, ...(isKnown && { sample: template.fill({} as Making) as Json }) })
}

/** The types of expressions whose values have the type in JSON that a field's schema may refuse. */
const KNOWN_TYPES = new Set(['string', 'int', 'double', 'bool'])

/** Sample data for checking values at load. */
export const SOME_REQUEST: Making = {
  clock: { now: () => SOME_DAY },
  uuid: () => NIL,
  draw: () => 0.5,
}

/** The maximum number of rounds. Each round may reveal deeper mistakes. */
const ROUNDS = 6
/** The maximum number of mistakes that are mended at once. */
const MOST = 200

/** The fields of a record that the client is responsible for. */
interface Sayable {
  /** Returns whether the request describes the field. */
  declares(name: string): boolean
  /** Returns whether a missing field is the client's mistake. */
  refuses(name: string): boolean
  /** Whether unknown fields stay in the record and are not mistakes. */
  readonly keepsOthers?: boolean
}

/**
 * Mends a record that a valid request could not make valid: adds values that only a server knows below the first level, and
 * converts the client's values to the record's form, such as an id to the object that it names. Call it only for invalid
 * records, and never for rules of the request's own schema.
 *
 * @returns the valid record; `undefined` if the client must correct the request
 */
export function mend(
  record: JsonObject,
  given: JsonObject,
  schema: SchemaUse,
  about: Sayable,
  making: Making,
): JsonObject | undefined {
  const check = (value: Json) => {
    const violations = schema.check(value, true)
    if (violations === undefined || about.keepsOthers !== true) return violations
    const others = violations.filter(({ keyword }) => !EXTRA.has(keyword))
    return others.length === 0 ? undefined : others
  }
  let current: Json = record
  for (let round = 0; round < ROUNDS; round++) {
    const violations = check(current)
    if (violations === undefined) return current as JsonObject
    if (violations.length > MOST) return undefined
    for (const violation of violations) {
      const path = parsePointer(violation.pointer) ?? []
      const [top] = path
      if (top === undefined) return undefined
      const missing = violation.keyword === 'required'
      if (missing && path.length === 1 ? about.refuses(top) : Object.hasOwn(given, top) && !about.declares(top)) {
        return undefined
      }
      current = putAt(current, path, better(current, path, violation, schema, making))
    }
  }
  return check(current) === undefined ? (current as JsonObject) : undefined
}

/** Returns the value for the place of a violation; `undefined` if there is none. */
function better(
  whole: Json,
  path: readonly string[],
  { keyword }: Violation,
  schema: SchemaUse,
  making: Making,
): Json | undefined {
  if (EXTRA.has(keyword)) return undefined
  const sampler = schema.sampler
  const parts = sampler.within(schema.key, path)
  const seed = Math.floor(making.draw(`mend ${path.join('/')}`) * 2 ** 31) + 1
  const name = path.at(-1)
  const { value, fits } = sampler.sampleAll(parts.length > 0 ? parts : [{}], {
    seed,
    ...(name === undefined ? {} : { name }),
  })
  const made = fits ? value : undefined
  const old = memberAt(whole, path) as Json | undefined
  if (old === undefined || made === undefined) return made
  return inFormOf(made, old)
}

const NAMING = ['id', 'uuid', 'key', 'slug', 'code', 'name', 'value']

/** Converts a client's value to the record's form: an id to an object, an object to its id, a number to text. */
function inFormOf(made: Json, said: Json): Json {
  if (Array.isArray(made)) return Array.isArray(said) || made.length === 0 ? made : [inFormOf(made[0] as Json, said)]
  if (isObject(made) && (typeof said === 'string' || typeof said === 'number')) {
    const name = NAMING.find(one => typeof made[one] === typeof said)
    return name === undefined ? made : { ...(made as JsonObject), [name]: said }
  }
  if (isObject(said)) {
    const name = NAMING.find(one => typeof said[one] === typeof made)
    return name === undefined ? made : (said[name] as Json)
  }
  if (typeof made === 'string' && typeof said === 'number') return String(said)
  if (typeof made === 'number' && typeof said === 'string' && said.trim() !== '' && Number.isFinite(Number(said))) {
    return Number(said)
  }
  return made
}

/** Returns the value with the part at a place replaced or removed. */
function putAt(value: Json, [key, ...rest]: readonly string[], next: Json | undefined): Json {
  if (key === undefined) return next ?? null
  if (Array.isArray(value)) {
    const items = value.map((item, i) => (String(i) === key ? putAt(item, rest, next) : item))
    return next === undefined && rest.length === 0 ? items.filter((_, i) => String(i) !== key) : items
  }
  if (!isObject(value)) return value
  const members = new Map<string, Json>(Object.entries(value as JsonObject))
  const inner = rest.length === 0 ? next : putAt(members.get(key) ?? {}, rest, next)
  if (inner === undefined) members.delete(key)
  else members.set(key, inner)
  return Object.fromEntries(members)
}
