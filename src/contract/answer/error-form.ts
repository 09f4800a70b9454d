// The body of a refusal in the shape that a contract has for errors: fields are filled by name, broken rules go into
// the shape's list, and nothing is invented. Independent of media types.

import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Refusal } from '../../kernel/problem.ts'
import type { Path } from '../../kernel/source.ts'
import { writeByField, writeEntries } from './error-entries.ts'
import { type ErrorField, isBeside, isKnown, isProblemType, isStatusText } from './error-fields.ts'
import { CODES, codesOf, DETAILS, FLAGS, HOLDERS, plainly, STATUSES, TITLES } from './error-words.ts'
import { replaced, valueAt } from './places.ts'

export interface ErrorModel {
  /** A valid error: the contract's example, or a sample of its schema. */
  readonly value: Json
  /** A sample of the schema, for fields that the example lacks. */
  readonly sample: Json | undefined
  /**
   * The origin of `value`: `example` for an example of this status, `elsewhere` for one that several statuses share, `none`
   * for a sample, of which only fields about the refusal are kept. `shown` is a sample that the client asked for; it is kept
   * whole. `success` is a sample of a `default` that describes the success too: its fields may hold the data of a record, so
   * that only those for messages get a text.
   */
  readonly words: 'example' | 'elsewhere' | 'none' | 'shown' | 'success'
  /** Returns whether a value is valid as the whole error. */
  fits(value: Json): boolean
}

export interface ErrorBody {
  readonly value: Json
  /** Whether it describes the mistake of this request. */
  readonly told: boolean
}

/** The common part of all refusals for one problem. */
interface PreparedError {
  readonly value: Json
  readonly details: readonly ErrorField[]
  readonly lists: readonly ErrorField[]
}

export class ErrorForm {
  readonly #model: ErrorModel
  readonly #prepared = new Map<string, PreparedError>()

  constructor(model: ErrorModel) {
    this.#model = model
  }

  write(refusal: Refusal): ErrorBody {
    const key = `${refusal.problem.code} ${refusal.status}`
    let prepared = this.#prepared.get(key)
    if (prepared === undefined) {
      prepared = prepare(this.#model, refusal)
      this.#prepared.set(key, prepared)
    }
    const draft = new ErrorDraft(prepared.value, this.#model)
    let told = false
    for (const { path, name } of prepared.details) {
      const texts =
        name !== 'error' && TITLES.has(name)
          ? [`${refusal.problem.title}: ${refusal.detail}`, refusal.detail]
          : [refusal.detail, refusal.problem.title]
      const put = texts.findIndex(text => draft.put(path, text))
      told ||= put === 0
    }
    for (const list of prepared.lists) told = writeList(draft, list, refusal) || told
    return { value: draft.value, told }
  }
}

/** An error under construction. A change is kept only if the whole stays valid. */
class ErrorDraft {
  value: Json
  readonly #fits: (value: Json) => boolean

  constructor(value: Json, { fits }: Pick<ErrorModel, 'fits'>) {
    this.value = value
    this.#fits = fits
  }

  fits(path: Path, next: Json): boolean {
    return this.#fits(this.#with(path, next))
  }

  put(path: Path, next: Json): boolean {
    const whole = this.#with(path, next)
    const fit = this.#fits(whole)
    if (fit) this.value = whole
    return fit
  }

  /** Removes a property. */
  drop(path: Path): boolean {
    const key = path.at(-1)
    const holder = valueAt(this.value, path.slice(0, -1))
    if (typeof key !== 'string' || !isObject(holder)) return false
    if (!Object.hasOwn(holder, key)) return true
    const { [key]: _, ...rest } = holder as JsonObject
    return this.put(path.slice(0, -1), rest)
  }

  #with(path: Path, next: Json): Json {
    const holder = path.slice(0, -1)
    const key = path.at(-1)
    if (key === undefined) return next
    const inside = valueAt(this.value, holder)
    if (!isObject(inside) || Object.hasOwn(inside, key)) return replaced(this.value, path, next)
    return replaced(this.value, holder, { ...(inside as JsonObject), [key]: next })
  }
}

/** Fills the fields that do not depend on the request, and finds those that do. */
function prepare(model: ErrorModel, { problem, status }: Refusal): PreparedError {
  const { value, sample, words } = model
  const draft = new ErrorDraft(value, model)
  const fields = [...fieldsIn(value)]
  const missing = sample === undefined ? [] : [...fieldsIn(sample)].filter(one => isMissing(one, value))
  const lists = [...fields, ...missing].filter(one => isList(one) && (words !== 'shown' || ERRORS.test(one.name)))
  const texts = fields.filter(one => typeof one.value === 'string')
  const details = texts.filter(
    ({ name, path }) => DETAILS.has(name) && !(name === 'reason' && isCode(name, path, texts)),
  )
  if (details.length === 0) {
    const optional = missing.find(one => typeof one.value === 'string' && DETAILS.has(one.name))
    // An `error` that is an enum holds a code and no text.
    const open = texts.filter(one => draft.fits(one.path, problem.title))
    const named = optional ?? open.find(one => one.name === 'error')
    const instead =
      words === 'success'
        ? named
        : (named ??
          open.find(one => TITLES.has(one.name)) ??
          // A text field with an unspecific name is a better place for the reason than none, and than an invented text.
          (isExample(words) ? undefined : open.find(one => !isKnown(one.name))))
    if (instead !== undefined) details.push(instead)
  }
  for (const { path, name, value: at } of fields) {
    if (details.some(one => one.path === path)) continue
    if (typeof at === 'string') {
      // The contract's own code for this status is kept, because programs branch on it.
      if (words === 'example') continue
      const beside = fields.filter(one => isBeside(one.path, path))
      const texts = [
        ...(isStatusText(name, at, beside, isExample(words)) ? [`${status}`] : []),
        ...(isProblemType(name, at, beside) ? ['about:blank'] : []),
        ...(TITLES.has(name) ? [problem.title] : []),
        ...(CODES.has(name) ? codesOf(problem, status) : []),
      ]
      if (texts.some(text => draft.put(path, text)) || texts.length === 0) continue
      // A code for another error is worse than none.
      if (words !== 'shown') draft.drop(path)
    } else if (typeof at === 'number' && STATUSES.has(name)) {
      if (!isExample(words) || (at >= 100 && at < 600)) draft.put(path, status)
    } else if (typeof at === 'boolean' && FLAGS.has(name)) draft.put(path, false)
  }
  if (words === 'none' || words === 'success') trim(draft, fields)
  return { value: draft.value, details, lists }
}

const isExample = (words: ErrorModel['words']): boolean => words === 'example' || words === 'elsewhere'

/** `reason` is for programs if another field has the message for people. */
const isCode = (name: string, path: Path, texts: readonly ErrorField[]): boolean =>
  texts.some(one => one.name !== name && DETAILS.has(one.name) && one.path.length === path.length)

const isList = ({ path, name, value }: ErrorField): boolean => {
  if (Array.isArray(value)) return path.length === 0 || HOLDERS.has(name)
  return isByField(name, value)
}

/** An object of errors by field: it has the name of a list of errors and none of the fields of an error. */
const isByField = (name: string, value: Json): boolean =>
  MANY.test(name) &&
  isObject(value) &&
  !Object.keys(value).some(key => DETAILS.has(plainly(key)) || CODES.has(plainly(key)) || TITLES.has(plainly(key)))

const MANY = /^(?:errors|fields|fielderrors|validationerrors|violations|invalidparams|invalidparameters|issues)$/

/** Returns whether the schema has a top-level field that the example lacks. */
const isMissing = ({ path: [key, ...rest] }: ErrorField, value: Json): boolean =>
  rest.length === 0 && typeof key === 'string' && isObject(value) && !Object.hasOwn(value, key)

/** Returns every field that may be filled, except those inside lists. */
function* fieldsIn(value: Json, path: Path = [], name = 'message'): Iterable<ErrorField> {
  const plain = path.length === 0 ? name : plainly(name)
  const within = isObject(value) && Object.keys(value).length > 0 && !isByField(plain, value)
  if (within && (path.length === 0 || HOLDERS.has(plain))) {
    for (const [key, child] of Object.entries(value as JsonObject)) yield* fieldsIn(child, [...path, key], key)
  } else yield { path, name: plain, value }
}

/** Removes optional fields of a sample that are not about a refusal. */
function trim(draft: ErrorDraft, fields: readonly ErrorField[]): void {
  for (const { path, name, value } of fields) {
    const filled = typeof value === 'string' ? DETAILS.has(name) || TITLES.has(name) || CODES.has(name) : false
    if (path.length === 0 || filled || isList({ path, name, value })) continue
    if (STATUSES.has(name) || FLAGS.has(name)) continue
    draft.drop(path)
    // An object that is empty now is removed too.
    const holder = path.slice(0, -1)
    const rest = holder.length === 0 ? undefined : valueAt(draft.value, holder)
    if (isObject(rest) && Object.keys(rest).length === 0) draft.drop(holder)
  }
}

/** Writes the broken rules into a list of the shape, or removes entries about other requests. */
function writeList(draft: ErrorDraft, { path, name, value }: ErrorField, refusal: Refusal): boolean {
  const { errors } = refusal
  if (!Array.isArray(value)) {
    const byField = errors === undefined ? undefined : writeByField(errors, next => draft.fits(path, next))
    if (byField !== undefined && draft.put(path, byField)) return true
    if (!draft.drop(path)) draft.put(path, {})
    return false
  }
  // Without broken rules, an optional list is removed.
  if (errors === undefined && path.length > 0 && !ERRORS.test(name) && draft.drop(path)) return false
  const template = value[0] as Json | undefined
  const entries = template === undefined ? undefined : writeEntries(template, refusal, one => draft.fits(path, [one]))
  if (entries !== undefined && (draft.put(path, entries) || draft.put(path, entries.slice(0, 1)))) return true
  if (!draft.drop(path)) draft.put(path, [])
  return false
}

/** A list of errors, and not of their fields only. */
const ERRORS = /^(?:errors|problems|messages|data)$/
