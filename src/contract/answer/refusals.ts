// Refusals in the shape that the operation documents for their status, else in the API's usual one: the fields of its error
// schema are filled by name, broken rules go into its list, and nothing is invented. Descriptions in the schema are not used: they
// are in any language. Uses only the public part of a refusal.

import type { Path } from '../../kernel/file/source.ts'
import { JSON_TYPE, problemOf, type Refusal } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { ReplyPart } from '../../sample/sample.ts'
import { type Contract, type MediaType, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import { compileNegotiation, isJson } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { isXml, type Written, writeBody } from './body.ts'
import { GuardedValue } from './echo.ts'
import {
  CODES,
  codesOf,
  DETAILS,
  ERROR_PATHS,
  FLAGS,
  formsByField,
  HOLDERS,
  HTTP_STATUSES,
  plainly,
  reasonsOf,
  STATUSES,
  TITLES,
  writeEntries,
} from './error-entries.ts'

/** A refusal in the contract's shape. */
interface Shaped extends Written {
  /** Whether the body describes the mistake of this request. */
  readonly told: boolean
}

/** Returns `undefined` if the contract has no suitable shape. @param accept of the request */
type ShapeRefusal = (refusal: Refusal, accept?: string) => Shaped | undefined

/** Gives refusals of an operation the shape that it documents; each status is prepared once, on first use. */
export function compileRefusals(operation: Operation, contract: Contract): ShapeRefusal {
  const forms = new Map<number, ShapeRefusal>()
  return (refusal, accept) => {
    const { status } = refusal
    return getOrMake(forms, status, () => shapeFor(operation, status, contract))(refusal, accept)
  }
}

const FORMLESS: ShapeRefusal = () => undefined

function shapeFor(operation: Operation, status: number, contract: Contract): ShapeRefusal {
  const documented = responseFor(operation, status)
  const response = documented ?? (status < 400 ? undefined : usualError(operation, status, contract))
  if (response === undefined) return FORMLESS
  const isText = (name: string) => name.startsWith('text/')
  // A range such as `*/*` leaves the type to the server.
  const content = [...response.content].map(([name, spec]): Media => [/\/\*$/.test(name) ? JSON_TYPE : name, spec])
  const media = [isJson, isXml, isText].flatMap(is => content.filter(([name]) => is(name)))
  const negotiate = compileNegotiation(media.map(([name]) => name))
  const shapes = new Map<Media | undefined, ShapeRefusal>()
  return (refusal, accept) => {
    const wanted = media[negotiate(accept) ?? 0]
    // The first one is JSON, if there is any. Without a schema nothing says how another one tells the mistake.
    const one = wanted?.[1].schema === undefined ? media[0] : wanted
    return getOrMake(shapes, one, () => (one ? shapeAs(one, operation, status, response) : FORMLESS))(refusal)
  }
}

type Media = readonly [type: string, spec: MediaType]

function shapeAs([type, spec]: Media, operation: Operation, status: number, response: ResponseSpec): ShapeRefusal {
  const isSuccess = speaksOfSuccess(operation, response)
  const usual = response !== responseFor(operation, status)
  const { schema } = spec
  const fits = (value: Json) => schema === undefined || schema.fits(value)
  const example = isSuccess ? undefined : spec.examples.find(({ value }) => fits(value))
  // The document's own words for a missing credential are kept.
  if (example !== undefined && status === 401 && !usual) {
    const written: Shaped = { ...writeBody({ value: example.value }, spec, type), told: false }
    return () => written
  }
  const sample = schema?.validSample({ seed: status })
  const value = example?.value ?? sample
  if (value === undefined) return FORMLESS
  const own = operation.responses.get(`${status}`) === response ? 'example' : 'elsewhere'
  const words = isSuccess ? 'success' : example === undefined ? 'none' : own
  const part = schema?.sampler.part(schema.key)
  const write = compileErrorForm({ value, sample, words, part, fits })
  return refusal => {
    const { value, told } = write(refusal)
    return { ...writeBody({ value }, spec, type), told }
  }
}

/** Without a documented success, `default` describes the success too; a refusal still has to match it. */
const speaksOfSuccess = (operation: Operation, response: ResponseSpec): boolean =>
  response === operation.responses.get('default') && !documentsNonError(operation)

/** Whether an operation documents a reply that is no error: `default` then describes errors only. */
const documentsNonError = ({ responses }: Operation): boolean => [...responses.keys()].some(key => /^[1-3]/.test(key))

/** Returns a sample of a documented error, with its status and description filled in. */
export function fillInError(value: Json, status: number, { description }: ResponseSpec, { schema }: MediaType): Json {
  if (schema === undefined) return value
  const problem = problemOf(status)
  const detail = description.trim().split('\n', 1)[0] || problem.title
  const fits = (next: Json) => schema.fits(next)
  const write = compileErrorForm({ value, sample: undefined, words: 'shown', part: undefined, fits })
  return write({ problem, status, detail }).value
}

/** Returns the operation's own error nearest to the status, else the one that most operations have; JSON with a schema. */
function usualError(operation: Operation, status: number, contract: Contract): ResponseSpec | undefined {
  const [nearest] = errorsOf(operation).sort(([a], [b]) => distance(a, status) - distance(b, status))
  return nearest?.[1] ?? mostCommon(contract)
}

/** The documented errors with a JSON body; `default` only beside a documented success. */
function errorsOf(operation: Operation): [key: string, response: ResponseSpec][] {
  const succeeds = documentsNonError(operation)
  return [...operation.responses].filter(
    ([key, response]) => (/^[45]/.test(key) || (key === 'default' && succeeds)) && errorSchema(response) !== undefined,
  )
}

/** Returns the distance between two statuses: those of the same hundred are closer than any others. */
function distance(key: string, status: number): number {
  const documented = Number(key.replace('XX', '00'))
  if (Number.isNaN(documented)) return 0
  const sameClass = Math.floor(documented / 100) === Math.floor(status / 100)
  return Math.abs(documented - status) + (sameClass ? 0 : 1000)
}

const commonErrors = new WeakMap<Contract, ResponseSpec | 'none'>()

/** Returns the error that most operations of the contract document; `undefined` if no two operations share one. */
function mostCommon(contract: Contract): ResponseSpec | undefined {
  const common = getOrMake(commonErrors, contract, () => {
    const uses = new Map<string, ResponseSpec[]>()
    for (const operation of contract.operations) {
      // The identity of a schema is the same for every reference to it.
      const identify = (response: ResponseSpec) => contract.identify((errorSchema(response) as SchemaUse).node)
      const once = new Map(errorsOf(operation).map(([, response]) => [identify(response), response]))
      for (const [identity, response] of once) getOrMake(uses, identity, (): ResponseSpec[] => []).push(response)
    }
    const [most = []] = [...uses.values()].sort((a, b) => b.length - a.length)
    return (most.length > 1 ? most[0] : undefined) ?? 'none'
  })
  return common === 'none' ? undefined : common
}

const errorSchema = ({ content }: ResponseSpec): SchemaUse | undefined =>
  [...content].find(([type]) => isJson(type))?.[1].schema

// The form of an error, independent of media types.

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
  /** The schema of the error. */
  readonly part: ReplyPart | undefined
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

/** Returns a function that writes a refusal in the shape of an error. */
function compileErrorForm(model: ErrorModel): (refusal: Refusal) => ErrorBody {
  const known = new Map<string, PreparedError>()
  return refusal => {
    const { problem, status, detail } = refusal
    const prepared = getOrMake(known, `${problem.code} ${status}`, () => prepareError(model, refusal))
    const draft = new GuardedValue(prepared.value, model.fits)
    let told = false
    for (const { path, name } of prepared.details) {
      const isTitle = name !== 'error' && TITLES.has(name)
      const texts = isTitle ? [`${problem.title}: ${detail}`, detail] : [detail, problem.title]
      told = texts.findIndex(text => draft.put(path, text)) === 0 || told
    }
    const isExample = model.words === 'example' || model.words === 'elsewhere'
    for (const list of prepared.lists)
      told = writeList(draft, list, refusal, partAt(model.part, list.path), isExample) || told
    return { value: draft.value, told }
  }
}

const partAt = (part: ReplyPart | undefined, path: Path): ReplyPart | undefined =>
  path.reduce<ReplyPart | undefined>((at, step) => at?.within(String(step)), part)

/** Fills the fields that do not depend on the request, and finds those that do. */
function prepareError(model: ErrorModel, { problem, status }: Refusal): PreparedError {
  const { value, sample, words } = model
  const isExample = words === 'example' || words === 'elsewhere'
  const draft = new GuardedValue(value, model.fits)
  const fields = [...fieldsIn(value)]
  const missing = sample === undefined ? [] : [...fieldsIn(sample)].filter(one => isMissing(one, value))
  const lists = [...fields, ...missing].filter(
    one =>
      (isErrorList(one) && (words !== 'shown' || ERRORS.test(one.name))) ||
      (words === 'none' && Array.isArray(one.value) && isSentence(one.value[0])),
  )
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
        ...(words === 'none' && isSentence(at) ? [problem.title] : []),
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

/** Whether a value is a text of several words: that of a sample is invented. */
const isSentence = (value: unknown): boolean => typeof value === 'string' && /\s/.test(value)

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
  Array.isArray(value) ? path.length === 0 || isHolder(name) : isByField(name, value, path)

/**
 * An object of errors by field: it has the name of a list of errors, or it is the whole and has nothing but lists of texts, and
 * none of the fields of an error.
 */
function isByField(name: string, value: Json, path: Path): boolean {
  if (!isObject(value)) return false
  const names = Object.keys(value).map(plainly)
  if (path.length > 0) {
    const others = Object.entries(value).filter(([, one]) => !Array.isArray(one))
    const ofError = ([key, one]: [string, Json]) =>
      [DETAILS, CODES, TITLES].some(all => all.has(plainly(key))) || (isObject(one) && isHolder(plainly(key)))
    return MANY.test(name) && !others.some(ofError)
  }
  const isList = (one: unknown) => Array.isArray(one) && one.length > 0 && one.every(text => typeof text === 'string')
  return names.length > 0 && !names.every(isHolder) && Object.values(value).every(isList)
}

const MANY = /(?:errors|errorlist|fields|violations|issues|params|parameters|messages|reasons|failures)$/
/** Whether a field contains errors: `innerErrors`, `full_messages`. */
const isHolder = (name: string): boolean =>
  HOLDERS.has(name) || /(?:error|message|reason|problem|failure)(?:s|list)$/.test(name)
/** A list of errors, and not of their fields only. */
const ERRORS = /^(?:errors|problems|messages|data)$/

/** Returns whether the schema has a top-level field that the example lacks. */
const isMissing = ({ path: [key, ...rest] }: ErrorField, value: Json): boolean =>
  rest.length === 0 && typeof key === 'string' && isObject(value) && !Object.hasOwn(value, key)

/** Returns every field that may be filled, except those inside lists. */
function* fieldsIn(value: Json, path: Path = [], name = 'message'): Iterable<ErrorField> {
  const plain = path.length === 0 ? name : plainly(name)
  const within = isObject(value) && Object.keys(value).length > 0 && !isByField(plain, value, path)
  if (within && (path.length === 0 || isHolder(plain))) {
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
function writeList(
  draft: GuardedValue,
  { path, name, value }: ErrorField,
  refusal: Refusal,
  part: ReplyPart | undefined,
  isExample: boolean,
): boolean {
  // The object around it may have been removed.
  if (path.length > 0 && draft.at(path.slice(0, -1)) === undefined) return false
  const { errors } = refusal
  /** Returns what is written in place of a value of the shape: a list of entries, or a text. */
  const form = (known: Json, at: Path, about: Refusal): Json | undefined => {
    if (typeof known === 'string') return reasonsOf(about).join('; ')
    if (!Array.isArray(known)) return undefined
    const template = (known[0] as Json | undefined) ?? partAt(part, [...at, 0])?.sample(1)
    const fits = (one: Json) => draft.fits([...path, ...at], [one])
    return template === undefined ? undefined : writeEntries(template, about, fits)
  }
  if (!Array.isArray(value)) {
    // An example of what is not found names it.
    const { errors: _, ...whole } = refusal
    const about = isExample && refusal.problem.code === 'not_found' ? whole : refusal
    const forms = formsByField(value as JsonObject, about, part?.declared ?? new Set(), form, isExample)
    if (forms.some(one => draft.put(path, one))) return true
    if (!draft.drop(path)) draft.put(path, {})
    return false
  }
  // Without broken rules, an optional list is removed.
  if (errors === undefined && path.length > 0 && !ERRORS.test(name) && draft.drop(path)) return false
  const entries = form(value, [], refusal) as readonly Json[] | undefined
  if (entries !== undefined && (draft.put(path, entries) || draft.put(path, entries.slice(0, 1)))) return true
  if (!draft.drop(path)) draft.put(path, [])
  return false
}
