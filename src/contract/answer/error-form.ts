// The body of a refusal in the shape that a contract has for errors: fields are filled by name, broken rules go into
// the shape's list, and nothing is invented. Independent of media types.

import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, describeRule, type Refusal } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, mapValues, parsePointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { GuardedValue } from './echo.ts'
import {
  CODES,
  codesOf,
  DETAILS,
  ERROR_PATHS,
  FLAGS,
  HOLDERS,
  HTTP_STATUSES,
  PARTS,
  POINTERS,
  plainly,
  RULES,
  ruleWordsOf,
  STATUSES,
  TITLES,
} from './error-words.ts'

interface ErrorModel {
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

interface ErrorBody {
  readonly value: Json
  /** Whether it describes the mistake of this request. */
  readonly told: boolean
}

/** A field of the error: its path and its name without case and punctuation. */
interface ErrorField {
  readonly path: Path
  readonly name: string
  readonly value: Json
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
    const { problem, status, detail } = refusal
    const prepare = () => prepareError(this.#model, refusal)
    const prepared = getOrMake(this.#prepared, `${problem.code} ${status}`, prepare)
    const draft = new GuardedValue(prepared.value, this.#model.fits)
    let told = false
    for (const { path, name } of prepared.details) {
      const isTitle = name !== 'error' && TITLES.has(name)
      const texts = isTitle ? [`${problem.title}: ${detail}`, detail] : [detail, problem.title]
      told = texts.findIndex(text => draft.put(path, text)) === 0 || told
    }
    for (const list of prepared.lists) told = writeList(draft, list, refusal) || told
    return { value: draft.value, told }
  }
}

/** Fills the fields that do not depend on the request, and finds those that do. */
function prepareError(model: ErrorModel, { problem, status }: Refusal): PreparedError {
  const { value, sample, words } = model
  const isExample = words === 'example' || words === 'elsewhere'
  const draft = new GuardedValue(value, model.fits)
  const fields = [...fieldsIn(value)]
  const missing = sample === undefined ? [] : [...fieldsIn(sample)].filter(one => isMissing(one, value))
  const lists = [...fields, ...missing].filter(one => isErrorList(one) && (words !== 'shown' || ERRORS.test(one.name)))
  const details = detailsAmong(fields, missing, model, text => draft.fits(text.path, problem.title))
  for (const { path, name, value: at } of fields) {
    if (details.some(one => one.path === path)) continue
    if (typeof at === 'string') {
      // The contract's own code for this status is kept, because programs branch on it.
      if (words === 'example') continue
      const beside = fields.filter(one => isBeside(one.path, path))
      const texts = [
        ...(isStatusText(name, at, beside, isExample) ? [`${status}`] : []),
        ...(isProblemType(name, at, beside) ? ['about:blank'] : []),
        ...(TITLES.has(name) ? [problem.title] : []),
        ...(CODES.has(name) ? codesOf(problem, status) : []),
      ]
      // A code for another error is worse than none.
      if (!texts.some(text => draft.put(path, text)) && texts.length > 0 && words !== 'shown') draft.drop(path)
    } else if (typeof at === 'number' && STATUSES.has(name)) {
      if (!isExample || (at >= 100 && at < 600)) draft.put(path, status)
    } else if (typeof at === 'boolean' && FLAGS.has(name)) draft.put(path, false)
  }
  if (words === 'none' || words === 'success') trim(draft, fields)
  return { value: draft.value, details, lists }
}

/** Returns the fields for the reason of a refusal. @param isOpen whether a field may hold any text */
function detailsAmong(
  fields: readonly ErrorField[],
  missing: readonly ErrorField[],
  { words }: ErrorModel,
  isOpen: (text: ErrorField) => boolean,
): ErrorField[] {
  const texts = fields.filter(one => typeof one.value === 'string')
  const details = texts.filter(({ name }) => DETAILS.has(name))
  // `reason` is for programs if another field has the message for people.
  const forPeople = details.filter(
    ({ name, path }) => name !== 'reason' || !details.some(one => one.name !== name && one.path.length === path.length),
  )
  if (forPeople.length > 0) return forPeople
  const optional = missing.find(one => typeof one.value === 'string' && DETAILS.has(one.name))
  if (optional !== undefined) return [optional]
  // An `error` that is an enum holds a code and no text.
  const open = texts.filter(isOpen)
  const named =
    open.find(one => one.name === 'error') ??
    (words === 'success' ? undefined : open.find(one => TITLES.has(one.name))) ??
    // A text field with an unspecific name is a better place for the reason than none, and than an invented text.
    (words === 'none' || words === 'shown' ? open.find(one => !isSpecific(one.name)) : undefined)
  return named === undefined ? [] : [named]
}

/** Whether a name says what its field holds. */
const isSpecific = (name: string): boolean =>
  CODES.has(name) || STATUSES.has(name) || ERROR_PATHS.has(name) || /id$/.test(name)

/** Returns whether two fields are in the same object. */
const isBeside = (one: Path, other: Path): boolean =>
  one.length === other.length && one.slice(0, -1).every((key, i) => key === other[i])

/** A text with the HTTP status. Beside a number with it, `status` is a code, as in `{ code: 404, status: NOT_FOUND }`. */
function isStatusText(name: string, at: string, beside: readonly ErrorField[], isExample: boolean): boolean {
  if (STATUSES.has(name) && /^\d{3}$/.test(at)) return true
  const hasNumber = beside.some(one => typeof one.value === 'number' && STATUSES.has(one.name))
  return !isExample && HTTP_STATUSES.has(name) && !hasNumber
}

/** The `type` of a problem (RFC 9457, section 3.1.1) is a URI; elsewhere `type` is a code. */
const isProblemType = (name: string, at: string, beside: readonly ErrorField[]): boolean =>
  name === 'type' && (/^(?:https?:|about:|urn:)/.test(at) || beside.some(one => one.name === 'title'))

const isErrorList = ({ path, name, value }: ErrorField): boolean =>
  Array.isArray(value) ? path.length === 0 || HOLDERS.has(name) : isByField(name, value)

/** An object of errors by field: it has the name of a list of errors and none of the fields of an error. */
const isByField = (name: string, value: Json): boolean =>
  MANY.test(name) &&
  isObject(value) &&
  !Object.keys(value)
    .map(plainly)
    .some(key => DETAILS.has(key) || CODES.has(key) || TITLES.has(key))

const MANY = /^(?:errors|fields|fielderrors|validationerrors|violations|invalidparams|invalidparameters|issues)$/
/** A list of errors, and not of their fields only. */
const ERRORS = /^(?:errors|problems|messages|data)$/

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
function trim(draft: GuardedValue, fields: readonly ErrorField[]): void {
  for (const field of fields) {
    const { path, name, value } = field
    const isText = typeof value === 'string' && (DETAILS.has(name) || TITLES.has(name) || CODES.has(name))
    if (path.length === 0 || isText || isErrorList(field) || STATUSES.has(name) || FLAGS.has(name)) continue
    draft.drop(path)
    // An object that is empty now is removed too.
    const holder = path.slice(0, -1)
    const rest = holder.length === 0 ? undefined : draft.at(holder)
    if (isObject(rest) && Object.keys(rest).length === 0) draft.drop(holder)
  }
}

/** Writes the broken rules into a list of the shape, or removes entries about other requests. */
function writeList(draft: GuardedValue, { path, name, value }: ErrorField, refusal: Refusal): boolean {
  const { errors } = refusal
  if (!Array.isArray(value)) {
    if (errors !== undefined && formsByField(errors).some(form => draft.put(path, form))) return true
    if (!draft.drop(path)) draft.put(path, {})
    return false
  }
  // Without broken rules, an optional list is removed.
  if (errors === undefined && path.length > 0 && !ERRORS.test(name) && draft.drop(path)) return false
  const entries =
    value.length === 0 ? undefined : writeEntries(value[0] as Json, refusal, one => draft.fits(path, [one]))
  if (entries !== undefined && (draft.put(path, entries) || draft.put(path, entries.slice(0, 1)))) return true
  if (!draft.drop(path)) draft.put(path, [])
  return false
}

/** Returns errors by field, `{ name: ["is required"] }`, and the same with texts instead of lists. */
function formsByField(errors: readonly BrokenRule[]): Json[] {
  const lists = new Map<string, string[]>()
  for (const rule of errors) {
    const field = dotted(rule) || rule.in
    getOrMake(lists, field, (): string[] => []).push(rule.message)
  }
  const byField = Object.fromEntries(lists)
  return [byField, mapValues(byField, messages => messages.join('; '))]
}

/** The subject of an entry: a broken rule, or the whole refusal. */
interface EntrySubject {
  readonly refusal: Refusal
  readonly rule: BrokenRule | undefined
}

/**
 * Returns the entries of a refusal in a list of errors: one for each broken rule, else one for the whole. A field without a
 * known value is left out; no value is invented.
 *
 * @param template a valid entry
 * @returns `undefined` if a required field has no known value
 */
function writeEntries(template: Json, refusal: Refusal, fits: (entry: Json) => boolean): Json[] | undefined {
  const rules: readonly (BrokenRule | undefined)[] = refusal.errors ?? [undefined]
  const entries = rules.map(rule => {
    if (isObject(template)) return fillFields(template as JsonObject, { refusal, rule }, fits)
    if (typeof template !== 'string') return undefined
    const text = rule === undefined ? refusal.detail : describeRule(rule)
    return [text, rule?.message ?? refusal.problem.title].find(fits)
  })
  return entries.includes(undefined) ? undefined : (entries as Json[])
}

const BLANKS: readonly Json[] = [null, '', [], {}]

const isBlank = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns the template with each field filled, removed or emptied; `undefined` if a field allows none of these. */
function fillFields(template: JsonObject, subject: EntrySubject, fits: (value: Json) => boolean): Json | undefined {
  const entry = new GuardedValue(template, fits)
  const names = Object.keys(template)
  for (const name of names) {
    const known = template[name] as Json
    const put = (value: Json) => entry.put([name], value)
    if (isObject(known)) {
      const filled = fillFields(known as JsonObject, subject, value => entry.fits([name], value))
      if (filled !== undefined && Object.values(filled as JsonObject).some(one => !isBlank(one)) && put(filled))
        continue
    } else if (candidatesFor(name, known, names, subject).some(put)) continue
    if (!entry.drop([name]) && !BLANKS.some(put)) return undefined
  }
  return entry.value
}

function candidatesFor(name: string, known: Json, siblings: readonly string[], subject: EntrySubject): readonly Json[] {
  const { rule, refusal } = subject
  const { problem, status, detail } = refusal
  const plain = plainly(name)
  const others = siblings.map(plainly).filter(one => one !== plain)
  const has = (names: ReadonlySet<string>) => others.some(one => names.has(one))
  const out: Json[] = []
  if (typeof known === 'number') return STATUSES.has(plain) ? [status] : []
  if (typeof known === 'boolean') return FLAGS.has(plain) ? [false] : []
  if (ERROR_PATHS.has(plain) && rule !== undefined) out.push(...pathsOf(plain, known, siblings, rule))
  if (Array.isArray(known)) return out
  if (DETAILS.has(plain) || plain === 'error') {
    // A message beside the field's name need not repeat it.
    const told = rule === undefined ? detail : has(ERROR_PATHS) ? rule.message : describeRule(rule)
    if (plain !== 'reason' || !has(DETAILS)) out.push(told, problem.title)
  }
  if (RULES.has(plain)) out.push(...(rule === undefined ? [] : ruleWordsOf(rule.rule)), ...codesOf(problem, status))
  if (TITLES.has(plain)) out.push(problem.title)
  if (STATUSES.has(plain)) out.push(`${status}`)
  return out
}

/** Returns the candidate values of a field, best first, in the type and spelling of the template's value. */
function pathsOf(plain: string, known: Json, siblings: readonly string[], rule: BrokenRule): readonly Json[] {
  const steps = stepsOf(rule)
  if (Array.isArray(known)) return plain === 'loc' ? [[rule.in, ...steps], steps] : [steps, steps.map(String)]
  const others = siblings.map(plainly)
  if (PARTS.has(plain)) {
    // If no other field has the name, the location has it.
    const isNamed = others.some(one => ERROR_PATHS.has(one) && !PARTS.has(one))
    return isNamed || plain === 'in' ? [rule.in] : [rule.in, dotted(rule)]
  }
  const inBody = rule.in === 'body'
  // JSON:API's `source` has one member for each part of the request.
  const isSplit = others.includes('pointer') && others.includes('parameter')
  if (isSplit && ((plain === 'pointer' && !inBody) || (plain === 'parameter' && inBody))) return []
  const field = dotted(rule) || rule.in
  if (!inBody) return [field]
  const text = typeof known === 'string' ? known : ''
  if (/^\$[.[]/.test(text)) return [`$${steps.map(step => `.${step}`).join('')}`]
  if (text.startsWith('#/')) return [`#${rule.path}`]
  return POINTERS.has(plain) || text.startsWith('/') ? [rule.path, field] : [field, rule.path]
}

/** Returns the parameter's name and the keys in its value, or the keys in the body. */
function stepsOf({ in: place, path }: BrokenRule): (string | number)[] {
  const end = path.indexOf('/')
  const name = place === 'body' ? '' : end === -1 ? path : path.slice(0, end)
  const keys = parsePointer(path.slice(name.length)) ?? []
  return [...(name === '' ? [] : [name]), ...keys.map(key => (/^\d+$/.test(key) ? Number(key) : key))]
}

const dotted = (rule: BrokenRule): string => stepsOf(rule).join('.')
