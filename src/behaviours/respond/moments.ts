// Chooses the form of a time in a field: text of some format, a date, seconds or milliseconds since 1970. The field's type,
// format, example and name decide at load.

import type { Field } from '../../contract/answer/field.ts'
import type { Json } from '../../kernel/json.ts'
import { httpDate, timestamp } from '../../world/clock.ts'

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
